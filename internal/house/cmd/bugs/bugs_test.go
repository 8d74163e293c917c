package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The names below are of no real repository.
const (
	sessionList = `# List

| report | symptom | right behaviour |
|---|---|---|
| some/agent#12 | torn | read on |
| some/agent PR 3 | glued | split |
| other/tool.js#120 | lost | keep |

A line between.

| not a list | symptom |
|---|---|
| some/agent#99 | no |
`
	hookList = `| # | report | symptom | right behaviour |
|---|---|---|---|
| 7 | some/agent#700, #701 | late | early |
| 8 | third/thing#5 | loud | still |
`
)

func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestRowsAreCoveredByTheirKeys(t *testing.T) {
	const all = `hook-bugs.md:3  7 some/agent#700, #701  late
hook-bugs.md:4  8 third/thing#5  loud
hook-bugs.md: 0 of 2 rows have a test
session-bugs.md:5  some/agent#12  torn
session-bugs.md:6  some/agent PR 3  glued
session-bugs.md:7  other/tool.js#120  lost
session-bugs.md: 0 of 3 rows have a test
`
	for name, c := range map[string]struct {
		file    string
		tests   map[string]string
		want    string
		missing int
	}{
		"no test": {"", nil, all, 5},
		"what is no test does not count": {"", map[string]string{
			"a.go":      "package a\n\nconst s = `some/agent#12`\n",
			"a_test.go": "package a\n\n// some/agent#12\n\nvar s = `some/agent#1200 some/agent#1 awesome/agent-x#12 some/agent PR 30`\n",
			"notes.txt": "some/agent#12",
		}, all, 5},
		"strings, file names, archives, ids": {"", map[string]string{
			"a/a_test.go":                   "package a\n\nvar s = []string{`reported in some/agent#12`, `Tool.js-120`, \"hook/8\"}\n",
			"a/testdata/some_agent_701.txt": "",
			"a/testdata/x.txtar":            "see Agent PR3\n",
		}, "hook-bugs.md: 2 of 2 rows have a test\nsession-bugs.md: 3 of 3 rows have a test\n", 0},
		"one list": {"session-bugs.md", map[string]string{
			"a_test.go": "package a\n\nvar s = `some/agent#12`\n",
		}, "session-bugs.md:6  some/agent PR 3  glued\nsession-bugs.md:7  other/tool.js#120  lost\nsession-bugs.md: 1 of 3 rows have a test\n", 2},
	} {
		t.Run(name, func(t *testing.T) {
			facts, root := t.TempDir(), t.TempDir()
			write(t, facts, map[string]string{"session-bugs.md": sessionList, "hook-bugs.md": hookList, "lessons.md": "| report |\n|---|\n| a#1 |\n"})
			write(t, root, c.tests)
			var out bytes.Buffer
			missing, err := run(facts, c.file, root, &out)
			if err != nil {
				t.Fatal(err)
			}
			if missing != c.missing {
				t.Errorf("%d missing, want %d", missing, c.missing)
			}
			if diff := cmp.Diff(c.want, out.String()); diff != "" {
				t.Errorf("output (-want +got):\n%s", diff)
			}
		})
	}
}

func TestNoListIsAnError(t *testing.T) {
	if _, err := run(t.TempDir(), "", t.TempDir(), &bytes.Buffer{}); err == nil {
		t.Error("an empty folder passes for lists")
	}
}
