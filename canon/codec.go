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
