package responses_test

import (
	"encoding/json"
	"flag"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/dialect/dialecttest"
	"github.com/crosswalk-agents/crosswalk/dialect/responses"
)

var update = flag.Bool("update", false, "rewrite the expectations of transcripts")

func TestDecodeRequestTranscripts(t *testing.T) {
	dialecttest.Requests(t, "testdata/request", *update, responses.DecodeRequest)
}

func decode(t rapid.TB, body string) *canon.Request {
	t.Helper()
	r, err := responses.DecodeRequest([]byte(body))
	if err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	return r
}

// members are those of a request, each with a sample value.
var members = []string{
	`"model":"m"`, `"instructions":"a"`, `"tool_choice":"auto"`, `"max_output_tokens":5`, `"stream":true`,
	`"input":[{"type":"additional_tools","tools":[{"type":"function","name":"b"},{"type":"function","name":"c"}]},{"role":"user","content":"d"}]`,
	`"tools":[{"type":"function","name":"c","parameters":{}},{"type":"custom","name":"b"}]`,
}

func TestTheOrderOfMembersDoesNotMatter(t *testing.T) {
	want := dialecttest.Format(decode(t, "{"+strings.Join(members, ",")+"}"))
	rapid.Check(t, func(t *rapid.T) {
		body := "{" + strings.Join(rapid.Permutation(members).Draw(t, "members"), ", ") + "}"
		if got := dialecttest.Format(decode(t, body)); got != want {
			t.Fatalf("%s\nsays\n%swant\n%s", body, got, want)
		}
	})
}

func TestABodyThatBreaksOffIsAnError(t *testing.T) {
	body := "{" + strings.Join(members, ",") + "}"
	for n := range len(body) {
		if r, err := responses.DecodeRequest([]byte(body[:n])); err == nil {
			t.Fatalf("%s was read as\n%s", body[:n], dialecttest.Format(r))
		}
	}
}

func TestAProvidersToolIsDeclaredAsItWasWritten(t *testing.T) {
	const tool = `{"strict":false, "type":"web_search","parameters":{"b":1.0,"a":false},"name":"x","description":""}`
	r := decode(t, `{"tools":[`+tool+`,{"type":"namespace","name":"n","tools":[ `+tool+` ]}]}`)
	for _, got := range r.Tools {
		if string(got.Raw) != tool || got.Dialect != responses.Name || got.Call != canon.CallProvider || got.Name != "x" {
			t.Errorf("%s, %+v", got.Raw, got)
		}
	}
	if len(r.Tools) != 2 || r.Tools[0].Namespace != "" || r.Tools[1].Namespace != "n" {
		t.Errorf("%+v", r.Tools)
	}
}

func FuzzDecodeRequest(f *testing.F) {
	f.Add([]byte("{" + strings.Join(members, ",") + "}"))
	f.Add([]byte(`{"input":[{"type":"additional_tools","tools":[{"type":"namespace","tools":{}}]}],"tool_choice":{"tools":1}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		r, err := responses.DecodeRequest(body)
		if err != nil {
			return
		}
		if !json.Valid(body) {
			t.Fatalf("%q was accepted", body)
		}
		for _, m := range r.Messages {
			if out, err := responses.AppendItem(nil, m); err == nil && !json.Valid(out) {
				t.Fatalf("%q is written as %q", body, out)
			}
		}
		for i := range r.Tools {
			if tool := &r.Tools[i]; tool.Raw != nil && !tool.Raw.Valid() || tool.Schema != nil && !tool.Schema.Valid() {
				t.Fatalf("%q has the tool %q", body, tool.Raw)
			}
		}
		for _, m := range r.Ext.Members {
			if !m.Value.Valid() {
				t.Fatalf("%q has %s: %q", body, m.Name, m.Value)
			}
		}
	})
}
