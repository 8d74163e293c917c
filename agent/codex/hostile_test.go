package codex_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/agent/codex"
)

// A rollout is whatever somebody made of it.
func TestHostileFilesAreReadAsText(t *testing.T) {
	deep := strings.Repeat("[", 5000) + strings.Repeat("]", 5000)
	for name, tt := range map[string]struct {
		file string
		want []string
	}{
		"ids like flags and paths": {
			meta("--help", `,"git":{"branch":"--upload-pack=x"}`) + prompt("go") + strings.NewReplacer("call_x", "../../etc/passwd", "exec_command", "$(id)").Replace(call("call_x")+output("call_x", "ok")),
			[]string{`user: text "go"`, `assistant: call ../../etc/passwd $(id) {"cmd":"ls"}`, `user: result ../../etc/passwd "ok"`},
		},
		"control characters": {meta(threadID) + prompt(`\u001b]0;owned\u0007 \u202etxt.exe \u0000`), []string{`user: text "\x1b]0;owned\a \u202etxt.exe \x00"`}},
		"deep nesting":       {meta(threadID) + prompt("go") + item(`{"type":"novel","x":`+deep+`}`) + item(`{"type":"function_call","name":"f","arguments":`+deep+`,"call_id":"c"}`), []string{`user: text "go"`}},
		"nesting without end": {
			meta(threadID) + prompt("go") + stamp + `"type":"response_item","payload":` + strings.Repeat(`{"a":[`, 200_000) + "\n" + answer("ok"),
			[]string{`user: text "go"`, `assistant: text "ok"`},
		},
		"huge numbers": {
			strings.Replace(meta(threadID), `"cwd"`, `"x":1e999999,"cwd"`, 1) + strings.ReplaceAll(prompt("go"), `"type":"event`, `"ordinal":99999999999999999999999,"type":"event`),
			[]string{`user: text "go"`},
		},
		"a million members":   {meta(threadID) + strings.ReplaceAll(prompt("go"), `"payload":{`, `"payload":{`+strings.Repeat(`"x":1,`, 200_000)), []string{`user: text "go"`}},
		"duplicate members":   {meta(threadID) + item(`{"type":"message","role":"user","role":"assistant","content":"a","content":[{"type":"output_text","text":"b"}]}`), []string{`assistant: text "b"`}},
		"arguments in layers": {meta(threadID) + prompt("go") + item(`{"type":"function_call","name":"f","call_id":"c","arguments":"\"\\\"\\\\\\\"x\\\\\\\"\\\"\""}`), []string{`user: text "go"`, `assistant: call c f "\"\\\"x\\\"\""`}},
	} {
		t.Run(name, func(t *testing.T) {
			got, _, th := read(t, put(t, tt.file), false)
			if len(got) < len(tt.want) || strings.Join(got[:len(tt.want)], "\n") != strings.Join(tt.want, "\n") {
				t.Errorf("got\n\t%.2000s", strings.Join(got, "\n\t"))
			}
			if th.ID != threadID {
				t.Errorf("the id is %q, not that of the file's name", th.ID)
			}
		})
	}
}

// A file whose name gives no id has the one that stands inside, and no command
// line is made of that unless it is one.
func TestHostileIDReachesNoCommandLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rollout-x.jsonl")
	must(t, os.WriteFile(path, []byte(meta("--config=/tmp/x")+prompt("go")), 0o600))
	_, _, th := read(t, path, false)
	m, err := codex.New().Manifest()
	must(t, err)
	if argv, err := m.ResumeArgv(th.ID); err == nil {
		t.Errorf("%q", argv)
	}
}

// A base names a file by an id, not by a path.
func TestHostileBaseLeadsNowhere(t *testing.T) {
	for _, base := range []string{"../secret", "/etc/passwd", "*", threadID + "/../x", strings.Repeat("x", 1<<16), "--help", "."} {
		t.Run(fmt.Sprintf("%.20q", base), func(t *testing.T) {
			dir := t.TempDir()
			must(t, os.WriteFile(filepath.Join(dir, "secret"), []byte(meta(threadID)+prompt("SECRET")), 0o600))
			path := filepath.Join(dir, "a", rollout(threadID))
			must(t, os.Mkdir(filepath.Dir(path), 0o755))
			must(t, os.WriteFile(path, []byte(meta(threadID, `,"history_base":{"thread_id":"`+base+`","end_ordinal_exclusive":-9}`)+prompt("go")), 0o600))
			got, r, _ := read(t, path, false)
			same(t, got, `user: text "go"`)
			if len(r.Losses) != 1 || r.Losses[0].What != "history" {
				t.Errorf("losses %v", r.Losses)
			}
		})
	}
}

func TestHostileTitleStaysData(t *testing.T) {
	_, _, th := read(t, put(t, meta(threadID)+prompt(`\u001b[31m--help\u202e\n/etc`)), false)
	if th.Title != "\x1b[31m--help\u202e" {
		t.Errorf("title %q", th.Title)
	}
}

// Where a folder is looked through, links and special files are passed over.
func TestSpecialFilesAreNoRollouts(t *testing.T) {
	home := t.TempDir()
	day := filepath.Join(home, "sessions", "2026", "11", "30")
	must(t, os.MkdirAll(filepath.Join(day, rollout(newID)), 0o755))
	must(t, os.Symlink("/dev/zero", filepath.Join(day, rollout(threadID))))
	must(t, os.Symlink("/", filepath.Join(home, "sessions", "root")))
	for e, err := range codex.New().Sessions(t.Context(), agent.Home{Getenv: func(name string) string {
		return map[string]string{"CODEX_HOME": home}[name]
	}}, agent.Query{}) {
		t.Errorf("listed %+v, %v", e, err)
	}
}
