package codemode_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/crosswalk-agents/crosswalk/internal/codemode"
)

func TestCommandsAreThoseThatAreWrittenOut(t *testing.T) {
	for script, want := range map[string][]string{
		`const r = await tools.exec_command({cmd:"ls -la"}); text(r.output)`:                               {"ls -la"},
		`const r = await tools.exec_command({workdir: "/w", "cmd": 'git status', yield_time_ms: 1000});`:   {"git status"},
		"await Promise.all([tools.exec_command({cmd: `a\n\\u0062`}), tools.exec_command({cmd: (\"c\")})])": {"a\nb", "c"},
		`for (const f of ["x"]) { const r = await tools.exec_command({cmd: "cat " + f}); }`:                nil,
		"const r = await tools.exec_command({cmd: `cat ${f}`});":                                           nil,
		`const cmd = "x"; await tools.exec_command({cmd})`:                                                 nil,
		`await tools["exec_command"]({cmd: "echo \"hi\"\x21"})`:                                            {`echo "hi"!`},
		`await tools.exec_command({cmd: "a"}, {cmd: "b"}); other.exec_command({cmd: "c"})`:                 {"a"},
		`// tools.exec_command({cmd: "no"})` + "\n" + `text('tools.exec_command({cmd: "no"})')`:            nil,
		`if (/exec_command\({cmd: "no"}\)/.test(s)) { tools?.exec_command({cmd: "yes"}) }`:                 {"yes"},
		`tools.exec_command({cmd: "\ud83d\ude00\u{1F600}"})`:                                               {"😀😀"},
		`tools.exec_command({cmd: "\ud83d"})`:                                                              {"\uFFFD"},
		`tools.exec_command({cmd: "one \` + "\n" + `line"})`:                                               {"one line"},
		`tools.exec_command({cmd: "a", cmd: "b"})`:                                                         {"a", "b"},
		`async function f() { return tools.exec_command({cmd: "in a function"}) } await f()`:               {"in a function"},
		`tools.exec_command()`:                        nil,
		`tools.exec_command("ls")`:                    nil,
		`this is exec_command, no script`:             nil,
		`tools.apply_patch("*** Begin Patch")`:        nil,
		`tools.exec_command({cmd: "unended`:           nil,
		``:                                            nil,
		strings.Repeat("(", 100_000) + `exec_command`: nil,
		`tools.exec_command({cmd: "` + strings.Repeat("x", 300_000): nil,
	} {
		if got := codemode.Commands(script); !slices.Equal(got, want) {
			t.Errorf("%.80s\n got %q\nwant %q", script, got, want)
		}
	}
}

func FuzzCommands(f *testing.F) {
	for _, s := range []string{
		`const r = await tools.exec_command({cmd:"ls -la"}); text(r.output)`, "tools.exec_command({cmd: `a${b}`})",
		`tools["exec_command"]({"cmd": '\x41\u{42}\
'})`, `exec_command`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(_ *testing.T, script string) { codemode.Commands(script) })
}
