package chat

import (
	"slices"
	"strings"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// A member of an object within an object that canon does not model is kept as one
// of the outer object, under both names: "function.x".

// readWithin keeps the next value as the member name of the object outer.
func readWithin(e *canon.Ext, d *jsonx.Decoder, outer string, name []byte) {
	e.Read(d, Name, []byte(outer+"."+string(name)))
}

// appendWithin appends the members that stood in the object outer.
func appendWithin(dst []byte, e *canon.Ext, outer string) []byte {
	if e.Dialect != Name {
		return dst
	}
	for _, m := range e.Members {
		if inner, ok := strings.CutPrefix(m.Name, outer+"."); ok {
			dst = appendMember(dst, inner, m.Value)
		}
	}
	return dst
}

// appendBeside appends the members but those that stood in the objects without.
func appendBeside(dst []byte, e *canon.Ext, without ...string) []byte {
	if e.Dialect != Name {
		return dst
	}
	for _, m := range e.Members {
		outer, _, _ := strings.Cut(m.Name, ".")
		if !slices.Contains(without, outer) {
			dst = appendMember(dst, m.Name, m.Value)
		}
	}
	return dst
}

func appendMember(dst []byte, name string, value canon.Raw) []byte {
	dst = append(dst, ',')
	dst = jsonx.AppendQuote(dst, name)
	dst = append(dst, ':')
	return jsonx.AppendRaw(dst, value)
}

// add adds a member of this dialect to e.
func add(e *canon.Ext, m canon.Member) {
	e.Dialect = Name
	e.Members = append(e.Members, m)
}

// take removes the members called name and returns the value of the last, nil if
// there is none.
func take(members *[]canon.Member, name string) (value canon.Raw) {
	*members = slices.DeleteFunc(*members, func(m canon.Member) bool {
		if m.Name == name {
			value = m.Value
		}
		return m.Name == name
	})
	return value
}

// textOf returns the text that a string is; ok is false for any other value.
func textOf(v canon.Raw) (t canon.Text, ok bool) {
	if v.Kind() != jsonx.String {
		return t, false
	}
	return canon.ReadText(jsonx.NewDecoder(v)), true
}
