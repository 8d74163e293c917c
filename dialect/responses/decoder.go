package responses

import (
	"bytes"
	"cmp"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/dialect"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
	"github.com/crosswalk-agents/crosswalk/internal/sse"
)

// decoder reads a streamed answer. The protocol tells each text up to five times:
// in deltas, at the end of the text, of its part, of its item and of the answer.
// The first of them that is there counts, and a later one for what it says more.
type decoder struct {
	report  *canon.Report
	dec     jsonx.Decoder
	items   []*streamItem
	blocks  int // that have begun
	started bool
	refused bool
	over    bool
	event   canon.Event
}

// streamItem is an item of the answer.
type streamItem struct {
	id, typ string
	output  int64     // its index, -1 if it is not known
	raw     canon.Raw // as it was announced
	pieces  []*piece
	block   int // ours of all pieces but those of a message; -1 before it begins
	done    bool
}

// piece is a text of an item that deltas bring.
type piece struct {
	kind  canon.Part
	n     int
	block int // -1 before it begins
	ended bool
	whole bool   // nothing more can come
	text  []byte // that was emitted
}

type emitter = func(*canon.Event) error

// Frame implements [dialect.Decoder].
func (d *decoder) Frame(f *sse.Event, emit func(*canon.Event) error) error {
	if d.over || len(f.Data) == 0 || string(bytes.TrimSpace(f.Data)) == "[DONE]" {
		return nil
	}
	fr, err := readFrame(&d.dec, f)
	if err != nil {
		return err
	}
	switch fr.typ {
	case "response.created", "response.in_progress", "response.queued":
		return d.start(&fr, emit)
	case itemAdded:
		return d.added(&fr, emit)
	case itemDone:
		if fr.item == nil {
			return nil
		}
		return d.done(d.find(&fr, typeOf(fr.item)), fr.item, emit)
	case "response.completed", "response.incomplete", "response.failed", "response.cancelled", "response.done":
		return d.end(&fr, emit)
	case "error", "response.error":
		d.over = true
		return emit(&canon.Event{Kind: canon.EventError, Err: dialect.ReadError(0, f.Data, streamedKind)})
	case "ping", "keepalive", "response.keepalive":
		return emit(&canon.Event{Kind: canon.EventPing})
	}
	return d.piece(&fr, emit)
}

func (d *decoder) start(fr *frame, emit emitter) error {
	if d.started || fr.response == nil {
		return nil
	}
	d.started = true
	h := readHead(jsonx.NewDecoder(bytes.Clone(fr.response)))
	return emit(&canon.Event{Kind: canon.EventStart, Response: &h.answer})
}

// find returns the item that a frame is about: by its index and id, or one of
// them, since some servers give an item another id in each event and others all of
// them one index; without either the last one. There is one in any case.
func (d *decoder) find(fr *frame, typ string) *streamItem {
	id := fr.itemID
	if fr.item != nil {
		id = stringOf(fr.item, "id")
	}
	if it := d.lookUp(id, fr.output, typ); it != nil {
		return it
	}
	it := &streamItem{id: id, typ: typ, output: fr.output, block: -1}
	d.items = append(d.items, it)
	return it
}

func (d *decoder) lookUp(id string, output int64, typ string) *streamItem {
	var byID, byIndex *streamItem
	for _, it := range d.items {
		if typ != "" && it.typ != "" && typ != it.typ {
			continue
		}
		if id != "" && it.id == id {
			byID = it
		}
		if output >= 0 && it.output == output {
			byIndex = it
		}
	}
	switch {
	case byID != nil:
		return byID
	case byIndex != nil:
		return byIndex
	case id == "" && output < 0 && len(d.items) > 0:
		if last := d.items[len(d.items)-1]; !last.done && (typ == "" || last.typ == typ) {
			return last
		}
	}
	return nil
}

func typeOf(item canon.Raw) string { return stringOf(item, "type") }

func stringOf(v canon.Raw, name string) string {
	if s := valueOf(v, name); s.Kind() == jsonx.String {
		return jsonx.Unquote(s)
	}
	return ""
}

// added takes in the announcement of an item. A call begins with it, if it says
// which tool is called; what it brings of an input is heeded when it is done.
func (d *decoder) added(fr *frame, emit emitter) error {
	if fr.item == nil {
		return nil
	}
	it := &streamItem{id: stringOf(fr.item, "id"), typ: typeOf(fr.item), output: fr.output, raw: bytes.Clone(fr.item), block: -1}
	for _, o := range d.items {
		if it.id != "" && o.id == it.id && o.typ == it.typ {
			return nil // announced before
		}
	}
	d.items = append(d.items, it)
	if it.isCall() && stringOf(it.raw, "name") != "" {
		return d.begin(it, it.raw, emit)
	}
	return nil
}

// isCall reports whether the item is a call whose input is a text.
func (it *streamItem) isCall() bool {
	return it.typ == "function_call" || it.typ == "custom_tool_call"
}

// begin begins the block of a call or of reasoning.
func (d *decoder) begin(it *streamItem, item canon.Raw, emit emitter) error {
	if it.block >= 0 {
		return nil
	}
	var b canon.Block = &canon.ReasoningBlock{BlockMeta: canon.BlockMeta{ItemID: it.id}, Capsule: canon.Capsule{Issuer: Name}}
	if it.isCall() {
		c := &canon.ToolCallBlock{
			BlockMeta: canon.BlockMeta{ItemID: it.id}, Call: canon.CallFunction,
			CallID: cmp.Or(stringOf(item, "call_id"), it.id), Name: stringOf(item, "name"), Namespace: stringOf(item, "namespace"),
		}
		if it.typ == "custom_tool_call" {
			c.Call = canon.CallCustom
		}
		b = c
	}
	it.block = d.blocks
	d.blocks++
	return emit(&canon.Event{Kind: canon.EventBlock, Index: it.block, Block: b})
}

// kindOf returns the type of item that an event is about, what of it the text is
// added to, and whether the event brings the whole text; no type of events that
// bring none.
func kindOf(event string) (typ string, part canon.Part, whole bool) {
	switch event {
	case "response.output_text.delta", "response.refusal.delta":
		return "message", canon.PartText, false
	case "response.output_text.done", "response.refusal.done":
		return "message", canon.PartText, true
	case "response.reasoning_summary_text.delta", "response.reasoning_summary.delta":
		return "reasoning", canon.PartSummary, false
	case "response.reasoning_summary_text.done", "response.reasoning_summary.done":
		return "reasoning", canon.PartSummary, true
	case "response.reasoning_text.delta", "response.reasoning.delta":
		return "reasoning", canon.PartText, false
	case "response.reasoning_text.done", "response.reasoning.done":
		return "reasoning", canon.PartText, true
	case "response.function_call_arguments.delta":
		return "function_call", canon.PartInput, false
	case "response.function_call_arguments.done":
		return "function_call", canon.PartInput, true
	case "response.custom_tool_call_input.delta":
		return "custom_tool_call", canon.PartInput, false
	case "response.custom_tool_call_input.done":
		return "custom_tool_call", canon.PartInput, true
	}
	return "", 0, false
}

// piece takes in an event that brings text. All others say nothing that does not
// come once more.
func (d *decoder) piece(fr *frame, emit emitter) error {
	typ, kind, whole := kindOf(fr.typ)
	if typ == "" {
		return nil
	}
	if fr.typ == "response.refusal.delta" || fr.typ == "response.refusal.done" {
		d.refused = true
	}
	it := d.find(fr, typ)
	if it.done {
		return nil
	}
	p := it.piece(kind, int(max(fr.part, 0)))
	if whole {
		return d.settle(it, p, fr.whole, emit)
	}
	return d.add(it, p, fr.delta, emit)
}

// piece returns the piece of the item.
func (it *streamItem) piece(kind canon.Part, n int) *piece {
	for _, p := range it.pieces {
		if p.kind == kind && p.n == n {
			return p
		}
	}
	p := &piece{kind: kind, n: n, block: -1}
	it.pieces = append(it.pieces, p)
	return p
}

// add emits a further text of a piece, unless the tool of a call is not known yet.
func (d *decoder) add(it *streamItem, p *piece, t canon.Text, emit emitter) error {
	if t.IsEmpty() || p.whole || p.ended {
		return nil
	}
	if it.isCall() && it.block < 0 {
		return nil // the item brings it all when it is done
	}
	if err := d.beginPiece(it, p, emit); err != nil {
		return err
	}
	p.text = t.AppendTo(p.text)
	d.event = canon.Event{Kind: canon.EventDelta, Index: p.block, Part: p.kind, Text: t}
	if p.kind == canon.PartSummary {
		d.event.Summary = p.n
	}
	return emit(&d.event)
}

// beginPiece begins the block of a piece. Each text of a message is a block, which
// ends the one before.
func (d *decoder) beginPiece(it *streamItem, p *piece, emit emitter) error {
	if p.block >= 0 {
		return nil
	}
	if it.typ != "message" {
		err := d.begin(it, it.raw, emit)
		p.block = it.block
		return err
	}
	for _, o := range it.pieces {
		if err := d.endPiece(o, emit); err != nil {
			return err
		}
	}
	p.block = d.blocks
	d.blocks++
	return emit(&canon.Event{Kind: canon.EventBlock, Index: p.block, Block: &canon.TextBlock{BlockMeta: canon.BlockMeta{ItemID: it.id}}})
}

func (d *decoder) endPiece(p *piece, emit emitter) error {
	if p.block < 0 || p.ended {
		return nil
	}
	p.ended = true
	return emit(&canon.Event{Kind: canon.EventBlockEnd, Index: p.block})
}

// settle emits what the whole text of a piece says beyond what deltas brought. A
// text that says something else comes too late.
func (d *decoder) settle(it *streamItem, p *piece, t canon.Text, emit emitter) error {
	if t.IsEmpty() || p.whole {
		return nil
	}
	more := t.AppendTo(nil)
	if !bytes.HasPrefix(more, p.text) {
		p.whole = true
		return nil
	}
	if more = more[len(p.text):]; len(more) > 0 {
		if err := d.add(it, p, canon.NewText(string(more)), emit); err != nil {
			return err
		}
	}
	p.whole = p.block >= 0
	return nil
}
