package chat

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/dialect"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
	"github.com/crosswalk-agents/crosswalk/internal/sse"
)

// errNoObject is the error for a frame that holds no object.
var errNoObject = errors.New("decode Chat Completions stream: a frame holds no object")

type emitFunc = func(*canon.Event) error

// decoder reads a streamed answer. The end is held until nothing more is to be
// said: the usage comes behind the reason for the end, and some servers give that
// reason in their first chunk.
type decoder struct {
	report              *canon.Report
	chunk, choice, body jsonx.Decoder
	head                canon.Response
	started, over       bool
	// blocks counts those that have begun. open is the text or reasoning that was
	// added to last, if openKind says so; calls stay open to the end.
	blocks, open int
	openKind     canon.BlockKind
	refusing     bool
	calls        []*openCall
	think        thinker
	usage        *canon.Usage
	stop         canon.Stop
	failed       *canon.APIError
	// finished says that the reason for the end came, and no content behind it.
	finished, refused bool
	lost              []string // members that are listed as left out
}

func newDecoder(r *canon.Report) *decoder { return &decoder{report: r} }

// Frame implements [dialect.Decoder].
func (d *decoder) Frame(f *sse.Event, emit func(*canon.Event) error) error {
	data := bytes.TrimSpace(f.Data)
	if d.over || len(data) == 0 {
		return nil
	}
	if string(data) == "[DONE]" {
		return d.done(emit)
	}
	var choices, usage canon.Raw
	failed := string(f.Name) == "error" || data[0] == '[' // Gemini's compatible API has errors in a list
	d.chunk.Reset(data)
	if !failed {
		if d.chunk.Kind() != jsonx.Object {
			return errNoObject
		}
		for name := range d.chunk.Members() {
			switch string(name) {
			case "choices":
				choices = d.chunk.Raw()
			case "usage":
				usage = d.chunk.Raw()
			case "error":
				failed = failed || d.chunk.Kind() == jsonx.Object || d.chunk.Kind() == jsonx.String
			default:
				d.member(name)
			}
		}
		if err := d.chunk.Err(); err != nil {
			return fmt.Errorf("decode Chat Completions stream: %w", err)
		}
	}
	if failed {
		d.over = true
		return emit(&canon.Event{Kind: canon.EventError, Err: Codec{}.DecodeError(0, data)})
	}
	return d.chunked(choices, usage, emit)
}

// member reads a member of a chunk beside what it says. Those of the first chunks
// are the answer's; most servers repeat them in each.
func (d *decoder) member(name []byte) {
	if !d.started {
		n := len(d.head.Ext.Members)
		readHead(&d.chunk, &d.head, name)
		if m := d.head.Ext.Members; len(m) > n {
			kept := m[n]
			take(&d.head.Ext.Members, kept.Name)
			kept.Value = bytes.Clone(kept.Value) // the chunk's memory is used again
			add(&d.head.Ext, kept)
		}
		return
	}
	switch string(name) {
	case "id", "model", "created", "object", "obfuscation":
	default:
		if d.chunk.Kind() != jsonx.Null && d.head.Ext.Get(string(name)) == nil {
			d.lose(string(name))
		}
	}
}

// lose lists a member once as left out.
func (d *decoder) lose(name string) {
	if !slices.Contains(d.lost, name) {
		d.lost = append(d.lost, name)
		d.report.Lose(canon.Loss{What: name, Action: canon.Dropped, Why: "a stream of events has no place for it"})
	}
}

// chunked handles a chunk whose members were read.
func (d *decoder) chunked(choices, usage canon.Raw, emit emitFunc) error {
	if u := readUsage(jsonx.NewDecoder(usage)); u != nil {
		d.usage = u
	}
	n := 0
	d.choice.Reset(choices)
	if d.choice.Kind() == jsonx.Array {
		for i := range d.choice.Elements() {
			if d.choice.Kind() != jsonx.Object {
				continue
			}
			if n++; !d.started {
				d.started = true
				if err := emit(&canon.Event{Kind: canon.EventStart, Response: &d.head}); err != nil {
					return err
				}
			}
			if err := d.oneChoice(i, emit); err != nil {
				return err
			}
		}
	}
	if n == 0 && d.finished && d.usage != nil && usage.Kind() == jsonx.Object {
		return d.end(emit)
	}
	return nil
}

// oneChoice reads what a chunk says of a choice. Only the first is the answer.
func (d *decoder) oneChoice(place int, emit emitFunc) error {
	var delta canon.Raw
	word, index := "", int64(place)
	c := &d.choice
	for name := range c.Members() {
		switch string(name) {
		case "index":
			if c.Kind() == jsonx.Number {
				index = c.OptInt()
			}
		case "delta", "message": // the latter in a stream that only looks like one
			if c.Kind() == jsonx.Object {
				delta = c.Raw()
			}
		case "finish_reason":
			word = c.OptStr()
		case "usage": // as Kimi has it
			if u := readUsage(c); u != nil {
				d.usage = u
			}
		default:
			if c.Kind() != jsonx.Null {
				d.lose("choices." + string(name))
			}
		}
	}
	if index != 0 {
		if !slices.Contains(d.lost, "choices") {
			d.lost = append(d.lost, "choices")
			loseChoice(d.report)
		}
		return nil
	}
	if delta != nil {
		if err := d.delta(delta, emit); err != nil {
			return err
		}
	}
	if word != "" {
		d.stop, d.finished, d.failed = dialect.ReadStop(stopReasons, word), true, failure(word)
	}
	return nil
}

func (d *decoder) delta(raw canon.Raw, emit emitFunc) error {
	p := d.readPiece(raw)
	if t := p.thought(); !t.IsEmpty() {
		if err := d.endThink(emit); err != nil {
			return err
		}
		if err := d.say(canon.KindReasoning, false, t, emit); err != nil {
			return err
		}
	}
	if err := d.content(p.content, emit); err != nil {
		return err
	}
	for _, b := range p.parts {
		if err := d.part(b, emit); err != nil {
			return err
		}
	}
	if !p.refusal.IsEmpty() {
		d.refused = true
		if err := d.say(canon.KindText, true, p.refusal, emit); err != nil {
			return err
		}
	}
	if p.calls.Kind() != jsonx.Array {
		return nil
	}
	list := jsonx.NewDecoder(p.calls)
	for range list.Elements() {
		if err := d.fragment(readCall(list), emit); err != nil {
			return err
		}
	}
	return nil
}

// content adds a text that may hold reasoning between tags.
func (d *decoder) content(t canon.Text, emit emitFunc) error {
	if t.IsEmpty() {
		return nil
	}
	if d.openKind == canon.KindReasoning && d.think.state == beforeThought {
		d.think.state = noThought // the server parts the two
	}
	return d.think.feed(t, d.sayer(emit))
}

// endThink takes what was held of a text for plain.
func (d *decoder) endThink(emit emitFunc) error { return d.think.end(d.sayer(emit)) }

func (d *decoder) sayer(emit emitFunc) sayFunc {
	return func(thought bool, t canon.Text) error {
		if thought {
			return d.say(canon.KindReasoning, false, t, emit)
		}
		return d.say(canon.KindText, false, t, emit)
	}
}

// part adds a part of content that is a list.
func (d *decoder) part(b canon.Block, emit emitFunc) error {
	switch b := b.(type) {
	case *canon.TextBlock:
		if isRefusal(b) {
			d.refused = true
		}
		return d.say(canon.KindText, isRefusal(b), b.Text, emit)
	case *canon.ReasoningBlock:
		return d.say(canon.KindReasoning, false, b.Text, emit)
	}
	d.lose("delta.content")
	return nil
}

// say adds a text to the open block, or to a new one if that is of another kind.
func (d *decoder) say(kind canon.BlockKind, refusing bool, t canon.Text, emit emitFunc) error {
	if t.IsEmpty() {
		return nil
	}
	d.finished = false
	if d.openKind != kind || d.refusing != refusing {
		if err := d.closeText(emit); err != nil {
			return err
		}
		var b canon.Block
		switch {
		case refusing:
			b = refusal(canon.Text{})
		case kind == canon.KindReasoning:
			b = &canon.ReasoningBlock{Capsule: canon.Capsule{Issuer: Name}}
		default:
			b = &canon.TextBlock{}
		}
		d.open, d.openKind, d.refusing = d.blocks, kind, refusing
		if err := d.begin(b, emit); err != nil {
			return err
		}
	}
	return emit(&canon.Event{Kind: canon.EventDelta, Index: d.open, Part: canon.PartText, Text: t})
}

func (d *decoder) begin(b canon.Block, emit emitFunc) error {
	d.blocks++
	return emit(&canon.Event{Kind: canon.EventBlock, Index: d.blocks - 1, Block: b})
}

// closeText ends the open text or reasoning.
func (d *decoder) closeText(emit emitFunc) error {
	if d.openKind == "" {
		return nil
	}
	d.openKind, d.refusing = "", false
	return emit(&canon.Event{Kind: canon.EventBlockEnd, Index: d.open})
}

// done handles the mark of the end. It ends no answer that has not begun.
func (d *decoder) done(emit emitFunc) error {
	if !d.finished && d.blocks == 0 && len(d.calls) == 0 && len(d.think.held) == 0 {
		return nil
	}
	return d.end(emit)
}

// Close implements [dialect.Decoder]. A stream that has told why the answer ended,
// and nothing since, has told everything: not every server sends the mark of the
// end.
func (d *decoder) Close(emit func(*canon.Event) error) error {
	if d.over || !d.finished {
		return nil
	}
	return d.end(emit)
}

func (d *decoder) end(emit emitFunc) error {
	d.over = true
	if d.failed != nil {
		return emit(&canon.Event{Kind: canon.EventError, Err: d.failed})
	}
	if err := d.endThink(emit); err != nil {
		return err
	}
	if err := d.endCalls(emit); err != nil {
		return err
	}
	a := &canon.Response{Stop: settle(d.stop, d.refused, len(d.calls) > 0), Usage: d.usage}
	return emit(&canon.Event{Kind: canon.EventEnd, Response: a})
}
