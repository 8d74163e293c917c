//go:build unix

package faults

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// occupants are what may stand where a file is to be written.
func occupants() map[string]func(path string) error {
	return map[string]func(path string) error{
		"file":           func(path string) error { return os.WriteFile(path, []byte("mine"), 0o644) },
		"folder":         func(path string) error { return os.Mkdir(path, 0o755) },
		"link":           func(path string) error { return os.Symlink("/etc/hostname", path) },
		"dangling link":  func(path string) error { return os.Symlink("nowhere", path) },
		"link to itself": func(path string) error { return os.Symlink(filepath.Base(path), path) },
	}
}

// A name that is taken is refused, whatever has it, with the name and a way out.
func TestNameThatIsTakenIsNotWrittenOver(t *testing.T) {
	for name, occupy := range occupants() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t)
			source := m.claudeSession(2, 100)
			rollout := m.codexSession(2, 100)
			out := filepath.Join(m.project, "out.jsonl")
			ofCodex := filepath.Join(m.codexDir(), "rollout-2026-12-01T10-00-00-"+newID+".jsonl")
			ofClaude := filepath.Join(m.claudeDir(), newID+".jsonl")
			for _, path := range []string{out, ofCodex, ofClaude} {
				must(t, occupy(path))
			}
			before := m.snapshot(m.dir)
			for _, c := range []struct {
				path string
				args []string
			}{
				{ofCodex, []string{"to", "codex", claudeID, "--id", newID, "--now", today}},
				{ofClaude, []string{"to", "claude", codexID, "--id", newID, "--now", today}},
				{out, []string{"convert", source, "--to", "codex", "-o", out}},
				{out, []string{"convert", rollout, "--to", "claude", "-o", out}},
				{out, []string{"check", source, "--repair", out}},
				{out, []string{"check", rollout, "--repair", out}},
			} {
				m.refuses(1, []string{`(?m)^crosswalk: .*"` + c.path + `".*exist`, "choose another"}, c.args...)
			}
			if m.remembered() > 0 {
				t.Error("a hand-over is remembered that never was")
			}
			must(t, os.RemoveAll(m.state))
			must(t, os.Mkdir(m.state, 0o755))
			m.unchanged(m.dir, before)
		})
	}
}

// An id that is taken is refused in every place where the client would find it,
// not only under the same name.
func TestIDThatIsTakenIsNotGivenAgain(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.claudeSession(2, 100)
	m.codexSession(2, 100)
	for _, to := range [][]string{{"to", "codex", claudeID}, {"to", "claude", codexID}} {
		m.run(0, append(to, "--id", newID, "--now", today)...)
		before := m.snapshot(m.home)
		again := append(to, "--again", "--id", newID, "--now")
		m.refuses(1, []string{newID, "exist", "choose another"}, append(again, today)...)
		m.refuses(1, []string{newID, "exist", "choose another"}, append(again, "2026-12-02T11:30:00Z")...)
		m.unchanged(m.home, before)
		// The same hand-over once more is no new one.
		m.run(0, append(to, "--id", newID, "--now", today)...)
		m.unchanged(m.home, before)
	}
	if n := m.remembered(); n != 2 {
		t.Errorf("%d hand-overs are remembered, want 2", n)
	}
}

// The folder that goes with a copy is not put into the place of another.
func TestSideFolderThatIsTakenIsNotWrittenOver(t *testing.T) {
	for name, occupy := range map[string]func(path string) error{
		"file": func(path string) error { return os.WriteFile(path, []byte("mine"), 0o644) },
		"link": func(path string) error { return os.Symlink("nowhere", path) },
		"folder": func(path string) error {
			return errors.Join(os.Mkdir(path, 0o755), os.WriteFile(filepath.Join(path, "mine"), nil, 0o600))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t)
			m.claudeSession(2, 100)
			m.side(100)
			m.make([][]string{{"to", "codex", claudeID, "--id", newID, "--now", today}, {"grow"}})
			side := filepath.Join(m.claudeDir(), pulledID)
			must(t, occupy(side))
			before := m.snapshot(m.home)
			m.refuses(1, []string{`"` + side + `": .*exist`, "choose another"}, "pull", newID, "--id", pulledID)
			m.wroteNothing(before)
			if n := m.remembered(); n != 1 {
				t.Errorf("%d hand-overs are remembered, want 1", n)
			}
		})
	}
}
