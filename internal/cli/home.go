package cli

import (
	"context"
	"fmt"

	"github.com/crosswalk-agents/crosswalk/agent"
)

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
	entries, _ := d.List(ctx, agent.Query{}, "")
	var here []agent.Entry
	for _, e := range entries {
		if e.Dir == dir && e.Hidden == "" {
			here = append(here, e)
		}
	}
	fmt.Fprintf(a.out, "Sessions of %s:\n", visible(dir))
	if len(here) == 0 {
		fmt.Fprintf(a.out, "  none (%d elsewhere; crosswalk sessions --all)\n", len(entries))
	}
	const shown = 5
	for i := range here {
		if i == shown {
			fmt.Fprintf(a.out, "  … and %d more (crosswalk sessions)\n", len(here)-shown)
			break
		}
		e := &here[i]
		fmt.Fprintf(a.out, "  %-8s %-12s %s\n", e.Agent, age(a.now, e.Modified), cut(titleOf(e), max(20, a.width-26)))
	}
	fmt.Fprintln(a.out, "\nNext:")
	for _, next := range a.next(ctx, here) {
		fmt.Fprintf(a.out, "  %-32s %s\n", next[0], next[1])
	}
	return nil
}

// next suggests commands for what is here.
func (a *app) next(ctx context.Context, here []agent.Entry) [][2]string {
	var out [][2]string
	if len(here) > 0 {
		for _, ag := range a.agents {
			m, err := ag.Manifest()
			if _, ok := ag.(agent.Writer); err == nil && ok && m.ID != here[0].Agent {
				out = append(out, [2]string{"crosswalk to " + m.ID, "continue the newest one in " + m.Name})
			}
		}
		out = append(out, [2]string{"crosswalk show " + here[0].ID[:min(8, len(here[0].ID))], "read it"})
	}
	if d, err := a.desk(); err == nil {
		if hs, err := d.Handoffs(ctx); err == nil && len(hs) > 0 {
			out = append(out, [2]string{"crosswalk pull", "bring back what the other agent added"})
		}
	}
	return append(out, [2]string{"crosswalk to AGENT -i", "choose a session from a list"}, [2]string{"crosswalk --help", "all commands"})
}
