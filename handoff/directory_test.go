package handoff_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/crosswalk-agents/crosswalk/agent/claude"
	"github.com/crosswalk-agents/crosswalk/agent/codex"
	"github.com/crosswalk-agents/crosswalk/handoff"
)

// A directory leads to a command line, so it is an absolute one or none.
func TestSessionsWorkInAbsoluteDirectories(t *testing.T) {
	for _, x := range []struct {
		said, want string
		maps       []handoff.Mapping
	}{
		{"/old/app", "/old/app", nil},
		{`C:\\w`, `C:\w`, nil},
		{"-", "/here", nil},
		{"rel/app", "/here", nil},
		{"~/app", "/here", nil},
		{"", "/here", nil},
		{"/old/app", "/mnt/old/app", []handoff.Mapping{{Old: "/", New: "/mnt"}}},
		{"/old/app", "/app", []handoff.Mapping{{Old: "/old", New: "/"}}},
		{"/old", "/", []handoff.Mapping{{Old: "/old", New: "/"}}},
		{`C:\\w\\app`, "/mnt/w/app", []handoff.Mapping{{Old: `C:\`, New: "/mnt"}}},
		{"/older/app", "/older/app", []handoff.Mapping{{Old: "/old", New: "/new"}}},
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, "11111111-2222-4333-8444-555555555555.jsonl")
		text := strings.ReplaceAll(`{"type":"user","uuid":"u1","parentUuid":null,"cwd":"DIR","message":{"role":"user","content":"go"}}`, "DIR", x.said) + "\n"
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		res, err := handoff.Convert(t.Context(), claude.New(), path, codex.New(), filepath.Join(dir, "out.jsonl"),
			handoff.Options{Now: noon, HereDir: "/here", Map: x.maps})
		if err != nil {
			t.Fatal(err)
		}
		if res.Resume.Dir != x.want {
			t.Errorf("%q with %v: %q, want %q", x.said, x.maps, res.Resume.Dir, x.want)
		}
	}
}
