//go:build conformance

package conformance_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/crosswalk-agents/crosswalk/conformance/rig"
)

// runners starts a headless turn of each client.
var runners = map[string]func(ctx context.Context, home, work string, script ...rig.Turn) (rig.Result, error){
	"claude": func(ctx context.Context, home, work string, script ...rig.Turn) (rig.Result, error) {
		return bench.Claude(home, work, script...).Run(ctx, "-p", "hello model",
			"--dangerously-skip-permissions", "--output-format", "stream-json", "--verbose", "--include-partial-messages")
	},
	"codex": func(ctx context.Context, home, work string, script ...rig.Turn) (rig.Result, error) {
		return bench.Codex(home, work, script...).Run(ctx, rig.CodexExec("hello model")...)
	},
}

func TestTextTurn(t *testing.T) {
	for name, run := range runners {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home, work := folders(t)
			res, err := run(t.Context(), home, work, rig.Turn{Text: "a scripted answer"})
			succeeded(t, res, err)
			if !strings.Contains(res.Stdout, "a scripted answer") {
				t.Errorf("the client does not show the answer:\n%s", res.Stdout)
			}
			streamedFor(t, res, 1)
			if body := string(res.Requests[0].Body); !strings.Contains(body, "hello model") {
				t.Error("the request does not hold the prompt")
			}
		})
	}
}

// editTurns is how each client's own tools change beta to BETA in a.txt.
var editTurns = map[string][]rig.Turn{
	"claude": {
		{Text: "reading", Tools: []rig.Tool{rig.Call("Read", rig.Args{"file_path": "$WORK/a.txt"})}},
		{Tools: []rig.Tool{rig.Call("Edit", rig.Args{"file_path": "$WORK/a.txt", "old_string": "beta", "new_string": "BETA"})}},
		{Tools: []rig.Tool{rig.Call("Bash", rig.Args{"command": "echo made-by-shell > b.txt", "description": "write"})}},
		{Text: "all done"},
	},
	"codex": {
		{Text: "reading", Tools: []rig.Tool{rig.Call("exec_command", rig.Args{"cmd": "cat a.txt"})}},
		{Tools: []rig.Tool{rig.Custom("", "apply_patch", "*** Begin Patch\n*** Update File: a.txt\n@@\n alpha\n-beta\n+BETA\n*** End Patch\n")}},
		{Tools: []rig.Tool{rig.Call("exec_command", rig.Args{"cmd": "echo made-by-shell > b.txt"})}},
		{Text: "all done"},
	},
}

func TestToolTurnChangesFiles(t *testing.T) {
	for name, run := range runners {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home, work := folders(t)
			res, err := run(t.Context(), home, work, editTurns[name]...)
			succeeded(t, res, err)
			if got := read(t, work, "a.txt"); got != "alpha\nBETA\n" {
				t.Errorf("a.txt holds %q", got)
			}
			if got := read(t, work, "b.txt"); got != "made-by-shell\n" {
				t.Errorf("b.txt holds %q", got)
			}
			streamedFor(t, res, 4)
			if body := string(res.Requests[1].Body); !strings.Contains(body, "alpha") || !strings.Contains(body, "beta") {
				t.Error("the second request does not hold the file that was read")
			}
		})
	}
}

// streamedFor checks that the model was asked that often and each time for a
// stream, and that the client carried its key.
func streamedFor(t *testing.T, res rig.Result, requests int) {
	t.Helper()
	if len(res.Requests) != requests {
		t.Fatalf("%d requests, want %d", len(res.Requests), requests)
	}
	for _, r := range res.Requests {
		var body struct{ Stream bool }
		if err := json.Unmarshal(r.Body, &body); err != nil {
			t.Fatalf("%s: %v", r.Name, err)
		}
		if !body.Stream || !r.IsModel() {
			t.Errorf("%s does not ask for a stream", r.Name)
		}
	}
}

func TestClaudeShowsTheStreamWhileItArrives(t *testing.T) {
	t.Parallel()
	home, work := folders(t)
	res, err := runners["claude"](t.Context(), home, work, rig.Turn{Thinking: "hm", Text: "one two three"})
	succeeded(t, res, err)
	for _, want := range []string{`"text_delta"`, `"thinking_delta"`, `"message_stop"`} {
		if !strings.Contains(res.Stdout, want) {
			t.Errorf("no %s in the client's stream output", want)
		}
	}
}

func TestCodeModeTurnChangesFiles(t *testing.T) {
	t.Parallel()
	home, work := folders(t)
	c := bench.Codex(home, work,
		rig.Turn{Tools: []rig.Tool{rig.Custom("functions", "exec", `const r = await tools.exec_command({cmd: "echo by-script > c.txt; cat a.txt"}); text(r.output);`)}},
		rig.Turn{Text: "all done"})
	c.Model = rig.CodexCode
	res, err := c.Run(t.Context(), rig.CodexExec("hello model")...)
	succeeded(t, res, err)
	if got := read(t, work, "c.txt"); got != "by-script\n" {
		t.Errorf("c.txt holds %q", got)
	}
	streamedFor(t, res, 2)
}
