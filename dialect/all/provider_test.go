package all_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/dialect"
	"github.com/crosswalk-agents/crosswalk/dialect/all"
	"github.com/crosswalk-agents/crosswalk/dialect/dialecttest"
)

// ran are sessions in which the vendor has run tools of its own, and ownForms the
// words that its protocol alone has for them.
var ran = map[string]string{
	"anthropic": `{"model":"m","max_tokens":5,"messages":[{"role":"user","content":"a"},{"role":"assistant","content":[` +
		`{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{"query":"q"}},` +
		`{"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":[]},{"type":"text","text":"found"}]},{"role":"user","content":"go on"}]}`,
	"responses": `{"model":"m","input":[{"role":"user","content":"a"},` +
		`{"type":"web_search_call","id":"ws_1","status":"completed","action":{"type":"search","query":"q"}},` +
		`{"type":"image_generation_call","id":"ig_1","status":"completed","revised_prompt":"p","result":"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="},` +
		`{"type":"message","role":"assistant","content":[{"type":"output_text","text":"found"}]},{"role":"user","content":"go on"}]}`,
	"gemini": `{"contents":[{"role":"user","parts":[{"text":"a"}]},{"role":"model","parts":[{"executableCode":{"language":"PYTHON","code":"1"}},` +
		`{"codeExecutionResult":{"outcome":"OUTCOME_OK","output":"1"}},{"text":"found"}]},{"role":"user","parts":[{"text":"go on"}]}]}`,
}

var ownForms = map[string][]string{
	"anthropic": {"server_tool_use", "web_search_tool_result"},
	"responses": {"web_search_call", "image_generation_call"},
	"gemini":    {"executableCode", "codeExecutionResult"},
}

// What a vendor ran itself reaches another one as a call with its result, or not
// at all, and is listed: a form of another vendor's with its ids fails every
// request from then on.
func TestWhatAVendorRanStaysWithIt(t *testing.T) {
	for from, body := range ran {
		for _, up := range all.Codecs() {
			t.Run(from+" on "+up.Name(), func(t *testing.T) {
				q, err := codec(t, from).DecodeRequest([]byte(body))
				if err != nil {
					t.Fatal(err)
				}
				var r canon.Report
				out, err := up.EncodeRequest(nil, q, &dialect.Target{}, &r)
				if err != nil {
					t.Fatal(err)
				}
				if !strings.Contains(string(out), "found") || !strings.Contains(string(out), "go on") {
					t.Errorf("text is gone: %s", out)
				}
				for of, forms := range ownForms {
					for _, form := range forms {
						want := of == from && from == up.Name()
						if got := strings.Contains(string(out), `"`+form+`"`); got != want {
							t.Errorf("%s: %v in %s", form, got, out)
						}
					}
				}
				if up.Name() == "anthropic" {
					anthropicAnswersHoldNoResult(t, out)
				}
				if losses := dialecttest.FormatLosses(&r); from != up.Name() && !strings.Contains(losses, "tool_call") && !strings.Contains(losses, "other dropped") {
					t.Errorf("not listed: %s", losses)
				}
			})
		}
	}
}

func anthropicAnswersHoldNoResult(t *testing.T, body []byte) {
	t.Helper()
	var q struct {
		Messages []struct {
			Role    string
			Content json.RawMessage
		}
	}
	if err := json.Unmarshal(body, &q); err != nil {
		t.Fatal(err)
	}
	for _, m := range q.Messages {
		if m.Role == "assistant" && strings.Contains(string(m.Content), `"tool_result"`) {
			t.Errorf("an answer holds a result: %s", m.Content)
		}
	}
}
