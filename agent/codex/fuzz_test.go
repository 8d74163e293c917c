package codex

import (
	"hash/maphash"
	"os"
	"path/filepath"
	"testing"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/agent/agenttest"
	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/fixture"
	"github.com/crosswalk-agents/crosswalk/internal/jsonl"
)

// FuzzOpen reads arbitrary bytes as a rollout, of any form and in both views: it
// never panics, and always ends.
func FuzzOpen(f *testing.F) {
	for _, a := range fixture.Archives(f, "testdata/spec") {
		f.Add(a.Files[0].Data, filepath.Ext(a.Files[0].Name) == ".json")
	}
	dir := f.TempDir()
	home := agent.IsolatedHome(dir)
	f.Fuzz(func(t *testing.T, data []byte, document bool) {
		path := filepath.Join(dir, "rollout-2026-11-30T10-00-00-019e1f50-34f4-78d4-9cc6-9de3a603a98e.jsonl")
		if document {
			path = path[:len(path)-1]
		}
		for _, view := range []agent.View{agent.ModelView, agent.FullView} {
			var r canon.Report
			s := &session{opts: agent.OpenOptions{View: view, Report: &r, Home: home}, seed: maphash.MakeSeed()}
			if err := s.openOwn(t.Context(), jsonl.FromBytes(path, data), path); err != nil {
				continue
			}
			agenttest.Drain(t, s, &r)
		}
	})
}

// FuzzPeek lists arbitrary bytes as a rollout.
func FuzzPeek(f *testing.F) {
	f.Add([]byte(`{"timestamp":"x","type":"session_meta","payload":{"id":"x"}}`+"\n"), uint8(0))
	f.Add([]byte(`{"session":{},"items":[]}`), uint8(1))
	f.Add([]byte{0x28, 0xB5, 0x2F, 0xFD}, uint8(2))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte, kind uint8) {
		path := filepath.Join(dir, "rollout-x"+[]string{".jsonl", ".json", ".jsonl.zst"}[kind%3])
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		// A broken compression is an error; nothing else is.
		if err := newPeeker().peek(t.Context(), path); err != nil && kind%3 == 0 && (len(data) < 4 || data[0] != 0x28) {
			t.Error(err)
		}
	})
}
