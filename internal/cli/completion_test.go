//go:build unix

package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/crosswalk-agents/crosswalk/conformance/rig"
)

// shell runs a shell without anybody's settings in a terminal and gives it the
// lines that load the completion.
func (p *person) shell(name string, args []string, lines ...string) *rig.Terminal {
	p.t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		p.t.Skipf("%s is not installed; CI has it", name)
	}
	cmd := exec.CommandContext(p.t.Context(), path, args...)
	cmd.Dir, cmd.Env = p.project, append(p.env(p.bin), "PS1=ready>", "PROMPT=ready>")
	term, err := rig.Tty(p.t.Context(), 120, 24, cmd)
	if err != nil {
		p.t.Fatal(err)
	}
	for _, line := range append(lines, "clear") {
		p.sees(term, `ready>$`)
		if err := term.Type(line + "\r"); err != nil {
			p.t.Error(err)
		}
	}
	p.sees(term, `^ready>$`)
	return term
}

// completes types words and the tab key, and waits for what comes of it.
func (p *person) completes(term *rig.Terminal, typed string, tabs int, want ...string) {
	p.t.Helper()
	if err := term.Type(typed); err != nil {
		p.t.Error(err)
	}
	p.sees(term, `ready>`+strings.TrimSpace(typed))
	for range tabs {
		term.Press(rig.Tab)
	}
	p.sees(term, want...)
	term.Press(rig.Ctrl('u'), rig.Ctrl('l'))
	p.sees(term, `ready>\s*$`)
}

// threeSessions are of the project, but for the last.
func (p *person) threeSessions() {
	p.session("greet", 2*time.Hour)
	p.session("retry", time.Hour)
	p.session("branches", 3*time.Hour)
	if _, _, err := p.install("sort", 3*time.Hour, p.home); err != nil {
		p.t.Fatal(err)
	}
}

func TestCompletionInBash(t *testing.T) {
	for name, load := range map[string][]string{
		"alone":                nil,
		"with bash-completion": {"source /usr/share/bash-completion/bash_completion"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if len(load) > 0 {
				if _, err := os.Stat(strings.Fields(load[0])[1]); err != nil {
					t.Skip("bash-completion is not installed; CI has it")
				}
			}
			p := newPerson(t)
			p.threeSessions()
			term := p.shell("bash", []string{"--norc", "--noprofile", "-i"}, append(load, "source <(crosswalk completion bash)")...)
			p.completes(term, "crosswalk to cod", 1, `ready>crosswalk to codex`)
			p.completes(term, "crosswalk to codex c1", 1, `ready>crosswalk to codex c1a0dead-0000-4000-8000-000000000001`)
			p.completes(term, "crosswalk to ", 3, `claude +\(Claude Code\)`, `codex +\(Codex\)`)
			p.completes(term, "crosswalk show ", 2,
				`019a0dea-0000-7000-8000-000000000001 +\(codex: Make the download`, `c1a0dead-0000-4000-8000-000000000001 +\(claude: Fix the greeting\)`)
			p.completes(term, "crosswalk show 019a0deb", 1, `show 019a0deb-0000-7000-8000-000000000002`)
			p.completes(term, "crosswalk to codex --vi", 1, `codex --view`)
			p.completes(term, "crosswalk to codex --from=cl", 1, `codex --from=claude`)
			if _, err := term.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestCompletionInZsh(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	p.threeSessions()
	term := p.shell("zsh", []string{"-f", "-i"}, "bindkey -e; autoload -U compinit; compinit -u -D", "source <(crosswalk completion zsh)")
	p.completes(term, "crosswalk to cod", 1, `ready>crosswalk to codex`)
	p.completes(term, "crosswalk to codex c1", 1, `ready>crosswalk to codex c1a0dead-0000-4000-8000-000000000001`)
	p.completes(term, "crosswalk to ", 2, `claude +-- Claude Code`, `codex +-- Codex`)
	p.completes(term, "crosswalk show ", 2,
		`019a0dea-0000-7000-8000-000000000001 +-- codex: Make the download`, `c1a0dead-0000-4000-8000-000000000001 +-- claude: Fix the greeting`)
	p.completes(term, "crosswalk show 019a0deb", 1, `show 019a0deb-0000-7000-8000-000000000002`)
	if _, err := term.Close(); err != nil {
		t.Error(err)
	}
}

func TestCompletionInFish(t *testing.T) {
	t.Parallel()
	fish, err := exec.LookPath("fish")
	if err != nil {
		t.Skip("fish is not installed; CI has it")
	}
	p := newPerson(t)
	p.threeSessions()
	for typed, want := range map[string]string{
		"crosswalk to ":           "claude\tClaude Code\ncodex\tCodex\n",
		"crosswalk to codex c1":   "c1a0dead-0000-4000-8000-000000000001\tclaude: Fix the greeting\n",
		"crosswalk show ":         "019a0dea-0000-7000-8000-000000000001\tcodex: Make the download try again when it fails.\nc1a0dead-0000-4000-8000-000000000001\tclaude: Fix the greeting\nc3b0dead-0000-4000-8000-000000000003\tclaude: Choose a name\n",
		"crosswalk show 019a0deb": "019a0deb-0000-7000-8000-000000000002\tcodex: Sort the list by date.\n",
		"crosswalk to codex --vi": "--view\t",
	} {
		cmd := exec.CommandContext(t.Context(), fish, "--no-config", "-c", "crosswalk completion fish | source; complete -C '"+typed+"'")
		cmd.Dir, cmd.Env = p.project, append(p.env(p.bin), "XDG_CONFIG_HOME="+filepath.Join(p.home, "config"), "XDG_DATA_HOME="+filepath.Join(p.home, "data"))
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.HasPrefix(string(out), want) {
			t.Errorf("%q completes to\n%swant\n%s%v", typed, out, want, err)
		}
	}
}
