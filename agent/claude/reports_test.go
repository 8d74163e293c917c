package claude_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/agent/claude"
	"github.com/crosswalk-agents/crosswalk/canon"
)

// The parts of session files, one record each.
func user(uuid, parent, content string) string {
	return line("user", uuid, parent, `"message":{"role":"user","content":"`+content+`"}`)
}

func answer(uuid, parent, content string) string {
	return line("assistant", uuid, parent, `"message":{"id":"m`+uuid+`","role":"assistant","content":[{"type":"text","text":"`+content+`"}]}`)
}

func callRecord(uuid, parent, id string) string {
	return line("assistant", uuid, parent, `"message":{"id":"m`+uuid+`","role":"assistant","content":[{"type":"tool_use","id":"`+id+`","name":"Bash","input":{}}]}`)
}

func resultRecord(uuid, parent, id, content string) string {
	return line("user", uuid, parent, `"message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"`+id+`","content":"`+content+`"}]}`)
}

func boundary(uuid, logical string) string {
	return line("system", uuid, "", `"subtype":"compact_boundary","logicalParentUuid":"`+logical+`"`)
}

func summary(uuid, parent string) string {
	return line("user", uuid, parent, `"isCompactSummary":true,"message":{"role":"user","content":"This session is being continued."}`)
}

const settled = `"[no result: the session was interrupted before this tool call finished]" (synthesized)`

// Files with the symptom of a public report, each read as a hand-over reads it.
func TestReportsOnReading(t *testing.T) {
	dangling, all := "", []string{}
	for i := range 22 {
		dangling += user(fmt.Sprintf("u%d", i), fmt.Sprintf("gone%d", i), fmt.Sprintf("prompt %d", i)) + answer(fmt.Sprintf("a%d", i), fmt.Sprintf("u%d", i), "ok")
		all = append(all, fmt.Sprintf("user: text \"prompt %d\"", i), `assistant: text "ok"`)
	}
	talk := user("u1", "", "go") + answer("a1", "u1", "begun")
	said := []string{`user: text "go"`, `assistant: text "begun"`}
	with := func(more ...string) []string { return append(append([]string{}, said...), more...) }
	end := `assistant: text "end"`
	for _, tt := range []struct {
		report string
		file   string
		want   []string
		notes  map[string]int
	}{
		{"anthropics/claude-code#50347", talk + "{broken\n" + user("u2", "a1", "on") + answer("a2", "u2", "end"), with(`user: text "on"`, end), map[string]int{"damage-malformed": 1}},
		{"anthropics/claude-code#53821", talk + user("u2", "a1", "cut")[:50], said, map[string]int{"damage-torn": 1}},
		{
			"anthropics/claude-code#81843", talk + user("x1", "a1", "cut in the middle of a string")[:80] + user("u2", "a1", "on") + "\x00\x00" + answer("a2", "u2", "end"),
			with(`user: text "on"`, end),
			map[string]int{"damage-cut": 1, "damage-nul": 1},
		},
		{"anthropics/claude-code#49876", strings.Repeat("\x00", 4096) + talk + strings.Repeat("\x00", 512) + "\n" + user("u2", "a1", "on"), with(`user: text "on"`), map[string]int{"damage-nul": 2}},
		{"github/copilot-cli#4098", strings.TrimSuffix(talk, "\n") + user("u2", "a1", "on") + answer("a2", "u2", "end"), with(`user: text "on"`, end), map[string]int{"damage-glued": 1}},

		{"anthropics/claude-code#22526", talk + user("u2", "never", "on") + answer("a2", "u2", "end"), with(`user: text "on"`, end), map[string]int{"dangling-parents": 1}},
		{"anthropics/claude-code#24304", strings.NewReplacer(`"parentUuid":null,`, "", `"parentUuid":"u1",`, "", `"parentUuid":"a1",`, "").Replace(talk + user("u2", "a1", "on")), with(`user: text "on"`), map[string]int{"records-off-branch": 0}},
		{
			"anthropics/claude-code#61188", talk + boundary("b1", "a1") + summary("c1", "b1") + user("u2", "phantom", "on") + answer("a2", "u2", "end"),
			[]string{"system: compaction", `user summary: text "This session is being continued."`, `user: text "on"`, end},
			map[string]int{"dangling-parents": 1},
		},
		{"anthropics/claude-code#58554", dangling, all, map[string]int{"dangling-parents": 22, "records-off-branch": 0}},
		{
			"anthropics/claude-code#46603", talk + user("u2", "a1", "new") + answer("a2", "u2", "later") + `{"type":"last-prompt","leafUuid":"a1"}` + "\n" + user("u3", "u1", "branch"),
			with(`user: text "new"`, `assistant: text "later"`),
			map[string]int{"later-records-off-branch": 1},
		},

		{"anthropics/claude-code#473", talk + callRecord("a2", "a1", "t1") + user("u2", "a2", "on"), with(`assistant: call t1 Bash {}`, `user: result t1 error `+settled, `user: text "on"`), map[string]int{"settled-tool-calls": 1}},
		{
			"anthropics/claude-code#1894", talk + callRecord("a2", "a1", "t1") + callRecord("a3", "a2", "t2") + user("u2", "a3", "on"),
			with(`assistant: call t1 Bash {}`, `assistant: call t2 Bash {}`, `user: result t1 error `+settled, `user: result t2 error `+settled, `user: text "on"`),
			map[string]int{"settled-tool-calls": 2},
		},
		{"anthropics/claude-code#9346", talk + callRecord("a2", "a1", "t1"), with(`assistant: call t1 Bash {}`, `user: result t1 error `+settled), map[string]int{"settled-tool-calls": 1}},
		{
			"anthropics/claude-code#8783", talk + callRecord("a2", "a1", "t1") + strings.Replace(callRecord("a3", "a2", "t2"), `"ma3"`, `"ma2"`, 1) + resultRecord("r1", "a2", "t1", "ok") + user("u2", "a3", "on"),
			with(`assistant: call t1 Bash {}`, `assistant: call t2 Bash {}`, `user: result t1 "ok"`, `user: result t2 error `+settled, `user: text "on"`),
			map[string]int{"settled-tool-calls": 1},
		},
		{
			"anthropics/claude-code#21071", talk + callRecord("a2", "a1", "t1") + resultRecord("r1", "a2", "t1", "one") + callRecord("a3", "r1", "t1") + resultRecord("r2", "a3", "t1", "two"),
			with(`assistant: call t1 Bash {}`, `user: result t1 "one"`, `assistant: call t1_x2 Bash {}`, `user: result t1_x2 "two"`), nil,
		},
		{
			"anthropics/claude-code#21317", callRecord("a2", "", "t1") + resultRecord("r1", "a2", "t1", "one") + callRecord("a3", "r1", "t1") + resultRecord("r2", "a3", "t1", "two") + user("u1", "r2", "on"),
			[]string{`assistant: call t1 Bash {}`, `user: result t1 "one"`, `assistant: call t1_x2 Bash {}`, `user: result t1_x2 "two"`, `user: text "on"`},
			nil,
		},
		{"anthropics/claude-code#14132", resultRecord("r1", "gone", "t1", "late") + answer("a1", "r1", "end"), []string{`user: text "[tool result without its call] late"`, end}, nil},
		{"anthropics/claude-code#2105", talk + line("assistant", "e1", "a1", `"isApiErrorMessage":true,"message":{"content":[{"type":"text","text":"API Error: 400"}]}`), with(`assistant injected: text <api-error> "API Error: 400"`), nil},

		{"anthropics/claude-code#56064", talk + user("u2", "a1", `half \ud83d`), with("user: text \"half �\""), map[string]int{"repaired-characters": 1}},
		{"anthropics/claude-code#70618", talk + callRecord("a2", "a1", "t1") + resultRecord("r1", "a2", "t1", `\udc00 rest`), with(`assistant: call t1 Bash {}`, "user: result t1 \"� rest\""), map[string]int{"repaired-characters": 1}},
		{"anthropics/claude-code#69927", talk + resultlessEmoji(), with(`assistant: call t1 Bash {}`, "user: result t1 \"cut �\""), map[string]int{"repaired-characters": 1}},
		{"anthropics/claude-code#62851", `{"type":"pr-link","prNumber":7,"prUrl":"https://example.com"}` + "\n" + talk, said, nil},
		{"anthropics/claude-code#30802", strings.ReplaceAll(talk, `"cwd"`, `"sessionId":"11111111-1111-4111-8111-111111111111","cwd"`), said, map[string]int{"records-of-another-session": 2}},
		{
			"anthropics/claude-code#5034", user("u1", "", "go") + answer("a1", "u1", "begun") + user("u2", "a1", "go") + strings.Replace(answer("a2", "u2", "begun"), `"ma2"`, `"ma1"`, 1) + user("u3", "a2", "on"),
			with(`user: text "on"`),
			map[string]int{"repeated-records": 2},
		},
	} {
		t.Run(tt.report, func(t *testing.T) {
			path := put(t, tt.file)
			got, r := healed(t, path)
			same(t, got, tt.want...)
			for name, n := range tt.notes {
				if r.Notes[name] != n {
					t.Errorf("notes %v, want %d %s", r.Notes, n, name)
				}
			}
			if fileLines(t, path)[0] != strings.Split(tt.file, "\n")[0] {
				t.Error("the file changed")
			}
		})
	}
}

// resultlessEmoji is a result whose text was cut within a character.
func resultlessEmoji() string {
	return callRecord("a2", "a1", "t1") + resultRecord("r1", "a2", "t1", `cut \ud83d`)
}

// What is written must not have the symptom of a public report.
func TestReportsOnWriting(t *testing.T) {
	reasoning := &canon.ReasoningBlock{Text: canon.NewText("hm"), Capsule: canon.Capsule{Issuer: "anthropic", Sealed: canon.NewText("c2ln")}}
	for _, tt := range []struct {
		report string
		msgs   []*canon.Message
		check  func(t *testing.T, r []record, lines []string)
	}{
		{"anthropics/claude-code#15205", []*canon.Message{said(text("an answer")), typed("on")}, func(t *testing.T, r []record, _ []string) {
			if r[0].Type != "user" || !strings.Contains(string(r[0].Message.Content), "not handed over") {
				t.Errorf("begins with %+v", r[0])
			}
		}},
		{"anthropics/claude-code#43044", []*canon.Message{typed("go"), said(text("a"), calls("t1", `{}`)), answered(result("t1", "x")), typed("on"), said(text("b"))}, func(t *testing.T, r []record, _ []string) {
			children := make(map[string]int)
			for _, rec := range r {
				if rec.ParentUUID != nil {
					children[*rec.ParentUUID]++
				}
			}
			for id, n := range children {
				if n > 1 {
					t.Errorf("%s has %d children", id, n)
				}
			}
		}},
		{"anthropics/claude-code#63155", []*canon.Message{typed("go"), said(reasoning, text("ok"))}, noThinking},
		{"anthropics/claude-code#10199", []*canon.Message{typed("go"), said(text("ok"), reasoning), said(reasoning)}, noThinking},
		{
			"Dicklesworthstone/cross_agent_session_resumer PR 13",
			[]*canon.Message{typed("go"), said(calls("t1", `{}`), &canon.ToolCallBlock{CallID: "t2", Name: "x", Call: canon.CallFunction, Input: canon.Input{Text: canon.NewText(`{"a":`)}}), answered(result("t1", "x"), result("t2", "y"))},
			func(t *testing.T, r []record, lines []string) {
				for i, rec := range r {
					if rec.Message == nil {
						continue
					}
					if content := string(rec.Message.Content); strings.Contains(content, `"tool_result"`) != (rec.Type == "user" && i > 0) || strings.Contains(content, `"input":"`) && !strings.Contains(content, `"input":{"input":"`) {
						t.Errorf("record %d: %s", i, lines[i])
					}
				}
			},
		},
		{"openai/codex#32351", []*canon.Message{typed("go"), said(text("ok"))}, func(t *testing.T, r []record, _ []string) {
			if r[0].Timestamp != "2026-11-30T10:00:00.000Z" {
				t.Errorf("time %q is not the record's own", r[0].Timestamp)
			}
		}},
	} {
		t.Run(tt.report, func(t *testing.T) {
			lines, _ := written(t, tt.msgs...)
			tt.check(t, records(t, lines), lines)
			again, _ := written(t, clones(tt.msgs)...)
			if len(again) != len(lines) {
				t.Errorf("%d lines, then %d", len(lines), len(again))
			}
		})
	}
}

func clones(msgs []*canon.Message) (out []*canon.Message) {
	for _, m := range msgs {
		c := *m
		out = append(out, &c)
	}
	return out
}

func noThinking(t *testing.T, r []record, lines []string) {
	t.Helper()
	for i := range r {
		if strings.Contains(lines[i], "thinking") || strings.Contains(lines[i], "c2ln") {
			t.Errorf("reasoning was written: %s", lines[i])
		}
	}
}

// A copy of a broken tree is one chain, with everything on it that could be
// reached in the original.
func TestReportBrokenTree(t *testing.T) {
	t.Run("anthropics/claude-code#22107", func(t *testing.T) {
		path := put(t, user("u1", "gone1", "one")+answer("a1", "u1", "ok")+user("u2", "gone2", "two")+callRecord("a2", "u2", "t1")+resultRecord("r1", "gone3", "t1", "x")+user("u3", "r1", "three"))
		was := read(t, path)
		s, err := claude.New().Open(t.Context(), path, agent.OpenOptions{})
		must(t, err)
		defer func() { must(t, s.Close()) }()
		o := writeOptions(agent.Home{Dir: t.TempDir(), Getenv: noEnv})
		w, err := claude.New().Write(t.Context(), thread(), canon.Heal(s.Messages(t.Context()), s.Calls(), o.Report), o)
		must(t, err)
		now := read(t, w.Path)
		same(t, now.lines, was.lines...)
		for _, note := range []string{"dangling-parents", "records-off-branch", "parent-cycles"} {
			if now.report.Notes[note] != 0 {
				t.Errorf("the copy has %d %s", now.report.Notes[note], note)
			}
		}
	})
}
