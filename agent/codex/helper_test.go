package codex_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/agent/agenttest"
	"github.com/crosswalk-agents/crosswalk/agent/codex"
	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/atomicfile"
)

const newID = "0190a1b2-c3d4-7000-8000-00000000abcd"

func noEnv(string) string { return "" }

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func writeOptions(home agent.Home) agent.WriteOptions {
	return agent.WriteOptions{
		Home: home, ID: newID, Now: time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC), Report: new(canon.Report),
		Marker: agent.Marker{SourceAgent: "claude", SourceID: "3461", Handoff: "h-1", Version: "test"},
		File:   []atomicfile.Option{atomicfile.Sync(false)},
	}
}

func thread() canon.Thread {
	return canon.Thread{ID: "3461", Agent: "claude", Dir: "/w", Git: canon.Git{Branch: "main", Commit: "abc"}, Created: time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC)}
}

func text(s string) canon.Block { return &canon.TextBlock{Text: canon.NewText(s)} }

func typed(blocks ...canon.Block) *canon.Message {
	return &canon.Message{Role: canon.User, Blocks: blocks}
}

func injected(s string) *canon.Message {
	return &canon.Message{Role: canon.User, Kind: canon.Injected, Blocks: []canon.Block{text(s)}}
}

func said(blocks ...canon.Block) *canon.Message {
	return &canon.Message{Role: canon.Assistant, Blocks: blocks}
}

func calls(id, name string) *canon.ToolCallBlock {
	return &canon.ToolCallBlock{CallID: id, Name: name, Call: canon.CallFunction, Input: canon.Input{JSON: canon.Raw(`{"a":1}`)}}
}

func result(id string, content ...canon.Block) *canon.ToolResultBlock {
	return &canon.ToolResultBlock{CallID: id, Content: content}
}

func picture(typ, data string) canon.Block {
	return &canon.ImageBlock{Media: canon.Media{MediaType: typ, Data: canon.NewText(data)}}
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

// record is what these tests look at in a written line.
type record struct {
	Timestamp, Type string
	Ordinal         *int
	Payload         struct {
		Type, Role, Message, Name, Namespace, Arguments, Input string
		ID, SessionID, CWD, Originator                         string
		Timestamp, Source                                      string
		CLIVersion                                             string  `json:"cli_version"`
		ThreadSource                                           string  `json:"thread_source"`
		ModelProvider                                          *string `json:"model_provider"`
		HistoryMode                                            *string
		Git                                                    map[string]string
		Sesh                                                   json.RawMessage
		Crosswalk                                              json.RawMessage
		CallID                                                 string `json:"call_id"`
		TurnID                                                 string `json:"turn_id"`
		ThreadName                                             string `json:"thread_name"`
		LastAgentMessage                                       *string
		Content, Output                                        json.RawMessage
	}
}

// label names a record in a word.
func (r record) label() string {
	switch {
	case r.Payload.Type == "message":
		return r.Payload.Role
	case r.Payload.Type != "":
		return r.Payload.Type
	}
	return r.Type
}

type file struct {
	path    string
	lines   []string
	records []record
	report  *canon.Report
}

func (f *file) labels() (out []string) {
	for _, r := range f.records {
		out = append(out, r.label())
	}
	return out
}

func writeFile(t *testing.T, o agent.WriteOptions, th canon.Thread, msgs ...*canon.Message) *file {
	t.Helper()
	w, err := codex.New().Write(t.Context(), th, stream(msgs...), o)
	must(t, err)
	b, err := os.ReadFile(w.Path)
	must(t, err)
	f := &file{path: w.Path, lines: strings.Split(strings.TrimSuffix(string(b), "\n"), "\n"), report: o.Report}
	for _, l := range f.lines {
		var r record
		if err := json.Unmarshal([]byte(l), &r); err != nil {
			t.Fatalf("%s: %v", l, err)
		}
		f.records = append(f.records, r)
	}
	return f
}

func written(t *testing.T, msgs ...*canon.Message) *file {
	t.Helper()
	return writeFile(t, writeOptions(agent.Home{Dir: t.TempDir(), Getenv: noEnv}), thread(), msgs...)
}

// put writes a rollout and returns its path.
func put(t *testing.T, data string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), rollout(threadID))
	must(t, os.WriteFile(path, []byte(data), 0o600))
	return path
}

// read returns what a file says, its calls and results paired or not.
func read(t *testing.T, path string, heal bool) (lines []string, r *canon.Report, th canon.Thread) {
	t.Helper()
	r = new(canon.Report)
	s, err := codex.New().Open(t.Context(), path, agent.OpenOptions{Report: r, Home: agent.Home{Dir: t.TempDir(), Getenv: noEnv}})
	must(t, err)
	defer func() { must(t, s.Close()) }()
	msgs := s.Messages(t.Context())
	if heal {
		msgs = canon.Heal(msgs, s.Calls(), r)
	}
	lines, err = agenttest.Lines(msgs)
	must(t, err)
	return lines, r, s.Thread()
}

func same(t *testing.T, got []string, want ...string) {
	t.Helper()
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}
