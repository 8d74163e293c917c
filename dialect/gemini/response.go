package gemini

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/dialect"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

var errNoCandidate = errors.New("decode Gemini answer: it has no candidate")

// DecodeResponse implements [dialect.Codec]. A body that is a list is read as a
// stream that came as a whole. An answer that ended because the model wrote what
// is none, and says nothing else, is a [*canon.APIError], as it is in a stream.
func (Codec) DecodeResponse(body []byte, r *canon.Report) (*canon.Response, error) {
	var ext canon.Ext
	a := answer{leave: func(d *jsonx.Decoder, name string) {
		if name == "candidate" {
			r.Lose(otherCandidate)
			return
		}
		ext.Read(d, Name, []byte(name))
	}}
	l := list{merge: true, called: a.named}
	isError := false
	one := func(d *jsonx.Decoder) {
		candidate, failed := a.read(d)
		if isError = isError || failed; candidate != nil && d.Err() == nil {
			a.candidate(candidate, &l)
		}
	}
	d := jsonx.NewDecoder(body)
	if d.Kind() == jsonx.Array {
		for range d.Elements() {
			one(d)
		}
	} else {
		one(d)
	}
	l.close()
	switch {
	case d.Err() != nil:
		return nil, fmt.Errorf("decode Gemini answer: %w", d.Err())
	case d.More():
		return nil, fmt.Errorf("decode Gemini answer: more text after the body at byte %d", d.Offset())
	case isError:
		return nil, decodeError(0, body)
	case !a.begun && a.end.blocked == "":
		return nil, errNoCandidate
	}
	out := a.head()
	out.Blocks, out.Usage, out.Ext = l.blocks, a.usage.usage(), ext
	stop, failed := a.end.stop(slices.ContainsFunc(l.blocks, says))
	if failed != nil {
		return nil, failed
	}
	out.Stop = stop.Settle(canon.CallsClient(l.blocks))
	return out, nil
}

var otherCandidate = canon.Loss{What: "candidate", Action: canon.Dropped, Why: "an answer has one candidate"}

// says reports whether a block is more than a thought.
func says(b canon.Block) bool { return b.Kind() != canon.KindReasoning }

// EncodeResponse implements [dialect.Codec].
func (Codec) EncodeResponse(dst []byte, a *canon.Response, r *canon.Report) ([]byte, error) {
	dialect.Leave(&a.Ext, Name, r)
	var c collector
	w := partWriter{report: r, emit: c.add}
	for _, b := range a.Blocks {
		w.answerBlock(b)
	}
	w.finish(isCut(a.Stop))
	dst = append(dst, `{"candidates":[{"content":{"parts":[`...)
	dst = c.appendTo(dst)
	dst = append(dst, `],"role":"model"}`...)
	dst = appendEnd(dst, a.Stop, r)
	dst = append(appendMembers(dst, &a.Ext, candidatesMember), "}]"...)
	if a.Usage != nil {
		dst = append(dst, `,"usageMetadata":`...)
		dst = appendUsage(dst, a.Usage, r)
	}
	dst = appendHead(dst, a)
	return append(appendMembers(dst, &a.Ext, "", candidatesMember), '}'), nil
}

// isCut reports whether an answer broke off at a limit.
func isCut(s canon.Stop) bool { return s.Reason == canon.StopLimit || s.Reason == canon.StopContext }

// appendEnd appends the members of a candidate that say why it ended.
func appendEnd(dst []byte, s canon.Stop, r *canon.Report) []byte {
	loseStop(s, r)
	word, message := finishReason(s)
	dst = append(dst, `,"finishReason":"`...)
	dst = append(append(dst, word...), '"')
	if message != "" {
		dst = append(dst, `,"finishMessage":`...)
		dst = jsonx.AppendQuote(dst, message)
	}
	return append(dst, `,"index":0`...)
}

// appendHead appends the members that stand behind the candidates.
func appendHead(dst []byte, a *canon.Response) []byte {
	if a.Model != "" {
		dst = append(dst, `,"modelVersion":`...)
		dst = jsonx.AppendQuote(dst, a.Model)
	}
	if !a.Created.IsZero() {
		dst = append(dst, `,"createTime":`...)
		dst = strconv.AppendQuote(dst, a.Created.UTC().Format(time.RFC3339Nano))
	}
	if a.ID != "" {
		dst = append(dst, `,"responseId":`...)
		dst = jsonx.AppendQuote(dst, a.ID)
	}
	return dst
}

// collector makes one part of the pieces of a text.
type collector struct {
	parts []outPart
	runs  [][]canon.Text // the pieces of each part
}

func (c *collector) add(p *outPart) {
	last := len(c.parts) - 1
	isText := p.kind == textPart || p.kind == thoughtPart
	if last >= 0 && isText && c.parts[last].kind == p.kind && p.signature.IsEmpty() && p.ext == nil {
		c.runs[last] = append(c.runs[last], p.text)
		return
	}
	c.parts = append(c.parts, *p)
	c.runs = append(c.runs, []canon.Text{p.text})
}

// appendTo appends the parts. Clients take an answer without any for a broken one;
// the API writes an empty text.
func (c *collector) appendTo(dst []byte) []byte {
	if len(c.parts) == 0 {
		return appendPart(dst, &outPart{kind: textPart})
	}
	for i := range c.parts {
		if i > 0 {
			dst = append(dst, ',')
		}
		c.parts[i].text = canon.Join(c.runs[i]...)
		dst = appendPart(dst, &c.parts[i])
	}
	return dst
}

// answerBlock writes a whole block of an answer.
func (w *partWriter) answerBlock(b canon.Block) {
	switch b := b.(type) {
	case *canon.TextBlock:
		w.begin(&b.Ext)
		w.piece(textPart, b.Text)
	case *canon.ReasoningBlock:
		w.begin(&b.Ext)
		w.thoughts(b)
	case *canon.ToolCallBlock:
		if b.Call == canon.CallProvider {
			w.lose(canon.KindToolCall, canon.Dropped, "the provider's own tool "+strconv.Quote(b.Name)+" is not the client's to run")
			return
		}
		w.call(b)
	case *canon.ImageBlock:
		w.answerMedia(b, &b.Media)
	case *canon.DocumentBlock:
		w.answerMedia(b, &b.Media)
	case *canon.OpaqueBlock:
		if b.Dialect == Name {
			w.opaque(b)
			return
		}
		w.lose(b.Kind(), canon.Dropped, "exists only in the "+b.Dialect+" dialect")
	default:
		w.lose(b.Kind(), canon.Dropped, "an answer cannot hold it")
	}
}

func (w *partWriter) answerMedia(b canon.Block, m *canon.Media) {
	if m.Data.IsEmpty() && m.URL.IsEmpty() {
		w.lose(b.Kind(), canon.Dropped, "an answer cannot hold it")
		return
	}
	if m.Name != "" {
		w.lose(b.Kind()+" name", canon.Dropped, namelessMedia)
	}
	w.media(b)
}

// thoughts writes the text of reasoning, or else its summary, and its signature,
// whoever issued that: the client gives it back as it is.
func (w *partWriter) thoughts(b *canon.ReasoningBlock) {
	w.piece(thoughtPart, b.Text)
	began := false
	for _, s := range b.Summary {
		if s.IsEmpty() {
			continue
		}
		if !b.Text.IsEmpty() {
			w.loseSummary()
			break
		}
		if began {
			s = canon.Join(canon.NewText(canon.BetweenParts), s)
		}
		began = true
		w.piece(thoughtPart, s)
	}
	w.seal(b.Capsule.Sealed)
}

func (w *partWriter) loseSummary() {
	w.lose(canon.KindReasoning, canon.Downgraded, "thoughts have one text, so the summary beside it is left out")
}
