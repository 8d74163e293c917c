//go:build conformance

package conformance_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crosswalk-agents/crosswalk/conformance/rig"
)

// A codexLine is what these tests look at in a line of a rollout.
type codexLine struct {
	Type    string
	Ordinal *int
	Payload struct {
		Type         string
		Role         string
		ID           string
		CallID       string `json:"call_id"`
		Content      json.RawMessage
		Output       json.RawMessage
		HistoryMode  string `json:"history_mode"`
		ForkedFromID string `json:"forked_from_id"`
		HistoryBase  *struct {
			ThreadID string `json:"thread_id"`
			End      int    `json:"end_ordinal_exclusive"`
		} `json:"history_base"`
		Item struct{ Type string }
	}
}

func codexLines(t *testing.T, path string) []codexLine {
	t.Helper()
	var list []codexLine
	for line := range strings.Lines(read(t, path)) {
		var l codexLine
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatalf("%.200s: %v", line, err)
		}
		list = append(list, l)
	}
	return list
}

// countCodex counts what the model and the user said and did in a rollout, with
// images where they are.
func countCodex(lines []codexLine) map[string]int {
	n := map[string]int{}
	for _, l := range lines {
		p := l.Payload
		switch {
		case l.Type == "compacted":
			n["compacted"]++
		case l.Type == "event_msg" && p.Type == "item_completed":
			n["item "+p.Item.Type]++
		case l.Type == "response_item" && p.Type == "message" && p.Role == "assistant":
			n["assistant"]++
		case l.Type == "response_item" && p.Type != "message" && p.Type != "additional_tools":
			n[p.Type]++
		}
		if l.Type != "response_item" {
			continue
		}
		n["image typed"] += strings.Count(string(p.Content), `"input_image"`)
		n["image in output"] += strings.Count(string(p.Output), `"input_image"`)
	}
	for k, v := range n {
		if v == 0 {
			delete(n, k)
		}
	}
	return n
}

func TestCodexFixturesHoldWhatTheySay(t *testing.T) {
	tools := map[string]int{
		"item UserMessage": 2, "item AgentMessage": 3, "item Reasoning": 1, "item CommandExecution": 2,
		"item FileChange": 1, "assistant": 3, "reasoning": 1, "function_call": 2, "function_call_output": 2,
		"custom_tool_call": 1, "custom_tool_call_output": 1,
	}
	for name, tt := range map[string]struct {
		spec rig.CodexSpec
		want map[string]int
	}{
		"text":  {rig.CodexText(), map[string]int{"item UserMessage": 1, "item AgentMessage": 1, "assistant": 1}},
		"tools": {rig.CodexTools(), tools},
		"images": {rig.CodexImages(), map[string]int{
			"item UserMessage": 1, "item AgentMessage": 1, "item ImageView": 1, "assistant": 1,
			"function_call": 1, "function_call_output": 1, "image typed": 1, "image in output": 1,
		}},
		"scripts": {rig.CodexScripts(), map[string]int{
			"item UserMessage": 1, "item AgentMessage": 2, "item CommandExecution": 1, "item FileChange": 1,
			"assistant": 2, "custom_tool_call": 2, "custom_tool_call_output": 2,
		}},
		"killed": {rig.CodexKilled(), map[string]int{
			"item UserMessage": 1, "item AgentMessage": 1, "item CommandExecution": 1,
			"assistant": 1, "function_call": 1, "function_call_output": 1,
		}},
		"compacted": {rig.CodexCompacted(), with(tools, map[string]int{
			"compacted": 1, "item ContextCompaction": 1, "item UserMessage": 3, "item AgentMessage": 4, "assistant": 5,
		})},
		"archived": {rig.CodexArchived(), tools},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tt.spec.Home, tt.spec.Work = folders(t)
			s, err := bench.MakeCodexSession(t.Context(), tt.spec)
			if err != nil {
				t.Fatal(err)
			}
			lines := codexLines(t, s.Path)
			if diff := cmp.Diff(tt.want, countCodex(lines)); diff != "" {
				t.Errorf("rollout holds (-want +got):\n%s", diff)
			}
			if meta := lines[0]; meta.Type != "session_meta" || meta.Payload.ID != s.ID || meta.Payload.HistoryMode != "paginated" {
				t.Errorf("first line is %+v", meta)
			}
			if archived := filepath.Base(filepath.Dir(s.Path)) == "archived_sessions"; archived != (name == "archived") {
				t.Errorf("the rollout is %s", s.Path)
			}
		})
	}
}

func TestCodexPatchesAreReal(t *testing.T) {
	for name, spec := range map[string]rig.CodexSpec{"direct": rig.CodexTools(), "code mode": rig.CodexScripts()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spec.Home, spec.Work = folders(t)
			if _, err := bench.MakeCodexSession(t.Context(), spec); err != nil {
				t.Fatal(err)
			}
			if got := read(t, spec.Work, "a.txt"); got != "alpha\nBETA\n" {
				t.Errorf("a.txt holds %q", got)
			}
		})
	}
}

// A revert goes on in a second file of the thread, which names the place in the
// first where its history ends.
func TestCodexRevertedThreadHasTwoFiles(t *testing.T) {
	t.Parallel()
	_, s := madeByCodex(t, rig.CodexReverted())
	files, err := rig.CodexFiles(s.Home, s.ID)
	if err != nil || len(files) != 2 {
		t.Fatalf("files %q, %v; want 2", files, err)
	}
	first, second := codexLines(t, files[0]), codexLines(t, files[1])
	base := second[0].Payload.HistoryBase
	if second[0].Payload.ID != s.ID || base == nil || base.ThreadID != s.ID || base.End >= len(first) {
		t.Fatalf("the second file begins with %+v, base %+v", second[0], base)
	}
	taken := read(t, files[0])
	if last := s.Requests()[len(s.Requests())-1]; !strings.Contains(taken, rig.TypedSecond) || strings.Contains(string(last.Body), rig.TypedSecond) {
		t.Error("the turn that was taken back still reached the model")
	}
}

func TestCodexForkNamesItsOrigin(t *testing.T) {
	t.Parallel()
	_, s := madeByCodex(t, rig.CodexForked())
	files, err := rig.CodexFiles(s.Home, "")
	if err != nil || len(files) != 2 {
		t.Fatalf("files %q, %v; want 2", files, err)
	}
	meta := codexLines(t, s.Path)[0].Payload
	if meta.ID != s.ID || meta.ForkedFromID == "" || !strings.Contains(files[0]+files[1], meta.ForkedFromID) {
		t.Errorf("the fork begins with %+v", meta)
	}
	if last := s.Requests()[len(s.Requests())-1]; !strings.Contains(string(last.Body), rig.TypedFirst) {
		t.Error("the fork's history did not reach the model")
	}
}

func TestCodexGoesOnWithItsOwnFixtures(t *testing.T) {
	for name, spec := range map[string]rig.CodexSpec{
		"compacted": rig.CodexCompacted(), "killed": rig.CodexKilled(), "images": rig.CodexImages(),
		"reverted": rig.CodexReverted(), "forked": rig.CodexForked(),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, s := madeByCodex(t, spec)
			before := read(t, s.Path)
			res, err := bench.Codex(s.Home, s.Work, rig.Turn{Text: "resumed well"}).
				Run(t.Context(), rig.CodexExec("resume", s.ID, "one more thing")...)
			succeeded(t, res, err)
			if !strings.Contains(res.Stdout, "resumed well") {
				t.Errorf("the client said %q", res.Stdout)
			}
			if after := read(t, s.Path); !strings.HasPrefix(after, before) || len(after) == len(before) {
				t.Error("the client did not just append to the rollout")
			}
		})
	}
}

func TestCodexServerListsThreads(t *testing.T) {
	t.Parallel()
	_, s := madeByCodex(t, rig.CodexText())
	var list struct {
		Data []struct{ ID, Preview, Path string }
	}
	params := rig.Args{"limit": 50, "sourceKinds": []string{"cli", "vscode", "exec", "appServer"}}
	if err := bench.Codex(s.Home, s.Work).Ask(t.Context(), "thread/list", params, &list); err != nil {
		t.Fatal(err)
	}
	if len(list.Data) != 1 || list.Data[0].ID != s.ID || list.Data[0].Preview != rig.TypedFirst {
		t.Errorf("the server lists %+v", list.Data)
	}
	if _, err := os.Stat(list.Data[0].Path); err != nil {
		t.Error(err)
	}
}

func TestCodexServerSaysWhatItRefuses(t *testing.T) {
	t.Parallel()
	home, work := folders(t)
	err := bench.Codex(home, work).Ask(t.Context(), "thread/resume", rig.Args{"threadId": "01a00000-0000-7000-8000-000000000000"}, nil)
	if err == nil || !strings.Contains(err.Error(), "no rollout found") {
		t.Errorf("error is %v", err)
	}
}

// The same turns, in the dialect without ordinals and items.
func TestCodexLegacyFixtures(t *testing.T) {
	for name, spec := range map[string]rig.CodexSpec{
		"tools": rig.CodexTools(), "compacted": rig.CodexCompacted(), "scripts": rig.CodexScripts(),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spec.Legacy = true
			_, s := madeByCodex(t, spec)
			kinds := map[string]int{}
			for _, l := range codexLines(t, s.Path) {
				if l.Ordinal != nil {
					t.Errorf("a line has the ordinal %d", *l.Ordinal)
				}
				kinds[l.Type+" "+l.Payload.Type]++
			}
			if kinds["event_msg user_message"] == 0 || kinds["event_msg agent_message"] == 0 {
				t.Errorf("the rollout holds %v", kinds)
			}
			if name == "compacted" && kinds["compacted "] != 1 {
				t.Errorf("%d compactions", kinds["compacted "])
			}
		})
	}
}
