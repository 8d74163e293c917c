package handoff_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/crosswalk-agents/crosswalk/agent/claude"
	"github.com/crosswalk-agents/crosswalk/agent/codex"
	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/handoff"
)

// A session file of Claude Code becomes one that Codex resumes. The report
// accounts for everything that was in it.
func ExampleConvert() {
	dir, err := os.MkdirTemp("", "example-")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()

	res, err := handoff.Convert(context.Background(), claude.New(), "testdata/claude.jsonl",
		codex.New(), filepath.Join(dir, "rollout.jsonl"), handoff.Options{})
	if err != nil {
		log.Fatal(err)
	}
	r := &res.Report
	fmt.Println("tool calls:", r.Ingested[canon.CountKind(canon.KindToolCall)], "in,", r.Emitted[canon.CountKind(canon.KindToolCall)], "out")
	fmt.Println("reasoning:", r.Dropped[canon.CountKind(canon.KindReasoning)], "dropped")
	fmt.Println("balanced:", r.Balance() == nil)
	// Output:
	// tool calls: 4 in, 4 out
	// reasoning: 1 dropped
	// balanced: true
}
