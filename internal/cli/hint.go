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

func (a *app) notFoundHint(cmd *cobra.Command, e *handoff.NotFoundError) string {
	var lines []string
	lines = append(lines, "searched: "+line(strings.Join(e.Searched, ", ")))
	for _, why := range slices.Sorted(maps.Keys(e.Skipped)) {
		lines = append(lines, fmt.Sprintf("passed over: %d (%s)", e.Skipped[why], why))
	}
	if e.Nearest != nil {
		lines = append(lines, a.nearest(e.Nearest, retyped(cmd, e.Wanted, word(e.Nearest))))
	}
	switch {
	case e.Short:
		lines = append(lines, fmt.Sprintf("of an id at least %d characters are needed", handoff.MinPrefix))
	case e.Nearest != nil:
	case e.Pull:
		lines = append(lines, "hand one over first:  crosswalk to AGENT")
	case e.Empty:
		lines = append(lines, "see it work with a sample:  crosswalk to "+sampleTarget)
	}
	return strings.Join(lines, "\n")
}

// nearest names a session elsewhere that may be meant, and the command that takes
// it.
func (a *app) nearest(n *agent.Entry, take string) string {
	return fmt.Sprintf("nearest: %s session %s in %s, %s\ntake it:  %s\nor look everywhere with --all",
		a.name(n.Agent), titleOf(n), line(n.Dir), age(a.now, n.Modified), take)
}

// passedOverError refuses to hand over a session of which nobody said that it is
// meant, since newer ones were passed over.
type passedOverError struct {
	choice *handoff.Choice
	target string
}

func (e *passedOverError) Error() string {
	return fmt.Sprintf("no session is named, and the newest here holds nothing new; the next one, %q, is older", e.choice.Title)
}

// Is implements the match with [handoff.ErrRefused].
func (*passedOverError) Is(target error) bool { return target == handoff.ErrRefused }

// passedOverHint names what was passed over, and the commands that are next.
func (a *app) passedOverHint(e *passedOverError) string {
	newest := e.choice.Passed[0]
	lines := append(a.passedLines(e.choice),
		fmt.Sprintf("hand over the older one:   crosswalk to %s %s", e.target, word(&e.choice.Entry)),
		fmt.Sprintf("or the newest as it is:    crosswalk to %s %s", e.target, word(&newest.Entry)))
	h := newest.Handoff
	next, dir := handoff.Endpoint{Agent: h.Source.Agent, ID: h.Source.ID}, h.SourceDir()
	if newest.Pulled() {
		next, dir = newest.Next(), h.Dir
	}
	if cmd := a.resume(&next, dir); cmd != "" && next.Agent == e.target {
		lines = append(lines, fmt.Sprintf("or go on in %s:   %s", a.name(next.Agent), cmd))
	}
	return strings.Join(lines, "\n")
}

// maxPassed is how many sessions that were passed over are named.
const maxPassed = 4

// passedLines name the sessions that were passed over for c, one a line.
func (a *app) passedLines(c *handoff.Choice) (lines []string) {
	for i, n := range c.Passed {
		if i == maxPassed {
			return append(lines, fmt.Sprintf("passed over: %d more", len(c.Passed)-i))
		}
		what := fmt.Sprintf("from %s %s, not continued", a.name(n.Handoff.Source.Agent), line(n.Handoff.Source.ID))
		if next := n.Next(); n.Pulled() {
			what = fmt.Sprintf("continued in %s as %s", a.name(next.Agent), line(next.ID))
		}
		lines = append(lines, fmt.Sprintf("passed over: %s %s, %s: %s", a.name(n.Entry.Agent), word(&n.Entry), cut(titleOf(&n.Entry), 50), what))
	}
	return lines
}

// resume returns the command that goes on in a session of dir; "" if there is
// none.
func (a *app) resume(e *handoff.Endpoint, dir string) string {
	ag, err := a.agent(e.Agent)
	if err != nil {
		return ""
	}
	m, err := ag.Manifest()
	if err != nil {
		return ""
	}
	argv, err := m.ResumeArgv(e.ID)
	if err != nil {
		return ""
	}
	return shellCommand(&handoff.Resume{Dir: dir, Argv: argv})
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
	lines = append(lines, "the newest is:  "+retyped(cmd, e.Wanted, word(&e.Matches[0])))
	return strings.Join(lines, "\n")
}

// retyped is the command line of cmd with another argument in the place of old, or
// with one more if old is empty: without a list, then, to choose from.
func retyped(cmd *cobra.Command, old, argument string) string {
	if cmd == nil {
		return "crosswalk show " + argument
	}
	words := []string{cmd.CommandPath()}
	for _, a := range cmd.Flags().Args() {
		if a == old {
			words = append(words, argument)
		} else {
			words = append(words, shellWord(a))
		}
	}
	if old == "" {
		words = append(words, argument)
	}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if isPick(f.Name) {
			return
		}
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
