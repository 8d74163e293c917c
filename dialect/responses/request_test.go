package responses_test

import (
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
	dialecttest.AnyOrder(t, members, responses.DecodeRequest)
}

func TestABodyThatBreaksOffIsAnError(t *testing.T) {
	dialecttest.Whole(t, members, responses.DecodeRequest)
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
		dialecttest.Valid(t, body, responses.DecodeRequest, func(m *canon.Message) ([]byte, error) { return responses.AppendItem(nil, m) })
	})
}
