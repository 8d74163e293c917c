package chat

import (
	"strconv"
	"strings"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/dialect"
	"github.com/crosswalk-agents/crosswalk/internal/sse"
)

// encoder writes a streamed answer.
type encoder struct {
	answer
	options dialect.StreamOptions
	// head are the members that each chunk begins with.
	head []byte
	data []byte
	// block is the open one, nil if it is left out; input says that there was some.
	block canon.Block
	input bool
}

// Encode implements [dialect.Encoder].
func (e *encoder) Encode(dst []byte, ev *canon.Event) ([]byte, error) {
	switch ev.Kind {
	case canon.EventStart:
		return e.start(dst, ev.Response), nil
	case canon.EventBlock:
		return e.begin(dst, ev.Block), nil
	case canon.EventDelta:
		return e.delta(dst, ev), nil
	case canon.EventBlockEnd:
		if c, ok := e.block.(*canon.ToolCallBlock); ok && !e.input && c.Call != canon.CallCustom {
			dst = e.fragment(dst, canon.NewText("{}")) // clients parse what there is
		}
		e.block = nil
	case canon.EventPing:
		return sse.AppendComment(dst), nil
	case canon.EventEnd:
		return e.end(dst, ev.Response), nil
	case canon.EventError:
		return sse.Append(dst, "", Codec{}.EncodeError(e.data[:0], ev.Err)), nil
	}
	return dst, nil
}

func (e *encoder) start(dst []byte, a *canon.Response) []byte {
	dialect.Leave(&a.Ext, Name, e.report)
	e.head = appendHead(append(e.head[:0], '{'), a, "chat.completion.chunk")
	e.open(`"role":"assistant"`)
	e.close("null")
	if a.Ext.Dialect == Name {
		for _, m := range a.Ext.Members {
			if strings.HasPrefix(m.Name, "choices.") || strings.HasPrefix(m.Name, "message.") {
				e.lose(m.Name, canon.Dropped, "a stream has no place for it")
			}
		}
	}
	e.data = append(appendBeside(e.data, &a.Ext, "choices", "message"), '}')
	return sse.Append(dst, "", e.data)
}

// open begins a chunk, up to the inside of its delta.
func (e *encoder) open(delta string) {
	e.data = append(e.data[:0], e.head...)
	e.data = append(e.data, `,"choices":[{"index":0,"delta":{`...)
	e.data = append(e.data, delta...)
}

// close ends a chunk but for its brace.
func (e *encoder) close(reason string) {
	e.data = append(e.data, `},"finish_reason":`...)
	e.data = append(e.data, reason...)
	e.data = append(e.data, `}]`...)
}

// chunk appends the chunk whose delta is written.
func (e *encoder) chunk(dst []byte) []byte {
	e.close("null")
	return sse.Append(dst, "", append(e.data, '}'))
}

func (e *encoder) begin(dst []byte, b canon.Block) []byte {
	e.block, e.input = nil, false
	if !e.answer.begin(b) {
		return dst
	}
	e.block = b
	c, ok := b.(*canon.ToolCallBlock)
	if !ok {
		return dst
	}
	index := e.calls
	sealed := e.call(c)
	e.openCall(index)
	e.data = append(e.data, ',')
	e.data = append(appendCallHead(e.data, c), `""`...)
	e.data = append(appendCallTail(e.data, c, sealed), "}]"...)
	return e.chunk(dst)
}

// openCall begins a chunk for a call.
func (e *encoder) openCall(index int) {
	e.open(`"tool_calls":[{"index":`)
	e.data = strconv.AppendInt(e.data, int64(index), 10)
}

// fragment appends a piece of the open call's input.
func (e *encoder) fragment(dst []byte, t canon.Text) []byte {
	kind, input := kindOf(e.block.(*canon.ToolCallBlock))
	e.openCall(e.calls - 1)
	e.data = append(e.data, `,"`+kind+`":{"`+input+`":`...)
	e.data = append(t.AppendQuoted(e.data), "}}]"...)
	return e.chunk(dst)
}

func (e *encoder) delta(dst []byte, ev *canon.Event) []byte {
	member, t := `"content":`, ev.Text
	switch b := e.block.(type) {
	case *canon.ToolCallBlock:
		e.input = true
		return e.fragment(dst, t)
	case *canon.TextBlock:
		if isRefusal(b) {
			member = `"refusal":`
		} else {
			t = e.text(t)
		}
	case *canon.ReasoningBlock:
		member = `"reasoning_content":`
		if t = e.reasoning(ev); t.IsEmpty() {
			return dst
		}
	default:
		return dst
	}
	e.open(member)
	e.data = t.AppendQuoted(e.data)
	return e.chunk(dst)
}

func (e *encoder) end(dst []byte, a *canon.Response) []byte {
	e.open("")
	e.close(`"` + e.stop(a.Stop) + `"`)
	dst = sse.Append(dst, "", append(e.data, '}'))
	if e.options.Usage && a.Usage != nil {
		e.data = append(e.data[:0], e.head...)
		e.data = append(e.data, `,"choices":[],"usage":`...)
		dst = sse.Append(dst, "", append(appendUsage(e.data, a.Usage), '}'))
	}
	return sse.Append(dst, "", []byte("[DONE]"))
}
