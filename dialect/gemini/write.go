package gemini

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/dialect"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// outPart is a part that is to be written.
type outPart struct {
	kind      partKind
	text      canon.Text
	signature canon.Text
	block     canon.Block // of other kinds than texts
	input     canon.Raw   // of a call
	name      string      // of the call that a result answers
	ext       *canon.Ext  // nil for none
}

type partKind uint8

// The kinds of part. A signature that stands alone is of none of the others.
const (
	noPart partKind = iota
	textPart
	thoughtPart
	sealPart
	callPart
	otherPart
)

// appendPart appends a part as an object. The block is one that [partWriter] lets
// through.
func appendPart(dst []byte, p *outPart) []byte {
	open := byte('{')
	member := func(name string) {
		dst = append(dst, open, '"')
		open = ','
		dst = append(append(dst, name...), `":`...)
	}
	switch b := p.block.(type) {
	case nil:
		member("text")
		dst = p.text.AppendQuoted(dst)
		if p.kind == thoughtPart {
			dst = append(dst, `,"thought":true`...)
		}
	case *canon.ToolCallBlock:
		member(callMember)
		dst = appendCall(dst, b, p.input)
	case *canon.ToolResultBlock:
		member(responseMember)
		dst = appendResponse(dst, b, p.name)
	case *canon.ImageBlock:
		dst = appendMedia(dst, &b.Media, "image/png")
		open = ','
	case *canon.DocumentBlock:
		dst = appendMedia(dst, &b.Media, pdf)
		open = ','
	case *canon.OpaqueBlock:
		return jsonx.AppendRaw(dst, b.Raw)
	}
	if !p.signature.IsEmpty() {
		member("thoughtSignature")
		dst = p.signature.AppendQuoted(dst)
	}
	if p.ext != nil {
		dst = appendMembers(dst, p.ext, "", callMember, responseMember)
	}
	return append(dst, '}')
}

// appendMembers appends, each behind a comma, those of the dialect's members that
// stand within outer, which is "" for those that stand within none of apart.
func appendMembers(dst []byte, e *canon.Ext, outer string, apart ...string) []byte {
	if e.Dialect != Name {
		return dst
	}
	for _, m := range e.Members {
		name := m.Name
		if outer != "" {
			var ok bool
			if name, ok = strings.CutPrefix(name, outer+"."); !ok {
				continue
			}
		}
		if isWithin(m.Name, apart) {
			continue
		}
		dst = append(dst, ',')
		dst = jsonx.AppendQuote(dst, name)
		dst = append(dst, ':')
		dst = jsonx.AppendRaw(dst, m.Value)
	}
	return dst
}

// isWithin reports whether a member stands within one of the outer ones.
func isWithin(name string, outer []string) bool {
	for _, o := range outer {
		if strings.HasPrefix(name, o+".") {
			return true
		}
	}
	return false
}

// appendCall appends a call. Its id is optional; models from the third generation
// on match results by it. (ai.google.dev/gemini-api/docs/function-calling.)
func appendCall(dst []byte, b *canon.ToolCallBlock, input canon.Raw) []byte {
	dst = append(dst, '{')
	if b.CallID != "" {
		dst = append(dst, `"id":`...)
		dst = append(jsonx.AppendQuote(dst, b.CallID), ',')
	}
	dst = append(dst, `"name":`...)
	dst = jsonx.AppendQuote(dst, b.Name)
	dst = append(dst, `,"args":`...)
	dst = jsonx.AppendRaw(dst, input)
	return append(appendMembers(dst, &b.Ext, callMember), '}')
}

// appendResponse appends a result: its texts as one, and what else it holds as
// parts.
func appendResponse(dst []byte, b *canon.ToolResultBlock, name string) []byte {
	dst = append(dst, `{"id":`...)
	dst = jsonx.AppendQuote(dst, b.CallID)
	dst = append(dst, `,"name":`...)
	dst = jsonx.AppendQuote(dst, name)
	dst = append(dst, `,"response":{"`...)
	if b.IsError {
		dst = append(dst, `error":`...)
	} else {
		dst = append(dst, `output":`...)
	}
	dst = append(resultText(b).AppendQuoted(dst), '}')
	open := `,"parts":[`
	for _, inner := range b.Content {
		if inner.Kind() == canon.KindText {
			continue
		}
		dst = append(dst, open...)
		dst = appendPart(dst, &outPart{kind: otherPart, block: inner, ext: &inner.Meta().Ext})
		open = ","
	}
	if open == "," {
		dst = append(dst, ']')
	}
	return append(appendMembers(dst, &b.Ext, responseMember), '}')
}

// betweenTexts parts the texts of a result, which can have only one here.
const betweenTexts = "\n"

func resultText(b *canon.ToolResultBlock) canon.Text {
	var one canon.Text
	var all []byte
	n := 0
	for _, inner := range b.Content {
		t, ok := inner.(*canon.TextBlock)
		if !ok {
			continue
		}
		if n++; n == 1 {
			one = t.Text
			continue
		}
		if n == 2 {
			all = one.AppendTo(nil)
		}
		all = t.Text.AppendTo(append(all, betweenTexts...))
	}
	if n < 2 {
		return one
	}
	return canon.NewText(string(all))
}

// appendMedia appends inline data or a reference as the members of a part, without
// the brace behind them. An address without a type gets that of its end, or typ.
func appendMedia(dst []byte, m *canon.Media, typ string) []byte {
	if !m.URL.IsEmpty() {
		dst = append(dst, `{"fileData":{"mimeType":`...)
		dst = jsonx.AppendQuote(dst, cmp.Or(m.MediaType, typeOf(m.URL.String()), typ))
		dst = append(dst, `,"fileUri":`...)
		return append(m.URL.AppendQuoted(dst), '}')
	}
	dst = append(dst, `{"inlineData":{"mimeType":`...)
	dst = jsonx.AppendQuote(dst, cmp.Or(m.MediaType, typ))
	dst = append(dst, `,"data":`...)
	return append(m.Data.AppendQuoted(dst), '}')
}

// partWriter makes parts of blocks, in requests and in answers, whether these are
// streamed or not: then a block comes in pieces.
type partWriter struct {
	report *canon.Report
	emit   func(*outPart)
	// apart says that texts that are neighbours stay apart, as they do in a request.
	apart bool
	// last is the kind of the last part.
	last partKind
	// sealed are the pieces of a signature that waits for the part it stands on.
	sealed []canon.Text
	// ext are the members of the text that has begun, fresh says that nothing of it
	// was written.
	ext   *canon.Ext
	fresh bool
	// broken is a call whose input is no JSON.
	broken *canon.ToolCallBlock
}

func (w *partWriter) lose(b canon.BlockKind, a canon.Action, why string) {
	w.report.Lose(canon.Loss{What: string(b), Action: a, Why: why})
}

// begin begins a text or thoughts.
func (w *partWriter) begin(ext *canon.Ext) {
	w.repaired()
	dialect.Leave(ext, Name, w.report)
	w.ext, w.fresh = ext, true
}

// put writes a part.
func (w *partWriter) put(p *outPart) {
	w.last = p.kind
	w.emit(p)
}

// piece writes a piece of a text or of thoughts.
func (w *partWriter) piece(kind partKind, t canon.Text) {
	if t.IsEmpty() {
		return
	}
	p := &outPart{kind: kind, text: t}
	if kind == thoughtPart || w.last == textPart && !w.apart {
		w.settle()
	}
	if w.fresh {
		if p.ext = w.ext; len(p.ext.Members) == 0 || p.ext.Dialect != Name {
			p.ext = nil
		}
		if p.ext == nil && w.last == kind && !w.apart {
			w.lose(map[partKind]canon.BlockKind{textPart: canon.KindText, thoughtPart: canon.KindReasoning}[kind], canon.Moved, "neighbouring texts become one")
		}
		w.fresh = false
	}
	p.signature = w.take()
	w.put(p)
}

// seal notes a signature, or a piece of one, of thoughts that were written.
func (w *partWriter) seal(t canon.Text) {
	if !t.IsEmpty() {
		w.sealed = append(w.sealed, t)
	}
}

// take returns the signature that waits, which then does no more.
func (w *partWriter) take() canon.Text {
	t := canon.Join(w.sealed...)
	w.sealed = w.sealed[:0]
	return t
}

// settle writes a signature that nothing follows on which it could stand.
func (w *partWriter) settle() {
	if len(w.sealed) > 0 {
		w.put(&outPart{kind: sealPart, signature: w.take()})
	}
}

// media writes an image or document.
func (w *partWriter) media(b canon.Block) {
	w.repaired()
	dialect.Leave(&b.Meta().Ext, Name, w.report)
	w.put(&outPart{kind: otherPart, block: b, signature: w.take(), ext: &b.Meta().Ext})
}

// opaque writes a part that canon does not model, with all that it has.
func (w *partWriter) opaque(b *canon.OpaqueBlock) {
	w.repaired()
	w.settle()
	w.put(&outPart{kind: otherPart, block: b})
}

// result writes a result of the call that was named so.
func (w *partWriter) result(b *canon.ToolResultBlock, name string) {
	w.repaired()
	w.settle()
	w.put(&outPart{kind: otherPart, block: b, name: name, ext: &b.Ext})
}

// call writes a call. One whose input is no JSON waits: if the answer was cut off
// there, it is none.
func (w *partWriter) call(b *canon.ToolCallBlock) {
	w.repaired()
	dialect.Leave(&b.Ext, Name, w.report)
	if b.Call != canon.CallFunction && b.Call != "" || b.Namespace != "" {
		w.lose(canon.KindToolCall, canon.Moved, "a "+string(b.Call)+" call in namespace "+strconv.Quote(b.Namespace)+" becomes a call of a function")
		c := *b
		if c.Namespace != "" {
			c.Name = c.Namespace + "__" + c.Name
		}
		b = &c
	}
	switch {
	case b.Input.JSON.Kind() == jsonx.Object:
		w.putCall(b, b.Input.JSON)
	case b.Input.JSON != nil:
		w.lose(canon.KindToolCall, canon.Moved, noObject)
		w.putCall(b, append(append(canon.Raw(openInput), b.Input.JSON...), '}'))
	case b.Call == canon.CallCustom:
		w.putCall(b, textInput(b.Input.Text))
	case b.Input.Text.IsEmpty():
		w.putCall(b, canon.Raw(`{}`))
	default:
		w.broken = b
	}
}

func (w *partWriter) putCall(b *canon.ToolCallBlock, input canon.Raw) {
	w.put(&outPart{kind: callPart, block: b, input: input, signature: w.take(), ext: &b.Ext})
}

// openInput begins an object that holds an input which is none.
const (
	openInput = `{"input":`
	noObject  = "an input that is no object becomes a member of one"
)

func textInput(t canon.Text) canon.Raw { return append(t.AppendQuoted(canon.Raw(openInput)), '}') }

// repaired writes the call whose input is no JSON, if there is one: the client is
// to see what the model wrote.
func (w *partWriter) repaired() {
	if b := w.broken; b != nil {
		w.broken = nil
		w.lose(canon.KindToolCall, canon.Moved, noObject)
		w.putCall(b, textInput(b.Input.Text))
	}
}

// finish ends the parts of an answer, or of a content. cut says that the answer
// broke off at a limit, so that a call whose input is no JSON was not whole.
func (w *partWriter) finish(cut bool) {
	if w.broken != nil && cut {
		w.broken = nil
		w.lose(canon.KindToolCall, canon.Dropped, "its input was cut off by the limit, and the protocol has no part of a call")
	}
	w.repaired()
	w.settle()
}
