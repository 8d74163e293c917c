package dialect

import (
	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// emptySchema is that of a tool without parameters.
const emptySchema = `{"type":"object","properties":{}}`

// AppendSchema appends the schema of a function's input as every vendor takes it:
// of an object, and never without properties.
func AppendSchema(dst []byte, schema canon.Raw) []byte {
	if schema.Kind() != jsonx.Object {
		return append(dst, emptySchema...)
	}
	typed, properties, empty := false, false, true
	d := jsonx.NewDecoder(schema)
	for name := range d.Members() {
		empty = false
		switch string(name) {
		case "type":
			typed = true
		case "properties":
			properties = d.Kind() == jsonx.Object
		}
	}
	if empty {
		return append(dst, emptySchema...)
	}
	from := len(dst)
	dst = jsonx.AppendRaw(dst, schema)
	if !typed {
		dst = append(dst[:from], append([]byte(`{"type":"object",`), dst[from+1:]...)...)
	}
	if !properties {
		dst = append(dst[:len(dst)-1], `,"properties":{}}`...)
	}
	return dst
}
