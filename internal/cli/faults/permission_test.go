//go:build unix

package faults

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// nobody is a user without rights, for tests that run as root.
const nobody = 65534

// person makes a machine whose user has no rights beyond its own files: as root
// another user, else the one who runs the tests. give hands the files over once
// they are there.
func person(t *testing.T) (m *machine, give func()) {
	t.Helper()
	m = newMachine(t)
	if os.Geteuid() != 0 {
		return m, func() {}
	}
	m.uid = nobody
	// The folders above are the tests' own.
	for dir := m.dir; dir != os.TempDir() && dir != "/"; dir = filepath.Dir(dir) {
		must(t, os.Chmod(dir, 0o755))
	}
	if err := m.command("crosswalk", "--version").Run(); err != nil {
		t.Skipf("runs where root can start the program as another user; here: %v", err)
	}
	return m, func() {
		must(t, filepath.WalkDir(m.dir, func(path string, _ fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			return os.Lchown(path, nobody, nobody)
		}))
	}
}

// closed leaves nobody more than the rights of mode on path until it is opened
// again.
func closed(t *testing.T, path string, mode fs.FileMode) (reopen func()) {
	t.Helper()
	info, err := os.Stat(path)
	must(t, err)
	must(t, os.Chmod(path, mode))
	reopen = func() { _ = os.Chmod(path, info.Mode().Perm()) }
	t.Cleanup(reopen)
	return reopen
}

// hint is what a missing permission makes the program say.
const hint = "look at the owner and the permissions"

// Where something may not be read or written the program says what, leaves
// nothing behind, and works once it may.
func TestMissingPermission(t *testing.T) {
	source := func(m *machine) string { return filepath.Join(m.claudeDir(), claudeID+".jsonl") }
	for name, c := range map[string]struct {
		// path is what the person may not use, with the rights that are left.
		path func(m *machine) string
		mode fs.FileMode
		// ready commands come before.
		ready [][]string
		args  []string
	}{
		"the session cannot be read":              {path: source, args: []string{"to", "codex", claudeID}},
		"the session by its path":                 {path: source, args: []string{"to", "codex", "$source"}},
		"the newest session here":                 {path: source, args: []string{"to", "codex"}},
		"the session to convert":                  {path: source, args: []string{"convert", "$source", "--to", "codex", "-o", "out.jsonl"}},
		"the session to check":                    {path: source, args: []string{"check", "$source"}},
		"the session to repair":                   {path: source, args: []string{"check", "$source", "--repair", "out.jsonl"}},
		"the session to show":                     {path: source, args: []string{"show", "$source"}},
		"the folder of the session":               {path: (*machine).claudeDir, args: []string{"to", "codex", claudeID}},
		"the folder of the session, unread":       {path: (*machine).claudeDir, args: []string{"to", "codex"}},
		"Codex's home cannot be written":          {path: (*machine).codexDir, mode: 0o555, args: []string{"to", "codex", claudeID, "--now", today}},
		"Codex's home is closed":                  {path: codexHome, args: []string{"to", "codex", claudeID, "--now", today}},
		"Claude Code's home is closed":            {path: claudeHome, args: []string{"to", "claude", codexID}},
		"Claude Code's project cannot be written": {path: (*machine).claudeDir, mode: 0o555, args: []string{"to", "claude", codexID}},
		"the home has no place for an agent":      {path: func(m *machine) string { return m.home }, mode: 0o555, args: []string{"to", "codex", claudeID}},
		"the folder to convert to":                {path: func(m *machine) string { return m.project }, mode: 0o555, args: []string{"convert", "$source", "--to", "codex", "-o", "out.jsonl"}},
		"the folder to repair to":                 {path: func(m *machine) string { return m.project }, mode: 0o555, args: []string{"check", "$source", "--repair", "out.jsonl"}},
		"the folder for a page":                   {path: func(m *machine) string { return m.project }, mode: 0o555, args: []string{"show", claudeID, "--html", "out.html"}},
		"the state cannot be written":             {path: func(m *machine) string { return m.state }, mode: 0o555, args: []string{"to", "codex", claudeID}},
		"the state cannot be entered":             {path: func(m *machine) string { return m.state }, args: []string{"to", "codex", claudeID}},
		"the journal cannot be read": {
			path: func(m *machine) string { return filepath.Join(m.state, "crosswalk", "journal", "handoff") }, args: []string{"to", "codex", claudeID},
			ready: [][]string{{"to", "claude", codexID}},
		},
		"the journal cannot be read to undo": {
			path: func(m *machine) string { return filepath.Join(m.state, "crosswalk", "journal", "handoff") }, args: []string{"undo", "-y"},
			ready: [][]string{{"to", "codex", claudeID}},
		},
		"the journal's day cannot be written": {
			path: func(m *machine) string {
				found, _ := filepath.Glob(filepath.Join(m.state, "crosswalk", "journal", "handoff", "*.jsonl"))
				return found[0]
			},
			mode: 0o444, args: []string{"to", "codex", claudeID},
			ready: [][]string{{"to", "claude", codexID}},
		},
		"the journal's day cannot be written to undo": {
			path: func(m *machine) string {
				found, _ := filepath.Glob(filepath.Join(m.state, "crosswalk", "journal", "handoff", "*.jsonl"))
				return found[0]
			},
			mode: 0o444, args: []string{"undo", "-y"},
			ready: [][]string{{"to", "codex", claudeID}},
		},
		"the key cannot be read": {
			path: func(m *machine) string { return filepath.Join(m.state, "crosswalk", "lineage.key") }, args: []string{"to", "codex", claudeID},
			ready: [][]string{{"to", "claude", codexID}},
		},
		"what is kept cannot be written": {
			path: func(m *machine) string { return filepath.Join(m.state, "crosswalk", "handoff") }, mode: 0o555, args: []string{"to", "codex", claudeID},
			ready: [][]string{{"to", "claude", codexID}},
		},
		"the target's folder cannot be written to undo": {
			path: (*machine).codexDir, mode: 0o555, args: []string{"undo", "-y"},
			ready: [][]string{{"to", "codex", claudeID, "--now", today}},
		},
		"the place for temporary files": {path: func(m *machine) string { return m.tmp }, mode: 0o555, args: []string{"check", "$source", "--repair", "out.jsonl"}},
		"the place for a dry run":       {path: func(m *machine) string { return m.tmp }, mode: 0o555, args: []string{"to", "codex", claudeID, "--dry-run"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, give := person(t)
			from := m.claudeSession(2, 100)
			m.codexSession(2, 100)
			if name == "the home has no place for an agent" {
				must(t, os.RemoveAll(filepath.Join(m.home, ".codex")))
			}
			give()
			for _, args := range c.ready {
				m.run(0, args...)
			}
			args := make([]string, len(c.args))
			for i, a := range c.args {
				if args[i] = a; a == "$source" {
					args[i] = from
				}
			}
			path := c.path(m)
			before := m.snapshot(m.home)
			reopen := closed(t, path, c.mode)
			m.refuses(1, []string{regexp.QuoteMeta(path), "permission denied", hint}, args...)
			reopen()
			m.wroteNothing(before)
			m.run(0, args...)
		})
	}
}

// A machine on which somebody used the program with other rights: its files
// belong to another user.
func TestStateOfAnotherUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("runs as root, who can give files to others")
	}
	t.Parallel()
	m, give := person(t)
	m.claudeSession(2, 100)
	give()
	root := *m
	root.uid = 0
	root.run(0, "to", "codex", claudeID)
	must(t, os.Chmod(filepath.Join(m.home, ".codex"), 0o777))
	before := m.snapshot(m.home)
	m.refuses(1, []string{regexp.QuoteMeta(m.state), hint}, "to", "codex", claudeID, "--again")
	m.refuses(1, []string{regexp.QuoteMeta(m.state), hint}, "undo", "-y")
	m.refuses(1, []string{regexp.QuoteMeta(m.state), hint}, "pull")
	m.refuses(1, []string{regexp.QuoteMeta(m.state), hint}, "lineage")
	m.unchanged(m.home, before)
	m.run(0, "sessions") // for which the state is only a help
	m.run(0, "show", claudeID)
}

// Names that people gave their sessions are a help, no more.
func TestNamesThatCannotBeRead(t *testing.T) {
	t.Parallel()
	m, give := person(t)
	m.codexSession(2, 100)
	index := filepath.Join(m.home, ".codex", "session_index.jsonl")
	m.put(index, `{"id":"`+codexID+`","thread_name":"Sort the list"}`+"\n")
	give()
	closed(t, index, 0)
	res := m.run(0, "to", "claude", codexID)
	if m.run(0, "sessions", "--all"); res.out == "" {
		t.Error("there is no result")
	}
}
