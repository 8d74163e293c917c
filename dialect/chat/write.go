package chat

import (
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
		var texts []canon.Text
		for _, b := range blocks {
			texts = append(texts, b.(*canon.TextBlock).Text)
			e.lose(string(canon.KindText), canon.Moved, "the texts of the system become one")
		}
		blocks = []canon.Block{&canon.TextBlock{Text: canon.JoinWith(between, texts...)}}
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
	var texts []canon.Text
	for _, b := range content {
		t, ok := b.(*canon.TextBlock)
		if !ok {
			return content
		}
		for _, m := range t.Ext.Members {
			e.lose(m.Name, canon.Dropped, "the texts of a result become one")
		}
		texts = append(texts, t.Text)
	}
	return []canon.Block{&canon.TextBlock{Text: canon.JoinWith("\n", texts...)}}
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
