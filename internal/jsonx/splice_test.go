package jsonx_test

import (
	"strings"
	"testing"

	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

func TestPatchesChangeNothingElse(t *testing.T) {
	upper := func(was string) (string, bool) { return strings.ToUpper(was), was != "keep" }
	for _, tt := range []struct{ text, want string }{
		{`{"a":"x"}`, `{"a":"X"}`},
		{` { "a" : "x" , "b" : [ 1.0 ] } `, ` { "a" : "X" , "b" : [ 1.0 ] } `},
		{`{"a":"keep"}`, `{"a":"keep"}`},
		{`{"a":"\u00e9\/"}`, `{"a":"É/"}`},
		{`{"a":5}`, `{"a":5}`},
		{`{"drop":1}`, `{}`},
		{`{"drop":1,"b":2}`, `{"b":2}`},
		{`{"b":2,"drop":{"x":[1]}}`, `{"b":2}`},
		{`{"drop":1,"drop":2,"b":3,"drop":4,"drop":5,"c":6}`, `{"b":3,"c":6}`},
		{`{ "drop" : 1 , "b" : 2 , "drop" : 3 }`, `{ "b" : 2  }`},
		{`{"drop":1,"drop":2}`, `{}`},
		{`{"a":"x","drop":"a","a":"y"}`, `{"a":"X","a":"Y"}`},
	} {
		var p jsonx.Patcher
		p.Reset([]byte(tt.text))
		p.Object(func(name []byte) bool {
			switch string(name) {
			case "drop":
				return false
			case "a":
				p.Replace(upper)
			}
			return true
		})
		if got := string(jsonx.Splice(nil, []byte(tt.text), p.Patches)); got != tt.want || p.Err() != nil {
			t.Errorf("%s\n got %s\nwant %s, %v", tt.text, got, tt.want, p.Err())
		}
	}
}
