package anthropic

import (
	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// Name is the dialect's name.
const Name = "anthropic"

// ReadContent reads a content value: a string, an array of blocks, or null. A
// value of another kind is taken for a block.
func ReadContent(d *jsonx.Decoder) []canon.Block { return readContent(d, false) }

func readContent(d *jsonx.Decoder, inResult bool) []canon.Block {
	switch d.Kind() {
	case jsonx.String:
		return []canon.Block{&canon.TextBlock{Text: canon.ReadText(d)}}
	case jsonx.Array:
		var blocks []canon.Block
		for range d.Elements() {
			blocks = append(blocks, readBlock(d, inResult))
		}
		return blocks
	case jsonx.Null, jsonx.End:
		d.Skip()
		return nil
	default:
		return []canon.Block{readBlock(d, inResult)}
	}
}

// ReadBlock reads one content block.
func ReadBlock(d *jsonx.Decoder) canon.Block { return readBlock(d, false) }

func readBlock(d *jsonx.Decoder, inResult bool) canon.Block {
	start := d.Next()
	if d.Kind() == jsonx.String {
		return &canon.TextBlock{Text: canon.ReadText(d)}
	}
	if d.Kind() != jsonx.Object {
		return &canon.OpaqueBlock{Dialect: Name, Raw: d.CleanRaw()}
	}
	s := readShape(d)
	whole := d.Slice(start)
	used := membersOf(s.typ, inResult)
	if s.odd&isErrorMember != 0 { // whatever it means, it is no flag
		used &^= isErrorMember
		s.isError = false
	}
	if used != 0 && s.odd&used == 0 {
		if s.seen&^used != 0 {
			s.ext = readExt(whole, used)
		}
		if b := s.block(); b != nil {
			return b
		}
	}
	raw, _ := jsonx.CleanValue(whole)
	return &canon.OpaqueBlock{Dialect: Name, Type: s.typ, Raw: raw, Words: words(s.typ, raw)}
}

// words says what a block of a type that canon does not model says. A result of
// Claude Code's ToolSearch names the tools that it found, and nothing else: without
// them the model would search again. (2.1.332.)
func words(typ string, block canon.Raw) (t canon.Text) {
	if typ != "tool_reference" {
		return t
	}
	d := jsonx.NewDecoder(block)
	for name := range d.Members() {
		if string(name) == "tool_name" && d.Kind() == jsonx.String {
			t = canon.Join(canon.NewText("[tool "), canon.ReadText(d), canon.NewText(" can be called]"))
		}
	}
	return t
}

// member stands for a member that some type of block models; several are a set.
type member uint16

const (
	typeMember member = 1 << iota
	textMember
	thinkingMember
	signatureMember
	dataMember
	idMember
	nameMember
	toolUseIDMember
	titleMember
	inputMember
	contentMember
	sourceMember
	isErrorMember
)

func memberOf(name []byte) member {
	switch string(name) {
	case "type":
		return typeMember
	case "text":
		return textMember
	case "thinking":
		return thinkingMember
	case "signature":
		return signatureMember
	case "data":
		return dataMember
	case "id":
		return idMember
	case "name":
		return nameMember
	case "tool_use_id":
		return toolUseIDMember
	case "title":
		return titleMember
	case "input":
		return inputMember
	case "content":
		return contentMember
	case "source":
		return sourceMember
	case "is_error":
		return isErrorMember
	}
	return 0
}

// membersOf returns the members that a block type models; none if canon does
// not model the type. A result holds neither calls nor results.
func membersOf(typ string, inResult bool) member {
	switch typ {
	case "text":
		return typeMember | textMember
	case "thinking":
		return typeMember | thinkingMember | signatureMember
	case "redacted_thinking":
		return typeMember | dataMember
	case "image":
		return typeMember | sourceMember
	case "document":
		return typeMember | sourceMember | titleMember
	}
	if inResult {
		return 0
	}
	switch typ {
	case "tool_use", "server_tool_use":
		return typeMember | idMember | nameMember | inputMember
	case "tool_result":
		return typeMember | toolUseIDMember | contentMember | isErrorMember
	}
	return 0
}

// shape is the union of the members that blocks of all types have.
type shape struct {
	seen, odd                  member // odd ones are of a kind that no block has
	typ                        string
	text, thinking, signature  canon.Text
	data                       canon.Text
	plain                      canon.Text // content that is a string
	id, name, toolUseID, title string
	input, content, source     canon.Raw
	isError                    bool
	ext                        canon.Ext
}

func readShape(d *jsonx.Decoder) (s shape) {
	for name := range d.Members() {
		m := memberOf(name)
		s.seen |= m
		switch m {
		case typeMember:
			s.typ = d.OptStr()
		case textMember:
			s.text = s.readText(d, m)
		case thinkingMember:
			s.thinking = s.readText(d, m)
		case signatureMember:
			s.signature = s.readText(d, m)
		case dataMember:
			s.data = s.readText(d, m)
		case idMember:
			s.id = s.readString(d, m)
		case nameMember:
			s.name = s.readString(d, m)
		case toolUseIDMember:
			s.toolUseID = s.readString(d, m)
		case titleMember:
			s.title = s.readString(d, m)
		case inputMember:
			s.input = d.CleanRaw()
		case contentMember:
			s.content, s.plain = nil, canon.Text{}
			if d.Kind() == jsonx.String { // most results, and the longest texts
				s.plain = canon.ReadText(d)
			} else {
				s.content = d.CleanRaw()
			}
		case sourceMember:
			s.source = d.CleanRaw()
		case isErrorMember:
			if k := d.Kind(); k != jsonx.True && k != jsonx.False && k != jsonx.Null {
				s.odd |= m
			}
			s.isError = d.OptBool()
		default:
			s.ext.Read(d, Name, name)
		}
	}
	return s
}

func (s *shape) readText(d *jsonx.Decoder, m member) canon.Text {
	if k := d.Kind(); k != jsonx.String && k != jsonx.Null {
		s.odd |= m
	}
	return canon.ReadOptText(d)
}

func (s *shape) readString(d *jsonx.Decoder, m member) string {
	if k := d.Kind(); k != jsonx.String && k != jsonx.Null {
		s.odd |= m
	}
	return d.OptStr()
}

// readExt reads the members of a block but those that its type models.
func readExt(block canon.Raw, modeled member) (e canon.Ext) {
	d := jsonx.NewDecoder(block)
	for name := range d.Members() {
		if memberOf(name)&modeled == 0 {
			e.Read(d, Name, name)
		}
	}
	return e
}

// block returns the block that s describes, or nil if canon does not model it.
func (s *shape) block() canon.Block {
	meta := canon.BlockMeta{Ext: s.ext}
	switch s.typ {
	case "text":
		return &canon.TextBlock{BlockMeta: meta, Text: s.text}
	case "thinking":
		return &canon.ReasoningBlock{BlockMeta: meta, Text: s.thinking, Capsule: canon.Capsule{Issuer: Name, Sealed: s.signature}}
	case "redacted_thinking":
		return &canon.ReasoningBlock{BlockMeta: meta, Redacted: true, Capsule: canon.Capsule{Issuer: Name, Sealed: s.data}}
	case "tool_use", "server_tool_use":
		call := canon.CallFunction
		if s.typ == "server_tool_use" {
			call = canon.CallProvider
		}
		return &canon.ToolCallBlock{BlockMeta: meta, CallID: s.id, Name: s.name, Call: call, Input: input(s.input)}
	case "tool_result":
		r := &canon.ToolResultBlock{BlockMeta: meta, CallID: s.toolUseID, IsError: s.isError}
		if s.content != nil {
			r.Content = readContent(jsonx.NewDecoder(s.content), true)
		} else {
			r.Content = []canon.Block{&canon.TextBlock{Text: s.plain}}
		}
		if t, ok := canon.PlainText(r.Content); ok && t.IsEmpty() {
			r.Content = nil // "" is no content
		}
		return r
	case "image":
		if m, ok := s.media(); ok {
			return &canon.ImageBlock{BlockMeta: meta, Media: m}
		}
	case "document":
		if m, ok := s.media(); ok {
			m.Name = s.title
			return &canon.DocumentBlock{BlockMeta: meta, Media: m}
		}
	}
	return nil
}

// input keeps an object as it is. Anything else is what a damaged writer left;
// a string is taken for the text of the input.
func input(raw canon.Raw) canon.Input {
	if raw.Kind() == jsonx.String {
		t, _ := canon.LiteralText(raw)
		return canon.Input{Text: t}
	}
	return canon.Input{JSON: raw}
}

// plainType is the media type of a document that is given as text.
const plainType = "text/plain"

// media reads the source of an image or document. Vendor files and whatever
// comes are none.
func (s *shape) media() (m canon.Media, ok bool) {
	if s.source.Kind() != jsonx.Object {
		return m, false
	}
	var typ string
	var data, url canon.Text
	d := jsonx.NewDecoder(s.source)
	for name := range d.Members() {
		switch string(name) {
		case "type":
			typ = d.OptStr()
		case "media_type":
			m.MediaType = d.OptStr()
		case "data":
			data = canon.ReadOptText(d)
		case "url":
			url = canon.ReadOptText(d)
		}
	}
	switch typ {
	case "base64":
		m.Data = data
	case "url":
		m.URL = url
	case "text":
		m.Plain = data
		if m.MediaType == "" {
			m.MediaType = plainType
		}
	}
	return m, !m.IsEmpty()
}
