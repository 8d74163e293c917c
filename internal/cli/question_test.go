//go:build unix

package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/crosswalk-agents/crosswalk/conformance/rig"
)

const secretsQuestion = `Likely secrets would go to another vendor\. \[m\]ask · \[se\]nd · \[st\]op\?$`

func TestSecretsAreAskedAbout(t *testing.T) {
	for _, c := range []struct {
		name, typed string
		code        int
		written     bool
		masked      bool
	}{
		{"mask", "mask\r", exitDone, true, true},
		{"m", "m\r", exitDone, true, true},
		{"send", "send\r", exitDone, true, false},
		{"stop", "stop\r", exitCancelled, false, false},
		{"the first letter of two answers", "s\rs\rs\r", exitCancelled, false, false},
		{"what makes it one of them", "s\rse\r", exitDone, true, false},
		{"more than an answer", "mask it\rmasks\rstopped\r", exitCancelled, false, false},
		{"yes", "yes\ry\r\r", exitCancelled, false, false},
		{"an answer at the third time", "what\r\rMASK\r", exitDone, true, true},
		{"the end of input", "\x04", exitCancelled, false, false},
		{"ctrl-c", "\x03", exitCancelled, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := newPerson(t)
			_, path := p.session("keys", time.Hour)
			term := p.start(120, 24, "to", "codex", "--yes")
			p.sees(term, `holds 6 likely secrets: `, secretsQuestion)
			if found := p.rollouts(); len(found) > 0 {
				t.Errorf("there is %q before the answer", found)
			}
			if err := term.Type(c.typed); err != nil {
				t.Error(err)
			}
			p.ends(term, c.code)
			found := p.rollouts()
			if (len(found) == 1) != c.written {
				t.Fatalf("%d rollouts", len(found))
			}
			for _, f := range found {
				text, err := os.ReadFile(f)
				if err != nil {
					t.Fatal(err)
				}
				if leak := leaked(string(text)); (leak == "") != c.masked {
					t.Errorf("masked: %v, want %v; %s", !c.masked, c.masked, leak)
				}
			}
			if !c.written {
				if _, err := os.Stat(filepath.Join(p.home, ".codex")); err == nil {
					t.Error("a folder is left")
				}
				if err := term.WaitFor(`(?m)crosswalk: cancelled$`, 0); err != nil {
					t.Error(err)
				}
			}
			if _, err := os.Stat(path); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestAnOlderSessionIsAskedAbout(t *testing.T) {
	for _, c := range []struct {
		name, typed string
		args        []string
		code        int
	}{
		{"yes", "y\r", nil, exitDone},
		{"no", "n\r", nil, exitCancelled},
		{"ctrl-c", "\x03", nil, exitCancelled},
		{"answered before", "", []string{"-y"}, exitDone},
		{"never asked", "", []string{"--no-input"}, exitRefused},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := newPerson(t)
			p.session("greet", 2*time.Hour)
			p.session("sort", 3*time.Hour)
			p.ends(p.start(200, 24, "to", "codex"), exitDone)
			term := p.start(200, 24, append([]string{"to", "claude"}, c.args...)...)
			if len(c.args) == 0 {
				p.sees(term, `passed over: Codex .*, Fix the greeting .*not continued`, `The next one is Sort the list by date\., 3 h ago\. Hand it over\? \[y\]es · \[n\]o\?$`)
				if err := term.Type(c.typed); err != nil {
					t.Error(err)
				}
			}
			if out := p.ends(term, c.code); strings.Contains(out, "claude --resume") && c.code == exitCancelled {
				t.Errorf("it is handed over: %q", out)
			}
		})
	}
}

func TestUndoIsAskedAbout(t *testing.T) {
	for _, c := range []struct {
		name, typed string
		args        []string
		code        int
	}{
		{"yes", "y\r", nil, exitDone},
		{"no", "no\r", nil, exitCancelled},
		{"nothing", "\r\r\r", nil, exitCancelled},
		{"ctrl-c", "\x03", nil, exitCancelled},
		{"answered before", "", []string{"-y"}, exitDone},
		{"never asked", "", []string{"--no-input"}, exitRefused},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := newPerson(t)
			p.session("greet", time.Hour)
			p.ends(p.start(120, 24, "to", "codex"), exitDone)
			if n := len(p.rollouts()); n != 1 {
				t.Fatalf("%d rollouts", n)
			}
			term := p.start(200, 24, append([]string{"undo"}, c.args...)...)
			if len(c.args) == 0 {
				p.sees(term, `(?s)/rollout-.*\.jsonl\s.*/sessions\s.*/\.codex\s+Remove these 6\? \[y\]es · \[n\]o\?$`)
				if err := term.Type(c.typed); err != nil {
					t.Error(err)
				}
			}
			out := p.ends(term, c.code)
			if len(c.args) > 0 && strings.Contains(out, "?") {
				t.Errorf("it asks: %q", out)
			}
			if gone := len(p.rollouts()) == 0; gone != (c.code == exitDone) {
				t.Errorf("removed: %v", gone)
			}
		})
	}
}

// big makes a session file that takes a while to read.
func (p *person) big() {
	p.t.Helper()
	_, path := p.session("greet", time.Hour)
	if err := grow(path, strings.Repeat("word ", 3<<20), strings.Repeat("word ", 3<<20)); err != nil {
		p.t.Fatal(err)
	}
	at := p.now.Add(-time.Hour)
	if err := os.Chtimes(path, at, at); err != nil {
		p.t.Fatal(err)
	}
}

func TestProgressIsShownAndWiped(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	p.big()
	p.env2 = []string{patienceEnv + "=1"}
	term := p.start(80, 24, "to", "codex")
	p.sees(term, `Claude Code → Codex: Fix the greeting`)
	out := p.ends(term, exitDone)
	i := strings.Index(out, "\rreading ")
	j := strings.LastIndex(out, "\r\x1b[K")
	if i < 0 || j < i || strings.Contains(out[j:], "reading") || strings.Contains(term.Screen(), "reading") {
		t.Errorf("no progress, or it stays: %.400q", out)
	}
	// Not asked for, or where nobody looks, it does not disturb.
	term = p.start(80, 24, "to", "codex", "-q", "--again")
	if out := p.ends(term, exitDone); strings.Contains(out, "reading") {
		t.Errorf("%q", out)
	}
}

func TestReadingCanBeInterrupted(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	p.big()
	p.env2 = []string{patienceEnv + "=1"}
	term := p.start(80, 24, "to", "codex")
	p.sees(term, `reading`)
	if err := term.Type("\x03"); err != nil { // at once
		t.Error(err)
	}
	p.ends(term, exitCancelled)
	p.wroteNothing()
	if _, err := os.Stat(filepath.Join(p.home, ".codex")); err == nil {
		t.Error("a folder is left")
	}
	if s := term.Screen(); !strings.HasSuffix(s, "crosswalk: cancelled") || strings.Contains(s, "reading") {
		t.Errorf("the screen:\n%s", s)
	}
}

func TestQuestionFollowsTheList(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	p.session("keys", time.Hour)
	p.session("greet", 2*time.Hour)
	term := p.start(120, 24, "to", "codex", "-i")
	p.sees(term, `> claude 1 h ago +Look at the keys`)
	term.Press(rig.Enter)
	p.sees(term, secretsQuestion)
	if err := term.Type("mask\r"); err != nil {
		t.Error(err)
	}
	p.sees(term, `masked: 6 likely secrets`)
	p.ends(term, exitDone)
	if n := len(p.rollouts()); n != 1 {
		t.Errorf("%d rollouts", n)
	}
}
