package check

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// Public reports, each with the file of testdata that has its symptom. A report
// is met when the rule of that name finds it, and a repaired copy resumes with
// all that could be read.
func TestReportedSessionsAreFoundAndRepaired(t *testing.T) {
	for _, c := range []struct{ report, rule string }{
		{"anthropics/claude-code#50347", "claude-malformed-line"},
		{"anthropics/claude-code#53821", "claude-torn-line"},
		{"anthropics/claude-code#81843", "claude-cut-record"},
		{"anthropics/claude-code#81843", "claude-nul-record"},
		{"anthropics/claude-code#49876", "claude-nul-bytes"},
		{"openai/codex#25365", "codex-malformed-line"},
		{"anthropics/claude-code#22526", "claude-dangling-parent"},
		{"anthropics/claude-code#22526", "claude-bridged-parent"},
		{"anthropics/claude-code#24304", "claude-missing-parent"},
		{"anthropics/claude-code#24304", "claude-missing-uuid"},
		{"anthropics/claude-code#43044", "claude-stale-last-prompt"},
		{"anthropics/claude-code#46603", "claude-stale-last-prompt"},
		{"anthropics/claude-code#61188", "claude-boundary-without-summary"},
		{"anthropics/claude-code#473", "claude-unanswered-call"},
		{"anthropics/claude-code#9346", "claude-unanswered-call"},
		{"anthropics/claude-code#21071", "claude-repeated-call-id"},
		{"anthropics/claude-code#21317", "claude-repeated-call-id"},
		{"anthropics/claude-code#14132", "claude-orphan-result"},
		{"anthropics/claude-code#15205", "claude-starts-with-result"},
		{"anthropics/claude-code#2105", "claude-api-error"},
		{"openai/codex#29773", "codex-unanswered-call"},
		{"can1357/oh-my-pi#472", "codex-orphan-output"},
		{"anthropics/claude-code#34517", "claude-image-type"},
		{"anthropics/claude-code#22230", "claude-image-data"},
		{"openai/codex#22886", "codex-image"},
		{"anthropics/claude-code#63155", "claude-unsigned-thinking"},
		{"anthropics/claude-code#63155", "claude-foreign-thinking"},
		{"anthropics/claude-code#10199", "claude-ends-in-thinking"},
		{"openai/codex#13724", "codex-foreign-reasoning"},
		{"openai/codex#8119", "codex-placeholder-reasoning"},
		{"openai/codex#19661", "codex-bare-reasoning"},
		{"anthropics/claude-code#56064", "claude-lone-surrogate"},
		{"anthropics/claude-code#70618", "claude-lone-surrogate"},
		{"anthropics/claude-code#69927", "claude-lone-surrogate"},
		{"openai/codex#36802", "codex-invalid-utf8"},
		{"openai/codex#20165", "codex-model-provider"},
		{"openai/codex#21619", "codex-listing-window"},
		{"openai/codex#22997", "codex-no-events"},
		{"openai/codex#38341", "codex-ordinal-gap"},
		{"openai/codex#45150", "codex-final-ordinal"},
		{"anthropics/claude-code#5034", "claude-duplicate-record"},
		{"Dicklesworthstone/cross_agent_session_resumer#4", "codex-timestamp"},
		{"Dicklesworthstone/cross_agent_session_resumer#4", "codex-arguments-not-string"},
		{"Dicklesworthstone/cross_agent_session_resumer#4", "codex-meta-field"},
		{"Dicklesworthstone/cross_agent_session_resumer PR 13", "claude-input-not-object"},
		{"Dicklesworthstone/cross_agent_session_resumer PR 13", "claude-result-in-answer"},
		{"Dicklesworthstone/cross_agent_session_resumer PR 13", "claude-no-final-newline"},
		{"catatafishen/agentbridge#40", "codex-meta-id"},
		{"catatafishen/agentbridge#40", "codex-first-line"},
	} {
		t.Run(c.report+"/"+c.rule, func(t *testing.T) {
			s := plant(t, c.rule)
			r, _ := repaired(t, s)
			if got := rulesOf(r.Before); len(got) != 1 || got[0] != c.rule {
				t.Errorf("found %q", got)
			}
			if r.After.Resumes() != VerdictResumes {
				t.Errorf("after the repair: %q %+v", r.After.Resumes(), r.After.Findings)
			}
			if r.Agent == agentClaude && c.rule != "claude-stale-last-prompt" && r.After.Reachable.Ratio() != 1 {
				t.Errorf("reachable after the repair: %+v", r.After.Reachable)
			}
		})
	}
}

// What a rule says without there being anything to repair.
func TestReportedSessionsAreExplained(t *testing.T) {
	for _, c := range []struct {
		report, rule string
		verdict      Verdict
	}{
		{"openai/codex#38613", "codex-empty", VerdictRefused},
		{"anthropics/claude-code#30802", "claude-session-id", VerdictResumes},
	} {
		t.Run(c.report, func(t *testing.T) {
			s := plant(t, c.rule)
			r, err := Check(context.Background(), s.path, s.options)
			if err != nil {
				t.Fatal(err)
			}
			if got := rulesOf(r); len(got) != 1 || got[0] != c.rule || r.Resumes() != c.verdict {
				t.Errorf("found %q, verdict %q", got, r.Resumes())
			}
		})
	}
}

// message writes a message of a Claude Code session, a minute after the one
// before it.
func message(n int, parent, role, content string) string {
	return fmt.Sprintf(`{"parentUuid":%s,"type":"%s","uuid":"m%d","timestamp":"2026-11-30T%02d:%02d:00.000Z","message":{"role":"%[2]s","content":%[6]s}}`+"\n",
		parent, role, n, n/60, n%60, content)
}

func quoted(s string) string { return `"` + s + `"` }

// checkText examines a session given as text.
func checkText(t *testing.T, name, text string) (*Report, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	write(t, path, []byte(text))
	r, err := Check(context.Background(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r, path
}

// anthropics/claude-code#58554: 22 dangling parents, and 5 % of the entries are
// reachable. A repair reaches all that can be read.
func TestManyDanglingParentsAreRelinked(t *testing.T) {
	var b strings.Builder
	for n := range 44 {
		parent := quoted(fmt.Sprintf("m%d", n-1))
		switch {
		case n == 0:
			parent = "null"
		case n%2 == 0:
			parent = quoted("never written")
		}
		b.WriteString(message(n, parent, "user", quoted(fmt.Sprintf("prompt %d", n))))
	}
	t.Log("anthropics/claude-code#58554")
	before, path := checkText(t, claudeName, b.String())
	if before.Reachable != (Share{Chain: 2, All: 44}) || before.Resumes() != VerdictLosesHistory {
		t.Errorf("reachable %+v, verdict %q", before.Reachable, before.Resumes())
	}
	r, err := Repair(context.Background(), path, filepath.Join(t.TempDir(), claudeName), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if r.After.Reachable != (Share{Chain: 44, All: 44}) || len(r.After.Findings) > 0 || r.counts("claude-dangling-parent") != 21 {
		t.Errorf("reachable %+v, findings %+v, changes %+v", r.After.Reachable, r.After.Findings, r.Changes)
	}
}

func (r *RepairReport) counts(rule string) int {
	n := 0
	for _, c := range r.Changes {
		if c.Rule == rule {
			n++
		}
	}
	return n
}

// anthropics/claude-code#61188: the first prompt after a compaction hangs on a
// phantom parent. The summary is back after a repair, and the compaction still
// holds.
func TestAPromptBehindACompactionFindsItsSummary(t *testing.T) {
	report := "anthropics/claude-code#61188"
	text := message(0, "null", "user", quoted("before")) + message(1, quoted("m0"), "assistant", quoted("early")) +
		`{"parentUuid":null,"logicalParentUuid":"m1","type":"system","subtype":"compact_boundary","uuid":"c","timestamp":"2026-11-30T00:02:00.000Z","compactMetadata":{"trigger":"auto"}}` + "\n" +
		`{"parentUuid":"c","type":"user","isCompactSummary":true,"uuid":"s","timestamp":"2026-11-30T00:02:01.000Z","message":{"role":"user","content":"This session is being continued."}}` + "\n" +
		message(9, quoted("phantom"), "user", quoted("after")) + message(10, quoted("m9"), "assistant", quoted("late"))
	before, path := checkText(t, claudeName, text)
	if got := rulesOf(before); len(got) != 1 || got[0] != "claude-dangling-parent" {
		t.Errorf("%s: found %q", report, got)
	}
	r, err := Repair(context.Background(), path, filepath.Join(t.TempDir(), claudeName), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if r.After.Reachable.Ratio() != 1 || len(r.After.Findings) > 0 {
		t.Errorf("%s: reachable %+v, findings %+v", report, r.After.Reachable, r.After.Findings)
	}
}

// Several calls are open at once: each gets its own result, in order, in the
// next user message.
func TestSeveralOpenCallsAreAnswered(t *testing.T) {
	for _, report := range []string{"anthropics/claude-code#1894", "anthropics/claude-code#8783"} {
		t.Run(report, func(t *testing.T) {
			text := message(0, "null", "user", quoted("go")) +
				message(1, quoted("m0"), "assistant", `[{"type":"tool_use","id":"a","name":"A","input":{}},{"type":"tool_use","id":"b","name":"B","input":{}}]`) +
				message(2, quoted("m1"), "user", quoted("stop")) + message(3, quoted("m2"), "assistant", quoted("stopped"))
			_, path := checkText(t, claudeName, text)
			out := filepath.Join(t.TempDir(), claudeName)
			if _, err := Repair(context.Background(), path, out, Options{}); err != nil {
				t.Fatal(err)
			}
			got := readLines(t, out)
			if len(got) != 6 || !strings.Contains(got[2], `"tool_use_id":"a"`) || !strings.Contains(got[2], `"tool_use_id":"b"`) ||
				strings.Index(got[2], `"tool_use_id":"a"`) > strings.Index(got[2], `"tool_use_id":"b"`) {
				t.Errorf("repaired:\n%s", strings.Join(got, "\n"))
			}
		})
	}
}

// A valid file whose first line is no message is no defect.
func TestBookkeepingMayComeFirst(t *testing.T) {
	text := `{"type":"pr-link","sessionId":"` + claudeID + `","prNumber":1}` + "\n" + message(0, "null", "user", quoted("go")) + message(1, quoted("m0"), "assistant", quoted("gone"))
	if r, _ := checkText(t, claudeName, text); len(r.Findings) > 0 {
		t.Errorf("anthropics/claude-code#62851: %+v", r.Findings)
	}
}

// Multibyte characters on every border of the reader's buffer are no invalid
// UTF-8.
func TestCharactersOnBufferBordersAreWhole(t *testing.T) {
	var b strings.Builder
	for n := 0; b.Len() < 600_000; n++ {
		parent := "null"
		if n > 0 {
			parent = quoted(fmt.Sprintf("m%d", n-1))
		}
		b.WriteString(message(n, parent, []string{"user", "assistant"}[n%2], quoted(strings.Repeat("日本語😀", 300+n%7))))
	}
	if r, _ := checkText(t, claudeName, b.String()); len(r.Findings) > 0 {
		t.Errorf("omnigent-ai/omnigent#6269: %+v", r.Findings)
	}
}

// A line of any length is read.
func TestLongLinesAreRead(t *testing.T) {
	text := message(0, "null", "user", quoted("go")) + message(1, quoted("m0"), "assistant", quoted(strings.Repeat("x", 9<<20)))
	if r, _ := checkText(t, claudeName, text); r.Reachable.All != 2 || len(r.Findings) > 0 {
		t.Errorf("openai/codex#34863: %+v %+v", r.Reachable, r.Findings)
	}
}

// Sidechains of any size do not count.
func TestSidechainsDoNotCount(t *testing.T) {
	var b strings.Builder
	b.WriteString(message(0, "null", "user", quoted("go")))
	for n := 1; n < 2000; n++ {
		b.WriteString(strings.Replace(message(n, quoted(fmt.Sprintf("m%d", n-1)), "user", quoted("side")), "{", `{"isSidechain":true,"agentId":"a",`, 1))
	}
	b.WriteString(message(2000, quoted("m0"), "assistant", quoted("done")))
	if r, _ := checkText(t, claudeName, b.String()); r.Reachable != (Share{Chain: 2, All: 2}) || len(r.Findings) > 0 {
		t.Errorf("anthropics/claude-code#23373: %+v %+v", r.Reachable, r.Findings)
	}
}
