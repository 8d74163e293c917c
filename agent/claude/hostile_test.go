package claude_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/agent/claude"
	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/fixture"
)

// A session file is whatever somebody made of it.
func TestHostileFilesAreReadAsText(t *testing.T) {
	deep := strings.Repeat("[", 5000) + strings.Repeat("]", 5000)
	for name, tt := range map[string]struct {
		file string
		want []string
	}{
		"ids like flags and paths": {
			user("--help", "", "go") + line("assistant", "../../etc/passwd", "--help", `"message":{"id":"-rf","content":[{"type":"tool_use","id":"$(id)","name":"--yolo","input":{}}]}`) + resultRecord("\\u0000", "../../etc/passwd", "$(id)", "ok"),
			[]string{`user: text "go"`, `assistant: call $(id) --yolo {}`, `user: result $(id) "ok"`},
		},
		"control characters": {
			user("u1", "", `\u001b]0;owned\u0007 \u202etxt.exe \u0000`),
			[]string{`user: text "\x1b]0;owned\a \u202etxt.exe \x00"`},
		},
		"deep nesting": {
			user("u1", "", "go") + line("assistant", "a1", "u1", `"message":{"content":[{"type":"tool_use","id":"t","name":"n","input":{"a":`+deep+`}},{"type":"novel","x":`+deep+`}]}`),
			[]string{`user: text "go"`},
		},
		"nesting without end": {
			user("u1", "", "go") + `{"type":"user","uuid":"x","message":` + strings.Repeat(`{"message":[`, 200_000) + "\n" + user("u2", "u1", "on"),
			[]string{`user: text "go"`, `user: text "on"`},
		},
		"huge numbers": {
			strings.Replace(user("u1", "", "go"), `"cwd"`, `"n":1e999999,"m":-`+strings.Repeat("9", 10_000)+`,"cwd"`, 1) + line("assistant", "a1", "u1", `"message":{"usage":{"input_tokens":1e400,"output_tokens":99999999999999999999},"content":"ok"}`),
			[]string{`user: text "go"`, `assistant: text "ok"`},
		},
		"a million members": {
			strings.Replace(user("u1", "", "go"), `"cwd"`, strings.Repeat(`"x":1,`, 200_000)+`"cwd"`, 1),
			[]string{`user: text "go"`},
		},
		"duplicate members": {
			`{"type":"user","type":"user","uuid":"x","uuid":"u1","parentUuid":null,"message":{"content":"no"},"message":{"content":"go"}}` + "\n",
			[]string{`user: text "go"`},
		},
		"a parent without end": {
			strings.Replace(user("u1", "x", "go"), `"parentUuid":"x"`, `"parentUuid":"`+strings.Repeat("p", 1<<20)+`"`, 1),
			[]string{`user: text "go"`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := read(t, put(t, tt.file))
			if len(got.lines) < len(tt.want) || strings.Join(got.lines[:len(tt.want)], "\n") != strings.Join(tt.want, "\n") {
				t.Errorf("got\n\t%.2000s", strings.Join(got.lines, "\n\t"))
			}
		})
	}
}

// Titles come from the file; whoever prints them escapes them, and nothing else
// may be in them than in the file.
func TestHostileTitleStaysData(t *testing.T) {
	got := read(t, put(t, user("u1", "", "go")+`{"type":"custom-title","customTitle":"\u001b[31m--help\u202e\n/etc"}`+"\n"))
	if got.thread.Title != "\x1b[31m--help\u202e" {
		t.Errorf("title %q", got.thread.Title)
	}
}

func TestHostileOriginCannotBecomeAPath(t *testing.T) {
	got := read(t, put(t, user("u1", "", "go")+`{"type":"crosswalk-link","crosswalk":{"agent":"../../x","id":"--help"}}`+"\n"))
	if o := got.thread.Origin; o == nil || o.ID != "--help" || got.thread.ID != sessionID {
		t.Errorf("origin %+v, id %q", o, got.thread.ID)
	}
	m, err := claude.New().Manifest()
	must(t, err)
	if argv, err := m.ResumeArgv(got.thread.Origin.ID); err == nil {
		t.Errorf("%q", argv)
	}
}

// Trees that would make a walk cost the square of their size take time in proportion.
func TestHostileTreesCostNoMoreThanTheirSize(t *testing.T) {
	build := func(n int, record func(i int) string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(record(i))
		}
		return b.String()
	}
	brief := func(typ string, i int, parent, more string) string {
		return fmt.Sprintf(`{"type":%q,"uuid":"u%d","parentUuid":%q,"message":{"role":%q,"content":"x"}%s}`+"\n", typ, i, parent, typ, more)
	}
	for name, file := range map[string]func(n int) string{
		"backwards": func(n int) string {
			return fmt.Sprintf(`{"type":"last-prompt","leafUuid":"u%d"}`+"\n", n-1) + build(n, func(i int) string { return brief("user", i, fmt.Sprintf("u%d", i+1), "") })
		},
		"all dangling behind a sidechain": func(n int) string {
			return build(n, func(i int) string {
				if i%2 == 0 {
					return brief("user", i, "", `,"isSidechain":true`)
				}
				return brief("user", i, fmt.Sprintf("gone%d", i), "")
			})
		},
		"cycles": func(n int) string {
			return build(n, func(i int) string { return brief("user", i, fmt.Sprintf("u%d", i^1), "") })
		},
		"all the same": func(n int) string {
			return build(n, func(i int) string { return brief("user", i, fmt.Sprintf("u%d", i-1), "") })
		},
		"one message": func(n int) string {
			return build(n, func(i int) string {
				return fmt.Sprintf(`{"type":"assistant","uuid":"u%d","parentUuid":"u0","message":{"id":"m","content":[{"type":"tool_use","id":"t","name":"n","input":{}}]}}`+"\n", i)
			})
		},
		"one call": func(n int) string {
			return build(n, func(i int) string {
				if i%2 == 0 {
					return fmt.Sprintf(`{"type":"assistant","uuid":"u%d","parentUuid":"u%d","message":{"id":"m%d","content":[{"type":"tool_use","id":"t","name":"n","input":{}}]}}`+"\n", i, i-1, i)
				}
				return fmt.Sprintf(`{"type":"user","uuid":"u%d","parentUuid":"gone","message":{"content":[{"type":"tool_result","tool_use_id":"t","content":"x"}]}}`+"\n", i)
			})
		},
		"one uuid": func(n int) string {
			return build(n, func(i int) string { return brief("user", 1, fmt.Sprintf("u%d", i%2), "") })
		},
		"repeated answers": func(n int) string {
			return build(n, func(i int) string {
				return strings.Replace(brief([]string{"user", "assistant"}[i%2], i, fmt.Sprintf("u%d", i-1), ""), `"role"`, `"id":"m","role"`, 1)
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			fixture.InProportion(t, 30_000, func(n int) time.Duration {
				path := put(t, user("root", "", "go")+file(n))
				return fixture.Time(func() { read(t, path) })
			})
		})
	}
}

// A directory of another kind where a session is looked for is passed over.
func TestSpecialFilesAreNoSessions(t *testing.T) {
	h := newHome(t)
	dir := filepath.Join(h.dir, "projects", "-w")
	must(t, os.MkdirAll(dir, 0o755))
	must(t, os.Symlink("/dev/zero", filepath.Join(dir, newID+".jsonl")))
	if got := h.ids(agent.Query{}); len(got) != 0 {
		t.Errorf("listed %q", got)
	}
	if _, err := claude.New().Open(t.Context(), filepath.Join(dir, newID+".jsonl"), agent.OpenOptions{Report: new(canon.Report)}); err == nil {
		t.Error("a device was opened")
	}
}
