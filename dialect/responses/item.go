package responses

import (
	"bytes"

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

// shape is the union of the members that items of all types have.
type shape struct {
	typ, id, role, callID, name, namespace string
	arguments, content, output             canon.Raw
	text                                   canon.Text // a custom call's input
	plain                                  canon.Text // output that is a string
	action, summary, tools                 canon.Raw
	encrypted, result, prompt              canon.Text
	ext                                    canon.Ext
	outer                                  canon.Raw
}

// ReadItem reads one item of an input list, an output list or a rollout. An
// item whose type is missing is a message if it has a role.
func ReadItem(d *jsonx.Decoder) *canon.Message {
	start := d.Next()
	if d.Kind() != jsonx.Object {
		return opaque("", d.CleanRaw())
	}
	s := readShape(d)
	s.outer = d.Slice(start)
	m := s.message()
	if m == nil {
		raw, _ := jsonx.CleanValue(s.outer)
		m = opaque(s.typ, raw)
	}
	m.ID = s.id
	if m.Ext.Members == nil {
		m.Ext = s.ext
	}
	for _, b := range m.Blocks {
		b.Meta().ItemID = s.id
	}
	return m
}

func opaque(typ string, raw canon.Raw) *canon.Message {
	return &canon.Message{Role: canon.Assistant, Blocks: []canon.Block{&canon.OpaqueBlock{Dialect: Name, Type: typ, Raw: raw}}}
}

func readShape(d *jsonx.Decoder) (s shape) {
	for name := range d.Members() {
		switch string(name) {
		case "type":
			s.typ = d.OptStr()
		case "id":
			s.id = d.OptStr()
		case "role":
			s.role = d.OptStr()
		case "call_id":
			s.callID = d.OptStr()
		case "name":
			s.name = d.OptStr()
		case "namespace":
			s.namespace = d.OptStr()
		case "arguments":
			s.arguments = d.CleanRaw()
		case "input":
			if d.Kind() == jsonx.String {
				s.text = canon.ReadText(d)
			} else {
				s.text = canon.NewText(string(d.Raw()))
			}
		case "content":
			s.content = d.CleanRaw()
		case "output":
			if d.Kind() == jsonx.String { // most outputs, and the longest texts
				s.plain = canon.ReadText(d)
			} else {
				s.output = d.CleanRaw()
			}
		case "action":
			s.action = d.CleanRaw()
		case "summary":
			s.summary = d.CleanRaw()
		case "tools":
			s.tools = d.CleanRaw()
		case "encrypted_content":
			s.encrypted = optText(d)
		case "result":
			s.result = optText(d)
		case "revised_prompt":
			s.prompt = optText(d)
		case "status":
			d.Skip() // follows from the item
		default:
			s.ext.Read(d, Name, name)
		}
	}
	return s
}

func optText(d *jsonx.Decoder) canon.Text {
	if d.Kind() != jsonx.String {
		d.Skip()
		return canon.Text{}
	}
	return canon.ReadText(d)
}

// message returns the message for the item, or nil if canon does not model it.
func (s *shape) message() *canon.Message {
	switch s.typ {
	case "message", "":
		return s.textMessage()
	case "agent_message": // from another agent of the same run
		return &canon.Message{Role: canon.User, Kind: canon.Injected, Blocks: ReadContent(s.content)}
	case "reasoning":
		return assistant(s.reasoning())
	case "function_call":
		return assistant(s.call(canon.CallFunction, s.name, jsonInput(s.arguments)))
	case "custom_tool_call":
		return assistant(s.call(canon.CallCustom, s.name, canon.Input{Text: s.text}))
	case "local_shell_call":
		c := s.call(canon.CallShell, NameLocalShell, canon.Input{JSON: s.action})
		if c.CallID == "" {
			c.CallID = s.id
		}
		return assistant(c)
	case "tool_search_call":
		if s.callID == "" {
			return nil
		}
		return assistant(s.call(canon.CallFunction, NameToolSearch, jsonInput(s.arguments)))
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
	case "tool_search_output":
		if s.callID == "" {
			return nil
		}
		s.plain = canon.NewText(string(s.tools))
		return s.toolResult(canon.CallFunction)
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
	m.Blocks = ReadContent(s.content)
	return m
}

// ReadContent reads a content or output value: a string or an array of parts.
func ReadContent(v canon.Raw) []canon.Block {
	d := jsonx.NewDecoder(v)
	switch v.Kind() {
	case jsonx.String:
		return []canon.Block{&canon.TextBlock{Text: canon.ReadText(d)}}
	case jsonx.Array:
		var blocks []canon.Block
		for range d.Elements() {
			blocks = append(blocks, readPart(d))
		}
		return blocks
	case jsonx.Object: // three old rollouts have an object as output
		return []canon.Block{&canon.TextBlock{Text: canon.NewText(string(v))}}
	}
	return nil
}

func readPart(d *jsonx.Decoder) canon.Block {
	start := d.Next()
	if d.Kind() == jsonx.String {
		return &canon.TextBlock{Text: canon.ReadText(d)}
	}
	if d.Kind() != jsonx.Object {
		return &canon.OpaqueBlock{Dialect: Name, Raw: d.CleanRaw()}
	}
	var typ, filename string
	var text, imageURL, fileData, fileURL canon.Text
	var ext canon.Ext
	for name := range d.Members() {
		switch string(name) {
		case "type":
			typ = d.OptStr()
		case "text":
			text = optText(d)
		case "image_url":
			imageURL = optText(d)
		case "file_data":
			fileData = optText(d)
		case "file_url":
			fileURL = optText(d)
		case "filename":
			filename = d.OptStr()
		case "annotations":
			if r := d.CleanRaw(); !bytes.Equal(r, []byte("[]")) {
				ext.Dialect = Name
				ext.Members = append(ext.Members, canon.Member{Name: "annotations", Value: r})
			}
		default:
			ext.Read(d, Name, name)
		}
	}
	meta := canon.BlockMeta{Ext: ext}
	switch {
	case typ == "input_text" || typ == "output_text" || typ == "text":
		return &canon.TextBlock{BlockMeta: meta, Text: text}
	case typ == "input_image" && !imageURL.IsEmpty():
		return &canon.ImageBlock{BlockMeta: meta, Media: mediaOf(imageURL)}
	case typ == "input_file" && !fileData.IsEmpty():
		m := mediaOf(fileData)
		m.Name = filename
		return &canon.DocumentBlock{BlockMeta: meta, Media: m}
	case typ == "input_file" && !fileURL.IsEmpty():
		return &canon.DocumentBlock{BlockMeta: meta, Media: canon.Media{URL: fileURL, Name: filename}}
	}
	raw, _ := jsonx.CleanValue(d.Slice(start))
	return &canon.OpaqueBlock{Dialect: Name, Type: typ, Raw: raw}
}

// mediaOf splits a data URL; any other URL stays one.
func mediaOf(url canon.Text) canon.Media {
	if !url.HasPrefix("data:") {
		return canon.Media{URL: url}
	}
	head, data, ok := url.Cut(";base64,")
	if !ok {
		return canon.Media{URL: url}
	}
	return canon.Media{MediaType: head.String()[len("data:"):], Data: data}
}

func (s *shape) reasoning() *canon.ReasoningBlock {
	b := &canon.ReasoningBlock{Capsule: canon.Capsule{Issuer: Name, Sealed: s.encrypted}}
	b.Summary = texts(s.summary)
	if full := texts(s.content); len(full) > 0 {
		b.Text = canon.Join(full...)
	}
	b.Redacted = b.Text.IsEmpty() && len(b.Summary) == 0
	return b
}

// texts reads the text members of an array of parts.
func texts(v canon.Raw) []canon.Text {
	if v.Kind() != jsonx.Array {
		return nil
	}
	var out []canon.Text
	d := jsonx.NewDecoder(v)
	for range d.Elements() {
		if t, ok := readPartText(d); ok {
			out = append(out, t)
		}
	}
	return out
}

func readPartText(d *jsonx.Decoder) (t canon.Text, ok bool) {
	if d.Kind() != jsonx.Object {
		d.Skip()
		return t, false
	}
	for name := range d.Members() {
		if string(name) == "text" {
			t, ok = optText(d), true
		}
	}
	return t, ok
}

func (s *shape) call(kind canon.CallKind, name string, in canon.Input) *canon.ToolCallBlock {
	return &canon.ToolCallBlock{CallID: s.callID, Name: name, Namespace: s.namespace, Call: kind, Input: in}
}

// jsonInput reads arguments: a string that holds JSON text. Text that is not
// well-formed stays text. An object instead of a string is what old converters
// wrote.
func jsonInput(v canon.Raw) canon.Input {
	switch v.Kind() {
	case jsonx.String:
		t := literal(v)
		if raw := canon.Raw(t.String()); raw.Valid() {
			raw, _ = jsonx.CleanValue(raw)
			return canon.Input{JSON: raw}
		}
		return canon.Input{Text: t}
	case jsonx.Object, jsonx.Array:
		return canon.Input{JSON: v}
	}
	return canon.Input{}
}

func literal(v canon.Raw) canon.Text {
	if v.Kind() != jsonx.String {
		return canon.NewText(string(v))
	}
	t, _ := canon.LiteralText(v)
	return t
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
	r := &canon.ToolResultBlock{CallID: s.callID, Call: kind}
	switch {
	case s.output != nil:
		r.Content = ReadContent(s.output)
	case !s.plain.IsEmpty(): // "" is no content
		r.Content = []canon.Block{&canon.TextBlock{Text: s.plain}}
	}
	return &canon.Message{Role: canon.User, Blocks: []canon.Block{r}}
}
