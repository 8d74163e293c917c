//go:build conformance

package conformance_test

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crosswalk-agents/crosswalk/conformance/rig"
)

// A claudeRecord is what these tests look at in a line of a Claude session.
type claudeRecord struct {
	Type, Subtype    string
	UUID             string
	ParentUUID       *string
	IsSidechain      bool
	IsMeta           bool
	IsCompactSummary bool
	SessionID        string
	AgentID          string
	Message          struct {
		ID      string
		Content json.RawMessage
	}
}

type claudeBlock struct {
	Type    string
	Text    string
	ID      string
	IsError bool `json:"is_error"`
	Content json.RawMessage
	Source  struct {
		Data []byte
	}
}

// blocks returns a message's blocks; a string is one text block.
func (r claudeRecord) blocks(t *testing.T) []claudeBlock {
	t.Helper()
	return blocksOf(t, r.Message.Content)
}

func blocksOf(t *testing.T, raw json.RawMessage) []claudeBlock {
	t.Helper()
	if len(raw) == 0 {
		return nil
	}
	var list []claudeBlock
	if raw[0] == '"' {
		list = []claudeBlock{{Type: "text"}}
		if err := json.Unmarshal(raw, &list[0].Text); err != nil {
			t.Fatal(err)
		}
		return list
	}
	if err := json.Unmarshal(raw, &list); err != nil {
		t.Fatalf("content %.200s: %v", raw, err)
	}
	return list
}

func claudeRecords(t *testing.T, path string) []claudeRecord {
	t.Helper()
	var list []claudeRecord
	for line := range strings.Lines(read(t, path)) {
		var r claudeRecord
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatalf("%.200s: %v", line, err)
		}
		list = append(list, r)
	}
	return list
}

// countClaude counts what a session holds. Injected (isMeta) texts and command
// echoes are not counted.
func countClaude(t *testing.T, records []claudeRecord) map[string]int {
	t.Helper()
	n := map[string]int{}
	for _, r := range records {
		if r.Subtype == "compact_boundary" {
			n["boundary"]++
		}
		if r.IsCompactSummary {
			if !strings.Contains(string(r.Message.Content), rig.SaidSummary) {
				t.Errorf("the summary is %s", r.Message.Content)
			}
			n["summary"]++
			continue
		}
		if (r.Type != "user" && r.Type != "assistant") || r.IsMeta {
			continue
		}
		for _, b := range r.blocks(t) {
			if b.Type == "text" && (strings.HasPrefix(b.Text, "<local-command") || strings.HasPrefix(b.Text, "<command-name>")) {
				continue
			}
			n[r.Type+" "+b.Type]++
			if b.Type != "tool_result" {
				continue
			}
			if b.IsError {
				n["error"]++
			}
			for _, inner := range blocksOf(t, b.Content) {
				if inner.Type == "image" {
					n["image in result"]++
				}
			}
		}
	}
	return n
}

func TestClaudeFixturesHoldWhatTheySay(t *testing.T) {
	tools := map[string]int{
		"user text": 2, "assistant text": 3, "assistant thinking": 1,
		"assistant tool_use": 4, "user tool_result": 4, "error": 1,
	}
	for name, tt := range map[string]struct {
		spec rig.ClaudeSpec
		want map[string]int
	}{
		"text":  {rig.ClaudeText(), map[string]int{"user text": 1, "assistant text": 1}},
		"tools": {rig.ClaudeTools(), tools},
		"images": {rig.ClaudeImages(), map[string]int{
			"user text": 1, "user image": 1, "assistant tool_use": 1, "user tool_result": 1,
			"image in result": 1, "assistant text": 1,
		}},
		"subagent": {rig.ClaudeSubagent(), map[string]int{
			"user text": 1, "assistant text": 2, "assistant tool_use": 1, "user tool_result": 1,
		}},
		"compacted": {rig.ClaudeCompacted(), with(tools, map[string]int{
			"boundary": 1, "summary": 1, "user text": 3, "assistant text": 4,
		})},
		"branched": {rig.ClaudeBranched(), with(tools, map[string]int{"user text": 3, "assistant text": 4})},
		"forked":   {rig.ClaudeForked(), with(tools, map[string]int{"user text": 3, "assistant text": 4})},
		"killed": {rig.ClaudeKilled(), map[string]int{
			"user text": 1, "assistant text": 1, "assistant tool_use": 1, "user tool_result": 1,
		}},
		"everything": {rig.ClaudeEverything(), with(tools, map[string]int{
			"boundary": 1, "summary": 1, "user text": 5, "assistant text": 7, "assistant tool_use": 6,
			"user tool_result": 6, "user image": 1, "image in result": 1,
		})},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tt.spec.Home, tt.spec.Work = folders(t)
			s, err := bench.MakeClaudeSession(t.Context(), tt.spec)
			if err != nil {
				t.Fatal(err)
			}
			records := claudeRecords(t, s.Path)
			if diff := cmp.Diff(tt.want, countClaude(t, records)); diff != "" {
				t.Errorf("session holds (-want +got):\n%s", diff)
			}
			checkClaudeIDs(t, s, records)
		})
	}
}

func with(base, more map[string]int) map[string]int {
	sum := maps.Clone(base)
	maps.Copy(sum, more)
	return sum
}

// checkClaudeIDs checks that no record and no call repeats an id, and that all
// belong to the session.
func checkClaudeIDs(t *testing.T, s rig.Session, records []claudeRecord) {
	t.Helper()
	seen := map[string]bool{}
	for _, r := range records {
		ids := []string{r.UUID}
		if r.Type == "assistant" {
			for _, b := range r.blocks(t) {
				ids = append(ids, b.ID)
			}
		}
		for _, id := range ids {
			if id != "" && seen[id] {
				t.Errorf("id %s occurs twice", id)
			}
			seen[id] = true
		}
		if r.SessionID != "" && r.SessionID != s.ID {
			t.Errorf("a record belongs to session %s, not %s", r.SessionID, s.ID)
		}
	}
}

func TestClaudeSubagentHasAFileOfItsOwn(t *testing.T) {
	t.Parallel()
	_, s := madeByClaude(t, rig.ClaudeSubagent())
	files, err := rig.ClaudeSubagentFiles(s.Path)
	if err != nil || len(files) != 1 {
		t.Fatalf("%d files of subagents, %v; want 1", len(files), err)
	}
	text := read(t, files[0])
	for _, want := range []string{rig.SubTask, rig.SaidBySub} {
		if !strings.Contains(text, want) {
			t.Errorf("the subagent's session lacks %q", want)
		}
	}
	for _, r := range claudeRecords(t, files[0]) {
		if r.UUID != "" && (!r.IsSidechain || r.AgentID == "" || r.SessionID != s.ID) {
			t.Errorf("record %s is no sidechain record of the session", r.UUID)
		}
	}
	if !strings.Contains(read(t, s.Path), rig.SaidBySub) {
		t.Error("the session lacks the subagent's report")
	}
}

// The client resumes each fixture, and only appends to it.
func TestClaudeGoesOnWithItsOwnFixtures(t *testing.T) {
	for name, spec := range map[string]rig.ClaudeSpec{
		"compacted": rig.ClaudeCompacted(), "killed": rig.ClaudeKilled(), "images": rig.ClaudeImages(),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, s := madeByClaude(t, spec)
			before := read(t, s.Path)
			res, err := bench.Claude(s.Home, s.Work, rig.Turn{Text: "resumed well"}).
				Run(t.Context(), "-p", "one more thing", "--resume", s.ID)
			succeeded(t, res, err)
			if !strings.Contains(res.Stdout, "resumed well") {
				t.Errorf("the client said %q", res.Stdout)
			}
			if after := read(t, s.Path); !strings.HasPrefix(after, before) || len(after) == len(before) {
				t.Error("the client did not just append to the session")
			}
		})
	}
}

// The turn that branches off follows the first answer; the second turn does not
// reach the model with it.
func TestClaudeBranchedSessionHasTwoBranches(t *testing.T) {
	t.Parallel()
	_, s := madeByClaude(t, rig.ClaudeBranched())
	body := string(s.Requests()[len(s.Requests())-1].Body)
	if !strings.Contains(body, rig.TypedBranch) || strings.Contains(body, rig.TypedSecond) {
		t.Error("the model got the wrong branch")
	}
	if text := read(t, s.Path); !strings.Contains(text, rig.TypedBranch) || !strings.Contains(text, rig.TypedSecond) {
		t.Error("the session lacks a branch")
	}
}

func TestClaudeForkLeavesTheOriginalAlone(t *testing.T) {
	t.Parallel()
	_, s := madeByClaude(t, rig.ClaudeForked())
	files, err := rig.ClaudeFiles(s.Home)
	if err != nil || len(files) != 2 {
		t.Fatalf("files %q, %v; want 2", files, err)
	}
	for _, file := range files {
		if forked := strings.Contains(read(t, file), rig.SaidAfter); forked != (file == s.Path) {
			t.Errorf("%s holds the fork's turn: %v", file, forked)
		}
	}
}
