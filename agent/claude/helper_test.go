package claude_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/agent/agenttest"
	"github.com/crosswalk-agents/crosswalk/agent/claude"
	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/atomicfile"
)

const newID = "0190a1b2-c3d4-7000-8000-00000000abcd"

func noEnv(string) string { return "" }

func writeOptions(home agent.Home) agent.WriteOptions {
	return agent.WriteOptions{
		Home: home, ID: newID, Now: time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC), Report: new(canon.Report),
		Marker: agent.Marker{SourceAgent: "codex", SourceID: "019e", Handoff: "h-1", Version: "test"},
		File:   []atomicfile.Option{atomicfile.Sync(false)},
	}
}

func thread() canon.Thread {
	return canon.Thread{ID: "019e", Agent: "codex", Dir: "/w", Git: canon.Git{Branch: "main"}, Created: time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC)}
}

func text(s string) canon.Block { return &canon.TextBlock{Text: canon.NewText(s)} }

func typed(s string) *canon.Message {
	return &canon.Message{Role: canon.User, Blocks: []canon.Block{text(s)}}
}

func said(blocks ...canon.Block) *canon.Message {
	return &canon.Message{Role: canon.Assistant, Blocks: blocks}
}

func answered(blocks ...canon.Block) *canon.Message {
	return &canon.Message{Role: canon.User, Blocks: blocks}
}

func calls(id, input string) *canon.ToolCallBlock {
	return &canon.ToolCallBlock{CallID: id, Name: "Bash", Call: canon.CallFunction, Input: canon.Input{JSON: canon.Raw(input)}}
}

func result(id, s string) *canon.ToolResultBlock {
	return &canon.ToolResultBlock{CallID: id, Content: []canon.Block{text(s)}}
}

func stream(msgs ...*canon.Message) canon.Messages {
	return func(yield func(*canon.Message, error) bool) {
		for i, m := range msgs {
			if m.Line == 0 {
				m.Line = i + 1
			}
			if !yield(m, nil) {
				return
			}
		}
	}
}

// written writes msgs and returns the file's lines and the options' report.
func written(t *testing.T, msgs ...*canon.Message) (lines []string, r *canon.Report) {
	t.Helper()
	o := writeOptions(agent.Home{Dir: t.TempDir(), Getenv: noEnv})
	w, err := claude.New().Write(t.Context(), thread(), stream(msgs...), o)
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(w.Path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(b), "\n"), "\n"), o.Report
}

// put writes a session file and returns its path.
func put(t *testing.T, data string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), sessionID+".jsonl")
	if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// reading is what a file gives.
type reading struct {
	lines  []string
	report canon.Report
	thread canon.Thread
}

func read(t *testing.T, path string) *reading {
	t.Helper()
	r := new(reading)
	s, err := claude.New().Open(t.Context(), path, agent.OpenOptions{Report: &r.report, Home: agent.Home{Dir: t.TempDir(), Getenv: noEnv}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	if r.lines, err = agenttest.Lines(s.Messages(t.Context())); err != nil {
		t.Fatal(err)
	}
	r.thread = s.Thread()
	return r
}

// healed reads a file as a hand-over does.
func healed(t *testing.T, path string) ([]string, *canon.Report) {
	t.Helper()
	r := new(canon.Report)
	s, err := claude.New().Open(t.Context(), path, agent.OpenOptions{Report: r, Home: agent.Home{Dir: t.TempDir(), Getenv: noEnv}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	lines, err := agenttest.Lines(canon.Heal(s.Messages(t.Context()), s.Calls(), r))
	if err != nil {
		t.Fatal(err)
	}
	return lines, r
}

func same(t *testing.T, got []string, want ...string) {
	t.Helper()
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}
