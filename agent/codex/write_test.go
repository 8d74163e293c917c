package codex_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/canon"
)

// Without any of these the client refuses the file. (Codex 0.171.0)
func TestFirstLineHasWhatTheClientInsistsOn(t *testing.T) {
	f := written(t, typed(text("hi")), said(text("ok")))
	p := f.records[0].Payload
	if f.records[0].Type != "session_meta" || p.ID != newID || p.Timestamp == "" || p.CWD != "/w" || p.Originator != "crosswalk" || p.CLIVersion != "0.171.0" {
		t.Errorf("%s", f.lines[0])
	}
	if p.Source != "cli" || p.ThreadSource != "user" || p.Git["branch"] != "main" || p.Git["commit_hash"] != "abc" {
		t.Errorf("%s", f.lines[0])
	}
	for _, bad := range []string{`"model_provider"`, `"history_mode"`, `"ordinal"`} {
		if strings.Contains(strings.Join(f.lines, "\n"), bad) {
			t.Errorf("%s was written", bad)
		}
	}
	for i, r := range f.records {
		if _, err := time.Parse("2006-01-02T15:04:05.000Z", r.Timestamp); err != nil {
			t.Errorf("line %d: %v", i+1, err)
		}
	}
}

// Other tools read the marker and take what follows emittedLines for new.
func TestMarkerIsExactlyThatOfOthers(t *testing.T) {
	for _, n := range []int{1, 10, 100} {
		var msgs []*canon.Message
		for i := range n {
			msgs = append(msgs, typed(text(fmt.Sprint("prompt ", i))), said(text("ok")))
		}
		f := written(t, msgs...)
		want := fmt.Sprintf(`{"sourceSessionId":"3461","sourceProvider":"claude","emittedLines":%d}`, len(f.lines))
		if got := strings.ReplaceAll(string(f.records[0].Payload.Sesh), " ", ""); got != want {
			t.Errorf("%s, want %s", got, want)
		}
		if got := string(f.records[0].Payload.Crosswalk); got != `{"agent":"claude","id":"3461","handoff":"h-1","version":"test"}` {
			t.Errorf("ours is %s", got)
		}
	}
}

func TestTurnsAreFramedByEvents(t *testing.T) {
	f := written(t,
		&canon.Message{Role: canon.System, Authority: canon.AuthorityDeveloper, Blocks: []canon.Block{text("rules")}},
		typed(text("one")), said(text("Looking."), calls("c1", "Bash")), typed(result("c1", text("alpha"))), said(text("Done.")),
		injected("context"), typed(text("two"), picture("image/png", "iVBORw0=")), said(text("Ok.")))
	want := []string{
		"session_meta", "developer",
		"task_started", "user", "user_message", "assistant", "agent_message", "function_call", "function_call_output", "assistant", "agent_message",
		"user", "task_complete",
		"task_started", "user", "user_message", "assistant", "agent_message", "task_complete",
	}
	if got := f.labels(); !slices.Equal(got, want) {
		t.Errorf("got\n\t%q\nwant\n\t%q", got, want)
	}
	ids := make(map[string]int)
	for _, r := range f.records {
		if strings.HasPrefix(r.Payload.Type, "task_") {
			ids[r.Payload.TurnID]++
		}
	}
	if len(ids) != 2 {
		t.Errorf("turns %v", ids)
	}
	if !strings.Contains(f.lines[12], `"last_agent_message":"Done."`) || !strings.Contains(f.lines[18], `"last_agent_message":"Ok."`) {
		t.Errorf("%s\n%s", f.lines[12], f.lines[18])
	}
}

// A prompt beside a result is one, and an image alone is one.
func TestEveryPromptIsShown(t *testing.T) {
	f := written(t, typed(picture("image/png", "iVBORw0=")), said(calls("c1", "Bash")), typed(result("c1", text("x")), text("and this")), said(text("ok")))
	var shown []string
	for _, r := range f.records {
		if r.Payload.Type == "user_message" {
			shown = append(shown, r.Payload.Message)
		}
	}
	if !slices.Equal(shown, []string{"[Image]", "and this"}) {
		t.Errorf("shown %q", shown)
	}
	lines, _, _ := read(t, f.path, false)
	same(t, lines, `user: image image/png iVBORw0=`, `assistant: call c1 Bash {"a":1}`, `user: result c1 "x"`, `user: text "and this"`, `assistant: text "ok"`)
}

// The picker looks for a prompt near the beginning only.
func TestPickerFindsAPromptInTheFirstTenLines(t *testing.T) {
	many := func(n int, msg func(i int) *canon.Message) (out []*canon.Message) {
		for i := range n {
			out = append(out, msg(i))
		}
		return out
	}
	parallel := said()
	var outputs []canon.Block
	for i := range 20 {
		id := fmt.Sprint("c", i)
		parallel.Blocks = append(parallel.Blocks, calls(id, "Bash"))
		outputs = append(outputs, result(id, text("x")))
	}
	for name, before := range map[string][]*canon.Message{
		"at once":              nil,
		"after injected text":  many(40, func(int) *canon.Message { return injected("context") }),
		"after answers":        many(40, func(int) *canon.Message { return said(text("answer")) }),
		"after parallel calls": {parallel, typed(outputs...)},
		"after images":         many(4, func(int) *canon.Message { return typed(picture("image/png", "iVBORw0=")) }),
		"after blank prompts":  many(4, func(int) *canon.Message { return typed(text(" ")) }),
	} {
		for lead := range 12 {
			t.Run(fmt.Sprint(name, " and ", lead), func(t *testing.T) {
				msgs := append(many(lead, func(int) *canon.Message { return injected("more") }), cloneAll(before)...)
				f := written(t, append(msgs, typed(text("the prompt")), said(text("ok")))...)
				at := slices.IndexFunc(f.records, func(r record) bool {
					return r.Payload.Type == "user_message" && strings.TrimSpace(r.Payload.Message) != ""
				})
				if at < 0 || at >= 10 {
					t.Errorf("the first prompt is shown in line %d of %d: %q", at+1, len(f.lines), f.labels())
				}
			})
		}
	}
}

func cloneAll(msgs []*canon.Message) (out []*canon.Message) {
	for _, m := range msgs {
		c := *m
		c.Blocks = slices.Clone(m.Blocks)
		for i, b := range c.Blocks {
			switch b := b.(type) {
			case *canon.ToolCallBlock:
				d := *b
				c.Blocks[i] = &d
			case *canon.ToolResultBlock:
				d := *b
				c.Blocks[i] = &d
			}
		}
		out = append(out, &c)
	}
	return out
}

// Folders and name are in local time, records in UTC. (Codex 0.171.0)
func TestPlaceIsInLocalTime(t *testing.T) {
	was := time.Local
	t.Cleanup(func() { time.Local = was })
	for name, tt := range map[string]struct {
		zone   *time.Location
		now    time.Time
		folder string
	}{
		"UTC":             {time.UTC, time.Date(2026, 11, 30, 16, 19, 41, 0, time.UTC), "2026/11/30/rollout-2026-11-30T16-19-41-"},
		"east of it":      {time.FixedZone("Tokyo", 9*3600), time.Date(2026, 11, 30, 16, 19, 41, 0, time.UTC), "2026/12/01/rollout-2026-12-01T01-19-41-"},
		"west of it":      {time.FixedZone("west", -8*3600), time.Date(2027, 1, 1, 3, 0, 0, 0, time.UTC), "2026/12/31/rollout-2026-12-31T19-00-00-"},
		"half an hour on": {time.FixedZone("Delhi", 5*3600+1800), time.Date(2026, 2, 28, 18, 45, 0, 0, time.UTC), "2026/03/01/rollout-2026-03-01T00-15-00-"},
	} {
		t.Run(name, func(t *testing.T) {
			time.Local = tt.zone
			home := t.TempDir()
			o := writeOptions(agent.Home{Dir: home, Getenv: noEnv})
			o.Now = tt.now
			th := thread()
			th.Created = time.Time{}
			f := writeFile(t, o, th, typed(text("hi")), said(text("ok")))
			if want := filepath.Join(home, ".codex", "sessions", filepath.FromSlash(tt.folder)+newID+".jsonl"); f.path != want {
				t.Errorf("%q, want %q", f.path, want)
			}
			if want := tt.now.Format("2006-01-02T15:04:05.000Z"); f.records[0].Timestamp != want {
				t.Errorf("time %q, want %q", f.records[0].Timestamp, want)
			}
		})
	}
}

func TestHomeIsThatOfTheClient(t *testing.T) {
	dir := t.TempDir()
	o := writeOptions(agent.Home{Dir: "/nowhere", Getenv: func(name string) string {
		if name == "CODEX_HOME" {
			return dir
		}
		return ""
	}})
	if f := writeFile(t, o, thread(), typed(text("hi"))); !strings.HasPrefix(f.path, filepath.Join(dir, "sessions")) {
		t.Errorf("%q", f.path)
	}
}

// What Codex 0.171.0 passes over, with all that stands in the record, is
// written in another form.
func TestFormsThatTheClientPassesOver(t *testing.T) {
	search := func(input string) *canon.ToolCallBlock {
		return &canon.ToolCallBlock{CallID: "ws", Name: "web_search", Call: canon.CallProvider, Input: canon.Input{JSON: canon.Raw(input)}}
	}
	shell := func(input string) *canon.ToolCallBlock {
		return &canon.ToolCallBlock{CallID: "ls", Name: "local_shell", Call: canon.CallShell, Input: canon.Input{JSON: canon.Raw(input)}}
	}
	pdf := &canon.DocumentBlock{Media: canon.Media{MediaType: "application/pdf", Data: canon.NewText("JVBERi0="), Name: "a.pdf"}}
	made := func(id, typ string) []canon.Block {
		return []canon.Block{
			&canon.ToolCallBlock{CallID: id, Name: "image_generation", Call: canon.CallProvider, Input: canon.Input{JSON: canon.Raw(`{"revised_prompt":"a cat"}`)}},
			&canon.ToolResultBlock{CallID: id, Call: canon.CallProvider, Content: []canon.Block{picture(typ, "iVBORw0=")}},
		}
	}
	for name, tt := range map[string]struct {
		msgs []*canon.Message
		want []string
	}{
		"messages of the role system": {
			[]*canon.Message{{Role: canon.System, Authority: canon.AuthoritySystem, Blocks: []canon.Block{text("rules")}}},
			[]string{"developer"},
		},
		"documents":                        {[]*canon.Message{typed(text("read"), pdf)}, []string{"task_started", "user", "user_message", "task_complete"}},
		"searches without a type":          {[]*canon.Message{typed(text("go")), said(search(`{"query":"x"}`), text("ok"))}, []string{"task_started", "user", "user_message", "assistant", "agent_message", "task_complete"}},
		"searches with one are kept":       {[]*canon.Message{typed(text("go")), said(search(`{"type":"search","query":"x"}`))}, []string{"task_started", "user", "user_message", "web_search_call", "task_complete"}},
		"shell calls without command line": {[]*canon.Message{typed(text("go")), said(shell(`{"cmd":"ls"}`)), typed(result("ls", text("x")))}, []string{"task_started", "user", "user_message", "function_call", "function_call_output", "task_complete"}},
		"shell calls with one are kept":    {[]*canon.Message{typed(text("go")), said(shell(`{"type":"exec","command":["ls"]}`)), typed(result("ls", text("x")))}, []string{"task_started", "user", "user_message", "local_shell_call", "function_call_output", "task_complete"}},
		"images that were made are kept":   {[]*canon.Message{typed(text("go")), said(made("ig_1", "image/png")...)}, []string{"task_started", "user", "user_message", "image_generation_call", "task_complete"}},
		"but with ids of the vendor's":     {[]*canon.Message{typed(text("go")), said(made("toolu_1", "image/png")...)}, []string{"task_started", "user", "user_message", "function_call", "function_call_output", "task_complete"}},
	} {
		t.Run(name, func(t *testing.T) {
			f := written(t, append(cloneAll(tt.msgs), typed(text("end")))...)
			got := f.labels()
			if got = got[1 : len(got)-4]; !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			all := strings.Join(f.lines, "\n")
			for _, bad := range []string{`"role":"system","content"`, `"input_file"`, `"action":{"query"`} {
				if strings.Contains(all, bad) {
					t.Errorf("%s was written", bad)
				}
			}
		})
	}
}

func TestImagesOfResultsStayImages(t *testing.T) {
	url := &canon.ImageBlock{Media: canon.Media{URL: canon.NewText("https://example.com/a.png")}}
	f := written(t, typed(text("look"), url), said(calls("c1", "Read")), typed(result("c1", text("here"), picture("image/png", "iVBORw0="), picture("image/bmp", "Qk0="))))
	lines, _, _ := read(t, f.path, false)
	same(t, lines, `user: text "look"`, `user: text "[image at https://example.com/a.png left out: the target takes no image by its address]"`, `assistant: call c1 Read {"a":1}`,
		`user: result c1 "here" [image image/png iVBORw0=] "[image left out: the target does not take images of type \"image/bmp\"]"`)
	if n := f.report.Dropped[canon.CountKind(canon.KindImage)]; n != 2 {
		t.Errorf("%d images dropped", n)
	}
}

func TestNamesAndIDsThatTheAPIRefusesGetAnAlias(t *testing.T) {
	long := strings.Repeat("n", 90)
	f := written(t, typed(text("go")), said(calls("call:A|1", "x.y"), calls(long, long), calls("toolu_1", "Bash")), typed(result("call:A|1", text("a")), result(long, text("b")), result("toolu_1", text("c"))))
	var names, ids []string
	for _, r := range f.records {
		if r.Payload.CallID != "" {
			ids = append(ids, r.Payload.CallID)
		}
		if r.Payload.Name != "" {
			names = append(names, r.Payload.Name)
		}
	}
	if ids[0] == "call:A|1" || ids[0] != ids[3] || len(ids[1]) > 64 || ids[1] != ids[4] || ids[2] != "toolu_1" || ids[5] != "toolu_1" {
		t.Errorf("ids %q", ids)
	}
	if names[0] == "x.y" || len(names[1]) > 64 || names[2] != "Bash" {
		t.Errorf("names %q", names)
	}
}

// The client cuts long outputs when it resumes a thread, and nobody sees that in
// the file. (Codex 0.171.0)
func TestOutputsThatTheClientCutsAreReported(t *testing.T) {
	long := strings.Repeat("x", 48_001)
	f := written(t, typed(text("go")), said(calls("c1", "Bash"), calls("c2", "Bash")), typed(result("c1", text(long)), result("c2", text(long[:48_000]))))
	if len(f.report.Losses) != 1 || f.report.Losses[0].What != "tool_result" || f.report.Losses[0].Where != "line 3" {
		t.Errorf("losses %+v", f.report.Losses)
	}
	if !strings.Contains(strings.Join(f.lines, "\n"), long) {
		t.Error("it was cut in the file")
	}
}
