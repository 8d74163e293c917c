package handoff_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/agent/claude"
	"github.com/crosswalk-agents/crosswalk/agent/codex"
	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/handoff"
)

// miscounting is Claude Code with a reader that counts wrong.
type miscounting struct {
	*claude.Agent
	count func(*canon.Report)
}

func (a miscounting) Open(ctx context.Context, path string, o agent.OpenOptions) (agent.Session, error) {
	s, err := a.Agent.Open(ctx, path, o)
	if o.Report != nil {
		a.count(o.Report)
	}
	return s, err
}

// A hand-over whose report does not balance fails, and leaves nothing.
func TestAReportThatDoesNotBalanceFailsTheHandOver(t *testing.T) {
	m := &canon.Message{Role: canon.User, Blocks: []canon.Block{&canon.ImageBlock{}}}
	for name, count := range map[string]func(*canon.Report){
		"read and lost":      func(r *canon.Report) { r.Ingest(m) },
		"written of nothing": func(r *canon.Report) { r.Emit(m) },
		"lost of nothing":    func(r *canon.Report) { r.Drop(m, "because") },
		"made and lost":      func(r *canon.Report) { r.Synthesize(m, "because") },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			_, err := handoff.Convert(t.Context(), miscounting{claude.New(), count}, "testdata/claude.jsonl", codex.New(), filepath.Join(dir, "out.jsonl"), handoff.Options{})
			if err == nil || !strings.Contains(err.Error(), "does not balance") {
				t.Errorf("error %v", err)
			}
			if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
				t.Errorf("left: %v, %v", left, err)
			}
		})
	}
}
