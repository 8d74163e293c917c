package claude_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/agent/claude"
	"github.com/crosswalk-agents/crosswalk/canon"
)

// A session's folder can hold anything: links, folders, pipes.
func TestPersistedOutputsFollowNoLink(t *testing.T) {
	for name, make := range map[string]func(dir, secret string) error{
		"the file": func(dir, secret string) error {
			return os.Symlink(secret, filepath.Join(dir, sessionID, "tool-results", "b1.txt"))
		},
		"the folder": func(dir, secret string) error {
			path := filepath.Join(dir, sessionID, "tool-results")
			if err := os.Remove(path); err != nil {
				return err
			}
			return os.Symlink(filepath.Dir(secret), path)
		},
		"the session's folder": func(dir, secret string) error {
			path := filepath.Join(dir, sessionID)
			if err := os.RemoveAll(path); err != nil {
				return err
			}
			return os.Symlink(filepath.Dir(filepath.Dir(secret)), path)
		},
	} {
		t.Run(name, func(t *testing.T) {
			elsewhere := filepath.Join(t.TempDir(), "tool-results")
			must(t, os.Mkdir(elsewhere, 0o755))
			secret := filepath.Join(elsewhere, "b1.txt")
			must(t, os.WriteFile(secret, []byte("SECRET"), 0o600))
			preview := `<persisted-output>\nFull output saved to: ` + secret + `\n\nPreview\n</persisted-output>`
			path := put(t, line("user", "u1", "", `"message":{"role":"user","content":"go"}`)+
				line("assistant", "a1", "u1", `"message":{"content":[{"type":"tool_use","id":"t1","name":"Bash","input":{}}]}`)+
				line("user", "r1", "a1", `"message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"`+preview+`"}]}`))
			must(t, os.MkdirAll(filepath.Join(filepath.Dir(path), sessionID, "tool-results"), 0o755))
			must(t, make(filepath.Dir(path), secret))
			got := read(t, path)
			if strings.Contains(strings.Join(got.lines, "\n"), "SECRET") {
				t.Errorf("a link was followed:\n%s", strings.Join(got.lines, "\n"))
			}
			if got.report.Notes["persisted-outputs-missing"] != 1 {
				t.Errorf("notes %v", got.report.Notes)
			}
		})
	}
}

// A small session can mention a large output as often as it has records. Each
// output is put back where it is mentioned first.
func TestPersistedOutputsArePutBackALimitedNumberOfTimes(t *testing.T) {
	const size, mentions = 40 << 20, 8
	file := line("user", "u1", "", `"message":{"role":"user","content":"go"}`)
	last := "u1"
	for i := range mentions {
		call, result := fmt.Sprint("a", i), fmt.Sprint("r", i)
		file += line("assistant", call, last, `"message":{"content":[{"type":"tool_use","id":"`+call+`","name":"Bash","input":{}}]}`) +
			line("user", result, call, `"message":{"content":[{"type":"tool_result","tool_use_id":"`+call+`","content":"<persisted-output>\nFull output saved to: /x/b1.txt\n\nPreview\n</persisted-output>"}]}`)
		last = result
	}
	path := put(t, file)
	dir := filepath.Join(filepath.Dir(path), sessionID, "tool-results")
	must(t, os.MkdirAll(dir, 0o755))
	must(t, os.WriteFile(filepath.Join(dir, "b1.txt"), nil, 0o600))
	must(t, os.Truncate(filepath.Join(dir, "b1.txt"), size))
	s, err := claude.New().Open(t.Context(), path, agent.OpenOptions{Report: new(canon.Report)})
	must(t, err)
	defer func() { must(t, s.Close()) }()
	full, preview := 0, 0
	for m, err := range s.Messages(t.Context()) {
		must(t, err)
		r, ok := m.First().(*canon.ToolResultBlock)
		if !ok {
			continue
		}
		if text := r.Content[0].(*canon.TextBlock).Text; text.Size() >= size {
			full++
		} else if text.HasPrefix("<persisted-output>") {
			preview++
		}
	}
	if full != 3 || preview != mentions-full {
		t.Errorf("%d outputs, %d previews", full, preview)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func fileLines(t *testing.T, path string) []string {
	t.Helper()
	b, err := os.ReadFile(path)
	must(t, err)
	return strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")
}
