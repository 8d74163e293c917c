package cli

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/crosswalk-agents/crosswalk/internal/fixture"
)

// scriptLine is a run of the program in a script: the words after its name, and
// the exit code that the script wants.
type scriptLine struct {
	words []string
	code  string
}

// scriptLines returns every run of the program in the scripts.
func scriptLines(t *testing.T) []scriptLine {
	t.Helper()
	var out []scriptLine
	for _, ar := range fixture.Archives(t, "testdata/script") {
		for line := range strings.Lines(string(ar.Comment)) {
			words := strings.Fields(line)
			if i := slices.Index(words, "crosswalk"); i > 0 && (words[i-1] == "exec" || i > 1 && words[i-2] == "exits") {
				code := "0"
				if words[i-1] != "exec" {
					code = words[i-1]
				}
				out = append(out, scriptLine{words: words[i+1:], code: code})
			}
		}
	}
	return out
}

// commands returns the command and all below it, as the program runs them.
func commands(c *cobra.Command) []*cobra.Command {
	out := []*cobra.Command{c}
	for _, sub := range c.Commands() {
		out = append(out, commands(sub)...)
	}
	return out
}

// runs reports whether a script runs the command.
func (l scriptLine) runs(c *cobra.Command) bool {
	path := strings.Fields(c.CommandPath())[1:]
	if len(l.words) < len(path) {
		return false
	}
	for i, name := range path {
		if l.words[i] != name && !(i == len(path)-1 && slices.Contains(c.Aliases, l.words[i])) {
			return false
		}
	}
	return true
}

func (l scriptLine) has(f *pflag.Flag) bool {
	return slices.ContainsFunc(l.words, func(w string) bool {
		name, _, _ := strings.Cut(w, "=")
		return name == "--"+f.Name || f.Shorthand != "" && name == "-"+f.Shorthand
	})
}

func TestScriptsUseEveryCommandAndFlag(t *testing.T) {
	lines := scriptLines(t)
	root := Command()
	root.InitDefaultHelpCmd()
	for _, c := range commands(root) {
		c.InitDefaultHelpFlag()
		c.InitDefaultVersionFlag()
		t.Run(strings.ReplaceAll(c.CommandPath(), " ", "_"), func(t *testing.T) {
			used := func(f *pflag.Flag) bool {
				return slices.ContainsFunc(lines, func(l scriptLine) bool { return l.runs(c) && (f == nil || l.has(f)) })
			}
			if c.Runnable() && !used(nil) {
				t.Error("no script runs it")
			}
			c.LocalFlags().VisitAll(func(f *pflag.Flag) {
				if f.Name == "help" && c != root && c.Name() != "to" {
					return // the same for all
				}
				if !used(f) {
					t.Errorf("no script uses --%s", f.Name)
				}
			})
		})
	}
}

func TestScriptsWantEveryExitCode(t *testing.T) {
	want := map[string]bool{}
	for _, l := range scriptLines(t) {
		want[l.code] = true
	}
	// 130 is that of a person who changed their mind: see the tests in a terminal.
	for _, code := range []int{exitDone, exitFailed, exitUsage, exitProblems, exitRefused} {
		if !want[fmt.Sprint(code)] {
			t.Errorf("no script wants exit code %d", code)
		}
	}
}
