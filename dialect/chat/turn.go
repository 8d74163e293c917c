package chat

import (
	"fmt"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/dialect"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// turn writes the answers that stand together. A result within is that of a tool
// that the vendor ran: it follows its call.
func (e *requestEncoder) turn(msgs []*canon.Message) error {
	if err := e.results(); err != nil {
		return err
	}
	var blocks []canon.Block
	var ext canon.Ext
	within := make(map[string]bool)
	for _, m := range msgs {
		blocks = append(blocks, m.Blocks...)
		for _, b := range m.Blocks {
			if r, ok := b.(*canon.ToolResultBlock); ok {
				within[r.CallID] = true
			}
		}
		for _, x := range m.Ext.Members {
			if ext.Get(x.Name) != nil {
				e.r.Change(m, x.Name, canon.Dropped, "answers become one")
				continue
			}
			add(&ext, x)
		}
	}
	var now, later []canon.Block // the latter are calls that are answered behind the turn
	for _, b := range blocks {
		switch b := b.(type) {
		case *canon.ToolResultBlock:
			if err := e.answer(now, &canon.Ext{}); err != nil {
				return err
			}
			now = nil
			if err := e.result(b); err != nil {
				return err
			}
			continue
		case *canon.ToolCallBlock:
			if len(within) > 0 && !within[b.CallID] {
				later = append(later, b)
				continue
			}
		}
		now = append(now, b)
	}
	return e.answer(append(now, later...), &ext)
}

// answer writes one message of the model, if it says anything.
func (e *requestEncoder) answer(blocks []canon.Block, ext *canon.Ext) error {
	if len(blocks) == 0 && len(ext.Members) == 0 {
		return nil
	}
	if err := e.results(); err != nil {
		return err
	}
	s := sorter{e: e}
	for _, b := range blocks {
		if err := s.add(b); err != nil {
			return err
		}
	}
	s.unsealed()
	e.open("assistant")
	e.raw(`,"content":`)
	switch {
	case len(s.content) > 0:
		var err error
		if e.dst, err = appendParts(e.dst, s.content); err != nil {
			return err
		}
	case s.calls != nil:
		e.raw("null")
	default:
		e.raw(`""`)
	}
	if !s.thought.IsEmpty() {
		e.once(ext, thoughtNames[0])
		e.raw(`,"reasoning_content":`)
		e.dst = s.thought.AppendQuoted(e.dst)
	}
	if s.calls != nil {
		e.once(ext, "tool_calls")
		e.raw(`,"tool_calls":[`)
		e.dst = append(e.dst, s.calls[1:]...)
		e.raw("]")
	}
	e.dst = append(ext.AppendMembers(e.dst, Name), '}')
	return nil
}

// once lists a member of ext as left out that is written already.
func (e *requestEncoder) once(ext *canon.Ext, name string) {
	if take(&ext.Members, name) != nil {
		e.lose(name, canon.Dropped, "the message has another one")
	}
}

// sorter parts the blocks of an answer by the places that the protocol has for
// them.
type sorter struct {
	e       *requestEncoder
	content []canon.Block
	thought canon.Text
	calls   []byte // each behind a comma
	// sealed goes with the next call.
	sealed canon.Text
}

func (s *sorter) add(b canon.Block) error {
	switch b := b.(type) {
	case *canon.ToolCallBlock:
		if b.Namespace != "" || b.Call != canon.CallFunction && b.Call != canon.CallCustom {
			return fmt.Errorf("a %s call in namespace %q %w", b.Call, b.Namespace, ErrCannotExpress)
		}
		s.calls = append(s.calls, ',')
		if b.Call == canon.CallFunction && isNothing(b.Input) {
			b.Input = canon.Input{JSON: canon.Raw("{}")}
		}
		if b.Call == canon.CallFunction && b.Input.JSON.Kind() != jsonx.Object {
			s.e.lose(string(canon.KindToolCall), canon.Moved, "an input that is no object becomes a member of one")
			b.Input = dialect.ObjectInput(b.Input)
		}
		if b.Ext.Get("extra_content") == nil {
			s.calls = append(appendCall(s.calls, b, s.sealed), '}')
			s.sealed = canon.Text{}
		} else {
			s.calls = append(appendCall(s.calls, b, canon.Text{}), '}')
		}
	case *canon.ReasoningBlock:
		t := b.Shown()
		if !t.IsEmpty() && (len(s.content) > 0 || s.calls != nil || !s.thought.IsEmpty()) {
			s.e.lose(string(canon.KindReasoning), canon.Moved, "reasoning stands as one text before the answer")
		}
		if !t.IsEmpty() && !s.thought.IsEmpty() {
			t = canon.Join(s.thought, canon.NewText(between), t)
		}
		if !t.IsEmpty() {
			s.thought = t
		}
		if !b.Capsule.Sealed.IsEmpty() {
			s.unsealed()
			s.sealed = b.Capsule.Sealed
		}
	default:
		if s.calls != nil {
			s.e.lose(string(b.Kind()), canon.Moved, "what stands behind a call stands before it")
		}
		s.content = append(s.content, b)
	}
	return nil
}

// unsealed lists what a vendor sealed as left out, if no call took it.
func (s *sorter) unsealed() {
	if !s.sealed.IsEmpty() {
		s.e.lose(string(canon.KindReasoning), canon.Dropped, sealedWhy)
	}
	s.sealed = canon.Text{}
}

// sealedWhy says why a capsule is left out.
const sealedWhy = "what its vendor sealed has a place beside a call alone"

// isNothing reports whether a call has no input at all.
func isNothing(in canon.Input) bool { return len(in.JSON) == 0 && in.Text.IsEmpty() }

// appendCall appends a call with its input and what a vendor sealed for it, but
// for the brace at its end.
func appendCall(dst []byte, b *canon.ToolCallBlock, sealed canon.Text) []byte {
	dst = appendCallHead(append(dst, '{'), b)
	if isNothing(b.Input) && b.Call != canon.CallCustom {
		dst = append(dst, `"{}"`...)
	} else if b.Input.JSON != nil {
		dst = jsonx.AppendQuote(dst, string(b.Input.JSON))
	} else {
		dst = b.Input.Text.AppendQuoted(dst)
	}
	return appendCallTail(dst, b, sealed)
}

// appendCallHead appends the members of a call up to its input.
func appendCallHead(dst []byte, b *canon.ToolCallBlock) []byte {
	dst = append(dst, `"id":`...)
	dst = jsonx.AppendQuote(dst, b.CallID)
	kind, input := kindOf(b)
	dst = append(dst, `,"type":"`+kind+`","`+kind+`":{"name":`...)
	name := b.Name
	if b.Namespace != "" {
		name = b.Namespace + "__" + name
	}
	dst = jsonx.AppendQuote(dst, name)
	return append(dst, `,"`+input+`":`...)
}

// kindOf returns what the protocol calls a kind of call, and its input.
func kindOf(b *canon.ToolCallBlock) (kind, input string) {
	if b.Call == canon.CallCustom {
		return "custom", "input"
	}
	return "function", "arguments"
}

// appendCallTail appends what stands behind the input.
func appendCallTail(dst []byte, b *canon.ToolCallBlock, sealed canon.Text) []byte {
	kind, _ := kindOf(b)
	dst = append(appendWithin(dst, &b.Ext, kind), '}')
	dst = appendBeside(dst, &b.Ext, "function", "custom")
	if !sealed.IsEmpty() {
		dst = append(dst, `,"extra_content":{"google":{"thought_signature":`...)
		dst = append(sealed.AppendQuoted(dst), "}}"...)
	}
	return dst
}
