//go:build conformance

package conformance_test

import (
	"strings"
	"testing"

	"github.com/crosswalk-agents/crosswalk/conformance/rig"
)

func TestTypedPromptIsAnswered(t *testing.T) {
	answer := rig.Turn{Text: "a scripted answer"}
	for name, open := range map[string]func(home, work string) (*rig.Terminal, error){
		"claude": func(home, work string) (*rig.Terminal, error) {
			return bench.Claude(home, work, answer).Tty(t.Context(), 100, 30)
		},
		"codex": func(home, work string) (*rig.Terminal, error) {
			return bench.Codex(home, work, answer).Tty(t.Context(), 100, 30)
		},
	} {
		t.Run(name, func(t *testing.T) {
			home, work := folders(t)
			term, err := open(home, work)
			if err != nil {
				t.Fatal(err)
			}
			converse(t, term)
			res, err := term.Close()
			if err != nil {
				t.Fatal(err)
			}
			streamedFor(t, res, 1)
			if !strings.Contains(string(res.Requests[0].Body), "hello from the keyboard") {
				t.Error("the model did not get what was typed")
			}
		})
	}
}

// converse types a prompt once the client asks for one and waits for the answer.
func converse(t *testing.T, term *rig.Terminal) {
	t.Helper()
	if err := term.WaitFor(`(?m)^ *[❯›]`, soon); err != nil {
		t.Error(err)
		return
	}
	if err := term.Type("hello from the keyboard"); err != nil {
		t.Error(err)
		return
	}
	if err := term.WaitFor("hello from the keyboard", soon); err != nil {
		t.Error(err)
		return
	}
	term.Press(rig.Enter)
	if err := term.WaitFor("a scripted answer", soon); err != nil {
		t.Error(err)
	}
}

func TestClaudeTerminalLeavesOnCtrlC(t *testing.T) {
	home, work := folders(t)
	term, err := bench.Claude(home, work).Tty(t.Context(), 100, 30)
	if err != nil {
		t.Fatal(err)
	}
	if err := term.WaitFor(`❯`, soon); err != nil {
		t.Error(err)
	}
	term.Press(rig.Ctrl('c'))
	if err := term.WaitFor(`(?i)press ctrl-c again`, soon); err != nil {
		t.Error(err)
	}
	term.Press(rig.Ctrl('c'))
	if res, err := term.Wait(); err != nil || res.ExitCode != 0 {
		t.Errorf("exit code %d, %v", res.ExitCode, err)
	}
}

func TestClaudeAsksForTrustWhenToldTo(t *testing.T) {
	home, work := folders(t)
	c := bench.Claude(home, work)
	c.AskTrust = true
	term, err := c.Tty(t.Context(), 100, 30)
	if err != nil {
		t.Fatal(err)
	}
	if err := term.WaitFor(`(?i)trust`, soon); err != nil {
		t.Error(err)
	}
	if _, err := term.Close(); err != nil {
		t.Error(err)
	}
}

func TestTerminalResumesAHeadlessSession(t *testing.T) {
	for name, open := range map[string]func(t *testing.T, home, work string) (*rig.Terminal, error){
		"claude": func(t *testing.T, home, work string) (*rig.Terminal, error) {
			spec := rig.ClaudeText()
			spec.Home, spec.Work = home, work
			s, err := bench.MakeClaudeSession(t.Context(), spec)
			if err != nil {
				return nil, err
			}
			return bench.Claude(home, work).Tty(t.Context(), 100, 30, "--resume", s.ID)
		},
		"codex": func(t *testing.T, home, work string) (*rig.Terminal, error) {
			spec := rig.CodexText()
			spec.Home, spec.Work = home, work
			s, err := bench.MakeCodexSession(t.Context(), spec)
			if err != nil {
				return nil, err
			}
			return bench.Codex(home, work).Tty(t.Context(), 100, 30, "resume", s.ID)
		},
	} {
		t.Run(name, func(t *testing.T) {
			home, work := folders(t)
			term, err := open(t, home, work)
			if err != nil {
				t.Fatal(err)
			}
			for _, text := range []string{rig.TypedFirst, rig.SaidDone} {
				if err := term.WaitFor(text, soon); err != nil {
					t.Error(err)
				}
			}
			if _, err := term.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}
