package cli

import (
	"context"
	"fmt"
	"slices"

	"github.com/charmbracelet/x/ansi"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/handoff"
)

// maxOverview is how many sessions the bare command lists.
const maxOverview = 5

// overview is what the bare command prints: what is here, and what to do next.
func (a *app) overview(ctx context.Context) error {
	d, err := a.desk()
	if err != nil {
		return err
	}
	dir, err := a.workDir()
	if err != nil {
		return err
	}
	entries, errs := d.List(ctx, agent.Query{}, "")
	if err := ctx.Err(); err != nil {
		return err
	}
	a.note(errs)
	var here []agent.Entry
	hidden := 0
	for _, e := range entries {
		switch {
		case e.Dir != dir:
		case e.Hidden != "":
			hidden++
		default:
			here = append(here, e)
		}
	}
	short := shortIDs(entryIDs(entries))
	a.heading(dir)
	in, above := countIn(entries, dir)
	switch elsewhere := len(entries) - hidden; {
	case len(here) > 0:
	case elsewhere == 0:
		fmt.Fprintln(a.out, "  none, and none elsewhere")
	case in[above] > 0:
		fmt.Fprintln(a.out, a.fit(fmt.Sprintf("  none, but %d of %s above it", in[above], a.homely(above))))
	default:
		fmt.Fprintf(a.out, "  none (%d elsewhere; crosswalk sessions --all)\n", elsewhere)
	}
	for i := range here[:min(len(here), maxOverview)] {
		e := &here[i]
		fmt.Fprintln(a.out, a.fit(fmt.Sprintf("  %-8s %-12s %s", e.Agent, age(a.now, e.Modified), titleOf(e))))
	}
	if more := len(here) - maxOverview; more > 0 || hidden > 0 {
		fmt.Fprintf(a.out, "  … and %d more (crosswalk sessions)\n", max(more, 0)+hidden)
	}
	next, err := a.next(ctx, here, entries, short)
	if err != nil {
		return err
	}
	if len(here) == 0 && in[above] > 0 {
		next = slices.Insert(next, 0, [2]string{"cd " + shellWord(above), "go to where they are"})
	}
	width := 0
	for _, n := range next {
		width = max(width, ansi.StringWidth(n[0]))
	}
	fmt.Fprintln(a.out, "\nNext:")
	for _, n := range next {
		fmt.Fprintln(a.out, a.fit("  "+pad(n[0], width)+"  "+n[1]))
	}
	return nil
}

// heading says of what directory the sessions are.
func (a *app) heading(dir string) {
	where := a.homely(dir)
	if a.outTTY {
		where = cutLeft(where, a.width-len("Sessions of :"))
	}
	fmt.Fprintf(a.out, "Sessions of %s:\n", where)
}

// fit shortens a line to the terminal's width, if it goes to one.
func (a *app) fit(s string) string {
	if !a.outTTY {
		return s
	}
	return clip(s, a.width)
}

// note tells of what did not keep the command from going on.
func (a *app) note(errs []error) {
	for _, err := range errs {
		fmt.Fprintln(a.err, "crosswalk:", visible(err.Error()))
	}
}

// goesTo reports whether the newest session here goes to the agent id: not one
// that was handed over and not continued, and one that came from there is brought
// back instead. What was handed to id itself does not count.
func goesTo(id string, here []agent.Entry, standings []handoff.Standing) bool {
	for i := range here {
		s := &standings[i]
		idle := s.Handoff != nil && s.Handoff.Op == handoff.OpTo && !s.Grown
		if idle && here[i].Agent == id {
			continue
		}
		return here[i].Agent != id && !idle && (!s.Back() || s.Handoff.Source.Agent != id)
	}
	return false
}

// next suggests commands for what is here.
func (a *app) next(ctx context.Context, here, all []agent.Entry, short func(string) string) ([][2]string, error) {
	d, err := a.desk()
	if err != nil {
		return nil, err
	}
	a.note(d.Damage(ctx))
	standings, err := d.Standings(ctx, here)
	if err != nil {
		return nil, err
	}
	var out [][2]string
	if slices.ContainsFunc(standings, func(s handoff.Standing) bool { return s.Back() }) {
		out = append(out, [2]string{"crosswalk pull", "bring back what the other agent added"})
	}
	for _, ag := range a.agents {
		m, err := ag.Manifest()
		if _, ok := ag.(agent.Writer); err != nil || !ok {
			continue
		}
		switch {
		case goesTo(m.ID, here, standings):
			out = append(out, [2]string{"crosswalk to " + m.ID, "continue the newest one in " + m.Name})
		case len(all) == 0 && m.ID != sampleAgent:
			out = append(out, [2]string{"crosswalk to " + m.ID, "hand a sample over to " + m.Name + " and look at it"})
		}
	}
	if len(here) > 0 {
		out = append(out, [2]string{"crosswalk show " + shortWord(&here[0], short), "read it"})
	}
	switch {
	case len(here) > 0:
		out = append(out, [2]string{"crosswalk to AGENT -i", "choose a session from a list"})
	case len(all) > 0:
		out = append(out, [2]string{"crosswalk to AGENT -i --all", "choose one of any directory from a list"})
	}
	return append(out, [2]string{"crosswalk --help", "all commands"}), nil
}
