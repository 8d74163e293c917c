package responses

import (
	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// ReadContent reads a content or output value: a string or an array of parts.
// Any other value is text as it is written: three old rollouts have an object
// as output.
func ReadContent(d *jsonx.Decoder) []canon.Block {
	switch d.Kind() {
	case jsonx.End, jsonx.Null:
		d.Skip()
		return nil
	case jsonx.String:
		return []canon.Block{&canon.TextBlock{Text: canon.ReadText(d)}}
	case jsonx.Array:
		var blocks []canon.Block
		for range d.Elements() {
			blocks = append(blocks, readPart(d))
		}
		return blocks
	default:
		return []canon.Block{&canon.TextBlock{Text: canon.NewText(string(d.CleanRaw()))}}
	}
}

// partMember returns the member called name that parts have.
func partMember(name []byte) member {
	switch string(name) {
	case "type":
		return typeMember
	case "text":
		return textMember
	case "image_url":
		return imageURLMember
	case "file_data":
		return fileDataMember
	case "file_url":
		return fileURLMember
	case "filename":
		return filenameMember
	}
	return 0
}

// partMembers returns the members that a type of part models; none if canon
// does not model the type.
func partMembers(typ string) member {
	switch typ {
	case "input_text", "output_text", "text":
		return typeMember | textMember
	case "input_image":
		return typeMember | imageURLMember
	case "input_file":
		return typeMember | fileDataMember | fileURLMember | filenameMember
	}
	return 0
}

// part is the union of the members that parts of all types have.
type part struct {
	kinds
	typ, filename                     string
	text, imageURL, fileData, fileURL canon.Text
	ext                               canon.Ext
}

func readPart(d *jsonx.Decoder) canon.Block {
	start := d.Next()
	if d.Kind() == jsonx.String {
		return &canon.TextBlock{Text: canon.ReadText(d)}
	}
	if d.Kind() != jsonx.Object {
		return &canon.OpaqueBlock{Dialect: Name, Raw: d.CleanRaw()}
	}
	var p part
	for name := range d.Members() {
		p.member(d, name)
	}
	whole := d.Slice(start)
	if used := partMembers(p.typ); used != 0 && p.odd&used == 0 {
		if p.seen&^used != 0 {
			p.ext = partExt(whole, used)
		}
		if b := p.block(); b != nil {
			return b
		}
	}
	raw, _ := jsonx.CleanValue(whole)
	return &canon.OpaqueBlock{Dialect: Name, Type: p.typ, Raw: raw}
}

func (p *part) member(d *jsonx.Decoder, name []byte) {
	m := partMember(name)
	p.seen |= m
	switch m {
	case typeMember:
		p.typ = d.OptStr()
	case textMember:
		p.text = p.readText(d, m)
	case imageURLMember:
		p.imageURL = p.readText(d, m)
	case fileDataMember:
		p.fileData = p.readText(d, m)
	case fileURLMember:
		p.fileURL = p.readText(d, m)
	case filenameMember:
		p.filename = p.readString(d, m)
	default:
		partOther(d, &p.ext, name)
	}
}

// partOther reads a member that canon does not model. Each output text has a
// list of annotations, which is mostly empty.
func partOther(d *jsonx.Decoder, e *canon.Ext, name []byte) {
	if string(name) != "annotations" {
		e.Read(d, Name, name)
		return
	}
	if raw := d.CleanRaw(); string(raw) != "[]" {
		e.Dialect = Name
		e.Members = append(e.Members, canon.Member{Name: "annotations", Value: raw})
	}
}

// partExt reads the members of a part but those that its type models.
func partExt(whole canon.Raw, modeled member) (e canon.Ext) {
	d := jsonx.NewDecoder(whole)
	for name := range d.Members() {
		if partMember(name)&modeled == 0 {
			partOther(d, &e, name)
		}
	}
	return e
}

// block returns the block that p describes, or nil if canon does not model it.
func (p *part) block() canon.Block {
	meta := canon.BlockMeta{Ext: p.ext}
	switch p.typ {
	case "input_image":
		if m, ok := mediaOf(p.imageURL); ok {
			return &canon.ImageBlock{BlockMeta: meta, Media: m}
		}
		return nil
	case "input_file":
		m, ok := canon.Media{}, false
		switch {
		case p.fileURL.IsEmpty() && p.fileData.HasPrefix("data:"):
			m, ok = mediaOf(p.fileData)
		case p.fileURL.IsEmpty(): // without its media type
			m, ok = canon.Media{Data: p.fileData}, !p.fileData.IsEmpty()
		case p.fileData.IsEmpty():
			m, ok = mediaOf(p.fileURL)
		}
		if !ok {
			return nil
		}
		m.Name = p.filename
		return &canon.DocumentBlock{BlockMeta: meta, Media: m}
	}
	return &canon.TextBlock{BlockMeta: meta, Text: p.text}
}

// mediaOf splits a data URL; any other URL stays one. A data URL that is not
// base64, or is empty, is none.
func mediaOf(url canon.Text) (m canon.Media, ok bool) {
	if !url.HasPrefix("data:") {
		return canon.Media{URL: url}, !url.IsEmpty()
	}
	head, data, ok := url.Cut(";base64,")
	if !ok || data.IsEmpty() {
		return m, false
	}
	return canon.Media{MediaType: head.String()[len("data:"):], Data: data}, true
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
	if d.Kind() == jsonx.String {
		return canon.ReadText(d), true
	}
	if d.Kind() != jsonx.Object {
		d.Skip()
		return t, false
	}
	for name := range d.Members() {
		if string(name) == "text" {
			t, ok = canon.ReadOptText(d), true
		}
	}
	return t, ok
}
