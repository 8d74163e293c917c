package responses

import (
	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// Name is the dialect's name.
const Name = "responses"

// The item types that canon.ToolCallBlock.Name stands for where an item has no
// name of its own.
const (
	NameLocalShell      = "local_shell"
	NameWebSearch       = "web_search"
	NameImageGeneration = "image_generation"
	NameToolSearch      = "tool_search"
)

// ReadItem reads one item of an input list, an output list or a rollout. An
// item whose type is missing is a message if it has a role.
func ReadItem(d *jsonx.Decoder) *canon.Message {
	_, m := readItem(d)
	return m
}

// readItem reads an item; s is what it holds as it is written.
func readItem(d *jsonx.Decoder) (s shape, m *canon.Message) {
	start := d.Next()
	if d.Kind() != jsonx.Object {
		return s, opaque("", d.CleanRaw())
	}
	s = readShape(d)
	whole := d.Slice(start)
	used := membersOf(s.typ)
	if s.seen&^used != 0 {
		s.ext = readExt(whole, used)
	}
	if s.odd&used == 0 {
		m = s.message()
	}
	if m == nil {
		raw, _ := jsonx.CleanValue(whole)
		m, s.ext = opaque(s.typ, raw), canon.Ext{}
	}
	m.ID, m.Ext = s.id, s.ext
	for _, b := range m.Blocks {
		b.Meta().ItemID = s.id
	}
	return s, m
}

func opaque(typ string, raw canon.Raw) *canon.Message {
	return &canon.Message{Role: canon.Assistant, Blocks: []canon.Block{&canon.OpaqueBlock{Dialect: Name, Type: typ, Raw: raw}}}
}

// message returns the message for the item, or nil if canon does not model it.
func (s *shape) message() *canon.Message {
	switch s.typ {
	case "message", "":
		return s.textMessage()
	case "agent_message": // from another agent of the same run
		return &canon.Message{Role: canon.User, Kind: canon.Injected, Blocks: s.content}
	case "reasoning":
		return assistant(s.reasoning())
	case "function_call":
		return assistant(s.named(canon.CallFunction, s.arguments))
	case "custom_tool_call":
		return assistant(s.named(canon.CallCustom, canon.Input{Text: s.text}))
	case "local_shell_call":
		c := s.call(canon.CallShell, NameLocalShell, canon.Input{JSON: s.action})
		if c.CallID == "" {
			c.CallID = s.id
		}
		return assistant(c)
	case "web_search_call":
		c := s.call(canon.CallProvider, NameWebSearch, canon.Input{JSON: s.action})
		c.CallID = s.id
		return assistant(c)
	case "image_generation_call":
		return assistant(s.imageGeneration()...)
	case "function_call_output":
		return s.toolResult(canon.CallFunction)
	case "custom_tool_call_output":
		return s.toolResult(canon.CallCustom)
	case "tool_search_call", "tool_search_output":
		return s.toolSearch()
	case "compaction", "context_compaction":
		return assistant(&canon.CompactionBlock{Capsule: canon.Capsule{Issuer: Name, Sealed: s.encrypted}})
	}
	return nil
}

func assistant(blocks ...canon.Block) *canon.Message {
	return &canon.Message{Role: canon.Assistant, Blocks: blocks}
}

func (s *shape) textMessage() *canon.Message {
	m := &canon.Message{}
	switch s.role {
	case "user":
		m.Role = canon.User
	case "assistant":
		m.Role = canon.Assistant
	case "system":
		m.Role, m.Authority = canon.System, canon.AuthoritySystem
	case "developer":
		m.Role, m.Authority = canon.System, canon.AuthorityDeveloper
	default:
		return nil
	}
	m.Blocks = s.content
	if o, ok := m.First().(*canon.OpaqueBlock); ok && len(m.Blocks) == 1 && m.Role == canon.Assistant && o.Dialect == Name {
		return nil // an opaque block of an answer is an item, and this is a part of one
	}
	return m
}

func (s *shape) reasoning() *canon.ReasoningBlock {
	b := &canon.ReasoningBlock{Capsule: canon.Capsule{Issuer: Name, Sealed: s.encrypted}}
	b.Summary = texts(s.summary)
	if full := texts(s.written); len(full) > 0 {
		b.Text = canon.Join(full...)
	}
	b.Redacted = b.Text.IsEmpty() && len(b.Summary) == 0
	return b
}

func (s *shape) call(kind canon.CallKind, name string, in canon.Input) *canon.ToolCallBlock {
	return &canon.ToolCallBlock{CallID: s.callID, Name: name, Call: kind, Input: in}
}

// named returns a call of a tool that the item names.
func (s *shape) named(kind canon.CallKind, in canon.Input) *canon.ToolCallBlock {
	c := s.call(kind, s.name, in)
	c.Namespace = s.namespace
	return c
}

// What tells an item from another that says the same: a tool search from a
// function of its name, and the words of an agent from those of a user.
const (
	executionMember = "execution"
	authorMember    = "author"
)

// toolSearch returns the message of a search that the client runs, a call like
// any other; nil for one of the provider's.
func (s *shape) toolSearch() *canon.Message {
	if s.callID == "" || s.ext.Get(executionMember) == nil {
		return nil
	}
	if s.typ == "tool_search_call" {
		return assistant(s.call(canon.CallFunction, NameToolSearch, s.arguments))
	}
	switch s.tools.Kind() {
	case jsonx.Array:
	case jsonx.End:
		s.tools = canon.Raw(`[]`)
	default:
		return nil
	}
	s.output = []canon.Block{&canon.TextBlock{Text: canon.NewText(string(s.tools))}}
	return s.toolResult(canon.CallFunction)
}

// readArguments reads a string that holds JSON text. Text that is not
// well-formed stays text. Any other value instead of a string is what old
// converters wrote.
func readArguments(d *jsonx.Decoder) canon.Input {
	if d.Kind() != jsonx.String {
		return canon.Input{JSON: readRaw(d)}
	}
	t := canon.ReadText(d)
	whole := []byte(t.String())
	var inner jsonx.Decoder
	inner.Reset(whole)
	switch raw := inner.CleanRaw(); {
	case inner.Err() != nil || inner.More():
		return canon.Input{Text: t}
	case inner.Damaged() > 0:
		return canon.Input{JSON: raw}
	}
	return canon.Input{JSON: whole} // white space around the value and all
}

// imageGeneration returns the call and, once it has one, its image.
func (s *shape) imageGeneration() []canon.Block {
	in := canon.Raw(`{}`)
	if !s.prompt.IsEmpty() {
		in = append(s.prompt.AppendQuoted([]byte(`{"revised_prompt":`)), '}')
	}
	call := s.call(canon.CallProvider, NameImageGeneration, canon.Input{JSON: in})
	call.CallID = s.id
	if s.result.IsEmpty() {
		return []canon.Block{call}
	}
	image := &canon.ImageBlock{Media: canon.Media{MediaType: "image/png", Data: s.result}}
	return []canon.Block{call, &canon.ToolResultBlock{CallID: s.id, Call: canon.CallProvider, Content: []canon.Block{image}}}
}

func (s *shape) toolResult(kind canon.CallKind) *canon.Message {
	r := &canon.ToolResultBlock{CallID: s.callID, Call: kind, Content: s.output}
	if t, ok := canon.PlainText(r.Content); ok && t.IsEmpty() {
		r.Content = nil // "" is no content
	}
	return &canon.Message{Role: canon.User, Blocks: []canon.Block{r}}
}
