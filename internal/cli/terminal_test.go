//go:build unix

package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/crosswalk-agents/crosswalk/conformance/rig"
	"github.com/crosswalk-agents/crosswalk/internal/fixture"
)

// person sits at a terminal in a world of its own.
type person struct {
	*world
	t   *testing.T
	bin string
	// extra environment.
	env2 []string
}

func newPerson(t *testing.T) *person {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w, err := newWorld(dir)
	if err != nil {
		t.Fatal(err)
	}
	p := &person{world: w, t: t, bin: filepath.Join(dir, "bin")}
	if err := os.Mkdir(p.bin, 0o700); err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *person) session(name string, age time.Duration) (id, path string) {
	p.t.Helper()
	id, path, err := p.install(name, age, p.project)
	if err != nil {
		p.t.Fatal(err)
	}
	return id, path
}

// start runs the program in a terminal of that size.
func (p *person) start(cols, rows int, args ...string) *rig.Terminal {
	p.t.Helper()
	path, err := exec.LookPath("crosswalk")
	if err != nil {
		p.t.Fatal(err)
	}
	cmd := exec.CommandContext(p.t.Context(), path, args...)
	cmd.Dir, cmd.Env = p.project, append(p.env(p.bin), p.env2...)
	term, err := rig.Tty(p.t.Context(), cols, rows, cmd)
	if err != nil {
		p.t.Fatal(err)
	}
	return term
}

// sees waits for what the screen shows.
func (p *person) sees(term *rig.Terminal, patterns ...string) {
	p.t.Helper()
	for _, want := range patterns {
		if err := term.WaitFor(want, soon); err != nil {
			p.t.Error(err)
		}
	}
}

// ends waits for the end of the program, which has to be that exit code, and
// returns all that it wrote to the terminal.
func (p *person) ends(term *rig.Terminal, code int) string {
	p.t.Helper()
	timer := time.AfterFunc(soon, func() { _, _ = term.Close() })
	defer timer.Stop()
	res, err := term.Wait()
	if err != nil || res.ExitCode != code {
		p.t.Errorf("exit code %d, %v; want %d; the screen:\n%s", res.ExitCode, err, code, term.Screen())
	}
	return res.Stdout
}

// rollouts returns the Codex sessions that Crosswalk has written.
func (p *person) rollouts() []string {
	p.t.Helper()
	found, err := filepath.Glob(filepath.Join(p.home, ".codex", "sessions", "*", "*", "*", "rollout-*"))
	if err != nil {
		p.t.Fatal(err)
	}
	return found
}

// wroteNothing checks that there is no file that was not there before.
func (p *person) wroteNothing() {
	p.t.Helper()
	if found := p.rollouts(); len(found) > 0 {
		p.t.Errorf("there is %q", found)
	}
}

func TestPickerHandsOverWhatIsChosen(t *testing.T) {
	for _, flag := range []string{"-i", "--pick", "--list"} {
		t.Run(flag, func(t *testing.T) {
			t.Parallel()
			p := newPerson(t)
			p.session("greet", 2*time.Hour)
			p.session("parser", 3*time.Hour)
			p.session("branches", 4*time.Hour)
			p.session("empty", time.Hour)
			p.session("headless", 5*time.Hour)
			p.session("retry", time.Hour)
			term := p.start(160, 24, "to", "codex", flag)
			p.sees(term, `Which session\?`, `> claude 2 h ago +Fix the greeting`, `  claude 3 h ago +Explain the parser\.`, `  claude 5 h ago +Say yes\. \[headless\]`)
			if s := term.Screen(); strings.Contains(s, "Nothing was said") || strings.Contains(s, "download") {
				t.Errorf("the list holds what cannot be handed over:\n%s", s)
			}
			term.Press(rig.Down, rig.Down, rig.Up)
			p.sees(term, `> claude 3 h ago +Explain the parser\.`)
			term.Press(rig.Enter)
			p.sees(term, `Claude Code → Codex: Explain the parser\.`, `codex resume [0-9a-f-]{36}`)
			p.ends(term, exitDone)
			if s := term.Screen(); strings.Contains(s, "Which session") {
				t.Errorf("the list is still on the screen:\n%s", s)
			}
			if n := len(p.rollouts()); n != 2 { // the other is "retry"
				t.Errorf("%d rollouts, want 2", n)
			}
		})
	}
}

func TestPickerOfPullListsWhatWasHandedOver(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	p.session("greet", 2*time.Hour)
	p.session("parser", 3*time.Hour)
	p.session("retry", time.Hour)
	term := p.start(200, 24, "to", "codex", "greeting")
	p.sees(term, `codex resume [0-9a-f-]{36}`)
	p.ends(term, exitDone)
	term = p.start(200, 24, "pull", "-i")
	p.sees(term, `> codex +.* Fix the greeting \(from Claude Code\)`, `1 of 1`)
	if s := term.Screen(); strings.Contains(s, "parser") || strings.Contains(s, "download") {
		t.Errorf("the list holds what was not handed over:\n%s", s)
	}
	term.Press(rig.Enter)
	p.sees(term, `Nothing new in Codex`)
	p.ends(term, exitDone)
	term = p.start(200, 24, "pull", "-i")
	p.sees(term, `1 of 1`)
	term.Press(rig.Escape)
	p.sees(term, `(?m)^crosswalk: cancelled$`)
	p.ends(term, exitCancelled)
}

func TestPickerFilters(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	p.session("greet", 2*time.Hour)
	p.session("parser", 3*time.Hour)
	p.session("branches", 4*time.Hour)
	term := p.start(80, 24, "to", "codex", "-i")
	p.sees(term, `Explain the parser`)
	if err := term.Type("/CHOOSE"); err != nil {
		t.Error(err)
	}
	p.sees(term, `> claude 4 h ago +Choose a name`)
	if err := term.WaitGone("Explain the parser", soon); err != nil {
		t.Error(err)
	}
	term.Press(rig.Enter)
	p.sees(term, `Claude Code → Codex: Choose a name`)
	p.ends(term, exitDone)
}

func TestPickerIsLeftWithoutATrace(t *testing.T) {
	for name, keys := range map[string][]rig.Key{
		"escape":           {rig.Escape},
		"ctrl-c":           {rig.Ctrl('c')},
		"escape a filter":  {{Code: '/', Text: "/"}, {Code: 'x', Text: "x"}, rig.Escape},
		"ctrl-c in filter": {{Code: '/', Text: "/"}, {Code: 'x', Text: "x"}, rig.Ctrl('c')},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPerson(t)
			p.session("greet", 2*time.Hour)
			before, err := rig.TakeSnapshot(filepath.Join(p.home, ".claude"))
			if err != nil {
				t.Fatal(err)
			}
			for _, args := range [][]string{{"to", "codex", "-i"}, {"show", "-i"}} {
				term := p.start(80, 24, args...)
				p.sees(term, `Fix the greeting`)
				term.Press(keys...)
				p.sees(term, `(?m)^crosswalk: cancelled$`)
				p.ends(term, exitCancelled)
			}
			p.wroteNothing()
			after, err := rig.TakeSnapshot(filepath.Join(p.home, ".claude"))
			if err != nil {
				t.Fatal(err)
			}
			if d := before.Changes(after); len(d) > 0 {
				t.Errorf("changes: %q", d)
			}
		})
	}
}

// many makes n sessions with numbered titles.
func (p *person) many(n int) {
	p.t.Helper()
	_, first := p.session("greet", 2*time.Hour)
	text, err := os.ReadFile(first)
	if err != nil {
		p.t.Fatal(err)
	}
	for i := range n {
		id := fmt.Sprintf("c1a0dead-0000-4000-8000-00000001%04d", i)
		s := strings.ReplaceAll(string(text), "c1a0dead-0000-4000-8000-000000000001", id)
		s = strings.ReplaceAll(s, "Fix the greeting", fmt.Sprintf("Number %04d of many with a title that is longer than the terminal is wide", i))
		path := filepath.Join(filepath.Dir(first), id+".jsonl")
		if err := os.WriteFile(path, []byte(s), 0o600); err != nil {
			p.t.Fatal(err)
		}
		at := p.now.Add(-time.Duration(i+180) * time.Minute)
		if err := os.Chtimes(path, at, at); err != nil {
			p.t.Fatal(err)
		}
	}
}

func TestPickerFitsASmallTerminal(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	p.many(30)
	term := p.start(40, 10, "to", "codex", "-i")
	p.sees(term, `Which session`, `> claude 2 h ago +Fix the greeting`, `  claude 3 h ago +Number 0000 .*…`, `  claude 3 h ago +Number 0006`, `31 of 31`)
	for _, row := range strings.Split(term.Screen(), "\n") {
		if strings.Contains(row, "longer than") || strings.Contains(row, "wide") {
			t.Errorf("a title goes on in another line: %q", row)
		}
	}
	term.Press(rig.Up) // the last one
	p.sees(term, `> claude 3 h ago +Number 0029`)
	term.Press(rig.Home, rig.PageDown)
	p.sees(term, `> claude 3 h ago +Number 0007`)
	if err := term.Resize(60, 20); err != nil {
		t.Error(err)
	}
	p.sees(term, `  claude 3 h ago +Number 0016`)
	term.Press(rig.Enter)
	p.sees(term, `Number 0007`)
	p.ends(term, exitDone)
}

// Twelve keys take hardly longer in a list of a thousand than in a short one.
func TestPickerIsQuickWithThousands(t *testing.T) {
	t.Parallel()
	typing := func(n int) time.Duration {
		p := newPerson(t)
		p.many(n)
		p.ends(p.start(80, 24, "sessions"), exitDone) // the listing is known from now on
		term := p.start(80, 24, "to", "codex", "-i")
		p.sees(term, fmt.Sprintf(`%d of %[1]d`, n+1))
		took := fixture.Time(func() {
			if err := term.Type(fmt.Sprintf("/number %04d", n-1)); err != nil {
				t.Error(err)
			}
			p.sees(term, fmt.Sprintf(`> claude .* Number %04d`, n-1), fmt.Sprintf(`1 of %d`, n+1))
		})
		term.Press(rig.Escape)
		p.ends(term, exitCancelled)
		return took
	}
	const most = 20 // times as long, for two hundred times as many
	var few, many time.Duration
	for range 3 { // a busy machine may be the reason
		if few, many = typing(5), typing(1000); many < most*few {
			return
		}
	}
	t.Errorf("%v with 5 sessions, %v with 1000", few, many)
}

func TestPickerOnATerminalThatCannotDraw(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	p.session("greet", 2*time.Hour)
	p.session("parser", 3*time.Hour)
	p.env2 = []string{"TERM=dumb"}
	term := p.start(80, 24, "to", "codex", "-i")
	p.sees(term, ` 1  claude 2 h ago +Fix the greeting\n 2  claude 3 h ago +Explain the parser\.\nWhich session, by its number\?$`)
	if err := term.Type("7\r2\r"); err != nil {
		t.Error(err)
	}
	p.sees(term, `Claude Code → Codex: Explain the parser\.`)
	if out := p.ends(term, exitDone); strings.Contains(out, "\x1b") {
		t.Errorf("escapes: %q", out)
	}
	term = p.start(80, 24, "to", "codex", "-i")
	p.sees(term, `number\?$`)
	term.Press(rig.Ctrl('c'))
	p.sees(term, `(?m)crosswalk: cancelled$`)
	p.ends(term, exitCancelled)
}

// colours are the sequences that choose one.
var colours = regexp.MustCompile(`\x1b\[[0-9;]*\b(3[0-8]|4[0-8]|9[0-7]|10[0-7])\b[0-9;:]*m`)

func TestNoColor(t *testing.T) {
	for _, c := range []struct {
		env   string
		color bool
	}{{"NO_COLOR=", true}, {"NO_COLOR=1", false}} {
		t.Run(c.env, func(t *testing.T) {
			t.Parallel()
			p := newPerson(t)
			id, _ := p.session("greet", 2*time.Hour)
			p.env2 = []string{c.env, "PAGER=cat"}
			term := p.start(80, 24, "to", "codex", "-i")
			p.sees(term, `Fix the greeting`)
			term.Press(rig.Escape)
			if out := p.ends(term, exitCancelled); colours.MatchString(out) != c.color {
				t.Errorf("the list has colours: %v, want %v: %q", !c.color, c.color, out)
			}
			term = p.start(80, 24, "show", id)
			if out := p.ends(term, exitDone); strings.Contains(out, "\x1b[") != c.color {
				t.Errorf("the transcript has escapes: %v, want %v", !c.color, c.color)
			}
		})
	}
}

func TestHostileTitlesDoNotReachTheTerminal(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	id, _ := p.session("hostile", 2*time.Hour)
	p.env2 = []string{"PAGER=cat", "NO_COLOR=1"}
	for _, args := range [][]string{{"to", "codex", "-i"}, {"sessions"}, {"sessions", "--all"}, {"sessions", "--json"}, {}, {"show", id}, {"show", id, "--json"}, {"lineage"}} {
		term := p.start(100, 24, args...)
		if len(args) > 2 && args[2] == "-i" {
			p.sees(term, `Plain\\x1b\]0;owned`)
			term.Press(rig.Enter)
		}
		out := p.ends(term, exitDone)
		for _, raw := range []string{"\x1b]0;owned", "\x1b[31m", "\u202e", "\u009b"} {
			if strings.Contains(out, raw) {
				t.Errorf("crosswalk %q: %q reaches the terminal", args, raw)
			}
		}
	}
}

func TestTablesFitTheTerminal(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	p.session("greet", 2*time.Hour)
	p.session("retry", time.Hour)
	p.session("headless", 3*time.Hour)
	for _, cols := range []int{40, 60, 80, 120} {
		for _, args := range [][]string{{"sessions"}, {"sessions", "--all"}, {}} {
			term := p.start(cols, 24, args...)
			out := strings.TrimSuffix(p.ends(term, exitDone), "\r\n")
			for row := range strings.SplitSeq(out, "\r\n") {
				if n := len([]rune(row)); n > cols {
					t.Errorf("crosswalk %q at %d columns: %d in %q", args, cols, n, row)
				}
			}
			if !strings.Contains(out, "Fix the gree") || strings.Contains(out, "\t") {
				t.Errorf("crosswalk %q at %d columns:\n%s", args, cols, out)
			}
			if whole := strings.Contains(out, "c1a0dead-0000-4000-8000-000000000001"); len(args) > 0 && whole != (cols >= wideTable) {
				t.Errorf("at %d columns, the ids are whole: %v", cols, whole)
			}
		}
	}
}
