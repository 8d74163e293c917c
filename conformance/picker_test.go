//go:build conformance

package conformance_test

import (
	"strings"
	"testing"

	"github.com/crosswalk-agents/crosswalk/conformance/rig"
)

// The session that was handed over is found in the target's own picker, and its
// transcript is on the screen. Codex lists it once it was opened by the printed
// command, or at once with --index.

func TestCodexPickerListsWhatWasOpenedOnce(t *testing.T) {
	p, s := madeByClaude(t, rig.ClaudeTools())
	home, work := s.Home, s.Work
	// A first start of the client indexes what is there; ours comes later.
	res, err := bench.Codex(home, work, rig.Turn{Text: "first"}).Run(t.Context(), rig.CodexExec("an own session")...)
	succeeded(t, res, err)
	h := p.must("to", "codex", s.ID)
	term, err := bench.Codex(home, work, rig.Turn{Text: "going on here"}).Tty(t.Context(), 120, 40, h.Resume.Argv[1:]...)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{rig.TypedFirst, rig.SaidDone} {
		if err := term.WaitFor(text, soon); err != nil {
			t.Error("the transcript: ", err)
		}
	}
	if _, err := term.Close(); err != nil {
		t.Error(err)
	}
	pickerShows(t, func() (*rig.Terminal, error) {
		return bench.Codex(home, work).Tty(t.Context(), 120, 40, "resume")
	}, rig.TypedFirst)
}

// The terminal takes a prompt for what came into a home that was used before, by
// the printed command and after --index alike.
func TestCodexTerminalGoesOnInAUsedHome(t *testing.T) {
	for name, flags := range map[string][]string{"opened": nil, "indexed": {"--index"}} {
		t.Run(name, func(t *testing.T) {
			_, s := madeByClaude(t, rig.ClaudeText())
			home, work := s.Home, s.Work
			res, err := bench.Codex(home, work, rig.Turn{Text: "first"}).Run(t.Context(), rig.CodexExec("an own session")...)
			succeeded(t, res, err)
			box, err := bench.Codex(home, work).Host(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			res, err = box.Run(t.Context(), rig.Command{Argv: append([]string{program, "to", "codex", s.ID, "--no-input"}, flags...)})
			succeeded(t, res, err)
			words := strings.Fields(res.Stdout)
			term, err := bench.Codex(home, work, rig.Turn{Text: "a scripted answer"}).Tty(t.Context(), 120, 40, "resume", words[len(words)-1])
			if err != nil {
				t.Fatal(err)
			}
			if err := term.WaitFor(rig.SaidDone, soon); err != nil {
				t.Error("the transcript: ", err)
			}
			converse(t, term)
			if _, err := term.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestCodexPickerListsWhatWasIndexed(t *testing.T) {
	_, s := madeByClaude(t, rig.ClaudeText())
	home, work := s.Home, s.Work
	c := bench.Codex(home, work, rig.Turn{Text: "first"})
	res, err := c.Run(t.Context(), rig.CodexExec("an own session")...)
	succeeded(t, res, err)
	box, err := bench.Codex(home, work).Host(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	res, err = box.Run(t.Context(), rig.Command{Argv: []string{program, "to", "codex", s.ID, "--index", "--no-input"}})
	succeeded(t, res, err)
	if strings.Contains(res.Stderr, "did not index") {
		t.Error(res.Stderr)
	}
	pickerShows(t, func() (*rig.Terminal, error) {
		return bench.Codex(home, work).Tty(t.Context(), 120, 40, "resume")
	}, rig.TypedFirst)
}

func TestClaudePickerListsTheSessionByItsTitle(t *testing.T) {
	p, s := madeByCodex(t, rig.CodexTools())
	home, work := s.Home, s.Work
	h := p.must("to", "claude", s.ID)
	pickerShows(t, func() (*rig.Terminal, error) {
		return bench.Claude(home, work).Tty(t.Context(), 120, 40, "--resume")
	}, rig.TypedFirst)
	term, err := bench.Claude(home, work).Tty(t.Context(), 120, 40, h.Resume.Argv[1:]...)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{rig.TypedFirst, rig.SaidDone} {
		if err := term.WaitFor(text, soon); err != nil {
			t.Error("the transcript: ", err)
		}
	}
	if strings.Contains(term.Screen(), "could not be restored") {
		t.Error("the client could not restore the model")
	}
	if _, err := term.Close(); err != nil {
		t.Error(err)
	}
}

// pickerShows opens a picker and waits for a title in it.
func pickerShows(t *testing.T, open func() (*rig.Terminal, error), title string) {
	t.Helper()
	term, err := open()
	if err != nil {
		t.Fatal(err)
	}
	if err := term.WaitFor(title, soon); err != nil {
		t.Error("the picker: ", err)
	}
	if _, err := term.Close(); err != nil {
		t.Error(err)
	}
}
