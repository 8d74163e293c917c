//go:build unix

package faults

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// What killed hand-overs left anywhere in the target's home and in the state is
// removed by the next one, once it is a minute old. Nothing else is.
func TestLeftoversAreRemovedByTheNextHandOver(t *testing.T) {
	const left, other = ".crosswalk-0123456789abcdef.tmp", ".crosswalk-notes.tmp"
	for to, c := range map[string]struct {
		session string
		dirs    func(m *machine) []string
	}{
		"codex": {claudeID, func(m *machine) []string {
			return []string{m.codexDir(), filepath.Join(m.home, ".codex", "sessions", "2026", "11", "28")}
		}},
		"claude": {codexID, func(m *machine) []string { return []string{m.claudeDir()} }},
	} {
		t.Run(to, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t)
			m.claudeSession(2, 10)
			m.codexSession(2, 10)
			m.run(0, "sessions")
			ago := time.Now().Add(-2 * time.Minute)
			var gone, stay []string
			for _, dir := range append(c.dirs(m), filepath.Join(m.state, "crosswalk", "cache")) {
				gone = append(gone, filepath.Join(dir, left))
				stay = append(stay, filepath.Join(dir, strings.ReplaceAll(left, "0", "1")), filepath.Join(dir, other))
			}
			for _, path := range append(gone, stay...) {
				m.put(path, "half a session")
				if !strings.Contains(path, "1123456789abcdef") { // that one is young
					must(t, os.Chtimes(path, ago, ago))
				}
			}
			kept := filepath.Join(m.state, "crosswalk", "handoff", "0190a1b2-c3d4-8000-8000-00000000dead")
			m.put(filepath.Join(kept, "links"), "links of a hand-over that the journal does not know")
			old := time.Now().Add(-2 * time.Hour)
			must(t, os.Chtimes(kept, old, old))

			m.grow(m.source(c.session), 9) // so that the listing is written anew
			before := m.snapshot(m.home)
			m.run(0, "to", to, c.session)
			m.run(0, "undo", "-y")
			for _, path := range append(gone, kept) {
				if _, err := os.Lstat(path); err == nil {
					t.Errorf("%q is still there", path)
				}
			}
			for _, path := range stay {
				if _, err := os.Lstat(path); err != nil {
					t.Error(err)
				}
			}
			for _, diff := range before.Changes(m.snapshot(m.home)) {
				if !strings.HasSuffix(diff, left) && !strings.HasPrefix(diff, "-.codex/sessions/2026/11/28") {
					t.Errorf("changed: %q", diff)
				}
			}
		})
	}
}

// source returns the file of the session with that id.
func (m *machine) source(id string) string {
	if id == codexID {
		return m.rollout()
	}
	return filepath.Join(m.claudeDir(), claudeID+".jsonl")
}

// A power cut can tear the last line of the journal, and cut off what was kept.
func TestJournalThatEndsInATornLine(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.claudeSession(2, 10)
	m.run(0, "to", "codex", claudeID, "--id", newID, "--now", today)
	m.grow(m.written(), 9)
	found, err := filepath.Glob(filepath.Join(m.state, "crosswalk", "journal", "handoff", "*.jsonl"))
	must(t, err)
	whole := m.read(found[0])
	m.run(0, "pull", newID, "--id", pulledID, "--now", today)
	text := m.read(found[0])
	for _, cut := range []int{len(whole) + 1, (len(whole) + len(text)) / 2, len(text) - 2} {
		must(t, os.WriteFile(found[0], []byte(text[:cut]), 0o600))
		if n := m.remembered(); n != 1 {
			t.Errorf("cut at %d of %d: %d hand-overs are remembered", cut, len(text), n)
		}
		before := m.snapshot(m.home)
		m.run(0, "pull", newID)
		m.run(0, "undo", "-y")
		m.unchanged(m.home, before)
	}
}

// A last line that is not complete waits: what is read ends before it, and that
// is said.
func TestTornLastLineIsSaid(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	source, rollout := m.claudeSession(2, 10), m.codexSession(2, 10)
	for _, c := range []struct {
		path, to string
		lines    string
	}{{source, "codex", "4"}, {rollout, "claude", "9"}} {
		whole := m.read(c.path)
		torn := strings.Join(m.turn(c.path, whole, 3), "\n")[:60]
		m.put(c.path, whole+torn)
		res := m.run(0, "convert", c.path, "--to", c.to, "-o", c.to+".jsonl")
		if !strings.Contains(res.err, "read up to line "+c.lines+": what follows is not complete yet") {
			t.Errorf("it does not say how far it read:\n%s", res.err)
		}
		res = m.run(0, "convert", c.path, "--to", c.to, "--json", "--dry-run")
		if !regexp.MustCompile(`"read":\{"lines":` + c.lines + `,"bytes":[0-9]+,"torn":60\}`).MatchString(res.out) {
			t.Errorf("the report does not say how far it read: %s", res.out)
		}
	}
}

// The copy that a pull makes of a session whose client is writing holds its
// records, and no part of one.
func TestPullIntoASessionThatIsBeingWritten(t *testing.T) {
	for name, to := range map[string][]string{"claude": {"to", "codex", claudeID}, "codex": {"to", "claude", codexID}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t)
			m.claudeSession(2, 10)
			m.codexSession(2, 10)
			m.run(0, append(to, "--id", newID, "--now", today)...)
			m.grow(m.written(), 9)
			original := m.source(to[2])
			whole := m.read(original)
			m.put(original, whole+strings.Join(m.turn(original, whole, 3), "\n")[:60])
			before := m.snapshot(filepath.Dir(original))
			m.run(0, "pull", newID, "--id", pulledID, "--now", today)
			for _, path := range m.sessionFiles() {
				if strings.Contains(path, pulledID) {
					m.run(0, "check", path)
					text := m.read(path)
					for line := range strings.Lines(text) {
						if !json.Valid([]byte(line)) {
							t.Errorf("the copy holds a part of a record: %q", line)
						}
					}
					if !strings.Contains(text, "answer 2") || !strings.Contains(text, "answer 9") {
						t.Errorf("the copy holds\n%s", text)
					}
				}
			}
			m.run(0, "undo", "-y")
			m.unchanged(filepath.Dir(original), before)
		})
	}
}
