package claude_test

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/agent/claude"
	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// record is what these tests look at in a written record.
type record struct {
	Type, UUID, SessionID, CWD, Version, GitBranch, Timestamp string
	ParentUUID                                                *string
	IsSidechain                                               *bool
	IsMeta, IsCompactSummary                                  bool
	UserType, CustomTitle, LastPrompt, LeafUUID               string
	SourceToolAssistantUUID                                   string
	Crosswalk                                                 map[string]string
	Message                                                   *struct {
		ID, Type, Role, Model string
		Content               json.RawMessage
		StopReason            string          `json:"stop_reason"`
		StopSequence          json.RawMessage `json:"stop_sequence"`
		Usage                 json.RawMessage
	}
}

func records(t *testing.T, lines []string) (out []record) {
	t.Helper()
	for _, l := range lines {
		var r record
		if err := json.Unmarshal([]byte(l), &r); err != nil {
			t.Fatalf("%s: %v", l, err)
		}
		out = append(out, r)
	}
	return out
}

// Older clients refuse or hang without any of these.
func TestRecordsHaveTheFullEnvelope(t *testing.T) {
	lines, _ := written(t, typed("hi"), said(text("Looking."), calls("t1", `{"a":1}`)), answered(result("t1", "ok")), said(text("Done.")))
	parent := ""
	for i, r := range records(t, lines)[:5] {
		if r.UUID == "" || r.SessionID != newID || r.CWD != "/w" || r.Version == "" || r.GitBranch != "main" || r.UserType != "external" ||
			r.Timestamp != "2026-11-30T10:00:00.000Z" || r.IsSidechain == nil || *r.IsSidechain || r.Message == nil || r.Message.Role != r.Type {
			t.Errorf("record %d: %s", i, lines[i])
		}
		if i == 0 != (r.ParentUUID == nil) || i > 0 && *r.ParentUUID != parent {
			t.Errorf("record %d follows %v, want %q", i, r.ParentUUID, parent)
		}
		parent = r.UUID
		if r.Type != "assistant" {
			continue
		}
		if m := r.Message; m.ID == "" || m.Type != "message" || m.Model != "<synthetic>" || m.StopReason == "" || string(m.StopSequence) != "null" || m.Usage == nil {
			t.Errorf("answer %d: %s", i, lines[i])
		}
	}
}

func TestFileEndsWithOriginTitleAndLeaf(t *testing.T) {
	o := writeOptions(agent.Home{Dir: t.TempDir(), Getenv: noEnv})
	th := thread()
	th.Title = "Fix the login"
	w, err := claude.New().Write(t.Context(), th, stream(typed("hi"), said(text("ok"))), o)
	if err != nil {
		t.Fatal(err)
	}
	all := records(t, fileLines(t, w.Path))
	end := all[len(all)-3:]
	if end[0].Type != "crosswalk-link" || !cmp.Equal(end[0].Crosswalk, map[string]string{"agent": "codex", "id": "019e", "handoff": "h-1", "version": "test"}) {
		t.Errorf("link %+v", end[0])
	}
	if end[1].Type != "custom-title" || end[1].CustomTitle != "Fix the login (from Codex)" {
		t.Errorf("title %+v", end[1])
	}
	if end[2].Type != "last-prompt" || end[2].LastPrompt != "hi" || end[2].LeafUUID != all[1].UUID || end[2].SessionID != newID {
		t.Errorf("last prompt %+v", end[2])
	}
}

func TestLastPromptIsCutBetweenCharacters(t *testing.T) {
	for _, s := range []string{strings.Repeat("é", 300), strings.Repeat("日", 300), "x" + strings.Repeat("😀", 300)} {
		lines, _ := written(t, typed(s), said(text("ok")))
		last := records(t, lines)[len(lines)-1].LastPrompt
		if !strings.HasPrefix(s, last) || len(last) > 200 || len(last) < 190 {
			t.Errorf("%q", last)
		}
	}
}

func TestParallelCallsShareAMessageAndResultsFollowTheirCalls(t *testing.T) {
	lines, _ := written(t, typed("go"), said(text("Both."), calls("t1", `{}`), calls("t2", `{}`)), answered(result("t1", "one")), answered(result("t2", "two")), said(text("Done.")))
	r := records(t, lines)
	if r[1].Message.ID != r[2].Message.ID || r[2].Message.ID != r[3].Message.ID || r[6].Message.ID == r[1].Message.ID {
		t.Errorf("message ids %q %q %q, then %q", r[1].Message.ID, r[2].Message.ID, r[3].Message.ID, r[6].Message.ID)
	}
	for i, call := range map[int]int{4: 2, 5: 3} {
		if *r[i].ParentUUID != r[call].UUID || r[i].SourceToolAssistantUUID != r[call].UUID {
			t.Errorf("result %d does not follow its call: %s", i, lines[i])
		}
	}
	if *r[6].ParentUUID != r[5].UUID {
		t.Errorf("what follows does not follow the last result")
	}
}

// The client sends results in the order of the calls, so they are counted and
// read back in that order.
func TestResultsAreWrittenInTheOrderOfTheirCalls(t *testing.T) {
	for name, results := range map[string][]*canon.Message{
		"single":   {answered(result("t3", "three")), answered(result("t1", "one")), answered(result("t2", "two"))},
		"together": {answered(result("t2", "two"), result("t3", "three"), result("t1", "one"))},
		"mixed":    {answered(result("t3", "three"), result("t1", "one")), answered(result("t2", "two"), text("and this"))},
	} {
		t.Run(name, func(t *testing.T) {
			msgs := append([]*canon.Message{typed("go"), said(calls("t1", `{}`), calls("t2", `{}`), calls("t3", `{}`))}, results...)
			n := 0
			o := writeOptions(agent.Home{Dir: t.TempDir(), Getenv: noEnv})
			w, err := claude.New().Write(t.Context(), thread(), func(yield func(*canon.Message, error) bool) {
				for m := range stream(msgs...) {
					n++
					o.Report.Ingest(m)
					if !yield(m, nil) {
						return
					}
				}
			}, o)
			if err != nil {
				t.Fatal(err)
			}
			if err := o.Report.Balance(); err != nil {
				t.Error(err)
			}
			got := read(t, w.Path).lines
			same(t, got[4:7], `user: result t1 "one"`, `user: result t2 "two"`, `user: result t3 "three"`)
		})
	}
}

func TestModelIsNamedOnRequestOnly(t *testing.T) {
	m := said(text("ok"))
	m.Model = "gpt-x"
	lines, _ := written(t, typed("hi"), m)
	if r := records(t, lines)[1]; r.Message.Model != "<synthetic>" || r.Crosswalk["model"] != "gpt-x" {
		t.Errorf("%s", lines[1])
	}
	o := writeOptions(agent.Home{Dir: t.TempDir(), Getenv: noEnv})
	o.Model = "claude-x"
	w, err := claude.New().Write(t.Context(), thread(), stream(typed("hi"), said(text("ok"))), o)
	if err != nil {
		t.Fatal(err)
	}
	if r := records(t, fileLines(t, w.Path))[1]; r.Message.Model != "claude-x" {
		t.Errorf("model %q", r.Message.Model)
	}
}

// What another agent has and Claude Code has not gets a form that it has, and
// comes back as it was.
func TestForeignFormsAreMovedAndComeBack(t *testing.T) {
	custom := &canon.ToolCallBlock{CallID: "t1", Name: "apply_patch", Call: canon.CallCustom, Input: canon.Input{Text: canon.NewText("*** Begin Patch")}}
	spaced := &canon.ToolCallBlock{CallID: "t2", Name: "exec", Namespace: "functions", Call: canon.CallFunction, Input: canon.Input{JSON: canon.Raw(`{"a":1}`)}}
	shell := &canon.ToolCallBlock{CallID: "t3", Name: "local_shell", Call: canon.CallShell, Input: canon.Input{JSON: canon.Raw(`{"type":"exec","command":["ls"]}`)}}
	search := &canon.ToolCallBlock{CallID: "ws", Name: "web_search", Call: canon.CallProvider, Input: canon.Input{JSON: canon.Raw(`{"type":"search"}`)}}
	made := &canon.ToolCallBlock{CallID: "ig", Name: "image_generation", Call: canon.CallProvider, Input: canon.Input{JSON: canon.Raw(`{}`)}}
	image := &canon.ToolResultBlock{CallID: "ig", Call: canon.CallProvider, Content: []canon.Block{&canon.ImageBlock{Media: canon.Media{MediaType: "image/png", Data: canon.NewText("iVBORw0=")}}}}
	odd := &canon.ToolCallBlock{CallID: "t4", Name: "x.y", Call: canon.CallFunction, Input: canon.Input{JSON: canon.Raw(`[1,2.50]`)}}
	empty := &canon.ToolCallBlock{CallID: "t5", Name: "wait", Call: canon.CallFunction}
	source := `const r = await tools.exec_command({cmd: "git \"x\""}); await tools.exec_command({cmd: 'ls'});`
	script := &canon.ToolCallBlock{CallID: "t6", Name: "exec", Namespace: "functions", Call: canon.CallCustom, Input: canon.Input{Text: canon.NewText(source)}}
	system := &canon.Message{Role: canon.System, Authority: canon.AuthorityDeveloper, Blocks: []canon.Block{text("rules")}}
	results := []canon.Block{}
	for _, c := range []*canon.ToolCallBlock{custom, spaced, shell, odd, empty, script} {
		results = append(results, &canon.ToolResultBlock{CallID: c.CallID, Call: c.Call, Content: []canon.Block{text("ok")}})
	}
	o := writeOptions(agent.Home{Dir: t.TempDir(), Getenv: noEnv})
	w, err := claude.New().Write(t.Context(), thread(), stream(system, typed("go"), said(search), said(made, image), said(custom, spaced, shell, odd, empty, script), answered(results...), said(text("ok"))), o)
	if err != nil {
		t.Fatal(err)
	}
	same(t, read(t, w.Path).lines[:9],
		`developer: text "rules"`,
		`user: text "go"`,
		`assistant: call ws provider web_search {"type":"search"}`, `assistant: result ws (synthesized)`,
		`assistant: call ig provider image_generation {}`, `assistant: result ig [image image/png iVBORw0=]`,
		`assistant: call t1 custom apply_patch "*** Begin Patch"`,
		`assistant: call t2 functions/exec {"a":1}`,
		`assistant: call t3 shell local_shell {"type":"exec","command":["ls"]}`)
	same(t, read(t, w.Path).lines[9:12], `assistant: call t4 x.y [1,2.50]`, `assistant: call t5 wait ""`,
		`assistant: call t6 custom functions/exec `+strconv.Quote(source))
	var inputs []string
	for _, r := range records(t, fileLines(t, w.Path)) {
		if r.Message == nil || !strings.Contains(string(r.Message.Content), `"tool_use"`) {
			continue
		}
		var c []struct {
			Name  string
			Input json.RawMessage
		}
		if err := json.Unmarshal(r.Message.Content, &c); err != nil {
			t.Fatal(err)
		}
		inputs = append(inputs, c[0].Name+" "+string(c[0].Input))
	}
	want := []string{
		`web_search {"type":"search"}`, `image_generation {}`, `apply_patch {"input":"*** Begin Patch"}`, `functions__exec {"a":1}`,
		`local_shell {"type":"exec","command":["ls"]}`, inputs[5], `wait {}`,
		`functions__exec {"input":` + string(jsonx.AppendQuote(nil, source)) + `,"commands":["git \"x\"","ls"]}`,
	}
	if !slices.Equal(inputs, want) || !strings.HasPrefix(inputs[5], "x_y_") || !strings.HasSuffix(inputs[5], ` {"input":[1,2.50]}`) {
		t.Errorf("calls\n\t%s", strings.Join(inputs, "\n\t"))
	}
	for _, l := range o.Report.Losses {
		if l.Action != canon.Moved && l.Action != canon.Renamed && l.Action != canon.Synthesized {
			t.Errorf("loss %+v", l)
		}
	}
}

func TestImagesPastTheLimitBecomePlaceholders(t *testing.T) {
	image := func(typ string, n int) canon.Block {
		return &canon.ImageBlock{Media: canon.Media{MediaType: typ, Data: canon.NewText(strings.Repeat("A", n))}}
	}
	lines, r := written(t,
		&canon.Message{Role: canon.User, Blocks: []canon.Block{text("look"), image("image/png", 5<<20), image("image/png", 5<<20+1), image("image/tiff", 8)}},
		said(calls("t1", `{}`)),
		answered(&canon.ToolResultBlock{CallID: "t1", Content: []canon.Block{image("image/png", 6<<20), image("image/webp", 8)}}))
	all := strings.Join(lines, "\n")
	if strings.Count(all, `"type":"image"`) != 2 || strings.Count(all, "image left out") != 3 {
		t.Errorf("%d images and %d placeholders", strings.Count(all, `"type":"image"`), strings.Count(all, "image left out"))
	}
	if r.Dropped[canon.CountKind(canon.KindImage)] != 3 || r.Emitted[canon.CountKind(canon.KindImage)] != 2 {
		t.Errorf("dropped %v, emitted %v", r.Dropped, r.Emitted)
	}
}
