package anthropic

import (
	"errors"
	"fmt"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// Name is the dialect's name.
const Name = "anthropic"

// ErrCannotExpress is matched by the errors for content that the protocol has
// no form for.
var ErrCannotExpress = errors.New("cannot be expressed in the Anthropic protocol")

// ReadContent reads a content value: a string, an array of blocks, or null.
func ReadContent(d *jsonx.Decoder) []canon.Block {
	switch d.Kind() {
	case jsonx.String:
		return []canon.Block{&canon.TextBlock{Text: canon.ReadText(d)}}
	case jsonx.Array:
		var blocks []canon.Block
		for range d.Elements() {
			blocks = append(blocks, ReadBlock(d))
		}
		return blocks
	default:
		d.Skip()
		return nil
	}
}

// shape is the union of the members that blocks of all types have.
type shape struct {
	typ                        string
	text, thinking, signature  canon.Text
	data                       canon.Text
	plain                      canon.Text // content that is a string
	id, name, toolUseID, title string
	input, content, source     canon.Raw
	isError                    bool
	ext                        canon.Ext
}

// ReadBlock reads one content block.
func ReadBlock(d *jsonx.Decoder) canon.Block {
	start := d.Next()
	if d.Kind() == jsonx.String {
		return &canon.TextBlock{Text: canon.ReadText(d)}
	}
	if d.Kind() != jsonx.Object {
		return &canon.OpaqueBlock{Dialect: Name, Raw: d.CleanRaw()}
	}
	s := readShape(d)
	if b := s.block(); b != nil {
		return b
	}
	raw, _ := jsonx.CleanValue(d.Slice(start))
	return &canon.OpaqueBlock{Dialect: Name, Type: s.typ, Raw: raw}
}

func readShape(d *jsonx.Decoder) (s shape) {
	for name := range d.Members() {
		switch string(name) {
		case "type":
			s.typ = d.OptStr()
		case "text":
			s.text = optText(d)
		case "thinking":
			s.thinking = optText(d)
		case "signature":
			s.signature = optText(d)
		case "data":
			s.data = optText(d)
		case "id":
			s.id = d.OptStr()
		case "name":
			s.name = d.OptStr()
		case "tool_use_id":
			s.toolUseID = d.OptStr()
		case "title":
			s.title = d.OptStr()
		case "input":
			s.input = d.CleanRaw()
		case "content":
			if d.Kind() == jsonx.String { // most results, and the longest texts
				s.plain = canon.ReadText(d)
			} else {
				s.content = d.CleanRaw()
			}
		case "source":
			s.source = d.CleanRaw()
		case "is_error":
			s.isError = d.OptBool()
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
		switch {
		case s.content != nil:
			r.Content = ReadContent(jsonx.NewDecoder(s.content))
		case !s.plain.IsEmpty(): // "" is no content
			r.Content = []canon.Block{&canon.TextBlock{Text: s.plain}}
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

// media reads the source of an image or document.
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
			data = optText(d)
		case "url":
			url = optText(d)
		}
	}
	switch typ {
	case "base64":
		m.Data = data
	case "url":
		m.URL = url
	case "text":
		m.Plain = data
	default: // vendor files and whatever comes
		return m, false
	}
	return m, d.Err() == nil
}

// AppendBlock appends b as a content block. An error matches
// [ErrCannotExpress].
func AppendBlock(dst []byte, b canon.Block) ([]byte, error) {
	switch b := b.(type) {
	case *canon.TextBlock:
		dst = append(dst, `{"type":"text","text":`...)
		dst = b.Text.AppendQuoted(dst)
	case *canon.ImageBlock:
		dst = append(dst, `{"type":"image","source":`...)
		dst = appendSource(dst, b.Media)
	case *canon.DocumentBlock:
		dst = append(dst, `{"type":"document","source":`...)
		dst = appendSource(dst, b.Media)
		if b.Name != "" {
			dst = append(dst, `,"title":`...)
			dst = jsonx.AppendQuote(dst, b.Name)
		}
	case *canon.ReasoningBlock:
		if b.Capsule.Issuer != Name {
			return dst, fmt.Errorf("reasoning of another vendor %w", ErrCannotExpress)
		}
		dst = appendReasoning(dst, b)
	case *canon.ToolCallBlock:
		return appendCall(dst, b)
	case *canon.ToolResultBlock:
		return appendResult(dst, b)
	case *canon.OpaqueBlock:
		if b.Dialect != Name {
			return dst, fmt.Errorf("a block of %s %w", b.Dialect, ErrCannotExpress)
		}
		return append(dst, b.Raw...), nil
	default:
		return dst, fmt.Errorf("a %s block %w", b.Kind(), ErrCannotExpress)
	}
	return closeObject(dst, b.Meta()), nil
}

// closeObject appends the members that came from this dialect, and the brace.
func closeObject(dst []byte, meta *canon.BlockMeta) []byte {
	if meta.Ext.Dialect == Name {
		for _, m := range meta.Ext.Members {
			dst = append(dst, ',')
			dst = jsonx.AppendQuote(dst, m.Name)
			dst = append(dst, ':')
			dst = append(dst, m.Value...)
		}
	}
	return append(dst, '}')
}

func appendReasoning(dst []byte, b *canon.ReasoningBlock) []byte {
	if b.Redacted {
		dst = append(dst, `{"type":"redacted_thinking","data":`...)
		return b.Capsule.Sealed.AppendQuoted(dst)
	}
	dst = append(dst, `{"type":"thinking","thinking":`...)
	dst = b.Text.AppendQuoted(dst)
	dst = append(dst, `,"signature":`...)
	return b.Capsule.Sealed.AppendQuoted(dst)
}

func appendCall(dst []byte, b *canon.ToolCallBlock) ([]byte, error) {
	switch {
	case b.Call == canon.CallProvider:
		dst = append(dst, `{"type":"server_tool_use","id":`...)
	case b.Call != canon.CallFunction || b.Namespace != "":
		return dst, fmt.Errorf("a %s call in namespace %q %w", b.Call, b.Namespace, ErrCannotExpress)
	case b.Input.JSON.Kind() != jsonx.Object:
		return dst, fmt.Errorf("a call input that is no object %w", ErrCannotExpress)
	default:
		dst = append(dst, `{"type":"tool_use","id":`...)
	}
	dst = jsonx.AppendQuote(dst, b.CallID)
	dst = append(dst, `,"name":`...)
	dst = jsonx.AppendQuote(dst, b.Name)
	dst = append(dst, `,"input":`...)
	dst = append(dst, b.Input.JSON...)
	return closeObject(dst, b.Meta()), nil
}

func appendResult(dst []byte, b *canon.ToolResultBlock) ([]byte, error) {
	dst = append(dst, `{"type":"tool_result","tool_use_id":`...)
	dst = jsonx.AppendQuote(dst, b.CallID)
	dst = append(dst, `,"content":`...)
	dst, err := AppendContent(dst, b.Content)
	if err != nil {
		return dst, err
	}
	if b.IsError {
		dst = append(dst, `,"is_error":true`...)
	}
	return closeObject(dst, b.Meta()), nil
}

// AppendContent appends blocks as a content value: a string for a single plain
// text and for nothing at all, an array otherwise.
func AppendContent(dst []byte, blocks []canon.Block) ([]byte, error) {
	if len(blocks) == 0 {
		return append(dst, `""`...), nil
	}
	if t, ok := blocks[0].(*canon.TextBlock); ok && len(blocks) == 1 && len(t.Ext.Members) == 0 {
		return t.Text.AppendQuoted(dst), nil
	}
	dst = append(dst, '[')
	for i, b := range blocks {
		if i > 0 {
			dst = append(dst, ',')
		}
		var err error
		if dst, err = AppendBlock(dst, b); err != nil {
			return dst, err
		}
	}
	return append(dst, ']'), nil
}

func appendSource(dst []byte, m canon.Media) []byte {
	switch {
	case !m.URL.IsEmpty():
		dst = append(dst, `{"type":"url","url":`...)
		dst = m.URL.AppendQuoted(dst)
	case !m.Plain.IsEmpty():
		dst = append(dst, `{"type":"text","media_type":"text/plain","data":`...)
		dst = m.Plain.AppendQuoted(dst)
	default:
		dst = append(dst, `{"type":"base64","media_type":`...)
		dst = jsonx.AppendQuote(dst, m.MediaType)
		dst = append(dst, `,"data":`...)
		dst = m.Data.AppendQuoted(dst)
	}
	return append(dst, '}')
}
