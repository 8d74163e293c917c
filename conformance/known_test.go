//go:build conformance

package conformance_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crosswalk-agents/crosswalk/conformance/rig"
)

// What the real client notes when somebody only looks at a session is no work
// that was done in it.
func TestSessionThatWasOnlyOpenedHasNotGrown(t *testing.T) {
	for name, make := range map[string]func(t *testing.T) (product, handed, *rig.Terminal){
		"codex": func(t *testing.T) (product, handed, *rig.Terminal) {
			p, s := madeByClaude(t, rig.ClaudeText())
			to := p.must("to", "codex", s.ID)
			term, err := bench.Codex(s.Home, s.Work).Tty(t.Context(), 100, 30, "resume", to.Target.ID)
			if err != nil {
				t.Fatal(err)
			}
			return p, to, term
		},
		"claude": func(t *testing.T) (product, handed, *rig.Terminal) {
			p, s := madeByCodex(t, rig.CodexText())
			to := p.must("to", "claude", s.ID)
			term, err := bench.Claude(s.Home, s.Work).Tty(t.Context(), 100, 30, "--resume", to.Target.ID)
			if err != nil {
				t.Fatal(err)
			}
			return p, to, term
		},
	} {
		t.Run(name, func(t *testing.T) {
			p, to, term := make(t)
			before := len(lines(t, to.Target.Path))
			if err := term.WaitFor(rig.SaidDone, soon); err != nil {
				t.Error(err)
			}
			if name == "claude" { // it notes the command, too
				if err := term.Type("/exit"); err != nil {
					t.Error(err)
				}
				term.Press(rig.Enter)
			}
			if _, err := term.Close(); err != nil {
				t.Error(err)
			}
			t.Logf("%d lines, %d after it was opened", before, len(lines(t, to.Target.Path)))
			if o := p.run("to", to.Source.Agent); o.code != 1 || !strings.Contains(o.err, "handed over and not continued") {
				t.Errorf("to %s: exit %d\n%s", to.Source.Agent, o.code, o.err)
			}
			if o := p.run("pull", to.Target.ID); o.code != 0 || !strings.Contains(o.err, "Nothing new in") || !strings.Contains(o.err, "(handed over ") {
				t.Errorf("pull: exit %d\n%s", o.code, o.err)
			}
			if o := p.run("undo", to.Target.ID, "-y"); o.code != 0 {
				t.Errorf("undo: exit %d\n%s", o.code, o.err)
			}
		})
	}
}

// Codex compresses rollouts that nobody opened for some days.
func TestCompressedOriginalIsCopiedWhole(t *testing.T) {
	t.Parallel()
	p, s := madeByCodex(t, rig.CodexTools())
	original := lines(t, s.Path)
	said := pieces(fileCodex(t, s.Path))
	compress(t, s)
	to := p.must("to", "claude", s.ID)
	resumeClaude(t, s.Home, s.Work, to.Target.ID, ask, claudeReview()...)
	h := p.must("pull", to.Target.ID, "--onto", "handoff")
	if h.MovedOn {
		t.Error("an original of which only the file was compressed has moved on")
	}
	copied := lines(t, h.Target.Path)
	for i, was := range original[1:] {
		if now := strings.ReplaceAll(was, s.ID, h.Target.ID); now != copied[i+1] && was != copied[i+1] {
			t.Fatalf("record %d of the copy: %s", i+2, cmp.Diff(now, copied[i+1]))
		}
	}
	_, sent := resumeCodex(t, s.Home, s.Work, h.Target.ID, "and now", rig.Turn{Text: "done"})
	contains(t, pieces(sent), said)
	if count(outline(sent), "assistant: "+verdict) != 1 {
		t.Errorf("the client sent %q", outline(sent))
	}
}

// The records that the copy of a pull and the client's own fork of the same
// session both have are the same, but for the ids of the copy itself.
func TestCopyHasTheRecordsOfTheClientsOwnFork(t *testing.T) {
	for name, spec := range map[string]rig.ClaudeSpec{"tools": rig.ClaudeTools(), "text": rig.ClaudeText()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, s := madeByClaude(t, spec)
			to := p.must("to", "codex", s.ID)
			resumeCodex(t, s.Home, s.Work, to.Target.ID, ask, codexReview()...)
			h := p.must("pull", to.Target.ID)
			res, err := bench.Claude(s.Home, s.Work, rig.Turn{Text: "In the fork."}).Run(t.Context(),
				"-p", "Go on here.", "--resume", s.ID, "--fork-session", "--output-format", "json", "--dangerously-skip-permissions")
			succeeded(t, res, err)
			id := member(t, res.Stdout, "session_id")
			fork := byUUID(t, strings.Replace(s.Path, s.ID, id, 1), id)
			copied := byUUID(t, h.Target.Path, h.Target.ID)
			both := 0
			for uuid := range byUUID(t, s.Path, s.ID) {
				if fork[uuid] == "" {
					continue // outside the tree
				}
				both++
				if d := cmp.Diff(fork[uuid], copied[uuid]); d != "" {
					t.Errorf("record %s (-fork +copy):\n%s", uuid, d)
				}
			}
			if both < 4 {
				t.Errorf("both have %d records", both)
			}
		})
	}
}

// byUUID returns the lines of a session of Claude Code by the id of their
// record, with the session's own id and that of the run that made it neutral.
func byUUID(t *testing.T, path, id string) map[string]string {
	t.Helper()
	prompt := regexp.MustCompile(`"promptId":"[^"]*"`)
	records := make(map[string]string)
	for _, line := range lines(t, path) {
		if !strings.Contains(line, `"uuid":"`) {
			continue
		}
		line = strings.ReplaceAll(line, `"sessionId":"`+id+`"`, `"sessionId":"(its own)"`)
		line = strings.ReplaceAll(line, `"session_id":"`+id+`"`, `"session_id":"(its own)"`)
		records[member(t, line, "uuid")] = prompt.ReplaceAllString(line, `"promptId":"(of the run)"`)
	}
	return records
}

func TestSessionOfTheShellGoesOverAgain(t *testing.T) {
	t.Parallel()
	p, _, _ := handedToCodex(t)
	first := p.must("pull")
	resumeClaude(t, p.home, p.work, first.Target.ID, "Thanks, done.", rig.Turn{Text: "Good."})
	p.env = []string{"CLAUDE_CODE_SESSION_ID=" + first.Target.ID}
	to := p.must("to", "codex")
	if to.Source.ID != first.Target.ID {
		t.Errorf("%s went over, want %s", to.Source.ID, first.Target.ID)
	}
	_, sent := resumeCodex(t, p.home, p.work, to.Target.ID, "Once more.", rig.Turn{Text: "Still right."})
	for _, said := range []string{"assistant: " + verdict, "assistant: Good."} {
		if n := count(outline(sent), said); n != 1 {
			t.Errorf("%q was sent %d times", said, n)
		}
	}
}
