package anthropic_test

import (
	"flag"
	"strings"
	"testing"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/dialect/anthropic"
	"github.com/crosswalk-agents/crosswalk/dialect/dialecttest"
)

var update = flag.Bool("update", false, "rewrite the expectations of transcripts")

func TestDecodeRequestTranscripts(t *testing.T) {
	dialecttest.Requests(t, "testdata/request", *update, anthropic.DecodeRequest)
}

func decode(t *testing.T, body string) *canon.Request {
	t.Helper()
	r, err := anthropic.DecodeRequest([]byte(body))
	if err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	return r
}

// members are those of a request, each with a sample value.
var members = []string{
	`"model":"m"`, `"messages":[{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"text","text":"b"}]}]`,
	`"system":[{"type":"text","text":"c"},{"type":"text","text":"d"}]`, `"tools":[{"name":"e","input_schema":{"type":"object"}}]`,
	`"tool_choice":{"type":"tool","name":"e"}`, `"max_tokens":5`, `"stream":true`,
}

func TestTheOrderOfMembersDoesNotMatter(t *testing.T) {
	dialecttest.AnyOrder(t, members, anthropic.DecodeRequest)
}

func TestABodyThatBreaksOffIsAnError(t *testing.T) {
	dialecttest.Whole(t, members, anthropic.DecodeRequest)
}

func TestWhereASystemTextStandsIsKept(t *testing.T) {
	r := decode(t, `{"messages":[{"role":"user","content":"a"},{"role":"system","content":[{"type":"text","text":"b"}]}],"system":"c"}`)
	var got []string
	for _, m := range r.Messages {
		got = append(got, string(m.Role)+"/"+string(m.Authority))
	}
	if s := strings.Join(got, " "); s != "system/system user/ system/system" {
		t.Error(s)
	}
}

func TestAProvidersToolIsDeclaredAsItWasWritten(t *testing.T) {
	const tool = `{"type":"web_search_20250305", "max_uses":1.0,"name":"x","allowed":[]}`
	r := decode(t, `{"tools":[ `+tool+` ]}`)
	if got := r.Tools[0]; string(got.Raw) != tool || got.Call != canon.CallProvider || got.Name != "x" {
		t.Errorf("%s, %+v", got.Raw, got)
	}
}
