package canon

import "github.com/crosswalk-agents/crosswalk/internal/jsonx"

// ReadText reads a JSON string from d as a text. The text shares d's memory.
func ReadText(d *jsonx.Decoder) Text {
	lit := d.Literal()
	if len(lit) < 2 {
		return Text{}
	}
	return Text{body: view(lit[1 : len(lit)-1]), escaped: d.Escaped(), literal: true}
}

// ReadOptText is [ReadText] for a string; any other value is passed over.
func ReadOptText(d *jsonx.Decoder) Text {
	if d.Kind() != jsonx.String {
		d.Skip()
		return Text{}
	}
	return ReadText(d)
}

// ReadNumber reads a number as it is written; any other value is passed over and
// reads as nil.
func ReadNumber(d *jsonx.Decoder) Raw {
	if d.Kind() != jsonx.Number {
		d.Skip()
		return nil
	}
	return d.Raw()
}

// ReadTexts reads a list of strings. What is no string in it, and a value that is
// no list, is passed over.
func ReadTexts(d *jsonx.Decoder) (list []Text) {
	if d.Kind() != jsonx.Array {
		d.Skip()
		return nil
	}
	for range d.Elements() {
		if d.Kind() == jsonx.String {
			list = append(list, ReadText(d))
		}
	}
	return list
}

// ReadWithin reads an object, the member outer of another one: read reads a member
// of it, or returns false, and e keeps that under both names, as "outer.inner". A
// value of another kind is kept as it is; null is none.
func (e *Ext) ReadWithin(d *jsonx.Decoder, dialect string, outer []byte, read func(member []byte) bool) {
	switch d.Kind() {
	case jsonx.Object:
	case jsonx.Null:
		d.Skip()
		return
	default:
		e.Read(d, dialect, outer)
		return
	}
	name := string(outer)
	for member := range d.Members() {
		if !read(member) {
			e.Read(d, dialect, []byte(name+"."+string(member)))
		}
	}
}

// Read reads the next value from d and adds it to e as the member name.
func (e *Ext) Read(d *jsonx.Decoder, dialect string, name []byte) {
	e.Dialect = dialect
	m := Member{Name: string(name)}
	m.Value = d.CleanRaw()
	e.Members = append(e.Members, m)
}

// AppendMembers appends the members that came from dialect, each behind a comma.
func (e *Ext) AppendMembers(dst []byte, dialect string) []byte {
	if e.Dialect != dialect {
		return dst
	}
	for _, m := range e.Members {
		dst = append(dst, ',')
		dst = jsonx.AppendQuote(dst, m.Name)
		dst = append(dst, ':')
		dst = jsonx.AppendRaw(dst, m.Value)
	}
	return dst
}
