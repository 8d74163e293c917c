package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"charm.land/huh/v2"
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

// pickSession lets the person choose a session. Those of the agent not are
// left out.
func (a *app) pickSession(ctx context.Context, d *handoff.Desk, dir, only, not string, all bool) (*agent.Entry, error) {
	if !a.canAsk() {
		return nil, usagef("a list to choose from needs a terminal; name the session instead")
	}
	q := agent.Query{Dir: dir}
	if all {
		q.Dir = ""
	}
	entries, _ := d.List(ctx, q, only)
	var options []huh.Option[int]
	for i := range entries {
		e := &entries[i]
		if e.Agent == not || e.Hidden == "no conversation" {
			continue
		}
		options = append(options, huh.NewOption(a.pickLabel(e, all), i))
	}
	if len(options) == 0 {
		nf := &handoff.NotFoundError{Dir: dir}
		return nil, nf
	}
	chosen := -1
	field := huh.NewSelect[int]().
		Title("Which session?  (type / to filter)").
		Options(options...).
		Height(min(len(options)+2, 20)).
		Value(&chosen)
	form := huh.NewForm(huh.NewGroup(field)).WithInput(a.in).WithOutput(a.err).WithShowHelp(true)
	if err := form.RunWithContext(ctx); err != nil {
		if errors.Is(err, huh.ErrUserAborted) || ctx.Err() != nil {
			return nil, errCancelled
		}
		return nil, fmt.Errorf("choose a session: %w", err)
	}
	return &entries[chosen], nil
}

// pickLabel is one line of the list.
func (a *app) pickLabel(e *agent.Entry, all bool) string {
	label := fmt.Sprintf("%-8s %-12s %s", e.Agent, age(a.now, e.Modified), cut(titleOf(e), max(20, a.width-40)))
	if e.Hidden != "" {
		label += " [" + e.Hidden + "]"
	}
	if all {
		label += "  " + line(filepath.Base(e.Dir))
	}
	return label
}
