package anthropic

import (
	"strconv"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/dialect"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
	"github.com/crosswalk-agents/crosswalk/internal/sse"
)

// encoder writes a streamed answer.
type encoder struct {
	report *canon.Report
	data   []byte
	// index is that of the open block, or of the next one.
	index int
	block canon.Block // nil if the open one is left out
	// parts counts the parts of a summary that have begun; text says that there was
	// full text, beside which the summary is left out.
	parts int
	text  bool
}

// Encode implements [dialect.Encoder].
func (e *encoder) Encode(dst []byte, ev *canon.Event) ([]byte, error) {
	switch ev.Kind {
	case canon.EventStart:
		dialect.Leave(&ev.Response.Ext, Name, e.report)
		e.data = append(e.data[:0], `{"type":"message_start","message":`...)
		e.data = appendHead(e.data, ev.Response)
		e.data = append(e.data, `,"content":[],"stop_reason":null,"stop_sequence":null,"usage":`...)
		e.data = appendUsage(e.data, ev.Response.Usage)
		e.data = append(ev.Response.Ext.AppendMembers(e.data, Name), "}}"...)
		return sse.Append(dst, "message_start", e.data), nil
	case canon.EventBlock:
		return e.begin(dst, ev)
	case canon.EventDelta:
		if e.block == nil {
			return dst, nil
		}
		return e.delta(dst, ev), nil
	case canon.EventBlockEnd:
		return e.end(dst), nil
	case canon.EventPing:
		return sse.Append(dst, "ping", []byte(`{"type":"ping"}`)), nil
	case canon.EventEnd:
		a := ev.Response
		e.data = append(e.data[:0], `{"type":"message_delta","delta":{"stop_reason":"`...)
		e.data = append(e.data, stopReasons.For(a.Stop.Reason, "end_turn")...)
		e.data = append(e.data, `","stop_sequence":`...)
		e.data = appendSequence(e.data, a.Stop)
		e.data = append(e.data, `},"usage":`...)
		e.data = append(appendUsage(e.data, a.Usage), '}')
		dst = sse.Append(dst, "message_delta", e.data)
		return sse.Append(dst, "message_stop", []byte(`{"type":"message_stop"}`)), nil
	case canon.EventError:
		return sse.Append(dst, "error", Codec{}.EncodeError(e.data[:0], ev.Err)), nil
	}
	return dst, nil
}

func (e *encoder) begin(dst []byte, ev *canon.Event) ([]byte, error) {
	b, ok := answerBlock(ev.Block, e.report)
	if !ok {
		e.block = nil
		return dst, nil
	}
	e.block, e.parts, e.text = b, 0, false
	e.open("content_block_start")
	e.data = append(e.data, `,"content_block":`...)
	switch b := b.(type) {
	case *canon.ToolCallBlock:
		e.data = appendCallHead(e.data, b)
		e.data = append(e.data, "{}"...)
		e.data = append(b.Ext.AppendMembers(e.data, Name), '}')
	case *canon.ReasoningBlock:
		if b.Redacted {
			return dst, nil // the data, which is all there is, has to stand here
		}
		e.data = appendThinking(e.data, b)
	default:
		var err error
		if e.data, err = AppendBlock(e.data, b); err != nil {
			return dst, err
		}
	}
	e.data = append(e.data, '}')
	dst = sse.Append(dst, "content_block_start", e.data)
	if c, ok := b.(*canon.ToolCallBlock); ok && c.Call == canon.CallCustom {
		dst = e.fragment(dst, canon.NewText(`{"input":"`), "input_json_delta", "partial_json")
	}
	return dst, nil
}

// open begins the data of a frame for the open block.
func (e *encoder) open(typ string) {
	e.data = append(e.data[:0], `{"type":"`...)
	e.data = append(e.data, typ...)
	e.data = append(e.data, `","index":`...)
	e.data = strconv.AppendInt(e.data, int64(e.index), 10)
}

func (e *encoder) fragment(dst []byte, t canon.Text, typ, member string) []byte {
	e.open("content_block_delta")
	e.data = append(e.data, `,"delta":{"type":"`...)
	e.data = append(e.data, typ...)
	e.data = append(e.data, `","`...)
	e.data = append(e.data, member...)
	e.data = append(e.data, `":`...)
	e.data = t.AppendQuoted(e.data)
	e.data = append(e.data, "}}"...)
	return sse.Append(dst, "content_block_delta", e.data)
}

func (e *encoder) delta(dst []byte, ev *canon.Event) []byte {
	switch b := e.block.(type) {
	case *canon.TextBlock:
		return e.fragment(dst, ev.Text, "text_delta", "text")
	case *canon.ToolCallBlock:
		if b.Call == canon.CallCustom {
			quoted := jsonx.AppendQuote(nil, ev.Text.String())
			return e.fragment(dst, canon.NewText(string(quoted[1:len(quoted)-1])), "input_json_delta", "partial_json")
		}
		return e.fragment(dst, ev.Text, "input_json_delta", "partial_json")
	case *canon.ReasoningBlock:
		if b.Redacted {
			if ev.Part == canon.PartSealed {
				b.Capsule.Sealed = canon.Join(b.Capsule.Sealed, ev.Text.Clone())
			}
			return dst
		}
		return e.thinking(dst, ev)
	}
	return dst
}

func (e *encoder) thinking(dst []byte, ev *canon.Event) []byte {
	switch ev.Part {
	case canon.PartSealed:
		return e.fragment(dst, ev.Text, "signature_delta", "signature")
	case canon.PartSummary:
		if e.text {
			return dst
		}
		t := ev.Text
		if ev.Summary >= e.parts {
			if e.parts > 0 {
				t = canon.Join(canon.NewText(canon.BetweenParts), t)
			}
			e.parts = ev.Summary + 1
		}
		return e.fragment(dst, t, "thinking_delta", "thinking")
	case canon.PartText, canon.PartInput:
		e.text = true
		return e.fragment(dst, ev.Text, "thinking_delta", "thinking")
	}
	return dst
}

func (e *encoder) end(dst []byte) []byte {
	if e.block == nil {
		return dst
	}
	switch b := e.block.(type) {
	case *canon.ToolCallBlock:
		if b.Call == canon.CallCustom {
			dst = e.fragment(dst, canon.NewText(`"}`), "input_json_delta", "partial_json")
		}
	case *canon.ReasoningBlock:
		if b.Redacted {
			e.open("content_block_start")
			e.data = append(e.data, `,"content_block":`...)
			e.data = append(appendThinking(e.data, b), '}')
			dst = sse.Append(dst, "content_block_start", e.data)
		}
	}
	e.open("content_block_stop")
	e.data = append(e.data, '}')
	e.index++
	e.block = nil
	return sse.Append(dst, "content_block_stop", e.data)
}
