package anthropic_test

import (
	"strings"
	"testing"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/dialect"
	"github.com/crosswalk-agents/crosswalk/dialect/anthropic"
)

func encode(t *testing.T, q *canon.Request, to *dialect.Target) (string, *canon.Report) {
	t.Helper()
	var r canon.Report
	b, err := anthropic.New().EncodeRequest(nil, q, to, &r)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Balance(); err != nil {
		t.Error(err)
	}
	return string(b), &r
}

func asks(blocks ...canon.Block) *canon.Request {
	return &canon.Request{Model: "m", MaxOutput: 2048, Messages: []*canon.Message{
		{Role: canon.User, Blocks: []canon.Block{&canon.TextBlock{Text: canon.NewText("go")}}}, {Role: canon.Assistant, Blocks: blocks},
	}}
}

// Reasoning goes back to who issued it, and to nobody else.
func TestReasoningGoesBackToItsIssuer(t *testing.T) {
	for _, tt := range []struct {
		issuer, target string
		back           bool
	}{
		{"anthropic", "", true},
		{"anthropic@a.example", "anthropic@a.example", true},
		{"anthropic@a.example", "anthropic@b.example", false},
		{"anthropic", "anthropic@b.example", false},
		{"responses", "", false},
	} {
		thought := &canon.ReasoningBlock{Text: canon.NewText("hm"), Capsule: canon.Capsule{Issuer: tt.issuer, Sealed: canon.NewText("c2ln")}}
		hidden := &canon.ReasoningBlock{Redacted: true, Capsule: canon.Capsule{Issuer: tt.issuer, Sealed: canon.NewText("aGlk")}}
		body, r := encode(t, asks(thought, hidden, &canon.TextBlock{Text: canon.NewText("done")}), &dialect.Target{Issuer: tt.target})
		if got := strings.Contains(body, `"signature":"c2ln"`) && strings.Contains(body, `"data":"aGlk"`); got != tt.back || (len(r.Losses) == 0) != tt.back {
			t.Errorf("of %q to %q: %s\n%v", tt.issuer, tt.target, body, r.Losses)
		}
	}
}

func TestModelsWithBudgetsGetOne(t *testing.T) {
	for name, tt := range map[string]struct {
		reasoning canon.Reasoning
		max       int64
		want      string
	}{
		"an effort":              {canon.Reasoning{Mode: canon.ReasoningOn, Effort: canon.EffortHigh}, 20_000, `"thinking":{"type":"enabled","budget_tokens":8000}`},
		"one of its own":         {canon.Reasoning{Mode: canon.ReasoningOn, Budget: 5000}, 20_000, `"thinking":{"type":"enabled","budget_tokens":5000}`},
		"more than the answer":   {canon.Reasoning{Mode: canon.ReasoningOn, Budget: 50_000}, 20_000, `"thinking":{"type":"enabled","budget_tokens":19999}`},
		"less than the least":    {canon.Reasoning{Mode: canon.ReasoningOn, Budget: 10}, 20_000, `"thinking":{"type":"enabled","budget_tokens":1024}`},
		"too little for any":     {canon.Reasoning{Mode: canon.ReasoningOn, Budget: 2000}, 1024, ``},
		"none":                   {canon.Reasoning{Mode: canon.ReasoningOff}, 20_000, `"thinking":{"type":"disabled"}`},
		"an effort that is none": {canon.Reasoning{Effort: canon.EffortNone}, 20_000, `"thinking":{"type":"disabled"}`},
	} {
		t.Run(name, func(t *testing.T) {
			q := asks()
			q.Messages, q.Reasoning, q.MaxOutput = q.Messages[:1], tt.reasoning, tt.max
			body, _ := encode(t, q, &dialect.Target{Budgets: true})
			if tt.want == "" && strings.Contains(body, "thinking") || !strings.Contains(body, tt.want) || strings.Contains(body, "effort") {
				t.Errorf("%s\nwant %s", body, tt.want)
			}
		})
	}
}

// No more is asked of a model than it answers with.
func TestTheLimitIsTheModels(t *testing.T) {
	for _, tt := range []struct {
		asked, most int64
		want        string
		losses      int
	}{{2048, 0, "2048", 0}, {2048, 4096, "2048", 0}, {9000, 4096, "4096", 1}, {0, 4096, "4096", 1}, {0, 0, "32000", 1}} {
		q := asks()
		q.Messages, q.MaxOutput = q.Messages[:1], tt.asked
		body, r := encode(t, q, &dialect.Target{MaxOutput: tt.most})
		if want := `{"model":"m","max_tokens":` + tt.want + `,"messages":[{"role":"user","content":"go"}]}`; body != want || len(r.Losses) != tt.losses {
			t.Errorf("%d of %d: %s, %d losses", tt.asked, tt.most, body, len(r.Losses))
		}
	}
}
