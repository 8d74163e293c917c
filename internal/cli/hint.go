package cli

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/handoff"
)

func (a *app) notFoundHint(e *handoff.NotFoundError) string {
	var lines []string
	lines = append(lines, "searched: "+line(strings.Join(e.Searched, ", ")))
	for _, why := range slices.Sorted(maps.Keys(e.Skipped)) {
		lines = append(lines, fmt.Sprintf("passed over: %d (%s)", e.Skipped[why], why))
	}
	if e.Nearest != nil {
		lines = append(lines, a.nearest(e.Nearest))
	}
	if e.Pull && e.Nearest == nil {
		lines = append(lines, "hand one over first:  crosswalk to AGENT")
	}
	return strings.Join(lines, "\n")
}

// nearest names a session elsewhere that may be meant.
func (a *app) nearest(n *agent.Entry) string {
	return fmt.Sprintf("nearest: %s session %s in %s, %s\ntake it as %s, or look everywhere with --all",
		a.name(n.Agent), titleOf(n), line(n.Dir), age(a.now, n.Modified), word(n))
}

// resolve finds the session that a person named, and says if others have the
// name.
func (a *app) resolve(ctx context.Context, d *handoff.Desk, w handoff.Wanted) (*agent.Entry, error) {
	c, err := d.Resolve(ctx, w)
	if err != nil {
		return nil, err
	}
	a.sayOlder(c)
	return &c.Entry, nil
}

// sayOlder says that others of its lineage have the title of what was chosen.
func (a *app) sayOlder(c *handoff.Choice) {
	if n := len(c.Older); n > 0 && !a.quiet {
		fmt.Fprintf(a.err, "The newest of %d sessions of one lineage that have this title: %s %s, %s.\n", n+1, a.name(c.Agent), word(&c.Entry), age(a.now, c.Modified))
	}
}

func (a *app) ambiguousHint(cmd *cobra.Command, e *handoff.AmbiguousError) string {
	lines := []string{"name one of them:"}
	for i, m := range e.Matches {
		if i == 8 {
			lines = append(lines, fmt.Sprintf("… and %d more", len(e.Matches)-i))
			break
		}
		lines = append(lines, fmt.Sprintf("%s  %s  %s  %s", word(&m), m.Agent, age(a.now, m.Modified), cut(titleOf(&m), 50)))
	}
	if cmd != nil {
		lines = append(lines, "the newest is:  "+retyped(cmd, e.Wanted, word(&e.Matches[0])))
	}
	return strings.Join(lines, "\n")
}

// retyped is the command line of cmd with another argument in the place of old.
func retyped(cmd *cobra.Command, old, argument string) string {
	words := []string{cmd.CommandPath()}
	for _, a := range cmd.Flags().Args() {
		if a == old {
			words = append(words, argument)
		} else {
			words = append(words, shellWord(a))
		}
	}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		for _, v := range values {
			if f.Value.Type() == "bool" && v == "true" {
				words = append(words, "--"+f.Name)
			} else {
				words = append(words, shellWord("--"+f.Name+"="+v))
			}
		}
	})
	return strings.Join(words, " ")
}
