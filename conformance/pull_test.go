//go:build conformance

package conformance_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/conformance/rig"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

const (
	ask     = "Please review this."
	begin   = "Reviewing."
	verdict = "The change is right, but say why in a comment."
)

// reviewing is what a reviewing model does: it looks, and answers.
func reviewing(tool string, args rig.Args) []rig.Turn {
	return []rig.Turn{{Text: begin, Tools: []rig.Tool{rig.Call(tool, args)}}, {Text: verdict}}
}

func codexReview() []rig.Turn { return reviewing("exec_command", rig.Args{"cmd": "cat a.txt"}) }

func claudeReview() []rig.Turn {
	return reviewing("Bash", rig.Args{"command": "cat a.txt", "description": "Show the file"})
}

// lines splits a file into its lines.
func lines(t *testing.T, path string) []string {
	t.Helper()
	return slices.Collect(strings.Lines(read(t, path)))
}

// writeLines makes a file of lines and returns its path.
func writeLines(t *testing.T, list []string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "lines.jsonl")
	if err := os.WriteFile(path, []byte(strings.Join(list, "")), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// outline tells messages apart without the results of tools, which differ from
// run to run.
func outline(msgs []*canon.Message) (out []string) {
	for _, m := range msgs {
		for _, b := range m.Blocks {
			switch b := b.(type) {
			case *canon.TextBlock:
				out = append(out, fmt.Sprintf("%s: %s", m.Role, b.Text.String()))
			case *canon.ToolCallBlock:
				out = append(out, fmt.Sprintf("call %s %s", b.Name, b.Input.JSON))
			case *canon.ToolResultBlock:
				out = append(out, "result")
			}
		}
	}
	return out
}

// sameButIDs compares the records of a copy with the original's: equal but for
// what the client's own fork changes.
func sameButIDs(t *testing.T, original, copied []string, session, id string) {
	t.Helper()
	if len(copied) < len(original) {
		t.Fatalf("the copy has %d of %d records", len(copied), len(original))
	}
	for i, was := range original {
		d := jsonx.NewDecoder([]byte(was))
		assistant := strings.Contains(was, `"type":"assistant"`) && strings.Contains(was, `"parentUuid"`)
		want := strings.ReplaceAll(was, `"sessionId":"`+session+`"`, `"sessionId":"`+id+`"`)
		want = strings.ReplaceAll(want, `"session_id":"`+session+`"`, `"session_id":"`+id+`"`)
		for name := range d.Members() {
			if string(name) == "promptId" {
				old := d.Str()
				now := member(t, copied[i], "promptId")
				want = strings.Replace(want, `"promptId":"`+old+`"`, `"promptId":"`+now+`"`, 1)
			}
		}
		if assistant && !strings.Contains(was, `"requestSessionId"`) {
			want = strings.TrimSuffix(want, "}\n") + `,"requestSessionId":"` + session + `"}` + "\n"
		}
		if want != copied[i] {
			t.Fatalf("record %d of the copy: %s", i+1, cmp.Diff(want, copied[i]))
		}
	}
}

func member(t *testing.T, line, name string) string {
	t.Helper()
	var m map[string]json.RawMessage
	if err := json.Unmarshal([]byte(line), &m); err != nil {
		t.Fatal(err)
	}
	var s string
	if err := json.Unmarshal(m[name], &s); err != nil {
		t.Fatalf("%s of %.100s: %v", name, line, err)
	}
	return s
}

// A disturbance is what happens to the target between the review and the pull.
// It returns the id to pull from and the outline of what is to be brought back.
type disturbance func(t *testing.T, p product, id string, added []string) (string, []string)

func codexDisturbances() map[string]disturbance {
	codex := func(p product, turns ...rig.Turn) rig.Codex { return bench.Codex(p.home, p.work, turns...) }
	run := func(t *testing.T, p product, args ...string) {
		t.Helper()
		res, err := codex(p).Run(t.Context(), args...)
		succeeded(t, res, err)
	}
	return map[string]disturbance{
		"nothing": func(_ *testing.T, _ product, id string, added []string) (string, []string) { return id, added },
		"second turn": func(t *testing.T, p product, id string, added []string) (string, []string) {
			resumeCodex(t, p.home, p.work, id, "Anything else?", rig.Turn{Text: "No."})
			return id, append(slices.Clone(added), "user: Anything else?", "assistant: No.")
		},
		"fork": func(t *testing.T, p product, id string, added []string) (string, []string) {
			before, err := rig.CodexFiles(p.home, "")
			if err != nil {
				t.Fatal(err)
			}
			res, err := codex(p, rig.Turn{Text: "In the fork."}).Run(t.Context(), rig.CodexExec("fork", id, "Go on here.")...)
			succeeded(t, res, err)
			after, err := rig.CodexFiles(p.home, "")
			if err != nil {
				t.Fatal(err)
			}
			fork := ""
			for _, f := range after {
				if !slices.Contains(before, f) {
					name := strings.TrimSuffix(filepath.Base(f), ".jsonl")
					fork = name[len(name)-36:]
				}
			}
			return fork, append(slices.Clone(added), "user: Go on here.", "assistant: In the fork.")
		},
		"migration": func(t *testing.T, p product, id string, added []string) (string, []string) {
			run(t, p, "migrate-rollouts", "--apply", "--thread", id)
			return id, added
		},
		"archive": func(t *testing.T, p product, id string, added []string) (string, []string) {
			run(t, p, "archive", id)
			return id, added
		},
		"compaction": func(t *testing.T, p product, id string, added []string) (string, []string) {
			c := codex(p, rig.Turn{Text: "SUMMARY"})
			c.AllRequests = true
			s, err := c.Server(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, method := range []string{"thread/resume", "thread/compact/start"} {
				if err := s.Call(t.Context(), method, rig.Args{"threadId": id}, nil); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := s.Await(t.Context(), "turn/completed"); err != nil {
				t.Fatal(err)
			}
			if _, err := s.Close(); err != nil {
				t.Fatal(err)
			}
			return id, added
		},
		"rollback": func(t *testing.T, p product, id string, added []string) (string, []string) {
			resumeCodex(t, p.home, p.work, id, "A wrong turn.", rig.Turn{Text: "Indeed."})
			// 0.171.0 no longer writes this itself, and still reads it.
			files, err := rig.CodexFiles(p.home, id)
			if err != nil || len(files) != 1 {
				t.Fatal(files, err)
			}
			f, err := os.OpenFile(files[0], os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := f.WriteString(`{"timestamp":"2026-11-30T23:00:00.000Z","type":"event_msg","payload":{"type":"thread_rolled_back","num_turns":1}}` + "\n"); err != nil {
				t.Fatal(err)
			}
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
			return id, added
		},
	}
}

func TestPullBringsTheReviewOfCodexBackToClaude(t *testing.T) {
	added := []string{"user: " + ask, "assistant: " + begin, `call exec_command {"cmd":"cat a.txt"}`, "result", "assistant: " + verdict}
	for name, disturb := range codexDisturbances() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, s := madeByClaude(t, rig.ClaudeTools())
			to := p.must("to", "codex", s.ID)
			resumeCodex(t, s.Home, s.Work, to.Target.ID, ask, codexReview()...)
			id, want := disturb(t, p, to.Target.ID, added)
			original := lines(t, s.Path)
			targets, err := rig.TakeSnapshot(s.Home + "/.codex/sessions")
			if err != nil {
				t.Fatal(err)
			}
			h := p.must("pull", id)
			if got := lines(t, s.Path); !slices.Equal(got, original) {
				t.Error("the original changed")
			}
			after, err := rig.TakeSnapshot(s.Home + "/.codex/sessions")
			if err != nil {
				t.Fatal(err)
			}
			if d := targets.Changes(after); len(d) > 0 {
				t.Errorf("the target changed: %v", d)
			}
			copied := lines(t, h.Target.Path)
			sameButIDs(t, original, copied, s.ID, h.Target.ID)
			tail := fileClaude(t, writeLines(t, copied[len(original):]))
			if d := cmp.Diff(want, outline(tail)); d != "" {
				t.Errorf("brought back (-want +got):\n%s", d)
			}
			whole := pieces(fileClaude(t, h.Target.Path))
			_, sent := resumeClaude(t, s.Home, s.Work, h.Target.ID, "and now", rig.Turn{Text: "done"})
			contains(t, pieces(sent), whole)
			again := p.run("pull", id)
			if again.code != 0 || !strings.Contains(again.err, "everything was pulled at") {
				t.Errorf("a second pull: exit %d\n%s", again.code, again.err)
			}
		})
	}
}

func TestPullBringsTheReviewOfClaudeBackToCodex(t *testing.T) {
	added := []string{"user: " + ask, "assistant: " + begin, `call Bash {"command":"cat a.txt","description":"Show the file"}`, "result", "assistant: " + verdict}
	for _, legacy := range []bool{false, true} {
		name := "paginated"
		if legacy {
			name = "legacy"
		}
		for disturbed, disturb := range claudeDisturbances() {
			t.Run(name+"/"+disturbed, func(t *testing.T) {
				t.Parallel()
				spec := rig.CodexTools()
				spec.Legacy = legacy
				p, s := madeByCodex(t, spec)
				to := p.must("to", "claude", s.ID)
				resumeClaude(t, s.Home, s.Work, to.Target.ID, ask, claudeReview()...)
				id, want := disturb(t, p, to.Target.ID, added)
				original := lines(t, s.Path)
				target := read(t, to.Target.Path)
				h := p.must("pull", id)
				if got := lines(t, s.Path); !slices.Equal(got, original) {
					t.Error("the original changed")
				}
				if read(t, to.Target.Path) != target {
					t.Error("the target changed")
				}
				copied := lines(t, h.Target.Path)
				// The first line says where the copy comes from, beside all that it said.
				marks := regexp.MustCompile(`,"sesh":\{"sourceSessionId":"` + id + `",[^}]*\},"crosswalk":\{[^}]*\}`)
				if !marks.MatchString(copied[0]) {
					t.Error("the copy does not say where it comes from")
				}
				copied[0] = marks.ReplaceAllString(copied[0], "")
				if !strings.Contains(original[0], `"model_provider"`) { // and its provider, if that is missing
					copied[0] = strings.Replace(copied[0], `,"model_provider":"lab"`, "", 1)
				}
				for i, was := range original {
					if now := strings.ReplaceAll(was, s.ID, h.Target.ID); now != copied[i] && was != copied[i] {
						t.Fatalf("record %d of the copy: %s", i+1, cmp.Diff(now, copied[i]))
					}
				}
				tail := fileCodex(t, writeLines(t, copied[len(original):]))
				if d := cmp.Diff(want, outline(tail)); d != "" {
					t.Errorf("brought back (-want +got):\n%s", d)
				}
				whole := pieces(fileCodex(t, h.Target.Path))
				_, sent := resumeCodex(t, s.Home, s.Work, h.Target.ID, "and now", rig.Turn{Text: "done"})
				contains(t, pieces(sent), whole)
			})
		}
	}
}

func claudeDisturbances() map[string]disturbance {
	return map[string]disturbance{
		"nothing": func(_ *testing.T, _ product, id string, added []string) (string, []string) { return id, added },
		"second turn": func(t *testing.T, p product, id string, added []string) (string, []string) {
			resumeClaude(t, p.home, p.work, id, "Anything else?", rig.Turn{Text: "No."})
			return id, append(slices.Clone(added), "user: Anything else?", "assistant: No.")
		},
		"fork": func(t *testing.T, p product, id string, added []string) (string, []string) {
			c := bench.Claude(p.home, p.work, rig.Turn{Text: "In the fork."})
			res, err := c.Run(t.Context(), "-p", "Go on here.", "--resume", id, "--fork-session", "--output-format", "json", "--dangerously-skip-permissions")
			succeeded(t, res, err)
			return member(t, res.Stdout, "session_id"), append(slices.Clone(added), "user: Go on here.", "assistant: In the fork.")
		},
		"compaction": func(t *testing.T, p product, id string, added []string) (string, []string) {
			c := bench.Claude(p.home, p.work, rig.Turn{Text: "<analysis>a</analysis><summary>SUMMARY</summary>"})
			c.AllRequests = true
			res, err := c.Run(t.Context(), "-p", "/compact", "--resume", id, "--dangerously-skip-permissions")
			succeeded(t, res, err)
			return id, added
		},
	}
}
