package check

import (
	"strconv"

	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// A record that is repaired is put together anew from its members, each as it
// was written but for those that change.

// edit returns the JSON object raw with each member replaced by what f returns
// for it; nil drops the member. Members that add has and raw has not follow.
func edit(raw jsonx.Raw, f func(name string, value jsonx.Raw) jsonx.Raw, add ...member) jsonx.Raw {
	out := append(make(jsonx.Raw, 0, len(raw)+64), '{')
	d := jsonx.NewDecoder(raw)
	put := func(name string, value jsonx.Raw) {
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(jsonx.AppendQuote(out, name), ':')
		out = append(out, value...)
	}
	seen := make([]bool, len(add))
	for bytes := range d.Members() {
		name := string(bytes)
		for i := range add {
			seen[i] = seen[i] || add[i].name == name
		}
		if value := f(name, d.Raw()); value != nil {
			put(name, value)
		}
	}
	for i := range add {
		if !seen[i] {
			put(add[i].name, add[i].value)
		}
	}
	return append(out, '}')
}

// member is a member of an object.
type member struct {
	name  string
	value jsonx.Raw
}

// set returns raw with the members set: in their place if they are there, else
// at the end.
func set(raw jsonx.Raw, members ...member) jsonx.Raw {
	return edit(raw, func(name string, value jsonx.Raw) jsonx.Raw {
		for _, m := range members {
			if m.name == name {
				return m.value
			}
		}
		return value
	}, members...)
}

// get returns the last member of raw called name, which is the one that counts,
// or nil.
func get(raw jsonx.Raw, name string) (value jsonx.Raw) {
	if raw.Kind() != jsonx.Object {
		return nil
	}
	d := jsonx.NewDecoder(raw)
	for n := range d.Members() {
		if string(n) == name {
			value = d.Raw()
		}
	}
	return value
}

// getString returns the string member of raw called name, or "".
func getString(raw jsonx.Raw, name string) string {
	v := get(raw, name)
	if v.Kind() != jsonx.String {
		return ""
	}
	return jsonx.Unquote(v)
}

// elements returns the elements of a list.
func elements(raw jsonx.Raw) []jsonx.Raw {
	if raw.Kind() != jsonx.Array {
		return nil
	}
	var list []jsonx.Raw
	d := jsonx.NewDecoder(raw)
	for range d.Elements() {
		list = append(list, d.Raw())
	}
	return list
}

// contentList returns the blocks or parts of a content: an object that stands
// there without its list is one, unless it is empty.
func contentList(content jsonx.Raw) []jsonx.Raw {
	if content.Kind() == jsonx.Object && len(memberNames(content)) > 0 {
		return []jsonx.Raw{content}
	}
	return elements(content)
}

// array writes a list.
func array(list []jsonx.Raw) jsonx.Raw {
	out := jsonx.Raw{'['}
	for i, v := range list {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, v...)
	}
	return append(out, ']')
}

// object writes an object.
func object(members ...member) jsonx.Raw { return edit(jsonx.Raw("{}"), nil, members...) }

// text writes a string.
func text(s string) jsonx.Raw { return jsonx.AppendQuote(nil, s) }

// number writes a whole number.
func number(n uint64) jsonx.Raw { return strconv.AppendUint(nil, n, 10) }

// null is the JSON null.
func null() jsonx.Raw { return jsonx.Raw("null") }
