package gemini_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"pgregory.net/rapid"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/dialect"
	"github.com/crosswalk-agents/crosswalk/dialect/dialecttest"
	"github.com/crosswalk-agents/crosswalk/dialect/gemini"
	"github.com/crosswalk-agents/crosswalk/internal/fixture"
)

func TestDecodeRequestTranscripts(t *testing.T) {
	dialecttest.Requests(t, "testdata/request", *update, gemini.DecodeRequest)
}

// members are those of a request, each with a sample value.
var members = []string{
	`"contents":[{"parts":[{"text":"a"},{"functionCall":{"name":"e","args":{}}}],"role":"model"},{"role":"user","parts":[{"functionResponse":{"name":"e","response":{"output":"b"}}}]}]`,
	`"systemInstruction":{"parts":[{"text":"c"},{"text":"d"}]}`, `"tools":[{"functionDeclarations":[{"name":"e","parameters":{"type":"OBJECT"}}]}]`,
	`"toolConfig":{"functionCallingConfig":{"allowedFunctionNames":["e"],"mode":"ANY"}}`, `"generationConfig":{"responseSchema":{"type":"STRING"},"responseMimeType":"application/json","topK":5}`,
	`"labels":{"a":"b"}`,
}

func TestTheOrderOfMembersDoesNotMatter(t *testing.T) {
	dialecttest.AnyOrder(t, members, gemini.DecodeRequest)
}

func TestABodyThatBreaksOffIsAnError(t *testing.T) {
	dialecttest.Whole(t, members, gemini.DecodeRequest)
}

// targets are those that the transcripts name.
var targets = map[string]dialect.Target{
	"":                 {},
	"budgets":          {Budgets: true},
	"efforts":          {Efforts: []canon.Effort{canon.EffortLow, canon.EffortHigh}},
	"no images":        {NoImages: true},
	"100 tokens":       {MaxOutput: 100},
	"issuer elsewhere": {Issuer: "elsewhere"},
}

// A transcript has a body, and what of it is written for each target: what one
// writes of what it reads says the same as what was read, but for the losses.
func TestWrittenRequests(t *testing.T) {
	fixture.Transcripts(t, "testdata/written", *update, func(t *testing.T, a *txtar.Archive) []txtar.File {
		out := a.Files[:1:1]
		for _, f := range a.Files[1:] {
			name, ok := strings.CutPrefix(f.Name, "written")
			if !ok {
				continue
			}
			target, ok := targets[strings.TrimPrefix(name, " for ")]
			if !ok {
				t.Fatalf("no target is called %q", name)
			}
			var r canon.Report
			body, err := gemini.New().EncodeRequest(nil, decode(t, string(a.Files[0].Data)), &target, &r)
			if err != nil {
				t.Fatal(err)
			}
			if err := r.Balance(); err != nil {
				t.Error(err)
			}
			var again canon.Report
			second, err := gemini.New().EncodeRequest(nil, decode(t, string(body)), &target, &again)
			if target.Issuer == "" && (err != nil || string(body) != string(second) || len(again.Losses) > 0) {
				t.Errorf("written again, %v:\n%s%s", err, cmp.Diff(string(body), string(second)), dialecttest.FormatLosses(&again))
			}
			out = append(out, txtar.File{Name: f.Name, Data: append(body, '\n')})
			if losses := dialecttest.FormatLosses(&r); losses != "" {
				out = append(out, txtar.File{Name: "losses" + name, Data: []byte(losses)})
			}
		}
		return out
	})
}

func decode(t rapid.TB, body string) *canon.Request {
	t.Helper()
	q, err := gemini.DecodeRequest([]byte(body))
	if err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	return q
}
