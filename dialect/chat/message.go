package chat

import (
	"fmt"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// thoughtNames are the members in which servers give reasoning; the first that
// holds any counts. DeepSeek, Kimi, GLM and Qwen have the first name, OpenRouter,
// Groq and newer vLLM the second, Ollama the third.
var thoughtNames = [...]string{"reasoning_content", "reasoning", "thinking"}

// detailsName is the member in which OpenRouter gives reasoning in pieces, with
// what is sealed of it.
const detailsName = "reasoning_details"

// message is the union of what messages of all roles hold, and answers.
type message struct {
	role    string
	content []canon.Block
	// plain says that content is a string.
	plain bool
	// own are the members that only some roles have: what remains of them is
	// unknown.
	own []canon.Member
	ext canon.Ext
}

// readFields reads the members of a message.
func readFields(d *jsonx.Decoder) (m message) {
	for name := range d.Members() { // an empty string and null are no value
		switch string(name) {
		case "role":
			m.role = d.OptStr()
		case "content":
			m.plain = d.Kind() == jsonx.String
			m.content = readContent(d)
		case "refusal", "tool_calls", "tool_call_id", thoughtNames[0], thoughtNames[1], thoughtNames[2], detailsName:
			if v := d.CleanRaw(); v.Kind() != jsonx.Null && string(v) != `""` {
				m.own = append(m.own, canon.Member{Name: string(name), Value: v})
			}
		default:
			v := d.CleanRaw()
			if v.Kind() == jsonx.Null || string(name) == "annotations" && string(v) == "[]" { // as OpenAI says that there are none
				continue
			}
			add(&m.ext, canon.Member{Name: string(name), Value: v})
		}
	}
	return m
}

// readMessage reads a message of a request.
func readMessage(d *jsonx.Decoder) (*canon.Message, error) {
	f := readFields(d)
	if d.Err() != nil {
		return nil, nil // whoever reads the request says so
	}
	m := &canon.Message{Ext: f.ext}
	switch f.role {
	case "system", "developer":
		m.Role, m.Authority, m.Blocks = canon.System, canon.Authority(f.role), f.content
	case "user":
		m.Role, m.Blocks = canon.User, f.content
	case "assistant":
		m.Role = canon.Assistant
		m.Blocks = f.answer()
		m.Ext = f.ext
	case "tool":
		m.Role = canon.User
		b := f.result()
		m.Blocks, m.Ext = []canon.Block{b}, canon.Ext{}
		return m, nil
	default:
		return nil, fmt.Errorf("a message has the role %q, which is none of system, developer, user, assistant and tool", f.role)
	}
	for _, x := range f.own {
		add(&m.Ext, x)
	}
	return m, nil
}

// result returns the result that the message is. What it holds beside is the
// block's: results of parallel calls move apart.
func (m *message) result() *canon.ToolResultBlock {
	b := &canon.ToolResultBlock{Content: m.content}
	id, _ := textOf(take(&m.own, "tool_call_id"))
	b.CallID = id.String()
	if t, ok := canon.PlainText(b.Content); ok && t.IsEmpty() {
		b.Content = nil // "" is no content
	}
	b.Ext = m.ext
	for _, x := range m.own {
		add(&b.Ext, x)
	}
	return b
}

// answer returns the blocks of a message of the model: what it thought, said and
// called. The protocol has no other order.
func (m *message) answer() []canon.Block {
	var blocks []canon.Block
	if t := m.thought(); !t.IsEmpty() {
		blocks = append(blocks, &canon.ReasoningBlock{Text: t, Capsule: canon.Capsule{Issuer: Name}})
	}
	if t, ok := canon.PlainText(m.content); !ok || !t.IsEmpty() {
		blocks = append(blocks, m.content...)
	}
	if v := take(&m.own, "refusal"); v != nil {
		if t, ok := textOf(v); ok && !t.IsEmpty() {
			blocks = append(blocks, refusal(t))
		} else if !ok {
			add(&m.ext, canon.Member{Name: "refusal", Value: v})
		}
	}
	if calls := take(&m.own, "tool_calls"); calls.Kind() == jsonx.Array {
		d := jsonx.NewDecoder(calls)
		for range d.Elements() {
			blocks = appendCallBlocks(blocks, d)
		}
	} else if calls != nil {
		add(&m.ext, canon.Member{Name: "tool_calls", Value: calls})
	}
	return blocks
}

// thought takes the text of the reasoning. What the other members say of it stays.
func (m *message) thought() (t canon.Text) {
	for _, name := range thoughtNames {
		for i, x := range m.own {
			if t, ok := textOf(x.Value); ok && x.Name == name && !t.IsEmpty() {
				m.own = append(m.own[:i:i], m.own[i+1:]...)
				return t
			}
		}
	}
	for _, x := range m.own {
		if x.Name == detailsName {
			return detailsText(x.Value)
		}
	}
	return t
}

// detailsText returns the text that pieces of reasoning hold.
func detailsText(v canon.Raw) canon.Text {
	if v.Kind() != jsonx.Array {
		return canon.Text{}
	}
	var texts []canon.Text
	d := jsonx.NewDecoder(v)
	for range d.Elements() {
		if d.Kind() != jsonx.Object {
			continue
		}
		for name := range d.Members() {
			switch string(name) {
			case "text", "summary":
				texts = append(texts, canon.ReadOptText(d))
			}
		}
	}
	return canon.Join(texts...)
}

// call is what a call holds, or a piece of one in a stream.
type call struct {
	index            int64 // -1 if it has none
	id, typ, name    string
	custom           bool
	arguments        canon.Text // as text
	object           canon.Raw  // arguments that are no string
	signature        canon.Text
	ext              canon.Ext
	hasCustom, hasFn bool
}

// readCall reads a call.
func readCall(d *jsonx.Decoder) (c call) {
	c.index = -1
	if d.Kind() != jsonx.Object {
		d.Skip()
		return c
	}
	for name := range d.Members() {
		switch string(name) {
		case "index":
			if d.Kind() == jsonx.Number {
				c.index = d.OptInt()
			}
		case "id":
			c.id = d.OptStr()
		case "type":
			c.typ = d.OptStr()
		case "function":
			c.hasFn = c.readInner(d, "function", "arguments") || c.hasFn
		case "custom":
			c.hasCustom = c.readInner(d, "custom", "input") || c.hasCustom
		case "extra_content":
			v := d.CleanRaw()
			if t, ok := readSignature(v); ok {
				c.signature = t
			} else if v.Kind() != jsonx.Null {
				add(&c.ext, canon.Member{Name: "extra_content", Value: v})
			}
		default:
			if d.Kind() != jsonx.Null {
				c.ext.Read(d, Name, name)
			}
		}
	}
	c.custom = c.typ == "custom" || c.typ == "" && c.hasCustom && !c.hasFn
	return c
}

// readInner reads the object that names what is called, and reports whether there
// is one.
func (c *call) readInner(d *jsonx.Decoder, outer, input string) bool {
	if d.Kind() != jsonx.Object {
		d.Skip()
		return false
	}
	for name := range d.Members() {
		switch string(name) {
		case "name":
			if s := d.OptStr(); s != "" {
				c.name = s
			}
		case input:
			switch d.Kind() {
			case jsonx.String:
				c.arguments, c.object = canon.ReadText(d), nil
			case jsonx.Null:
				d.Skip()
			default:
				c.object = d.CleanRaw()
			}
		default:
			if d.Kind() != jsonx.Null {
				readWithin(&c.ext, d, outer, name)
			}
		}
	}
	return true
}

// readSignature reads the signature that is all that extra_content holds.
func readSignature(v canon.Raw) (t canon.Text, ok bool) {
	for _, only := range [...]string{"google", "thought_signature"} {
		if v.Kind() != jsonx.Object {
			return t, false
		}
		var inner canon.Raw
		n := 0
		d := jsonx.NewDecoder(v)
		for name := range d.Members() {
			if n++; string(name) == only {
				inner = d.Raw()
			}
		}
		if n != 1 {
			return t, false
		}
		v = inner
	}
	t, ok = textOf(v)
	return t, ok && !t.IsEmpty()
}

// block returns the call as a block, without its input.
func (c *call) block() *canon.ToolCallBlock {
	kind := canon.CallFunction
	if c.custom {
		kind = canon.CallCustom
	}
	return &canon.ToolCallBlock{BlockMeta: canon.BlockMeta{Ext: c.ext}, CallID: c.id, Name: c.name, Call: kind}
}

// appendCallBlocks reads a call and appends it, behind the capsule that its
// signature is.
func appendCallBlocks(blocks []canon.Block, d *jsonx.Decoder) []canon.Block {
	c := readCall(d)
	if !c.signature.IsEmpty() {
		blocks = appendCapsule(blocks, c.signature)
	}
	b := c.block()
	if c.object != nil {
		b.Input = canon.Input{JSON: c.object}
	} else {
		b.Input = canon.InputOf(b.Call, c.arguments.AppendTo(nil))
	}
	return append(blocks, b)
}

// appendCapsule appends what a vendor sealed, to the reasoning that stands there
// if it is no other call's.
func appendCapsule(blocks []canon.Block, sealed canon.Text) []canon.Block {
	if n := len(blocks); n > 0 {
		if b, ok := blocks[n-1].(*canon.ReasoningBlock); ok {
			b.Capsule.Sealed = sealed
			return blocks
		}
	}
	return append(blocks, &canon.ReasoningBlock{Redacted: true, Capsule: canon.Capsule{Issuer: Name, Sealed: sealed}})
}
