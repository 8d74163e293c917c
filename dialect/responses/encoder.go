package responses

import (
	"strconv"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
	"github.com/crosswalk-agents/crosswalk/internal/sse"
)

// encoder writes a streamed answer. The end of an item waits for the next event:
// only that tells whether the end of the answer cut the item off, and Codex acts
// on an item as soon as it is done. (0.171.0.)
type encoder struct {
	answer
	data    []byte
	seq     int64
	head    *canon.Response // nil before the start
	item    openItem
	scratch []byte
}

// openItem is the item in the making.
type openItem struct {
	block   canon.Block // nil if there is none
	id, typ string
	// text is that of a text or the input of a call.
	text, sealed literal
	// summary are the parts so far; key tells the last one's origin.
	summary []literal
	key     int
}

// textKey is the key of the full text of reasoning.
const textKey = -1

// literal is a JSON string in the making.
type literal []byte

// add appends t.
func (l *literal) add(t canon.Text) {
	b := *l
	if len(b) == 0 {
		b = append(b, '"', '"')
	}
	at := len(b) - 1
	b = t.AppendQuoted(b[:at])
	*l = append(b[:at], b[at+1:]...)
}

// value returns the text, which shares l's memory.
func (l literal) value() canon.Text {
	if len(l) == 0 {
		return canon.Text{}
	}
	t, _ := canon.LiteralText(l)
	return t
}

// Encode implements [dialect.Encoder].
func (e *encoder) Encode(dst []byte, ev *canon.Event) ([]byte, error) {
	switch ev.Kind {
	case canon.EventStart:
		return e.begin(dst, ev.Response), nil
	case canon.EventBlock:
		dst = e.finish(dst, completed)
		return e.open(dst, ev.Block), nil
	case canon.EventDelta:
		return e.delta(dst, ev), nil
	case canon.EventPing: // no event of this protocol stands for it
		return sse.AppendComment(dst), nil
	case canon.EventEnd:
		return e.close(dst, ev.Response), nil
	case canon.EventError:
		if e.head == nil {
			dst = e.begin(dst, &canon.Response{})
		}
		return e.lifecycle(dst, "response.failed", failed, &canon.Stop{}, ev.Err), nil
	case canon.EventBlockEnd:
	}
	return dst, nil
}

func (e *encoder) begin(dst []byte, r *canon.Response) []byte {
	head := *r
	e.head = &head
	e.start(r)
	dst = e.lifecycle(dst, "response.created", inProgress, nil, nil)
	return e.lifecycle(dst, "response.in_progress", inProgress, nil, nil)
}

func (e *encoder) close(dst []byte, r *canon.Response) []byte {
	if r.Usage != nil {
		e.head.Usage = r.Usage
	}
	if e.item.block != nil {
		dst = e.finish(dst, lastStatus(e.block(), r.Stop.Reason))
	}
	e.end(&r.Stop)
	status := answerStatus(r.Stop.Reason)
	return e.lifecycle(dst, "response."+status, status, &r.Stop, nil)
}

// lifecycle appends an event about the whole answer.
func (e *encoder) lifecycle(dst []byte, typ, status string, stop *canon.Stop, err *canon.APIError) []byte {
	e.event(typ)
	e.raw(`,"response":`)
	e.data = appendResponse(e.data, e.head, status, e.output, stop, e.head.Usage, err)
	return e.send(dst, typ)
}

// event begins the data of an event.
func (e *encoder) event(typ string) {
	e.data = append(e.data[:0], `{"type":"`...)
	e.raw(typ)
	e.raw(`","sequence_number":`)
	e.data = strconv.AppendInt(e.data, e.seq, 10)
	e.seq++
}

func (e *encoder) raw(s string) { e.data = append(e.data, s...) }

func (e *encoder) send(dst []byte, typ string) []byte {
	e.data = append(e.data, '}')
	return sse.Append(dst, typ, e.data)
}

// within begins the data of an event within the open item. part is the name and
// n the number of its place in there; no name is none.
func (e *encoder) within(typ, part string, n int) {
	e.event(typ)
	e.raw(`,"item_id":`)
	e.data = jsonx.AppendQuote(e.data, e.item.id)
	e.raw(`,"output_index":`)
	e.data = strconv.AppendInt(e.data, int64(e.items), 10)
	if part != "" {
		e.raw(`,"` + part + `":`)
		e.data = strconv.AppendInt(e.data, int64(n), 10)
	}
}

// text appends an event within the open item that brings a text.
func (e *encoder) text(dst []byte, typ, part string, n int, name string, t canon.Text) []byte {
	e.within(typ, part, n)
	e.raw(`,"` + name + `":`)
	e.data = t.AppendQuoted(e.data)
	return e.send(dst, typ)
}

// part appends an event about a part of the open item.
func (e *encoder) part(dst []byte, typ, place string, n int, write func([]byte) []byte) []byte {
	e.within(typ, place, n)
	e.raw(`,"part":`)
	e.data = write(e.data)
	return e.send(dst, typ)
}

// itemEvent appends an event that brings the item.
func (e *encoder) itemEvent(dst []byte, typ string, item []byte) []byte {
	e.event(typ)
	e.raw(`,"output_index":`)
	e.data = strconv.AppendInt(e.data, int64(e.items), 10)
	e.raw(`,"item":`)
	e.data = append(e.data, item...)
	return e.send(dst, typ)
}

// The events of items, and the names of the places within.
const (
	itemAdded    = "response.output_item.added"
	itemDone     = "response.output_item.done"
	contentIndex = "content_index"
	summaryIndex = "summary_index"
)

// open announces an item, if its form is known by now.
func (e *encoder) open(dst []byte, b canon.Block) []byte {
	it := &e.item
	if c, ok := b.(*canon.ToolCallBlock); ok && c.Call == "" {
		function := *c
		function.Call = canon.CallFunction
		b = &function
	}
	id, typ, ok := e.answer.begin(b)
	if !ok {
		return dst
	}
	*it = openItem{block: b, id: id, typ: typ, text: it.text[:0], sealed: it.sealed[:0], summary: it.summary[:0]}
	item := e.scratch[:0]
	switch b := b.(type) {
	case *canon.TextBlock:
		item = append(appendHead(item, typ, id, inProgress), `,"role":"assistant","content":[]}`...)
		dst = e.itemEvent(dst, itemAdded, item)
		dst = e.part(dst, "response.content_part.added", contentIndex, 0, func(p []byte) []byte { return appendText(p, &canon.TextBlock{}) })
	case *canon.ReasoningBlock:
		item = append(appendHead(item, typ, id, ""), `,"summary":[]}`...)
		dst = e.itemEvent(dst, itemAdded, item)
	case *canon.ToolCallBlock:
		if b.Call == canon.CallShell || b.Call == canon.CallProvider {
			return dst // its input is no text
		}
		item = appendCallHead(item, b, typ, id, e.callID(b), inProgress)
		if b.Call == canon.CallCustom {
			item = append(item, `,"input":""}`...)
		} else {
			item = append(item, `,"arguments":""}`...)
		}
		dst = e.itemEvent(dst, itemAdded, item)
	}
	e.scratch = item
	return dst
}

func (e *encoder) delta(dst []byte, ev *canon.Event) []byte {
	it := &e.item
	switch b := it.block.(type) {
	case *canon.TextBlock:
		it.text.add(ev.Text)
		return e.text(dst, "response.output_text.delta", contentIndex, 0, "delta", ev.Text)
	case *canon.ToolCallBlock:
		it.text.add(ev.Text)
		switch b.Call {
		case canon.CallShell, canon.CallProvider:
			return dst
		case canon.CallCustom:
			return e.text(dst, "response.custom_tool_call_input.delta", "", 0, "delta", ev.Text)
		case canon.CallFunction:
		}
		return e.text(dst, "response.function_call_arguments.delta", "", 0, "delta", ev.Text)
	case *canon.ReasoningBlock:
		return e.thought(dst, ev)
	}
	return dst
}

// thought appends a piece of reasoning. Its full text is a part of the summary,
// before the others.
func (e *encoder) thought(dst []byte, ev *canon.Event) []byte {
	it := &e.item
	key := ev.Summary
	switch ev.Part {
	case canon.PartSealed:
		it.sealed.add(ev.Text)
		return dst
	case canon.PartText, canon.PartInput:
		key = textKey
	case canon.PartSummary:
	}
	if n := len(it.summary); n == 0 || key != it.key {
		dst = e.endPart(dst)
		it.key = key
		if n < cap(it.summary) {
			it.summary = it.summary[:n+1]
			it.summary[n] = it.summary[n][:0]
		} else {
			it.summary = append(it.summary, nil)
		}
		dst = e.part(dst, "response.reasoning_summary_part.added", summaryIndex, n, func(p []byte) []byte { return appendSummary(p, canon.Text{}) })
	}
	n := len(it.summary) - 1
	it.summary[n].add(ev.Text)
	return e.text(dst, "response.reasoning_summary_text.delta", summaryIndex, n, "delta", ev.Text)
}

// endPart ends the part of a summary that is open, if one is.
func (e *encoder) endPart(dst []byte) []byte {
	n := len(e.item.summary) - 1
	if n < 0 {
		return dst
	}
	t := e.item.summary[n].value()
	dst = e.text(dst, "response.reasoning_summary_text.done", summaryIndex, n, "text", t)
	return e.part(dst, "response.reasoning_summary_part.done", summaryIndex, n, func(p []byte) []byte { return appendSummary(p, t) })
}

// block returns the open item's block with what the deltas brought.
func (e *encoder) block() canon.Block {
	it := &e.item
	switch b := it.block.(type) {
	case *canon.TextBlock:
		return &canon.TextBlock{BlockMeta: b.BlockMeta, Text: it.text.value()}
	case *canon.ReasoningBlock:
		r := &canon.ReasoningBlock{BlockMeta: b.BlockMeta, Capsule: canon.Capsule{Sealed: it.sealed.value()}}
		for _, s := range it.summary {
			r.Summary = append(r.Summary, s.value())
		}
		return r
	case *canon.ToolCallBlock:
		c := *b
		switch b.Call {
		case canon.CallShell, canon.CallProvider:
			c.Input = canon.Input{}
			if len(it.text) > 0 {
				c.Input = canon.InputOf(b.Call, it.text.value().AppendTo(nil))
			}
		case canon.CallCustom, canon.CallFunction:
			c.Input = canon.Input{Text: it.text.value()}
		}
		return &c
	}
	return it.block
}

// finish ends the open item. A call that is cut off is not done: it stands in the
// answer's list alone, as incomplete.
func (e *encoder) finish(dst []byte, status string) []byte {
	it := &e.item
	if it.block == nil {
		return dst
	}
	b := e.block()
	it.block = nil
	item, ok := e.whole(e.scratch[:0], b, it.id, status)
	e.scratch = item
	if !ok {
		return dst
	}
	if status == completed || !isCut(b) {
		dst = e.ends(dst, b, item)
		dst = e.itemEvent(dst, itemDone, item)
	}
	e.add(item)
	return dst
}

// ends appends the events that come before an item is done.
func (e *encoder) ends(dst []byte, b canon.Block, item []byte) []byte {
	switch b := b.(type) {
	case *canon.TextBlock:
		dst = e.text(dst, "response.output_text.done", contentIndex, 0, "text", b.Text)
		return e.part(dst, "response.content_part.done", contentIndex, 0, func(p []byte) []byte { return appendText(p, b) })
	case *canon.ReasoningBlock:
		return e.endPart(dst)
	case *canon.ToolCallBlock:
		switch b.Call {
		case canon.CallShell, canon.CallProvider:
		case canon.CallCustom:
			return e.text(dst, "response.custom_tool_call_input.done", "", 0, "input", b.Input.Text)
		case canon.CallFunction:
			t := inputText(b)
			if b.Input.Text.IsEmpty() { // some clients add up the deltas alone
				dst = e.text(dst, "response.function_call_arguments.delta", "", 0, "delta", t)
			}
			e.within("response.function_call_arguments.done", "", 0)
			e.raw(`,"name":`)
			e.data = jsonx.AppendQuote(e.data, b.Name)
			e.raw(`,"arguments":`)
			e.data = t.AppendQuoted(e.data)
			return e.send(dst, "response.function_call_arguments.done")
		}
	}
	return e.itemEvent(dst, itemAdded, item)
}
