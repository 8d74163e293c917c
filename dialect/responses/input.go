package responses

import (
	"slices"

	"github.com/crosswalk-agents/crosswalk/canon"
)

// errorMark begins the text of a result that was an error: the protocol has no
// flag for it.
const errorMark = "[tool error]"

// prepare gives the conversation the form in which its pieces can stand alone: an
// error says so in words, and of reasoning there is what the API takes.
func prepare(q *canon.Request, c *canon.Capacity, r *canon.Report) {
	p := preparer{c: c, report: r}
	for _, m := range q.Messages {
		if m.Role == canon.User {
			p.turn()
		}
		for _, b := range m.Blocks {
			switch b := b.(type) {
			case *canon.ReasoningBlock:
				p.reasoning(m, b)
				continue
			case *canon.ToolResultBlock:
				if b.IsError && !b.Synthesized {
					markError(b)
					r.Change(m, "is_error", canon.Downgraded, "the protocol has no error flag; the text says it")
				}
			}
			if m.Role == canon.Assistant {
				p.follow(m, b)
			}
		}
	}
	p.turn()
}

// markError makes the flag a part of the text.
func markError(b *canon.ToolResultBlock) {
	b.IsError = false
	if t, ok := first(b.Content).(*canon.TextBlock); ok {
		t.Text = canon.Join(canon.NewText(errorMark+" "), t.Text)
		return
	}
	b.Content = append([]canon.Block{&canon.TextBlock{Text: canon.NewText(errorMark)}}, b.Content...)
}

func first(blocks []canon.Block) canon.Block {
	if len(blocks) == 0 {
		return nil
	}
	return blocks[0]
}

// preparer looks at the reasoning of each turn. The API refuses reasoning that
// nothing follows, and an item by the id that it had beside reasoning which is
// not there any more (continuedev/continue#11994).
type preparer struct {
	c      *canon.Capacity
	report *canon.Report
	last   []reasoned // what nothing has followed yet
	left   bool       // some of the turn does not go
}

// reasoned is reasoning and its message.
type reasoned struct {
	m *canon.Message
	b *canon.ReasoningBlock
}

func (p *preparer) reasoning(m *canon.Message, b *canon.ReasoningBlock) {
	if !p.c.Reasoning(b) {
		p.left = true
		return
	}
	p.last = append(p.last, reasoned{m, b})
}

// follow takes in what follows reasoning, unless it does not go.
func (p *preparer) follow(m *canon.Message, b canon.Block) {
	switch b := b.(type) {
	case *canon.ToolResultBlock:
		return
	case *canon.OpaqueBlock:
		if b.Dialect != Name {
			return
		}
	case *canon.CompactionBlock:
		if !p.c.Compaction(b) {
			return
		}
	case *canon.ToolCallBlock:
		if b.Call == canon.CallProvider && !p.c.Provider(b, resultOf(m, b.CallID)) {
			return
		}
	}
	p.last = p.last[:0]
	if p.left {
		b.Meta().ItemID = ""
	}
}

// resultOf returns the result in m for the call id, or nil.
func resultOf(m *canon.Message, id string) *canon.ToolResultBlock {
	for _, b := range m.Blocks {
		if r, ok := b.(*canon.ToolResultBlock); ok && r.CallID == id {
			return r
		}
	}
	return nil
}

// turn ends the turn.
func (p *preparer) turn() {
	for _, x := range p.last {
		x.m.Blocks = slices.DeleteFunc(x.m.Blocks, func(b canon.Block) bool { return b == canon.Block(x.b) })
		kind := canon.CountKind(canon.KindReasoning)
		if x.b.Redacted {
			kind = canon.CountReasoningRedacted
		}
		p.report.DropUnread(kind, 1, "", "the API refuses reasoning that nothing follows")
	}
	p.last, p.left = p.last[:0], false
}

// leading counts the messages that are the instructions: those before the
// conversation that are text of the system's alone. Without a conversation there
// is none: the API insists on input.
func leading(msgs []*canon.Message) int {
	n := slices.IndexFunc(msgs, func(m *canon.Message) bool {
		return m.Role != canon.System || m.Authority == canon.AuthorityDeveloper || len(m.Ext.Members) > 0 || slices.ContainsFunc(m.Blocks, isSpecial)
	})
	return max(n, 0)
}

// isSpecial reports whether b is more than text.
func isSpecial(b canon.Block) bool {
	t, ok := b.(*canon.TextBlock)
	return !ok || len(t.Ext.Members) > 0 || t.ItemID != ""
}

func (e *requestEncoder) instructions(msgs []*canon.Message) {
	var parts []canon.Text
	for _, m := range msgs {
		for _, b := range m.Blocks {
			if len(parts) > 0 {
				parts = append(parts, canon.NewText("\n\n"))
			}
			parts = append(parts, b.(*canon.TextBlock).Text)
		}
	}
	if len(parts) == 0 {
		return
	}
	if len(parts) > 1 {
		for _, m := range msgs {
			for range m.Blocks {
				e.r.Change(m, string(canon.KindText), canon.Moved, "becomes a part of the instructions, which are one text")
			}
		}
	}
	e.raw(`,"instructions":`)
	e.dst = canon.Join(parts...).AppendQuoted(e.dst)
}

// input writes the conversation, item by item.
func (e *requestEncoder) input(msgs []*canon.Message) error {
	e.raw(`,"input":[`)
	first := true
	for _, m := range msgs {
		if m.Role == canon.System && m.Authority != canon.AuthorityDeveloper {
			// Codex's own server passes over items of the role system (looplj/axonhub#1241).
			m.Authority = canon.AuthorityDeveloper
			e.r.Change(m, "authority", canon.Moved, "system text within the input becomes developer text")
		}
		for blocks := m.Blocks; len(blocks) > 0; {
			n := itemLen(m, blocks)
			if !first {
				e.raw(",")
			}
			first = false
			item := *m
			if len(blocks) < len(m.Blocks) { // of the first item alone
				item.Ext = canon.Ext{}
			}
			item.Blocks = blocks[:n]
			if err := e.item(&item); err != nil {
				return err
			}
			blocks = blocks[n:]
		}
	}
	e.raw("]")
	return nil
}

// itemLen returns how many of the blocks are one item.
func itemLen(m *canon.Message, blocks []canon.Block) int {
	if isItem(m, blocks[0]) {
		if _, _, ok := generated(blocks); ok {
			return 2
		}
		return 1
	}
	n := slices.IndexFunc(blocks, func(b canon.Block) bool { return isItem(m, b) })
	if n < 0 {
		return len(blocks)
	}
	return n
}

// isItem reports whether b is an item of its own, and no part of a message.
func isItem(m *canon.Message, b canon.Block) bool {
	switch b.(type) {
	case *canon.ToolCallBlock, *canon.ToolResultBlock, *canon.ReasoningBlock, *canon.CompactionBlock:
		return true
	case *canon.OpaqueBlock:
		return m.Role == canon.Assistant && len(m.Blocks) == 1
	}
	return false
}

// generated returns the call and the image that blocks begin with.
func generated(blocks []canon.Block) (c *canon.ToolCallBlock, i *canon.ImageBlock, ok bool) {
	if len(blocks) < 2 {
		return nil, nil, false
	}
	c, _ = blocks[0].(*canon.ToolCallBlock)
	r, _ := blocks[1].(*canon.ToolResultBlock)
	if c == nil || r == nil || c.Call != canon.CallProvider || c.Name != NameImageGeneration || c.CallID != r.CallID {
		return nil, nil, false
	}
	i = madeImage(r)
	return c, i, i != nil
}

// item writes one item, with the id that this dialect gave it.
func (e *requestEncoder) item(m *canon.Message) (err error) {
	id := m.Blocks[0].Meta().ItemID
	e.unlike(m)
	if !isItem(m, m.Blocks[0]) {
		e.files(m.Blocks)
	}
	switch b := m.Blocks[0].(type) {
	case *canon.OpaqueBlock:
		if isItem(m, b) {
			id = "" // it is in there
		}
	case *canon.CompactionBlock:
		e.raw(`{"type":"compaction","encrypted_content":`)
		e.dst = closeObject(b.Capsule.Sealed.AppendQuoted(e.dst), m.Ext)
		e.itemID(id)
		return nil
	case *canon.ReasoningBlock:
		b.Capsule.Issuer = Name
	case *canon.ToolResultBlock:
		e.files(b.Content)
	case *canon.ToolCallBlock:
		if c, i, ok := generated(m.Blocks); ok {
			e.image(m, c, i)
			return nil
		}
		if isToolSearch(m) && b.Name == NameToolSearch && b.Call == canon.CallFunction && b.Input.JSON == nil {
			b.Input = canon.Input{JSON: quoted(b.Input.Text)}
		}
	}
	if e.dst, err = AppendItem(e.dst, m); err != nil {
		return err
	}
	e.itemID(id)
	return nil
}

// unlike leaves out the members of an item of another type that mean something in
// the one that it becomes.
func (e *requestEncoder) unlike(m *canon.Message) {
	if len(m.Ext.Members) == 0 {
		return
	}
	modeled := membersOf(inputType(m))
	var members []canon.Member
	for _, x := range m.Ext.Members {
		if memberOf([]byte(x.Name))&modeled == 0 {
			members = append(members, x)
		} else {
			e.lose(x.Name, canon.Dropped, "the item becomes one of another type")
		}
	}
	m.Ext.Members = members
}

// inputType returns the type of the item that m is written as.
func inputType(m *canon.Message) string {
	switch b := m.Blocks[0].(type) {
	case *canon.ReasoningBlock:
		return "reasoning"
	case *canon.CompactionBlock:
		return "compaction"
	case *canon.ToolCallBlock:
		switch {
		case b.Call == canon.CallCustom:
			return "custom_tool_call"
		case b.Call == canon.CallShell:
			return "local_shell_call"
		case b.Call == canon.CallProvider && b.Name == NameWebSearch:
			return "web_search_call"
		case b.Call == canon.CallProvider:
			return "image_generation_call"
		case isToolSearch(m) && b.Name == NameToolSearch:
			return "tool_search_call"
		}
		return "function_call"
	case *canon.ToolResultBlock:
		switch {
		case isToolSearch(m):
			return "tool_search_output"
		case b.Call == canon.CallCustom:
			return "custom_tool_call_output"
		}
		return "function_call_output"
	}
	return "message"
}

// itemID adds the id to the object that was written last.
func (e *requestEncoder) itemID(id string) {
	if id == "" {
		return
	}
	if len(id) > maxID {
		e.lose("item id", canon.Dropped, "the API refuses it")
		return
	}
	e.dst = append(e.dst[:len(e.dst)-1], `,"id":`...)
	e.quote(id)
	e.raw("}")
}

// image writes an image that the provider made.
func (e *requestEncoder) image(m *canon.Message, c *canon.ToolCallBlock, i *canon.ImageBlock) {
	e.dst = appendStatus(append(e.dst, `{"type":"image_generation_call"`...), m)
	if prompt := valueOf(c.Input.JSON, "revised_prompt"); prompt != nil {
		e.member("revised_prompt", prompt)
	}
	e.raw(`,"result":`)
	e.dst = closeObject(i.Data.AppendQuoted(e.dst), m.Ext)
	e.itemID(c.CallID)
}

// fileName is the name of a file that has none: the API insists on one for a file
// that is given inline (laravel/ai#324).
const fileName = "document"

// files gives the documents among blocks their names.
func (e *requestEncoder) files(blocks []canon.Block) {
	for _, b := range blocks {
		if d, ok := b.(*canon.DocumentBlock); ok && d.Name == "" && d.URL.IsEmpty() {
			if d.Name = fileName; d.MediaType == "application/pdf" {
				d.Name += ".pdf"
			}
			e.lose("document name", canon.Synthesized, "the API insists on a name")
		}
	}
}
