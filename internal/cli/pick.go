package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	tea "charm.land/bubbletea/v2"
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

// pickFrame is how many columns and lines of the list are not the options'.
const (
	pickFrame = 4
	pickLines = 3
	minPick   = 3
)

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
	entries, errs := d.List(ctx, q, only)
	a.note(errs)
	var options []huh.Option[int]
	for i := range entries {
		e := &entries[i]
		if e.Agent == not || e.Hidden == "no conversation" {
			continue
		}
		options = append(options, huh.NewOption(a.pickLabel(e, all), i))
	}
	if len(options) == 0 {
		return nil, d.Missing(ctx, dir, not, only, all)
	}
	chosen := -1
	field := huh.NewSelect[int]().
		Title("Which session?  (esc leaves)").
		Options(options...).
		Height(min(len(options)+1, max(minPick, a.height-pickLines))).
		Value(&chosen)
	keys := huh.NewDefaultKeyMap()
	keys.Quit.SetKeys("ctrl+c", "esc")
	// Enter takes what the filter has found, too.
	keys.Select.SetFilter.SetKeys()
	keys.Select.ClearFilter.SetKeys()
	form := huh.NewForm(huh.NewGroup(field)).WithInput(a.in).WithOutput(a.err).WithKeyMap(keys).
		WithViewHook(func(v tea.View) tea.View {
			v.AltScreen = true // nothing of the list is left on the screen
			return v
		})
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
	label := fmt.Sprintf("%-6s %-10s ", e.Agent, age(a.now, e.Modified))
	where := ""
	if all {
		where = "  " + cut(filepath.Base(e.Dir), minDir)
	}
	rest := a.width - pickFrame - len(label) - len(where)
	return label + noted(e, max(minTitle, rest)) + where
}
