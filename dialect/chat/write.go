package chat

import (
	"fmt"
	"slices"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

const (
	// between parts texts that become one.
	between = "\n\n"
	// noOutput stands for a result that says nothing: several servers refuse one.
	noOutput = "(no output)"
	// failed begins a result that is an error: the protocol has no flag for it.
	failed = "[error] "
)

// resultMedia is an image or document of a result.
type resultMedia struct {
	callID string
	block  canon.Block
}

// messages writes the conversation.
func (e *requestEncoder) messages(msgs []*canon.Message) error {
	e.raw(`,"messages":[`)
	for i := 0; i < len(msgs); {
		n := e.alike(msgs[i:])
		var err error
		switch msgs[i].Role {
		case canon.System:
			err = e.system(msgs[i : i+n])
		case canon.Assistant:
			err = e.turn(msgs[i : i+n])
		default:
			err = e.user(msgs[i])
		}
		if err != nil {
			return err
		}
		i += n
	}
	if err := e.results(); err != nil {
		return err
	}
	e.raw("]")
	return nil
}

// alike returns how many of msgs, from the first, become one message: answers, of
// which all calls have to stand in one, and the texts of the system that stand
// together, of which the templates of many models take one alone.
func (e *requestEncoder) alike(msgs []*canon.Message) int {
	n := 1
	for n < len(msgs) && msgs[n].Role == msgs[0].Role {
		switch msgs[0].Role {
		case canon.Assistant:
		case canon.System:
			if e.authority(msgs[n]) != e.authority(msgs[0]) || len(msgs[0].Ext.Members)+len(msgs[n].Ext.Members) > 0 {
				return n
			}
		default:
			return n
		}
		n++
	}
	return n
}

// authority returns the role of a system message.
func (e *requestEncoder) authority(m *canon.Message) canon.Authority {
	if m.Authority == canon.AuthorityDeveloper && !e.t.NoDeveloper {
		return canon.AuthorityDeveloper
	}
	return canon.AuthoritySystem
}

// open begins a message.
func (e *requestEncoder) open(role string) {
	if e.some {
		e.raw(",")
	}
	e.some = true
	e.raw(`{"role":"` + role + `"`)
}

// content writes the content and the end of a message.
func (e *requestEncoder) content(blocks []canon.Block, ext *canon.Ext) (err error) {
	e.raw(`,"content":`)
	for _, b := range blocks {
		e.nameDocument(b)
	}
	if e.dst, err = appendParts(e.dst, blocks); err != nil {
		return err
	}
	e.dst = append(ext.AppendMembers(e.dst, Name), '}')
	return nil
}

// nameDocument gives a document a name if it has none: the API insists on it.
func (e *requestEncoder) nameDocument(b canon.Block) {
	if d, ok := b.(*canon.DocumentBlock); ok && d.Name == "" {
		d.Name = "document.pdf"
		e.lose("document name", canon.Synthesized, "the API insists on a name")
	}
}

// system writes texts of the system as one.
func (e *requestEncoder) system(msgs []*canon.Message) error {
	if err := e.results(); err != nil {
		return err
	}
	var blocks []canon.Block
	for _, m := range msgs {
		if string(m.Authority) != string(e.authority(m)) {
			e.r.Change(m, "authority", canon.Moved, "developer text becomes system text")
		}
		blocks = append(blocks, m.Blocks...)
	}
	if len(blocks) > 1 && !slices.ContainsFunc(blocks, func(b canon.Block) bool { return !isPlain(b) }) {
		var all canon.Text
		for i, b := range blocks {
			if i > 0 {
				all = canon.Join(all, canon.NewText(between))
			}
			all = canon.Join(all, b.(*canon.TextBlock).Text)
			e.lose(string(canon.KindText), canon.Moved, "the texts of the system become one")
		}
		blocks = []canon.Block{&canon.TextBlock{Text: all}}
	}
	e.open(string(e.authority(msgs[0])))
	return e.content(blocks, &msgs[0].Ext)
}

// isPlain reports whether b is a text and nothing more.
func isPlain(b canon.Block) bool {
	t, ok := b.(*canon.TextBlock)
	return ok && len(t.Ext.Members) == 0
}

// user writes a message of the user: each result as a message of its own, and then
// the rest.
func (e *requestEncoder) user(m *canon.Message) error {
	var rest []canon.Block
	for _, b := range m.Blocks {
		r, ok := b.(*canon.ToolResultBlock)
		if !ok {
			rest = append(rest, b)
		} else if err := e.result(r); err != nil {
			return err
		}
	}
	if len(rest) == 0 {
		for _, x := range m.Ext.Members {
			e.r.Change(m, x.Name, canon.Dropped, "a message of results alone has no place for it")
		}
		return nil
	}
	if err := e.results(); err != nil {
		return err
	}
	e.open("user")
	return e.content(rest, &m.Ext)
}

// result writes one result. Images and documents wait until all results of the
// turn are there: no other message may stand between.
func (e *requestEncoder) result(b *canon.ToolResultBlock) error {
	var content []canon.Block
	moved := false
	for _, c := range b.Content {
		what := ""
		switch c.(type) {
		case *canon.ImageBlock:
			what = "image"
		case *canon.DocumentBlock:
			what = "document"
		}
		if what == "" {
			content = append(content, c)
			continue
		}
		moved = true
		e.media = append(e.media, resultMedia{b.CallID, c})
		content = append(content, &canon.TextBlock{Text: canon.NewText("[" + what + ": see the message behind the results]")})
		e.lose(string(canon.KindToolResult)+" "+what, canon.Moved, "results hold text alone; it stands in a message of the user behind them")
	}
	if moved {
		content = e.joined(content)
	}
	if len(content) == 0 {
		content = []canon.Block{&canon.TextBlock{Text: canon.NewText(noOutput)}}
		e.lose(string(canon.KindToolResult), canon.Downgraded, "a result says something, if only that there was no output")
	}
	if b.IsError && !b.Synthesized {
		e.lose("is_error", canon.Moved, "the protocol has no error flag; words say it")
		if t, ok := content[0].(*canon.TextBlock); ok {
			content[0] = &canon.TextBlock{BlockMeta: t.BlockMeta, Text: canon.Join(canon.NewText(failed), t.Text)}
		} else {
			content = append([]canon.Block{&canon.TextBlock{Text: canon.NewText(failed)}}, content...)
		}
	}
	e.open("tool")
	e.raw(`,"tool_call_id":`)
	e.dst = jsonx.AppendQuote(e.dst, b.CallID)
	return e.content(content, &b.Ext)
}

// joined makes one text of the texts of a result: several servers take nothing
// else.
func (e *requestEncoder) joined(content []canon.Block) []canon.Block {
	var all canon.Text
	for i, b := range content {
		t, ok := b.(*canon.TextBlock)
		if !ok {
			return content
		}
		for _, m := range t.Ext.Members {
			e.lose(m.Name, canon.Dropped, "the texts of a result become one")
		}
		if i > 0 {
			all = canon.Join(all, canon.NewText("\n"))
		}
		all = canon.Join(all, t.Text)
	}
	return []canon.Block{&canon.TextBlock{Text: all}}
}

// results ends a turn's results: it writes what waits for that.
func (e *requestEncoder) results() error {
	if len(e.media) == 0 {
		return nil
	}
	var blocks []canon.Block
	made := &canon.Message{Role: canon.User, Kind: canon.Injected}
	for _, m := range e.media {
		label := &canon.TextBlock{Text: canon.NewText("[" + string(m.block.Kind()) + " of the result of tool call " + m.callID + "]")}
		made.Blocks = append(made.Blocks, label)
		blocks = append(blocks, label, m.block)
	}
	e.media = nil
	e.r.Synthesize(made, "what results cannot hold stands behind them")
	e.r.Emit(made)
	e.open("user")
	return e.content(blocks, &made.Ext)
}

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
			b.Input = objectInput(b.Input)
		}
		if b.Ext.Get("extra_content") == nil {
			s.calls = append(appendCall(s.calls, b, s.sealed), '}')
			s.sealed = canon.Text{}
		} else {
			s.calls = append(appendCall(s.calls, b, canon.Text{}), '}')
		}
	case *canon.ReasoningBlock:
		t := thoughtOf(b)
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

// thoughtOf returns the text of reasoning, or else its summary.
func thoughtOf(b *canon.ReasoningBlock) canon.Text {
	if !b.Text.IsEmpty() {
		return b.Text
	}
	var all canon.Text
	for i, t := range b.Summary {
		if i > 0 {
			all = canon.Join(all, canon.NewText(between))
		}
		all = canon.Join(all, t)
	}
	return all
}

// isNothing reports whether a call has no input at all.
func isNothing(in canon.Input) bool { return len(in.JSON) == 0 && in.Text.IsEmpty() }

// objectInput makes an object of an input that is none: the templates of many
// models read it as one.
func objectInput(in canon.Input) canon.Input {
	const open = `{"input":`
	if in.JSON != nil {
		return canon.Input{JSON: append(append([]byte(open), in.JSON...), '}')}
	}
	return canon.Input{JSON: append(in.Text.AppendQuoted([]byte(open)), '}')}
}

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
