package gateway_test

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/dialect"
	"github.com/crosswalk-agents/crosswalk/dialect/all"
	"github.com/crosswalk-agents/crosswalk/gateway"
)

// An Anthropic model takes system text within the conversation only from callers
// who name the beta, which are those of its own dialect.
func TestSystemTextOfOthersStandsBeforeAConversationWithAnthropic(t *testing.T) {
	for _, caller := range all.Codecs() {
		if caller.Name() == "gemini" {
			continue // which has none within a conversation
		}
		q := &canon.Request{Model: "m", MaxOutput: 10, Messages: []*canon.Message{
			{Role: canon.User, Blocks: []canon.Block{text("Hello.")}},
			{Role: canon.Assistant, Blocks: []canon.Block{text("Hi.")}},
			{Role: canon.System, Authority: canon.AuthorityDeveloper, Blocks: []canon.Block{text("Be brief.")}},
			{Role: canon.User, Blocks: []canon.Block{text("Go on.")}},
		}}
		body, err := caller.EncodeRequest(nil, q, &dialect.Target{}, new(canon.Report))
		if err != nil {
			t.Fatal(err)
		}
		var roles []string
		said := ""
		s := gateway.New(to("anthropic", "http://a"), gateway.Options{Codecs: all.Codecs()})
		s.SetTransport(&kept{status: http.StatusOK, answer: func(r *http.Request) []byte {
			var sent struct{ Messages []struct{ Role string } }
			b, _ := io.ReadAll(r.Body)
			said = string(b)
			if err := json.Unmarshal(b, &sent); err != nil {
				t.Error(err)
			}
			for _, m := range sent.Messages {
				roles = append(roles, m.Role)
			}
			return []byte(`{"id":"x","content":[{"type":"text","text":"x"}],"stop_reason":"end_turn"}`)
		}})
		if h := hearAt(t, s, path(caller.Name(), false), body, nil); h.Code != http.StatusOK {
			t.Fatalf("%d %s", h.Code, h.Body)
		}
		if slices.Contains(roles, "system") != (caller.Name() == "anthropic") || !strings.Contains(said, "Be brief.") {
			t.Errorf("%s: the roles are %q in %s", caller.Name(), roles, said)
		}
	}
}
