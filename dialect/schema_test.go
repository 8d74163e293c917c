package dialect_test

import (
	"testing"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/dialect"
)

func TestSchemasAreOfAnObject(t *testing.T) {
	for name, tt := range map[string]struct {
		schema, want string
		losses       int
	}{
		"none":               {``, `{"type":"object","properties":{}}`, 0},
		"null":               {`null`, `{"type":"object","properties":{}}`, 0},
		"empty (O2)":         {`{}`, `{"type":"object","properties":{}}`, 0},
		"whole":              {`{"type":"object","properties":{"a":{"default":0,"type":"integer"}},"required":["a"]}`, `{"type":"object","properties":{"a":{"default":0,"type":"integer"}},"required":["a"]}`, 0},
		"no type":            {`{"properties":{}}`, `{"type":"object","properties":{}}`, 0},
		"no properties":      {`{"type":"object","$defs":{"x":{}}}`, `{"type":"object","$defs":{"x":{}},"properties":{}}`, 0},
		"named like a word":  {`{"type":"object","properties":{"properties":{"type":"string"},"anyOf":{},"type":{}}}`, `{"type":"object","properties":{"properties":{"type":"string"},"anyOf":{},"type":{}}}`, 0},
		"gateway I2: anyOf":  {`{"anyOf":[{"properties":{"a":{"type":"string"},"b":{}},"required":["a","b"]},{"properties":{"a":{"type":"integer"},"c":{}},"required":["a"]}]}`, `{"type":"object","properties":{"a":{"anyOf":[{"type":"string"},{"type":"integer"}]},"b":{},"c":{}},"required":["a"]}`, 1},
		"gateway I2: oneOf":  {`{"type":"object","description":"d","oneOf":[{"properties":{"a":{}},"required":["a"]},{"properties":{"b":{}},"required":["b"]}],"$defs":{}}`, `{"type":"object","description":"d","$defs":{},"properties":{"a":{},"b":{}}}`, 1},
		"gateway I2: allOf":  {`{"properties":{"x":{}},"required":["x"],"allOf":[{"properties":{"a":{}},"required":["a"]},{"properties":{"b":{}},"required":["b"]}]}`, `{"type":"object","properties":{"x":{},"a":{},"b":{}},"required":["x","a","b"]}`, 1},
		"gateway I2: two":    {`{"allOf":[{"properties":{"z":{}},"required":["z"]}],"anyOf":[{"properties":{"a":{}},"required":["a"]},{"properties":{"b":{}},"required":["b"]}]}`, `{"type":"object","properties":{"z":{},"a":{},"b":{}},"required":["z"]}`, 1},
		"gateway I2: nested": {`{"anyOf":[{"anyOf":[{"properties":{"a":{}}}]},true]}`, `{"type":"object","properties":{"a":{}}}`, 1},
	} {
		t.Run(name, func(t *testing.T) {
			var r canon.Report
			got := string(dialect.AppendSchema(nil, canon.Raw(tt.schema), &r))
			if got != tt.want || len(r.Losses) != tt.losses {
				t.Errorf("\n got %s, %d losses\nwant %s", got, len(r.Losses), tt.want)
			}
			if again := string(dialect.AppendSchema(nil, canon.Raw(got), &r)); again != got {
				t.Errorf("the second time %s", again)
			}
		})
	}
}
