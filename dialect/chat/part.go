package chat

import (
	"fmt"
	"strings"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// refusalMember marks text that is a refusal.
const refusalMember = "refusal"

// readContent reads a content value: a string, a list of parts, or null. A value
// of another kind is taken for a part.
func readContent(d *jsonx.Decoder) []canon.Block {
	switch d.Kind() {
	case jsonx.String:
		return []canon.Block{&canon.TextBlock{Text: canon.ReadText(d)}}
	case jsonx.Array:
		var blocks []canon.Block
		for range d.Elements() {
			blocks = append(blocks, readPart(d))
		}
		return blocks
	case jsonx.Null, jsonx.End:
		d.Skip()
		return nil
	default:
		return []canon.Block{readPart(d)}
	}
}

// readPart reads one part of content.
func readPart(d *jsonx.Decoder) canon.Block {
	start := d.Next()
	if d.Kind() == jsonx.String {
		return &canon.TextBlock{Text: canon.ReadText(d)}
	}
	if d.Kind() != jsonx.Object {
		return &canon.OpaqueBlock{Dialect: Name, Raw: d.CleanRaw()}
	}
	typ := ""
	var members []canon.Member
	for name := range d.Members() {
		if string(name) == "type" {
			typ = d.OptStr()
		} else {
			members = append(members, canon.Member{Name: string(name), Value: d.CleanRaw()})
		}
	}
	whole := d.Slice(start)
	if b := partOf(typ, &members); b != nil {
		for _, m := range members {
			add(&b.Meta().Ext, m)
		}
		return b
	}
	raw, _ := jsonx.CleanValue(whole)
	return &canon.OpaqueBlock{Dialect: Name, Type: typ, Raw: raw}
}

// partOf returns the block that a part of that type is, without the members left
// over, or nil if canon does not model it.
func partOf(typ string, members *[]canon.Member) canon.Block {
	switch typ {
	case "text", "input_text", "output_text": // the last two as the Responses API has them
		if t, ok := textOf(take(members, "text")); ok {
			return &canon.TextBlock{Text: t}
		}
	case "refusal":
		if t, ok := textOf(take(members, "refusal")); ok {
			return refusal(t)
		}
	case "thinking": // as Mistral has it
		return &canon.ReasoningBlock{Text: thoughtIn(take(members, "thinking")), Capsule: canon.Capsule{Issuer: Name}}
	case "image_url":
		b := new(canon.ImageBlock)
		if b.Media = readImage(take(members, "image_url"), &b.Ext); !b.Media.IsEmpty() {
			return b
		}
	case "file":
		b := new(canon.DocumentBlock)
		if b.Media = readFile(take(members, "file"), &b.Ext); !b.Media.IsEmpty() {
			return b
		}
	}
	return nil
}

func refusal(t canon.Text) *canon.TextBlock {
	b := &canon.TextBlock{Text: t}
	add(&b.Ext, canon.Member{Name: refusalMember, Value: canon.Raw("true")})
	return b
}

// isRefusal reports whether a text is a refusal.
func isRefusal(b *canon.TextBlock) bool {
	return b.Ext.Dialect == Name && b.Ext.Get(refusalMember) != nil
}

// thoughtIn returns the text of a part of thinking: a string or a list of texts.
func thoughtIn(v canon.Raw) canon.Text {
	if v == nil {
		return canon.Text{}
	}
	var texts []canon.Text
	for _, b := range readContent(jsonx.NewDecoder(v)) {
		if b, ok := b.(*canon.TextBlock); ok {
			texts = append(texts, b.Text)
		}
	}
	return canon.Join(texts...)
}

// readImage reads the image_url of a part: an object, or the address alone.
func readImage(v canon.Raw, ext *canon.Ext) (m canon.Media) {
	url, ok := textOf(v)
	if !ok && v.Kind() == jsonx.Object {
		d := jsonx.NewDecoder(v)
		for name := range d.Members() {
			if string(name) == "url" {
				url = canon.ReadOptText(d)
			} else {
				readWithin(ext, d, "image_url", name)
			}
		}
	}
	if !url.HasPrefix("data:") {
		m.URL = url
		return m
	}
	m.MediaType, m.Data, _ = cutDataURL(url)
	return m
}

// readFile reads the file of a part. One that the vendor keeps is none.
func readFile(v canon.Raw, ext *canon.Ext) (m canon.Media) {
	if v.Kind() != jsonx.Object {
		return m
	}
	var data canon.Text
	name := ""
	d := jsonx.NewDecoder(v)
	for member := range d.Members() {
		switch string(member) {
		case "file_data":
			data = canon.ReadOptText(d)
		case "filename":
			name = d.OptStr()
		default:
			readWithin(ext, d, "file", member)
		}
	}
	if typ, data, ok := cutDataURL(data); ok {
		m = canon.Media{MediaType: typ, Data: data, Name: name}
	}
	return m
}

// cutDataURL parts a data URL into its type and its base64 data; ok is false for
// one that holds no base64.
func cutDataURL(url canon.Text) (typ string, data canon.Text, ok bool) {
	if !url.HasPrefix("data:") {
		return "", data, false
	}
	head, data, ok := url.Cut(",")
	typ, params, _ := strings.Cut(strings.TrimPrefix(head.String(), "data:"), ";")
	if !ok || params != "base64" && !strings.HasSuffix(params, ";base64") || data.IsEmpty() {
		return "", canon.Text{}, false
	}
	return typ, data, true
}

// appendParts appends content: a string for a single plain text, or else a list.
func appendParts(dst []byte, blocks []canon.Block) ([]byte, error) {
	if t, ok := canon.PlainText(blocks); ok {
		return t.AppendQuoted(dst), nil
	}
	dst = append(dst, '[')
	for i, b := range blocks {
		if i > 0 {
			dst = append(dst, ',')
		}
		var err error
		if dst, err = appendPart(dst, b); err != nil {
			return dst, err
		}
	}
	return append(dst, ']'), nil
}

// appendPart appends one part of content.
func appendPart(dst []byte, b canon.Block) ([]byte, error) {
	switch b := b.(type) {
	case *canon.TextBlock:
		if isRefusal(b) {
			dst = append(dst, `{"type":"refusal","refusal":`...)
		} else {
			dst = append(dst, `{"type":"text","text":`...)
		}
		dst = b.Text.AppendQuoted(dst)
		dst = appendBeside(dst, &b.Ext, refusalMember)
	case *canon.ImageBlock:
		dst = append(dst, `{"type":"image_url","image_url":{"url":`...)
		switch {
		case !b.URL.IsEmpty():
			dst = b.URL.AppendQuoted(dst)
		case !b.Data.IsEmpty():
			dst = appendDataURL(dst, &b.Media)
		default:
			return dst, fmt.Errorf("an image without data %w", ErrCannotExpress)
		}
		dst = append(appendWithin(dst, &b.Ext, "image_url"), '}')
		dst = appendBeside(dst, &b.Ext, "image_url")
	case *canon.DocumentBlock:
		if b.Data.IsEmpty() {
			return dst, fmt.Errorf("a document that is not in the request itself %w", ErrCannotExpress)
		}
		dst = append(dst, `{"type":"file","file":{"filename":`...)
		dst = jsonx.AppendQuote(dst, b.Name)
		dst = append(dst, `,"file_data":`...)
		dst = appendDataURL(dst, &b.Media)
		dst = append(appendWithin(dst, &b.Ext, "file"), '}')
		dst = appendBeside(dst, &b.Ext, "file")
	case *canon.OpaqueBlock:
		if b.Dialect != Name {
			return dst, fmt.Errorf("a block of %s %w", b.Dialect, ErrCannotExpress)
		}
		return jsonx.AppendRaw(dst, b.Raw), nil
	default:
		return dst, fmt.Errorf("a %s block as content %w", b.Kind(), ErrCannotExpress)
	}
	return append(dst, '}'), nil
}

// appendDataURL appends a data URL as a string, without a copy of the data on the
// way.
func appendDataURL(dst []byte, m *canon.Media) []byte {
	dst = jsonx.AppendQuote(dst, "data:"+m.MediaType+";base64")
	dst = dst[:len(dst)-1]
	comma := len(dst)
	dst = m.Data.AppendQuoted(dst)
	dst[comma] = ',' // instead of the quote
	return dst
}
