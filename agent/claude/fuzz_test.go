package claude

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/agent/agenttest"
	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/fixture"
	"github.com/crosswalk-agents/crosswalk/internal/jsonl"
)

// FuzzOpen reads arbitrary bytes as a session, in both views: it never panics,
// and always ends.
func FuzzOpen(f *testing.F) {
	for _, a := range fixture.Archives(f, "testdata/spec") {
		f.Add(a.Files[0].Data, "")
	}
	f.Add([]byte{}, "u1")
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte, branch string) {
		for _, view := range []agent.View{agent.ModelView, agent.FullView} {
			var r canon.Report
			path := filepath.Join(dir, "3461a501-2395-4ab5-a984-0865d6eb74a6.jsonl")
			s, err := open(t.Context(), jsonl.FromBytes(path, data), path, agent.OpenOptions{View: view, Branch: branch, Report: &r})
			if err != nil {
				continue
			}
			agenttest.Drain(t, s, &r)
		}
	})
}

// FuzzPeek lists arbitrary bytes as a session.
func FuzzPeek(f *testing.F) {
	f.Add([]byte(`{"type":"user","uuid":"u1","parentUuid":null,"message":{"role":"user","content":"hi"}}` + "\n"))
	f.Add([]byte("\x00\ufeff{"))
	path := filepath.Join(f.TempDir(), "3461a501-2395-4ab5-a984-0865d6eb74a6.jsonl")
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if e, err := newPeeker().peek(t.Context(), path, "x", info.ModTime()); err != nil || e.Size != int64(len(data)) {
			t.Errorf("%+v, %v", e, err)
		}
	})
}
