//go:build unix

package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/crosswalk-agents/crosswalk/conformance/rig"
)

// program puts a shell script on the person's PATH.
func (p *person) program(name, text string) {
	p.t.Helper()
	if err := os.WriteFile(filepath.Join(p.bin, name), []byte("#!/bin/sh\n"+text), 0o700); err != nil {
		p.t.Fatal(err)
	}
}

func TestLaunchedClientHasTheTerminal(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	p.session("greet", time.Hour)
	p.program("codex", `trap 'echo client interrupted' INT
[ -t 0 ] && [ -t 1 ] && [ -t 2 ] && echo "client of $$ here: $*"
while read -r line; do [ "$line" = bye ] && exit 5; done
while read -r line; do [ "$line" = bye ] && exit 5; done
`)
	term := p.start(160, 24, "to", "codex", "--launch")
	p.sees(term, `(?m)^\$ cd .* && codex resume`, `client of [0-9]+ here: resume [0-9a-f-]{36}`)
	term.Press(rig.Ctrl('c'))
	p.sees(term, `client interrupted`)
	if err := term.Type("bye\r"); err != nil {
		t.Error(err)
	}
	if out := p.ends(term, 5); strings.Contains(out, "cancelled") {
		t.Errorf("%q", out)
	}
}

func TestPagerHasTheTerminal(t *testing.T) {
	for _, name := range []string{"CROSSWALK_PAGER", "PAGER"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPerson(t)
			id, _ := p.session("greet", time.Hour)
			p.program("pages", `trap 'echo pager interrupted' INT
echo "paging $(grep -c .) lines with LESS=$LESS"
while read -r line </dev/tty; do [ "$line" = q ] && exit; done
while read -r line </dev/tty; do [ "$line" = q ] && exit; done
`)
			p.env2 = []string{"PAGER=false", name + "=pages"}
			term := p.start(100, 24, "show", id)
			p.sees(term, `paging [0-9]+ lines with LESS=FRX`)
			term.Press(rig.Ctrl('c'))
			p.sees(term, `pager interrupted`)
			if err := term.Type("q\r"); err != nil {
				t.Error(err)
			}
			p.ends(term, exitDone)
		})
	}
}

func TestPagerIsLeftAlone(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	id, _ := p.session("greet", time.Hour)
	p.program("pages", "echo paging\n")
	for _, c := range []struct {
		env, args []string
		paged     bool
	}{
		{[]string{"PAGER=pages"}, nil, true}, // one that reads nothing is no failure
		{[]string{"PAGER=cat"}, nil, false},
		{[]string{"PAGER=pages", "CROSSWALK_PAGER=cat"}, nil, false},
		{[]string{"PAGER=pages"}, []string{"--no-pager"}, false},
		{[]string{"PAGER=pages"}, []string{"--json"}, false},
		{[]string{"PAGER=pages", "LESS=x"}, nil, true},
	} {
		p.env2 = c.env
		out := p.ends(p.start(100, 24, append([]string{"show", id}, c.args...)...), exitDone)
		if paged := strings.Contains(out, "paging"); paged != c.paged {
			t.Errorf("%q %q: paged %v", c.env, c.args, paged)
		}
	}
}
