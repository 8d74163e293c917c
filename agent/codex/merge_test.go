package codex_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/agent/codex"
	"github.com/crosswalk-agents/crosswalk/canon"
)

func extent(t *testing.T, path string, o agent.OpenOptions) agent.Extent {
	t.Helper()
	s, err := codex.New().Open(t.Context(), path, o)
	must(t, err)
	defer func() { must(t, s.Close()) }()
	return agent.ExtentOf(s)
}

func merged(t *testing.T, path string, size int64) (*agent.Written, error) {
	t.Helper()
	o := agent.MergeOptions{WriteOptions: writeOptions(agent.Home{Dir: t.TempDir(), Getenv: noEnv}), Size: size}
	return codex.New().Merge(t.Context(), path, stream(typed(text("new?")), said(text("new"))), o)
}

func TestCopyNamesWhereItComesFrom(t *testing.T) {
	for name, old := range map[string]string{
		"no marker":        meta(threadID),
		"an older marker":  meta(threadID, `,"sesh":{"sourceSessionId":"old","sourceProvider":"gemini","emittedLines":7},"crosswalk":{"agent":"gemini","id":"old"}`),
		"one in between":   meta(threadID, `,"sesh":{"sourceSessionId":"old","sourceProvider":"gemini","emittedLines":7},"cli_version":"0.171.0"`),
		"a paginated copy": meta(threadID, `,"history_mode":"paginated"`),
	} {
		t.Run(name, func(t *testing.T) {
			path := put(t, old+prompt("go")+answer("begun"))
			w, err := merged(t, path, 0)
			must(t, err)
			b, err := os.ReadFile(w.Path)
			must(t, err)
			first, _, _ := strings.Cut(string(b), "\n")
			if strings.Count(first, `"sesh"`) != 1 || strings.Contains(first, "gemini") || !strings.Contains(first, `"sourceSessionId":"3461"`) {
				t.Errorf("first line %s", first)
			}
			_, _, th := read(t, w.Path, false)
			if th.Title != "go (from Claude Code)" || th.Origin == nil || th.Origin.ID != "3461" || th.Origin.Agent != "claude" || th.ID != newID {
				t.Errorf("%+v from %+v", th, th.Origin)
			}
			if e := extent(t, w.Path, agent.OpenOptions{}); e.Marked != w.Lines || e.Marked != strings.Count(string(b), "\n") {
				t.Errorf("marked up to line %d of %d", e.Marked, w.Lines)
			}
		})
	}
}

func TestCallsThatAreAddedHaveIDsOfTheirOwn(t *testing.T) {
	item := func(typ, more string) string {
		return `{"timestamp":"2026-01-01T00:00:00.000Z","type":"response_item","payload":{"type":"` + typ + `","call_id":"call_1",` + more + "}}\n"
	}
	path := put(t, meta(threadID)+prompt("go")+item("function_call", `"name":"shell","arguments":"{}"`)+item("function_call_output", `"output":"old"`))
	o := agent.MergeOptions{WriteOptions: writeOptions(agent.Home{Dir: t.TempDir(), Getenv: noEnv})}
	w, err := codex.New().Merge(t.Context(), path, stream(said(calls("call_1", "shell")), typed(result("call_1", text("new")))), o)
	must(t, err)
	b, err := os.ReadFile(w.Path)
	must(t, err)
	if n := strings.Count(string(b), `"call_id":"call_1_x2"`); n != 2 || strings.Count(string(b), `"call_id":"call_1"`) != 2 {
		t.Errorf("%d times another id in\n%s", n, b)
	}
	if l := o.Report.Losses; len(l) != 1 || l[0].Action != canon.Renamed {
		t.Errorf("losses %v", l)
	}
}

func TestExtentTellsWhatWasSaidFromWhatIsNoted(t *testing.T) {
	talk := meta(threadID) + prompt("go") + answer("begun")
	was := extent(t, put(t, talk), agent.OpenOptions{})
	for name, noted := range map[string]string{
		"settings":     event(`{"type":"thread_settings_applied","model":"gpt-6"}`),
		"a context":    stamp + `"type":"turn_context","payload":{"model":"gpt-6"}}` + "\n",
		"surroundings": says("user", `<environment_context>\n<cwd>/w</cwd>\n</environment_context>`),
		"permissions":  says("developer", `<permissions instructions>x</permissions instructions>`),
		"a compaction": stamp + `"type":"compacted","payload":{"message":"Summary"}}` + "\n",
		"a torn line":  `{"timestamp":"2026-`,
	} {
		t.Run(name, func(t *testing.T) {
			if now := extent(t, put(t, talk+noted), agent.OpenOptions{}); now.Said != was.Said {
				t.Errorf("somebody said something up to %d, want %d", now.Said, was.Said)
			}
		})
	}
	for name, more := range map[string]string{
		"a prompt": prompt("more"), "an answer": answer("more"), "a rollback": event(`{"type":"thread_rolled_back","num_turns":1}`),
	} {
		t.Run(name, func(t *testing.T) {
			path := put(t, meta(threadID)+prompt("first")+talk[strings.Index(talk, "\n")+1:]+more)
			then := extent(t, path, agent.OpenOptions{Lines: strings.Count(talk, "\n") + strings.Count(prompt("first"), "\n")})
			if now := extent(t, path, agent.OpenOptions{}); now.Said <= then.Said {
				t.Errorf("nothing was said behind %d", then.Said)
			}
		})
	}
}

func TestCopyOfAnEarlierStateEndsAtARecord(t *testing.T) {
	first := meta(threadID) + prompt("go") + answer("begun")
	plain := put(t, first+prompt("later")+answer("done"))
	compressed := filepath.Join(t.TempDir(), rollout(threadID)+".zst")
	must(t, os.WriteFile(compressed, []byte(packed(t, first+prompt("later")+answer("done"))), 0o600))
	for name, path := range map[string]string{"plain": plain, "compressed": compressed} {
		t.Run(name, func(t *testing.T) {
			w, err := merged(t, path, int64(len(first)-1))
			must(t, err)
			got, _, _ := read(t, w.Path, false)
			same(t, got, `user: text "go"`, `assistant: text "begun"`, `user: text "new?"`, `assistant: text "new"`)
			if _, err := merged(t, path, int64(len(first)-20)); err == nil || !strings.Contains(err.Error(), "no record ends") {
				t.Errorf("merge: %v", err)
			}
		})
	}
}

func TestMessageOfAnotherFileNamesIt(t *testing.T) {
	dir := t.TempDir()
	base := "rollout-2026-11-30T09-00-00-" + threadID + ".jsonl"
	lined := func(s string) string {
		return strings.ReplaceAll(s, `"type":"response_item"`, `"ordinal":1,"type":"response_item"`)
	}
	must(t, os.WriteFile(filepath.Join(dir, base), []byte(meta(threadID, `,"history_mode":"paginated"`)+lined(says("user", "go")+says("assistant", "begun"))), 0o600))
	own := filepath.Join(dir, "rollout-2026-11-30T10-00-00-"+threadID+"_019e0000-0000-7000-8000-000000000009.jsonl")
	must(t, os.WriteFile(own, []byte(meta(threadID, `,"history_mode":"paginated","history_base":{"thread_id":"`+threadID+`","end_ordinal_exclusive":5}`)+says("user", "more?")+says("assistant", "more")), 0o600))
	s, err := codex.New().Open(t.Context(), own, agent.OpenOptions{})
	must(t, err)
	defer func() { must(t, s.Close()) }()
	var got []string
	for m, err := range s.Messages(t.Context()) {
		must(t, err)
		got = append(got, m.Where())
	}
	same(t, got, "line 2 of "+base, "line 3 of "+base, "line 2", "line 3")
}

func TestRolloutBeforeTheWrapperIsNotAddedTo(t *testing.T) {
	old := `{"id":"` + threadID + `","timestamp":"2025-06-01T10:00:00.000Z"}` + "\n" +
		`{"type":"message","role":"user","content":[{"type":"input_text","text":"go"}]}` + "\n" +
		`{"type":"message","role":"assistant","content":[{"type":"output_text","text":"begun"}]}` + "\n"
	if _, err := merged(t, put(t, old), 0); !errors.Is(err, agent.ErrNotResumed) {
		t.Errorf("merge: %v", err)
	}
}
