package codex_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/agent/codex"
	"github.com/crosswalk-agents/crosswalk/canon"
)

func call(id string) string {
	return item(`{"type":"function_call","name":"exec_command","arguments":"{\"cmd\":\"ls\"}","call_id":"` + id + `"}`)
}

func output(id, text string) string {
	return item(`{"type":"function_call_output","call_id":"` + id + `","output":"` + text + `"}`)
}

const settled = `error "[no result: the session was interrupted before this tool call finished]" (synthesized)`

// Files with the symptom of a public report, each read as a hand-over reads it.
func TestReportsOnReading(t *testing.T) {
	talk := meta(threadID) + prompt("go") + answer("begun")
	said := []string{`user: text "go"`, `assistant: text "begun"`}
	with := func(more ...string) []string { return append(slices.Clone(said), more...) }
	numbered := func(lines string, ordinals ...int) (out string) {
		for i, l := range strings.Split(strings.TrimSuffix(lines, "\n"), "\n") {
			if i < len(ordinals) && ordinals[i] >= 0 {
				l = strings.Replace(l, `"type"`, fmt.Sprintf(`"ordinal":%d,"type"`, ordinals[i]), 1)
			}
			out += l + "\n"
		}
		return out
	}
	paginated := strings.Replace(talk, `"cwd"`, `"history_mode":"paginated","cwd"`, 1)
	for _, tt := range []struct {
		report string
		file   string
		want   []string
		notes  map[string]int
	}{
		{
			"openai/codex#25365", talk + `{"timestamp":"x","type":"response_item","payload":{"type":"image_generation_call","id":"ig","result":"iVBOR` + "\n" + prompt("on"),
			with(`user: text "on"`),
			map[string]int{"damage-malformed": 1},
		},
		{"github/copilot-cli#4098", strings.ReplaceAll(talk, "\n", "") + prompt("on"), with(`user: text "on"`), map[string]int{"damage-glued": 5}},
		{"openai/codex#29773", talk + call("c1") + prompt("on"), with(`assistant: call c1 exec_command {"cmd":"ls"}`, `user: result c1 `+settled, `user: text "on"`), map[string]int{"settled-tool-calls": 1}},
		{"openai/codex#29058", talk + call("c1") + call("c2") + output("c1", "x"), with(`assistant: call c1 exec_command {"cmd":"ls"}`, `assistant: call c2 exec_command {"cmd":"ls"}`, `user: result c1 "x"`, `user: result c2 `+settled), nil},
		{"can1357/oh-my-pi#472", talk + output("c1", "late") + prompt("on"), with(`user: text "[tool result without its call] late"`, `user: text "on"`), nil},
		{"openai/codex#36802", talk + says("user", "half \xe6\x97") + answer("end"), with("user injected: text \"half ��\"", `assistant: text "end"`), map[string]int{"repaired-characters": 2}},
		{"openai/codex#38341", numbered(paginated, 0, 1, 2, 17, 4), said, nil},
		{"openai/codex#45150", numbered(paginated, 0, 1, 2, 3, -1), said, nil},
		{"openai/codex#24089", talk + event(`{"type":"token_count","info":{"total_token_usage":{"input_tokens":99999999999999999999,"output_tokens":-5}}}`), said, nil},
		{"openai/codex#32351", talk, said, nil},
	} {
		t.Run(tt.report, func(t *testing.T) {
			got, r, _ := read(t, put(t, tt.file), true)
			same(t, got, tt.want...)
			for name, n := range tt.notes {
				if r.Notes[name] != n {
					t.Errorf("notes %v, want %d %s", r.Notes, n, name)
				}
			}
		})
	}
}

// A migration must not lose an answer: both forms of a thread say the same.
func TestReportMigration(t *testing.T) {
	t.Run("openai/codex#46713", func(t *testing.T) {
		legacy, paginated := meta(threadID), strings.TrimSuffix(meta(threadID, `,"history_mode":"paginated"`), "\n")+"\n"
		for i := range 29 {
			p, a := fmt.Sprint("prompt ", i), fmt.Sprint("answer ", i)
			legacy += prompt(p) + call(fmt.Sprint("c", i)) + output(fmt.Sprint("c", i), "x") + answer(a)
			paginated += says("user", p) + event(`{"type":"item_completed","item":{"type":"UserMessage","content":[{"type":"text","text":"`+p+`"}]}}`) +
				call(fmt.Sprint("c", i)) + event(`{"type":"item_completed","item":{"type":"CommandExecution","command":"ls"}}`) + output(fmt.Sprint("c", i), "x") +
				says("assistant", a) + event(`{"type":"item_completed","item":{"type":"AgentMessage","content":[{"type":"Text","text":"`+a+`"}]}}`)
		}
		was, _, _ := read(t, put(t, legacy), false)
		now, _, _ := read(t, put(t, paginated), false)
		same(t, now, was...)
	})
}

func TestReportEmptyRollout(t *testing.T) {
	t.Run("openai/codex#38613", func(t *testing.T) {
		for data, want := range map[string]string{"": "empty", "\n": "empty", "not a rollout\n": "no line of it is a rollout record"} {
			_, err := codex.New().Open(t.Context(), put(t, data), agent.OpenOptions{})
			if err == nil || !strings.Contains(err.Error(), want) || errors.Is(err, agent.ErrNoConversation) != (want == "empty") {
				t.Errorf("%q: %v", data, err)
			}
		}
	})
}

// Characters of several bytes on the borders of whatever is read at once.
func TestReportCharactersOnBorders(t *testing.T) {
	t.Run("omnigent-ai/omnigent#6269", func(t *testing.T) {
		for shift := range 4 {
			body := strings.Repeat("x", shift) + strings.Repeat("日本語😀é", 40_000)
			got, r, _ := read(t, put(t, meta(threadID)+prompt(body)+answer(body)), false)
			if r.Notes["repaired-characters"] != 0 || len(got) != 2 {
				t.Errorf("shifted by %d: %v, %d messages", shift, r.Notes, len(got))
			}
		}
	})
}

// What is written must not have the symptom of a public report.
func TestReportsOnWriting(t *testing.T) {
	sealed := &canon.ReasoningBlock{Capsule: canon.Capsule{Issuer: "responses", Sealed: canon.NewText("gAAA")}, Redacted: true}
	plain := []*canon.Message{typed(text("go")), said(text("ok"))}
	reasoned := []*canon.Message{typed(text("go")), said(sealed), said(sealed, text("ok"))}
	none := func(bad ...string) func(t *testing.T, f *file) {
		return func(t *testing.T, f *file) {
			for _, b := range bad {
				if strings.Contains(strings.Join(f.lines, "\n"), b) {
					t.Errorf("%s was written", b)
				}
			}
		}
	}
	complete := func(t *testing.T, f *file) {
		p := f.records[0].Payload
		if f.records[0].Type != "session_meta" || p.ID != newID || p.Timestamp == "" || p.CWD == "" || p.Originator == "" || p.CLIVersion == "" {
			t.Errorf("first line %s", f.lines[0])
		}
	}
	for _, tt := range []struct {
		report string
		msgs   []*canon.Message
		check  func(t *testing.T, f *file)
	}{
		{"openai/codex#13724", reasoned, none("encrypted_content", "gAAA")},
		{"openai/codex#8119", reasoned, none("encrypted_content", "gAAA")},
		{"openai/codex#19661", reasoned, none(`"reasoning"`)},
		{"openai/codex#20165", plain, none("model_provider")}, // in a new home; TestThreadNamesTheActiveProvider has the others
		{"openai/codex#21619", append([]*canon.Message{injected("a"), injected("b")}, plain...), func(t *testing.T, f *file) {
			if i := slices.IndexFunc(f.records, func(r record) bool { return r.Payload.Type == "user_message" }); i < 0 || i >= 10 {
				t.Errorf("the first prompt is in line %d", i+1)
			}
		}},
		{"openai/codex#29531", plain, none("replacement_history", "compacted")},
		{"Dicklesworthstone/cross_agent_session_resumer#4", plain, func(t *testing.T, f *file) {
			complete(t, f)
			for i, r := range f.records {
				if !strings.HasSuffix(r.Timestamp, "Z") || !strings.HasPrefix(f.lines[i], `{"timestamp":"`) {
					t.Errorf("line %d: %s", i+1, f.lines[i])
				}
			}
		}},
		{"Dicklesworthstone/cross_agent_session_resumer#16", plain, func(t *testing.T, f *file) {
			if !strings.HasSuffix(f.path, "-"+newID+".jsonl") || f.records[0].Payload.ID != newID {
				t.Errorf("%q begins with %s", f.path, f.lines[0])
			}
		}},
		{"catatafishen/agentbridge#40", plain, complete},
	} {
		t.Run(tt.report, func(t *testing.T) { tt.check(t, written(t, cloneAll(tt.msgs)...)) })
	}
	t.Run("ccpopy/cc-sessions#12", func(t *testing.T) {
		th := thread()
		th.Title = "Fix the login"
		f := writeFile(t, writeOptions(agent.Home{Dir: t.TempDir(), Getenv: noEnv}), th, cloneAll(plain)...)
		if p := f.records[1].Payload; p.Type != "thread_name_updated" || p.ThreadName != "Fix the login (from Claude Code)" || f.records[0].Payload.Originator != "crosswalk" {
			t.Errorf("%s\n%s", f.lines[0], f.lines[1])
		}
	})
	t.Run("openai/codex#32351 on writing", func(t *testing.T) {
		o := writeOptions(agent.Home{Dir: t.TempDir(), Getenv: noEnv})
		f := writeFile(t, o, thread(), cloneAll(plain)...)
		if f.records[0].Payload.Timestamp != "2026-11-30T10:00:00.000Z" || !strings.Contains(f.path, o.Now.Local().Format("2006-01-02T15-04-05")) {
			t.Errorf("%q begins with %s", f.path, f.lines[0])
		}
	})
	t.Run("yigitkonur/cli-continues#84", func(t *testing.T) {
		m, err := codex.New().Manifest()
		must(t, err)
		argv, err := m.ResumeArgv(newID)
		if must(t, err); len(strings.Join(argv, " ")) > 100 {
			t.Errorf("%q", argv)
		}
	})
}

func TestReportsOnListing(t *testing.T) {
	for report, tt := range map[string]struct {
		files map[string]string
		title string
	}{
		// Threads begun with a goal are there, called after it.
		"openai/codex#22997": {map[string]string{rollout(threadID): meta(threadID) + event(`{"type":"thread_goal_updated","goal":{"objective":"Reach the goal"}}`) + says("assistant", "Working.")}, "Reach the goal"},
		// The client's database is not asked, whatever state it is in.
		"openai/codex#11634": {map[string]string{rollout(threadID): small, "../../../../state_5.sqlite": "garbage", "../../../../state_5.sqlite-wal": ""}, "please fix a.txt"},
		// Nor are ordinals, or the first line.
		"openai/codex#38341": {map[string]string{rollout(threadID): strings.Replace(small, `"type":"event_msg"`, `"ordinal":9,"type":"event_msg"`, 1)}, "please fix a.txt"},
	} {
		t.Run(report, func(t *testing.T) {
			home := t.TempDir()
			day := filepath.Join(home, "sessions", "2026", "11", "30")
			must(t, os.MkdirAll(day, 0o755))
			for name, data := range tt.files {
				must(t, os.WriteFile(filepath.Join(day, filepath.FromSlash(name)), []byte(data), 0o600))
			}
			var found []agent.Entry
			for e, err := range codex.New().Sessions(t.Context(), agent.Home{Dir: "/nowhere", Getenv: func(name string) string {
				return map[string]string{"CODEX_HOME": home}[name]
			}}, agent.Query{}) {
				must(t, err)
				found = append(found, e)
			}
			if len(found) != 1 || found[0].ID != threadID || found[0].Title != tt.title || found[0].Hidden != "" {
				t.Errorf("listed %+v", found)
			}
		})
	}
}
