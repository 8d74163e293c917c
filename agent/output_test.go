package agent_test

import (
	"context"
	"iter"
	"os"
	"path/filepath"
	"testing"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/jsonl"
)

// readBack is a session that holds what it is told to.
type readBack struct {
	agent.Session
	msgs []*canon.Message
}

func (s readBack) Messages(context.Context) canon.Messages {
	return func(yield func(*canon.Message, error) bool) {
		for _, m := range s.msgs {
			if !yield(m, nil) {
				return
			}
		}
	}
}
func (readBack) Close() error { return nil }

var _ iter.Seq2[*canon.Message, error] = canon.Messages(nil)

// A file that does not read back as what was written gets no name.
func TestAFileThatReadsBackDifferentlyIsRefused(t *testing.T) {
	says := func(role canon.Role, texts ...string) *canon.Message {
		m := &canon.Message{Role: role}
		for _, s := range texts {
			m.Blocks = append(m.Blocks, &canon.TextBlock{Text: canon.NewText(s)})
		}
		return m
	}
	call := func(input string) *canon.Message {
		return &canon.Message{Role: canon.Assistant, Blocks: []canon.Block{
			&canon.ToolCallBlock{CallID: "c", Name: "n", Call: canon.CallFunction, Input: canon.Input{JSON: canon.Raw(input)}},
		}}
	}
	wrote := []*canon.Message{says(canon.User, "ask"), says(canon.Assistant, "one", "two"), call(`{"a":1}`)}
	for name, tt := range map[string]struct {
		read []*canon.Message
		ok   bool
	}{
		"the same":          {wrote, true},
		"grouped otherwise": {[]*canon.Message{wrote[0], says(canon.Assistant, "one"), says(canon.Assistant, "two"), wrote[2]}, true},
		"nothing":           {nil, false},
		"the last missing":  {wrote[:2], false},
		"the first missing": {wrote[1:], false},
		"one more":          {append(wrote[:3:3], says(canon.User, "more")), false},
		"another text":      {[]*canon.Message{wrote[0], says(canon.Assistant, "one", "2"), wrote[2]}, false},
		"another order":     {[]*canon.Message{wrote[1], wrote[0], wrote[2]}, false},
		"another speaker":   {[]*canon.Message{says(canon.Assistant, "ask"), wrote[1], wrote[2]}, false},
		"another input":     {[]*canon.Message{wrote[0], wrote[1], call(`{"a":2}`)}, false},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "out.jsonl")
			var r canon.Report
			out, err := agent.CreateOutput(path, &r)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range wrote {
				out.Emit(m)
			}
			if err := out.WriteLine([]byte(`{}`)); err != nil {
				t.Fatal(err)
			}
			_, err = out.Commit(t.Context(), &agent.WriteOptions{ID: "x"}, func(context.Context, *jsonl.File) (agent.Session, error) {
				return readBack{msgs: tt.read}, nil
			})
			if (err == nil) != tt.ok {
				t.Errorf("error %v", err)
			}
			_ = out.Abort()
			if _, err := os.Lstat(path); (err == nil) != tt.ok {
				t.Errorf("the file: %v", err)
			}
		})
	}
}
