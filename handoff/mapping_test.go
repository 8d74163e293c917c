package handoff_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/agent/claude"
	"github.com/crosswalk-agents/crosswalk/agent/codex"
	"github.com/crosswalk-agents/crosswalk/handoff"
)

func TestMappingReadsTwoDirectories(t *testing.T) {
	for in, want := range map[string]handoff.Mapping{
		"/old=/new":      {Old: "/old", New: "/new"},
		"/old/=/new/":    {Old: "/old", New: "/new"},
		`C:\w=/home/me/`: {Old: `C:\w`, New: "/home/me"},
		"/a=/b=c":        {Old: "/a", New: "/b=c"},
		"/=/mnt":         {Old: "/", New: "/mnt"},
		`c:/=/mnt`:       {Old: "c:/", New: "/mnt"},
		`\\host\w=/mnt`:  {Old: `\\host\w`, New: "/mnt"},
	} {
		if got, err := handoff.ParseMapping(in); err != nil || got != want {
			t.Errorf("%q: %+v, %v", in, got, err)
		}
	}
	for _, in := range []string{"", "/old", "/old=", "=/new", "old=new", "/old=new", "-=/new", "~=/new", "/old=.", "c:=/new"} {
		if _, err := handoff.ParseMapping(in); err == nil {
			t.Errorf("%q was taken", in)
		}
	}
}

func TestMappingMovesTheSessionAndItsInputs(t *testing.T) {
	command := "cat /old/app/a.txt /older/b /old/application; cd /old/app && ls"
	input, err := json.Marshal(map[string]any{"file_path": "/old/app/x.go", "command": command, "n": 1.50})
	if err != nil {
		t.Fatal(err)
	}
	lines := []string{
		`{"type":"user","uuid":"u1","parentUuid":null,"cwd":"/old/app","message":{"role":"user","content":"Look at /old/app/x.go."}}`,
		`{"type":"assistant","uuid":"u2","parentUuid":"u1","message":{"id":"m","role":"assistant","content":[{"type":"tool_use","id":"t1","name":"Read","input":` + string(input) + `}]}}`,
		`{"type":"user","uuid":"u3","parentUuid":"u2","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"in /old/app"}]}}`,
	}
	path := filepath.Join(t.TempDir(), "11111111-2222-4333-8444-555555555555.jsonl")
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "out.jsonl")
	res, err := handoff.Convert(t.Context(), claude.New(), path, codex.New(), out,
		handoff.Options{Now: noon, Map: []handoff.Mapping{{Old: "/old/app", New: "/new"}}})
	if err != nil {
		t.Fatal(err)
	}
	if res.Resume.Dir != "/new" {
		t.Errorf("the session works in %q", res.Resume.Dir)
	}
	s, err := codex.New().Open(t.Context(), out, agent.OpenOptions{Home: agent.IsolatedHome(t.TempDir())})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if dir := s.Thread().Dir; dir != "/new" {
		t.Errorf("the file says %q", dir)
	}
	var got []string
	for m, err := range s.Messages(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		got = slices.AppendSeq(got, m.Texts())
	}
	got = slices.DeleteFunc(got, func(s string) bool { return s == "" })
	want := []string{
		"Look at /old/app/x.go.", "Read",
		`{"command":"cat /new/a.txt /older/b /old/application; cd /new && ls","file_path":"/new/x.go","n":1.5}`,
		"in /old/app",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
