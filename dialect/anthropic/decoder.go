package anthropic

import (
	"fmt"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/dialect"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
	"github.com/crosswalk-agents/crosswalk/internal/sse"
)

// decoder reads a streamed answer.
type decoder struct {
	report *canon.Report
	dec    jsonx.Decoder
	// blocks counts those that have begun, and at gives for the upstream's index
	// ours.
	blocks int
	at     map[int64]int
	usage  canon.Usage
	known  bool // usage holds something
	stop   canon.Stop
	over   bool
	event  canon.Event
}

// frame is the union of what frames hold.
type frame struct {
	typ      string
	index    int64
	message  canon.Raw
	block    canon.Raw
	delta    canon.Raw
	usage    canon.Raw
	hasError bool
}

// Frame implements [dialect.Decoder].
func (d *decoder) Frame(f *sse.Event, emit func(*canon.Event) error) error {
	fr, err := d.read(f)
	if err != nil {
		return err
	}
	switch fr.typ {
	case "message_start":
		return d.start(&fr, emit)
	case "content_block_start":
		return d.begin(&fr, emit)
	case "content_block_delta":
		return d.delta(&fr, emit)
	case "content_block_stop":
		i, ok := d.at[fr.index]
		if !ok {
			return nil
		}
		return emit(&canon.Event{Kind: canon.EventBlockEnd, Index: i})
	case "message_delta":
		d.messageDelta(&fr)
		return nil
	case "message_stop":
		return d.end(emit)
	case "ping":
		return emit(&canon.Event{Kind: canon.EventPing})
	case "error":
		api := Codec{}.DecodeError(0, f.Data)
		return emit(&canon.Event{Kind: canon.EventError, Err: api})
	}
	return nil // the protocol asks clients to pass over what they do not know
}

func (d *decoder) read(f *sse.Event) (fr frame, err error) {
	d.dec.Reset(f.Data)
	if len(f.Data) == 0 {
		return fr, nil
	}
	for name := range d.dec.Members() {
		switch string(name) {
		case "type":
			fr.typ = d.dec.OptStr()
		case "index":
			fr.index = d.dec.OptInt()
		case "message":
			fr.message = d.dec.Raw()
		case "content_block":
			fr.block = d.dec.Raw()
		case "delta":
			fr.delta = d.dec.Raw()
		case "usage":
			fr.usage = d.dec.Raw()
		case "error":
			fr.hasError = true
		}
	}
	if err := d.dec.Err(); err != nil {
		return fr, fmt.Errorf("decode Anthropic stream: %w", err)
	}
	if fr.typ == "" {
		if fr.typ = string(f.Name); fr.hasError {
			fr.typ = "error"
		}
	}
	return fr, nil
}

func (d *decoder) start(fr *frame, emit func(*canon.Event) error) error {
	a := new(canon.Response)
	if fr.message != nil {
		readHead(jsonx.NewDecoder(fr.message), a)
		a.Blocks, a.Stop = nil, canon.Stop{}
	}
	if a.Usage != nil {
		d.usage, d.known = *a.Usage, true
	}
	return emit(&canon.Event{Kind: canon.EventStart, Response: a})
}

// begin announces a block. What it brings beyond its form comes as a delta.
func (d *decoder) begin(fr *frame, emit func(*canon.Event) error) error {
	if fr.block == nil {
		return nil
	}
	if d.at == nil {
		d.at = make(map[int64]int)
	}
	i := d.blocks
	d.at[fr.index] = i
	d.blocks++
	b := ReadBlock(jsonx.NewDecoder(fr.block))
	e := &canon.Event{Kind: canon.EventBlock, Index: i, Block: b}
	more := canon.Event{Kind: canon.EventDelta, Index: i}
	var sealed canon.Text
	switch b := b.(type) {
	case *canon.TextBlock:
		more.Text, b.Text = b.Text, canon.Text{}
	case *canon.ReasoningBlock:
		more.Text, b.Text = b.Text, canon.Text{}
		sealed, b.Capsule.Sealed = b.Capsule.Sealed, canon.Text{}
	case *canon.ToolCallBlock:
		if more.Part = canon.PartInput; string(b.Input.JSON) != "{}" {
			if more.Text = b.Input.Text; b.Input.JSON != nil {
				more.Text = canon.NewText(string(b.Input.JSON))
			}
		}
		b.Input = canon.Input{}
	}
	if err := emit(e); err != nil {
		return err
	}
	if !more.Text.IsEmpty() {
		if err := emit(&more); err != nil {
			return err
		}
	}
	if !sealed.IsEmpty() {
		return emit(&canon.Event{Kind: canon.EventDelta, Index: i, Part: canon.PartSealed, Text: sealed})
	}
	return nil
}

func (d *decoder) delta(fr *frame, emit func(*canon.Event) error) error {
	i, ok := d.at[fr.index]
	if !ok || fr.delta == nil {
		return nil
	}
	d.event = canon.Event{Kind: canon.EventDelta, Index: i}
	typ := ""
	d.dec.Reset(fr.delta)
	for name := range d.dec.Members() {
		switch string(name) {
		case "type":
			typ = d.dec.OptStr()
		case "text", "thinking":
			d.event.Part, d.event.Text = canon.PartText, canon.ReadOptText(&d.dec)
		case "partial_json":
			d.event.Part, d.event.Text = canon.PartInput, canon.ReadOptText(&d.dec)
		case "signature":
			d.event.Part, d.event.Text = canon.PartSealed, canon.ReadOptText(&d.dec)
		}
	}
	if d.event.Text.IsEmpty() {
		switch typ {
		case "text_delta", "thinking_delta", "input_json_delta", "signature_delta":
		default:
			d.report.Lose(canon.Loss{What: typ, Action: canon.Dropped, Why: "exists only in the " + Name + " dialect"})
		}
		return nil
	}
	return emit(&d.event)
}

func (d *decoder) messageDelta(fr *frame) {
	if fr.delta != nil {
		dec := jsonx.NewDecoder(fr.delta)
		for name := range dec.Members() {
			switch string(name) {
			case "stop_reason":
				if dec.Kind() == jsonx.String {
					sequence := d.stop.Sequence
					d.stop = dialect.ReadStop(stopReasons, dec.Str())
					d.stop.Sequence = sequence
				}
			case "stop_sequence":
				d.stop.Sequence = canon.ReadOptText(dec).Clone()
			}
		}
	}
	if fr.usage != nil {
		d.addUsage(fr.usage)
	}
}

// addUsage takes what a later usage says; what it leaves out was said before.
func (d *decoder) addUsage(raw canon.Raw) {
	d.known = true
	fresh := d.usage.Input - d.usage.CacheRead - d.usage.CacheWrite
	dec := jsonx.NewDecoder(raw)
	if dec.Kind() != jsonx.Object {
		return
	}
	for name := range dec.Members() {
		if dec.Kind() != jsonx.Number {
			continue
		}
		switch string(name) {
		case "input_tokens":
			fresh = dec.OptInt()
		case "cache_read_input_tokens":
			d.usage.CacheRead = dec.OptInt()
		case "cache_creation_input_tokens":
			d.usage.CacheWrite = dec.OptInt()
		case "output_tokens":
			d.usage.Output = dec.OptInt()
		}
	}
	d.usage.Input = fresh + d.usage.CacheRead + d.usage.CacheWrite
}

func (d *decoder) end(emit func(*canon.Event) error) error {
	d.over = true
	a := &canon.Response{Stop: d.stop}
	if d.known {
		a.Usage = &d.usage
	}
	return emit(&canon.Event{Kind: canon.EventEnd, Response: a})
}

// Close implements [dialect.Decoder]. A stream that has told why the answer ended
// has told everything.
func (d *decoder) Close(emit func(*canon.Event) error) error {
	if d.over || d.stop.Reason == "" {
		return nil
	}
	return d.end(emit)
}
