package gemini

import (
	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/dialect"
	"github.com/crosswalk-agents/crosswalk/internal/sse"
)

// encoder writes a streamed answer: a frame for each part and one for the end.
type encoder struct {
	writer partWriter
	dst    []byte // the frames of an event
	data   []byte
	head   canon.Response
	// block is the open one; text says that thoughts had a text, beside which the
	// summary is left out.
	block   canon.Block
	text    bool
	summary int // how many parts of a summary have begun
	lost    bool
	input   []byte
}

// Encode implements [dialect.Encoder].
func (e *encoder) Encode(dst []byte, ev *canon.Event) ([]byte, error) {
	e.dst = dst
	switch ev.Kind {
	case canon.EventStart:
		dialect.Leave(&ev.Response.Ext, Name, e.writer.report)
		e.head = canon.Response{ID: ev.Response.ID, Model: ev.Response.Model, Created: ev.Response.Created}
	case canon.EventBlock:
		e.begin(ev.Block)
	case canon.EventDelta:
		e.delta(ev)
	case canon.EventBlockEnd:
		if b, ok := e.block.(*canon.ToolCallBlock); ok && b.Call != canon.CallProvider {
			whole := *b
			whole.Input = canon.InputOf(b.Call, e.input)
			e.writer.call(&whole)
		}
		e.block = nil
	case canon.EventPing:
		e.dst = sse.AppendComment(e.dst)
	case canon.EventEnd:
		e.end(ev.Response)
	case canon.EventError:
		e.data = Codec{}.EncodeError(e.data[:0], ev.Err)
		e.dst = sse.Append(e.dst, "", e.data)
	}
	dst, e.dst = e.dst, nil
	return dst, nil
}

func (e *encoder) begin(b canon.Block) {
	e.block, e.text, e.summary, e.lost, e.input = b, false, 0, false, nil
	switch b := b.(type) {
	case *canon.TextBlock:
		e.writer.begin(&b.Ext)
	case *canon.ReasoningBlock:
		e.writer.begin(&b.Ext)
	case *canon.ToolCallBlock:
		if b.Call == canon.CallProvider {
			e.writer.answerBlock(b)
		}
	default:
		e.writer.answerBlock(b)
	}
}

func (e *encoder) delta(ev *canon.Event) {
	switch e.block.(type) {
	case *canon.TextBlock:
		e.writer.piece(textPart, ev.Text)
	case *canon.ToolCallBlock:
		e.input = ev.Text.AppendTo(e.input)
	case *canon.ReasoningBlock:
		e.thinking(ev)
	}
}

func (e *encoder) thinking(ev *canon.Event) {
	switch ev.Part {
	case canon.PartSealed:
		e.writer.seal(ev.Text.Clone()) // the event's memory is used again
	case canon.PartSummary:
		if e.text {
			if !e.lost {
				e.lost = true
				e.writer.loseSummary()
			}
			return
		}
		t := ev.Text
		if ev.Summary >= e.summary {
			if e.summary > 0 {
				t = canon.Join(canon.NewText(canon.BetweenParts), t)
			}
			e.summary = ev.Summary + 1
		}
		e.writer.piece(thoughtPart, t)
	case canon.PartText, canon.PartInput:
		e.text = true
		e.writer.piece(thoughtPart, ev.Text)
	}
}

// part writes the frame of a part.
func (e *encoder) part(p *outPart) {
	e.data = append(e.data[:0], `{"candidates":[{"content":{"parts":[`...)
	e.data = appendPart(e.data, p)
	e.data = append(e.data, `],"role":"model"},"index":0}]`...)
	e.data = append(appendHead(e.data, &e.head), '}')
	e.dst = sse.Append(e.dst, "", e.data)
}

// end writes the last frame, in which the API has an empty text.
func (e *encoder) end(a *canon.Response) {
	e.writer.finish(isCut(a.Stop))
	e.data = append(e.data[:0], `{"candidates":[{"content":{"parts":[`...)
	e.data = appendPart(e.data, &outPart{kind: textPart})
	e.data = append(e.data, `],"role":"model"}`...)
	e.data = append(appendEnd(e.data, a.Stop, e.writer.report), "}]"...)
	if a.Usage != nil {
		e.data = append(e.data, `,"usageMetadata":`...)
		e.data = appendUsage(e.data, a.Usage, e.writer.report)
	}
	e.data = append(appendHead(e.data, &e.head), '}')
	e.dst = sse.Append(e.dst, "", e.data)
}
