package handoff_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/crosswalk-agents/crosswalk/agent"
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

// A desk hands over what it finds in a person's home, here one of our own with
// one session, and brings back what the other agent added.
func ExampleDesk() {
	ctx := context.Background()
	d, dir := home()
	defer func() { _ = os.RemoveAll(dir) }()

	session, err := d.Resolve(ctx, handoff.Wanted{Name: "5a3f0c1e", Dir: "/sample/greeter", Agent: "claude"})
	if err != nil {
		log.Fatal(err)
	}
	there, err := d.To(ctx, &session.Entry, "codex", handoff.Options{}, false)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("resume with:", strings.ReplaceAll(strings.Join(there.Resume.Argv, " "), there.Target.ID, "ID"))

	// This is what somebody who works in Codex adds.
	answer := `{"timestamp":"2026-11-30T10:00:00.000Z","type":"response_item","payload":` +
		`{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Looks good."}]}}` + "\n"
	if err := add(there.Target.Path, answer); err != nil {
		log.Fatal(err)
	}

	grown, err := d.Resolve(ctx, handoff.Wanted{Name: there.Target.ID, Dir: "/sample/greeter", Agent: "codex"})
	if err != nil {
		log.Fatal(err)
	}
	back, err := d.Pull(ctx, &grown.Entry, handoff.PullOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("brought back:", back.Report.Emitted[canon.CountMessage], "message")
	fmt.Println("into the original:", back.Target.ID == session.ID)
	// Output:
	// resume with: codex resume ID
	// brought back: 1 message
	// into the original: false
}

// home makes a home with one session of Claude Code.
func home() (d *handoff.Desk, dir string) {
	dir, err := os.MkdirTemp("", "example-")
	if err != nil {
		log.Fatal(err)
	}
	data, err := os.ReadFile("testdata/claude.jsonl")
	if err != nil {
		log.Fatal(err)
	}
	file := filepath.Join(dir, ".claude", "projects", claude.ProjectDirName("/sample/greeter"), "5a3f0c1e-7d2b-4c8e-9f10-2b6d8e4a1c77.jsonl")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(file, data, 0o600); err != nil {
		log.Fatal(err)
	}
	return &handoff.Desk{
		Agents: []agent.Agent{claude.New(), codex.New()}, Home: agent.IsolatedHome(dir), State: filepath.Join(dir, "state"),
	}, dir
}

// add appends text to a file.
func add(file, text string) error {
	f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}
