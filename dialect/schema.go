package dialect

import (
	"slices"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// emptySchema is that of a tool without parameters.
const emptySchema = `{"type":"object","properties":{}}`

// AppendSchema appends the schema of a function's input as every vendor takes it:
// of an object, never without properties, and without a choice between schemas at
// its root (OpenAI and Anthropic refuse anyOf, oneOf and allOf there). Such a
// choice becomes one object with the properties of all, of which those are
// required that every choice requires; that is listed in r.
func AppendSchema(dst []byte, schema canon.Raw, r *canon.Report) []byte {
	if schema.Kind() != jsonx.Object {
		return append(dst, emptySchema...)
	}
	root := readRoot(schema, maxChoices)
	switch {
	case root.choice:
		r.Lose(canon.Loss{What: "schema", Action: canon.Downgraded, Why: "a choice between schemas at the root becomes one object with the properties of all"})
		return root.appendFlat(dst)
	case root.members == 0:
		return append(dst, emptySchema...)
	}
	from := len(dst)
	dst = jsonx.AppendRaw(dst, schema)
	if !root.typed {
		dst = slices.Insert(dst, from+1, []byte(`"type":"object",`)...)
	}
	if !root.hasProperties {
		dst = append(dst[:len(dst)-1], `,"properties":{}}`...)
	}
	return dst
}

// rootSchema is what stands at the root of a schema.
type rootSchema struct {
	members       int
	typed         bool
	hasProperties bool
	choice        bool
	// other are the members but for type, properties, required and the choices.
	other      []canon.Member
	properties []property
	required   []string
}

// property is a property with the schemas that it has in the choices.
type property struct {
	name    string
	schemas []canon.Raw
}

// maxChoices is how deep choices within choices are looked into.
const maxChoices = 8

func readRoot(schema canon.Raw, depth int) *rootSchema {
	s := new(rootSchema)
	d := jsonx.NewDecoder(schema)
	for name := range d.Members() {
		s.members++
		switch string(name) {
		case "type":
			s.typed = true
		case "properties":
			s.hasProperties = d.Kind() == jsonx.Object
			s.addProperties(d.Raw())
		case "required":
			s.required = append(s.required, readNames(d)...)
		case "anyOf", "oneOf", "allOf":
			all := string(name) == "allOf" // of which every schema holds
			var choices []canon.Raw
			for range d.Elements() {
				choices = append(choices, d.Raw())
			}
			if s.choice = true; depth > 0 {
				s.addChoices(choices, all, depth-1)
			}
		default:
			s.other = append(s.other, canon.Member{Name: string(name), Value: d.Raw()})
		}
	}
	return s
}

// addChoices adds what the schemas of a choice have.
func (s *rootSchema) addChoices(choices []canon.Raw, all bool, depth int) {
	var common []string
	for i, c := range choices {
		if c.Kind() != jsonx.Object {
			continue
		}
		inner := readRoot(c, depth)
		for _, p := range inner.properties {
			for _, x := range p.schemas {
				s.addProperty(p.name, x)
			}
		}
		switch {
		case i == 0 || all:
			common = append(common, inner.required...)
		default:
			common = slices.DeleteFunc(common, func(n string) bool { return !slices.Contains(inner.required, n) })
		}
	}
	for _, n := range common {
		if !slices.Contains(s.required, n) {
			s.required = append(s.required, n)
		}
	}
}

func (s *rootSchema) addProperties(raw canon.Raw) {
	if raw.Kind() != jsonx.Object {
		return
	}
	d := jsonx.NewDecoder(raw)
	for name := range d.Members() {
		n := string(name)
		s.addProperty(n, d.Raw())
	}
}

func (s *rootSchema) addProperty(name string, schema canon.Raw) {
	i := slices.IndexFunc(s.properties, func(p property) bool { return p.name == name })
	if i < 0 {
		s.properties = append(s.properties, property{name: name})
		i = len(s.properties) - 1
	}
	p := &s.properties[i]
	if !slices.ContainsFunc(p.schemas, func(x canon.Raw) bool { return string(x) == string(schema) }) {
		p.schemas = append(p.schemas, schema)
	}
}

// appendFlat appends one object with all properties.
func (s *rootSchema) appendFlat(dst []byte) []byte {
	dst = append(dst, `{"type":"object"`...)
	for _, m := range s.other {
		dst = append(dst, ',')
		dst = append(jsonx.AppendQuote(dst, m.Name), ':')
		dst = jsonx.AppendRaw(dst, m.Value)
	}
	dst = append(dst, `,"properties":{`...)
	for i, p := range s.properties {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(jsonx.AppendQuote(dst, p.name), ':')
		if len(p.schemas) == 1 {
			dst = jsonx.AppendRaw(dst, p.schemas[0])
			continue
		}
		for j, x := range p.schemas {
			if j == 0 {
				dst = append(dst, `{"anyOf":[`...)
			} else {
				dst = append(dst, ',')
			}
			dst = jsonx.AppendRaw(dst, x)
		}
		dst = append(dst, "]}"...)
	}
	dst = append(dst, '}')
	for i, n := range s.required {
		if i == 0 {
			dst = append(dst, `,"required":[`...)
		} else {
			dst = append(dst, ',')
		}
		dst = jsonx.AppendQuote(dst, n)
	}
	if len(s.required) > 0 {
		dst = append(dst, ']')
	}
	return append(dst, '}')
}

// readNames reads a list of strings.
func readNames(d *jsonx.Decoder) (names []string) {
	if d.Kind() != jsonx.Array {
		d.Skip()
		return nil
	}
	for range d.Elements() {
		if d.Kind() == jsonx.String {
			names = append(names, d.Str())
		}
	}
	return names
}
