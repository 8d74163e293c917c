//go:build conformance

package conformance_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/crosswalk-agents/crosswalk/check"
	"github.com/crosswalk-agents/crosswalk/conformance/rig"
)

// leftOut are texts that a client leaves out with good reason: they belong to
// a branch that was left, or to a subagent.
var leftOut = map[string][]string{
	"claude-other-branch":    {"Delete it.", "It is gone."},
	"claude-sidechain-first": {"Look around.", "Done."},
}

// TestVerdictsAreWhatTheClientDoes opens in its own client each file with one
// defect, and compares what happens with the effect that the rule states.
func TestVerdictsAreWhatTheClientDoes(t *testing.T) {
	for _, rule := range check.Rules() {
		if rule.Place {
			continue // The defect is the place or name of the file.
		}
		t.Run(rule.ID, func(t *testing.T) {
			t.Parallel()
			home, work := folders(t)
			text := expanded(read(t, "..", "check", "testdata", rule.ID+".jsonl"))
			open := openClaude
			if rule.Agent == "codex" {
				open = openCodex
			}
			res, path := open(t, home, work, text)
			o := check.Options{Agent: rule.Agent}
			if rule.ID == "codex-provider-mismatch" {
				o.Provider = "openai"
			}
			rep, err := check.Check(t.Context(), path, o)
			if err != nil {
				t.Fatal(err)
			}
			var sent []string
			for _, r := range res.Requests {
				if r.IsModel() {
					sent = textsIn(t, r.Body)
				}
			}
			said := historyOf(text)
			lost := slices.DeleteFunc(slices.Clone(said), func(s string) bool {
				return slices.Contains(sent, s) || slices.Contains(leftOut[rule.ID], s)
			})
			opened := res.ExitCode == 0 && (len(said) == 0 || len(lost) < len(said))
			noticed := slices.ContainsFunc(clientNotices[:], func(n string) bool { return slices.Contains(sent, n) })
			if !slices.ContainsFunc(rep.Findings, func(f check.Finding) bool { return f.Rule == rule.ID }) {
				t.Errorf("not found: %+v", rep.Findings)
			}
			switch rule.Effect {
			case check.Refused:
				if opened {
					t.Error("the client opens it")
				}
			case check.HistoryLost:
				if res.ExitCode != 0 || len(lost) == 0 && !noticed {
					t.Errorf("exit code %d, and nothing is lost\n%s", res.ExitCode, res.Stderr)
				}
			case check.VendorRefuses, check.PartLost:
				if !opened {
					t.Errorf("the client does not open it:\n%s\n%s", res.Stdout, res.Stderr)
				}
			case check.Unlisted, check.Harmless:
				if !opened || len(lost) > 0 || noticed {
					t.Errorf("opened: %v, lost %q, notice %v\n%s", opened, lost, noticed, res.Stderr)
				}
			}
		})
	}
}

// How many images a client sends of the files with images that cannot be sent,
// and of the repaired copies.
func TestImagesThatClientsSend(t *testing.T) {
	for rule, want := range map[string]struct{ before, after int }{
		"claude-image-type": {2, 1}, "claude-image-data": {2, 0}, "codex-image": {0, 2},
	} {
		t.Run(rule, func(t *testing.T) {
			t.Parallel()
			open := openClaude
			if strings.HasPrefix(rule, "codex") {
				open = openCodex
			}
			home, work := folders(t)
			text := expanded(read(t, "..", "check", "testdata", rule+".jsonl"))
			res, path := open(t, home, work, text)
			if got := images(t, lastModel(t, res).Body); got != want.before {
				t.Errorf("%d images were sent, want %d", got, want.before)
			}
			out := filepath.Join(t.TempDir(), filepath.Base(path))
			if _, err := check.Repair(t.Context(), path, out, check.Options{}); err != nil {
				t.Fatal(err)
			}
			res, _ = open(t, home, work, read(t, out))
			if got := images(t, lastModel(t, res).Body); got != want.after {
				t.Errorf("%d images of the copy were sent, want %d", got, want.after)
			}
		})
	}
}

// clientNotices are what Claude Code puts where it cannot restore a part.
var clientNotices = [...]string{"[Tool result missing due to internal error]", "[Orphaned tool result removed due to conversation resume]"}

// openClaude resumes a session file that holds text.
func openClaude(t *testing.T, home, work, text string) (rig.Result, string) {
	t.Helper()
	id := "11111111-2222-4333-8444-555555555555"
	path := filepath.Join(home, ".claude", "projects", regexp.MustCompile(`[^a-zA-Z0-9]`).ReplaceAllString(work, "-"), id+".jsonl")
	plantFile(t, path, text)
	c := bench.Claude(home, work, rig.Turn{Text: "going on"})
	res, err := c.Run(t.Context(), "-p", "go on", "--resume", id, "--output-format", "json", "--dangerously-skip-permissions")
	if err != nil {
		t.Fatal(err)
	}
	plantFile(t, path, text)
	return res, path
}

// openCodex resumes a rollout that holds text.
func openCodex(t *testing.T, home, work, text string) (rig.Result, string) {
	t.Helper()
	id := "019e9999-1111-7222-8333-444444444444"
	path := filepath.Join(home, ".codex", "sessions", "2026", "11", "30", "rollout-2026-11-30T10-00-00-"+id+".jsonl")
	plantFile(t, path, text)
	res, err := bench.Codex(home, work, rig.Turn{Text: "going on"}).Run(t.Context(), rig.CodexExec("resume", id, "go on")...)
	if err != nil {
		t.Fatal(err)
	}
	plantFile(t, path, text)
	return res, path
}

func plantFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

var textMember = regexp.MustCompile(`"(?:text|content|output|message)":("(?:[^"\\]|\\.)*")|"output":(\{[^}]*\})`)

// historyOf returns the texts and outputs of a session file that may be damaged,
// found without reading its structure.
func historyOf(file string) (texts []string) {
	for _, m := range textMember.FindAllStringSubmatch(file, -1) {
		text := m[2] // an object, raw
		if m[1] != "" && json.Unmarshal([]byte(m[1]), &text) != nil {
			continue
		}
		if strings.TrimSpace(text) != "" {
			texts = append(texts, text)
		}
	}
	return texts
}

var repeated = regexp.MustCompile(`«(.)\*(\d+)»`)

// expanded replaces «c*N» by N times c.
func expanded(text string) string {
	return repeated.ReplaceAllStringFunc(text, func(s string) string {
		m := repeated.FindStringSubmatch(s)
		n, _ := strconv.Atoi(m[2])
		return strings.Repeat(m[1], n)
	})
}

// textsIn returns all strings of a request. Where a client puts two messages
// together it ends the first one with a line break, which is left out.
func textsIn(t *testing.T, body []byte) (list []string) {
	t.Helper()
	walk(t, body, func(v any) {
		if s, ok := v.(string); ok {
			list = append(list, strings.TrimSuffix(s, "\n"))
		}
	})
	return list
}

// images counts the images of a request, as they stand there.
func images(t *testing.T, body []byte) (n int) {
	t.Helper()
	walk(t, body, func(v any) {
		if o, ok := v.(map[string]any); ok && (o["type"] == "image" || o["type"] == "input_image") {
			n++
		}
	})
	return n
}

// walk visits every value of a JSON document.
func walk(t *testing.T, body []byte, visit func(any)) {
	t.Helper()
	var v any
	if err := json.Unmarshal(body, &v); err != nil {
		t.Fatal(err)
	}
	var each func(any)
	each = func(v any) {
		visit(v)
		switch v := v.(type) {
		case []any:
			for _, e := range v {
				each(e)
			}
		case map[string]any:
			for _, e := range v {
				each(e)
			}
		}
	}
	each(v)
}
