package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/spf13/pflag"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/handoff"
)

// registerPick adds --pick, -i and the alias --list.
func registerPick(f *pflag.FlagSet, pick *bool) {
	f.BoolVarP(pick, "pick", "i", false, "choose the session from a list")
	f.BoolVar(pick, "list", false, "the same as --pick")
	f.Lookup("list").Hidden = true
}

// isPick reports whether the flag asks for the list.
func isPick(name string) bool { return name == "pick" || name == "list" }

// pickSession lets the person choose a session. Those of the agent not are
// left out, and those that fit does not return unless it is nil.
func (a *app) pickSession(ctx context.Context, d *handoff.Desk, dir, only, not string, all bool,
	fit func(context.Context, *handoff.Desk, []agent.Entry) ([]agent.Entry, error),
) (*agent.Entry, error) {
	if !a.canAsk() {
		return nil, usagef("a list to choose from needs a terminal; name the session instead")
	}
	q := agent.Query{Dir: dir}
	if all {
		q.Dir = ""
	}
	entries, errs := d.List(ctx, q, only)
	a.note(errs)
	if fit != nil {
		var err error
		if entries, err = fit(ctx, d, entries); err != nil {
			return nil, err
		}
	}
	var options []*agent.Entry
	for i := range entries {
		if e := &entries[i]; e.Agent != not && e.Hidden != agent.HiddenEmpty {
			options = append(options, e)
		}
	}
	if len(options) == 0 {
		return nil, d.Missing(ctx, dir, not, only, all)
	}
	label := func(i, width int) string { return a.pickLabel(options[i], all, width) }
	pick := a.pickFromList
	if a.home.Env("TERM") == "dumb" {
		pick = a.pickByNumber
	}
	i, err := pick(ctx, len(options), label)
	if err != nil {
		return nil, err
	}
	return options[i], nil
}

// pickFromList shows the list until the person has chosen.
func (a *app) pickFromList(ctx context.Context, n int, label func(i, width int) string) (int, error) {
	p := newPicker(n, label, a.width, a.height, a.color)
	_, err := tea.NewProgram(p, tea.WithContext(ctx), tea.WithInput(a.in), tea.WithOutput(a.err), tea.WithoutSignalHandler()).Run()
	switch {
	case ctx.Err() != nil || err == nil && p.chosen < 0:
		return 0, errCancelled
	case err != nil:
		return 0, fmt.Errorf("choose a session: %w", err)
	}
	return p.chosen, nil
}

// dumbRows is how many sessions are listed where the list cannot be moved.
const dumbRows = 20

// pickByNumber asks for a number, on a terminal on which nothing can be drawn.
func (a *app) pickByNumber(ctx context.Context, n int, label func(i, width int) string) (int, error) {
	for i := range min(n, dumbRows) {
		fmt.Fprintf(a.err, "%2d  %s\n", i+1, label(i, a.width-4))
	}
	for range 3 {
		fmt.Fprint(a.err, "Which session, by its number? ")
		text, err := a.answer(ctx)
		if i, nerr := strconv.Atoi(text); nerr == nil && i >= 1 && i <= min(n, dumbRows) {
			return i - 1, nil
		}
		if err != nil {
			fmt.Fprintln(a.err)
			break
		}
	}
	return 0, errCancelled
}

// pickLabel is one line of the list, in width columns.
func (a *app) pickLabel(e *agent.Entry, all bool, width int) string {
	label := fmt.Sprintf("%-6s %-10s ", e.Agent, age(a.now, e.Modified))
	where := ""
	if all {
		where = "  " + cut(filepath.Base(e.Dir), minDir)
	}
	return clip(strings.TrimRight(label+noted(e, max(minTitle, width-len(label)-len(where)))+where, " "), width)
}
