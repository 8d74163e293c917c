package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestRulesReplaceWhatStandsBetweenTheMarks(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, ".golangci.yml")
	write(t, filepath.Join(dir, "go.mod"), "module example.org/m\n")
	write(t, filepath.Join(dir, "agent", "claude", "a.go"), "package claude\n")
	write(t, filepath.Join(dir, "agent", "codex", "a.go"), "package codex\n")
	write(t, name, "head:\n"+begin+"        old: rule\n"+end+"tail:\n")
	for range 2 { // writing twice changes nothing
		if err := run(dir); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		text := string(data)
		if !strings.HasPrefix(text, "head:\n"+begin+"        cmd-crosswalk:\n") || !strings.HasSuffix(text, end+"tail:\n") || strings.Contains(text, "old: rule") {
			t.Errorf("settings are\n%s", text)
		}
		for _, want := range []string{
			"        agent-claude:\n          list-mode: strict\n",
			"        agent-claude-tests:\n          list-mode: lax\n          files: [\"${base-path}/agent/claude/**_test.go\"]\n          allow: [example.org/m/agent/claude, example.org/m/agent/all$,",
			"            - { pkg: example.org/m/internal/patch$, desc: \"only for the rows that name it\" }\n",
		} {
			if strings.Count(text, want) != 1 {
				t.Errorf("settings lack\n%s", want)
			}
		}
	}
}

func TestMissingMarksAreAnError(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "go.mod"), "module example.org/m\n")
	write(t, filepath.Join(dir, ".golangci.yml"), "head:\n")
	if err := run(dir); err == nil {
		t.Error("a file without marks passes")
	}
}
