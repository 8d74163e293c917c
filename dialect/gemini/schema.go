package gemini

import (
	"bytes"
	"slices"
	"strings"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// refused lists the keywords that a schema for the API is written without: those
// that describe the schema itself, and those for editors. (Reported:
// router-for-me/CLIProxyAPI#3512.)
var refused = [...]string{
	"$schema", "$comment", "$vocabulary", "enumDescriptions", "markdownDescription", "markdownEnumDescriptions",
	"defaultSnippets", "deprecationMessage", "errorMessage", "patternErrorMessage", "doNotSuggest", "suggestSortText",
	"allowComments", "allowTrailingCommas",
}

// cleanSchema returns a schema without the keywords that the API refuses, of
// which lost gets each. All else stays, in its order.
func cleanSchema(schema canon.Raw, lost func(keyword string)) canon.Raw {
	if !slices.ContainsFunc(refused[:], func(k string) bool { return bytes.Contains(schema, []byte(k)) }) {
		return schema // most have none, and none is written with escapes
	}
	c := cleaner{lost: lost}
	c.schema(jsonx.NewDecoder(schema))
	return c.dst
}

// cleaner writes a schema anew.
type cleaner struct {
	dst  []byte
	lost func(keyword string)
}

// holds says what a keyword's value is.
type holds uint8

const (
	holdsValue   holds = iota // no schema
	holdsSchema               // a schema, or a list of them
	holdsSchemas              // schemas by name
)

// within returns what the value of a keyword holds. (JSON Schema 2020-12 and
// drafts before it.)
func within(keyword []byte) holds {
	switch string(keyword) {
	case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies":
		return holdsSchemas
	case "items", "prefixItems", "additionalItems", "unevaluatedItems", "contains", "additionalProperties",
		"unevaluatedProperties", "propertyNames", "anyOf", "oneOf", "allOf", "not", "if", "then", "else", "contentSchema":
		return holdsSchema
	}
	return holdsValue
}

func (c *cleaner) schema(d *jsonx.Decoder) {
	switch d.Kind() {
	case jsonx.Object:
	case jsonx.Array:
		c.list(d)
		return
	default:
		c.dst = jsonx.AppendRaw(c.dst, d.Raw())
		return
	}
	open := byte('{')
	for name := range d.Members() {
		if slices.Contains(refused[:], string(name)) {
			c.lost(string(name))
			continue
		}
		c.member(&open, name)
		switch within(name) {
		case holdsValue:
			c.dst = jsonx.AppendRaw(c.dst, d.Raw())
		case holdsSchema:
			c.schema(d)
		case holdsSchemas:
			c.named(d)
		}
	}
	c.close(open)
}

// named writes schemas by name: a property may be called like a keyword.
func (c *cleaner) named(d *jsonx.Decoder) {
	if d.Kind() != jsonx.Object {
		c.dst = jsonx.AppendRaw(c.dst, d.Raw())
		return
	}
	open := byte('{')
	for name := range d.Members() {
		c.member(&open, name)
		c.schema(d)
	}
	c.close(open)
}

func (c *cleaner) list(d *jsonx.Decoder) {
	c.dst = append(c.dst, '[')
	for i := range d.Elements() {
		if i > 0 {
			c.dst = append(c.dst, ',')
		}
		c.schema(d)
	}
	c.dst = append(c.dst, ']')
}

// member writes what stands before a member's value.
func (c *cleaner) member(open *byte, name []byte) {
	c.dst = append(c.dst, *open)
	*open = ','
	c.dst = append(jsonx.AppendQuote(c.dst, string(name)), ':')
}

// close ends an object, which may have no member.
func (c *cleaner) close(open byte) {
	if open == '{' {
		c.dst = append(c.dst, '{')
	}
	c.dst = append(c.dst, '}')
}

// jsonSchema returns what a schema of the API's own kind, a subset of that of
// OpenAPI 3.0, is in JSON Schema: types are written in small letters, numbers may
// be strings, and nullable is a type.
func jsonSchema(schema canon.Raw) canon.Raw {
	o := opener{}
	o.schema(jsonx.NewDecoder(schema))
	return o.dst
}

// opener makes a JSON Schema of an OpenAPI schema.
type opener struct{ cleaner }

func (o *opener) schema(d *jsonx.Decoder) {
	if d.Kind() != jsonx.Object {
		o.dst = append(o.dst, d.Raw()...)
		return
	}
	open, nullable, from, to := byte('{'), false, 0, 0
	for name := range d.Members() {
		keyword := camel(name)
		switch string(keyword) {
		case "nullable":
			nullable = d.OptBool()
		case "type":
			if from, to = o.typ(d, &open); to > from && string(o.dst[from:to]) == `"null"` {
				to = from
			}
		default:
			o.keyword(d, keyword, &open)
		}
	}
	if nullable && to > from {
		o.dst = slices.Insert(o.dst, to, []byte(`,"null"]`)...)
		o.dst = slices.Insert(o.dst, from, '[')
	}
	o.close(open)
}

func (o *opener) keyword(d *jsonx.Decoder, keyword []byte, open *byte) {
	switch string(keyword) {
	case "minItems", "maxItems", "minProperties", "maxProperties", "minLength", "maxLength":
		if d.Kind() == jsonx.String { // as the protocol writes whole numbers of 64 bits
			if n := d.Str(); canon.Raw(n).Kind() == jsonx.Number && canon.Raw(n).Valid() {
				o.member(open, keyword)
				o.dst = append(o.dst, n...)
			}
			return
		}
	}
	o.member(open, keyword)
	switch string(keyword) {
	case "properties":
		if d.Kind() != jsonx.Object {
			break
		}
		first := byte('{')
		for name := range d.Members() {
			o.member(&first, name)
			o.schema(d)
		}
		o.close(first)
		return
	case "items", "additionalProperties":
		o.schema(d)
		return
	case "anyOf":
		if d.Kind() != jsonx.Array {
			break
		}
		o.dst = append(o.dst, '[')
		for i := range d.Elements() {
			if i > 0 {
				o.dst = append(o.dst, ',')
			}
			o.schema(d)
		}
		o.dst = append(o.dst, ']')
		return
	}
	o.dst = append(o.dst, d.Raw()...)
}

// typ writes a type and returns where it stands, if it is a word.
func (o *opener) typ(d *jsonx.Decoder, open *byte) (from, to int) {
	if d.Kind() != jsonx.String {
		o.member(open, []byte("type"))
		o.dst = append(o.dst, d.Raw()...)
		return 0, 0
	}
	word := strings.ToLower(d.Str())
	if word == "type_unspecified" || word == "" {
		return 0, 0
	}
	o.member(open, []byte("type"))
	from = len(o.dst)
	o.dst = jsonx.AppendQuote(o.dst, word)
	return from, len(o.dst)
}
