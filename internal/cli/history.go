package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/crosswalk-agents/crosswalk/handoff"
)

// undoOptions are those of `crosswalk undo`.
type undoOptions struct {
	*app
	id                string
	dryRun, json, all bool
}

func newUndo(a *app) *cobra.Command {
	o := &undoOptions{app: a}
	cmd := &cobra.Command{
		Use:   "undo [ID]",
		Short: "Remove what a hand-over wrote, if nothing was added to it",
		Long: `Remove the session that a hand-over wrote, unless it was continued since. ID is
that of the hand-over or of the session it made; without it the newest of this
directory is taken, or with --all of any. A person is asked first; where nobody
can be asked, --yes is needed.`,
		Args: arguments(0, "ID"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				o.id = args[0]
			}
			return o.undo(cmd.Context())
		},
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return a.handoffWords(cmd.Context()), cobra.ShellCompDirectiveNoFileComp | newestFirst
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.dryRun, "dry-run", false, "only say what would be removed")
	f.BoolVar(&o.all, "all", false, "without ID, look beyond this directory")
	f.BoolVar(&o.json, "json", false, "print the result as JSON")
	return cmd
}

func (o *undoOptions) undo(ctx context.Context) error {
	d, err := o.desk()
	if err != nil {
		return err
	}
	dir := ""
	if !o.all {
		if dir, err = o.workDir(); err != nil {
			return err
		}
	}
	o.note(d.Damage(ctx))
	res, err := d.Undo(ctx, o.id, dir, true)
	if err != nil {
		return o.undoRemedy(err)
	}
	if !o.dryRun {
		if err := o.agreed(ctx, res); err != nil {
			return err
		}
		if res, err = d.Undo(ctx, res.Handoff, "", false); err != nil {
			return o.undoRemedy(err)
		}
	}
	if o.json {
		return printJSON(o.out, res)
	}
	verb := "removed"
	if o.dryRun {
		verb = "would remove"
	}
	for _, path := range res.Removed {
		fmt.Fprintln(o.out, verb, visible(path))
	}
	return nil
}

// undoRemedy adds to the error of an undo what can be done.
func (o *undoOptions) undoRemedy(err error) error {
	var grown *handoff.GrownError
	var none *handoff.NoUndoError
	var unclear *handoff.UnclearUndoError
	switch {
	case errors.As(err, &unclear) && len(unclear.Matches) == 0:
		return hinted{err, "undo takes the id of the session that a hand-over made:  crosswalk lineage shows them"}
	case errors.As(err, &unclear):
		return hinted{err, o.meant(unclear.Matches)}
	case errors.As(err, &grown) && grown.Part:
		return hinted{err, "crosswalk pull was asked to bring back a part of it; if that is all that you need, remove the file yourself"}
	case errors.As(err, &grown):
		return hinted{err, "bring it back with crosswalk pull, or remove the file yourself"}
	case errors.As(err, &none) && none.Elsewhere:
		return hinted{err, "take the newest of any directory:  crosswalk undo --all\nor name one:  crosswalk lineage shows them"}
	case errors.Is(err, handoff.ErrRefused) && o.id == "":
		return hinted{err, "an older hand-over can be named:  crosswalk lineage shows them"}
	}
	return err
}

// meant lists hand-overs to choose from, by the sessions that they made.
func (o *undoOptions) meant(matches []*handoff.Handoff) string {
	lines := []string{"name the session that one of them made:"}
	for i, h := range matches {
		if i == 8 {
			lines = append(lines, fmt.Sprintf("… and %d more", len(matches)-i))
			break
		}
		title := h.Title
		if h.Undone {
			title = "(undone) " + title
		}
		lines = append(lines, fmt.Sprintf("%s  %s → %s  %s  %s", line(h.Target.ID), h.Source.Agent, h.Target.Agent, when(o.now, h.Time), cut(title, 50)))
	}
	return strings.Join(lines, "\n")
}

// agreed returns an error unless the person wants to remove what res names.
func (o *undoOptions) agreed(ctx context.Context, res *handoff.UndoResult) error {
	if !o.yes && !o.canAsk() {
		return hinted{errUnasked, fmt.Sprintf("see what would go:  crosswalk undo %[1]s --dry-run\nremove it without a question:  crosswalk undo %[1]s --yes", res.Handoff)}
	}
	question := fmt.Sprintf("Remove %s?", visible(res.Target.Path))
	if n := len(res.Removed); n > 1 && !o.yes {
		question = fmt.Sprintf("Remove these %d?", n)
		for _, path := range res.Removed {
			fmt.Fprintln(o.err, visible(path))
		}
	}
	if !o.confirm(ctx, question) {
		return errCancelled
	}
	return nil
}

// handoffWords lists the hand-overs that can be undone.
func (a *app) handoffWords(ctx context.Context) []string {
	d, err := a.desk()
	if err != nil {
		return nil
	}
	all, err := d.Handoffs(ctx)
	if err != nil {
		return nil
	}
	var words []string
	for i := len(all) - 1; i >= 0; i-- {
		if h := all[i]; !h.Undone {
			words = append(words, h.ID+"\t"+h.Source.Agent+" → "+h.Target.Agent+": "+cut(h.Title, 50))
		}
	}
	return words
}

// lineageOptions are those of `crosswalk lineage`.
type lineageOptions struct {
	*app
	session string
	json    bool
}

func newLineage(a *app) *cobra.Command {
	o := &lineageOptions{app: a}
	cmd := &cobra.Command{
		Use:   "lineage [SESSION]",
		Short: "Show which session came from which",
		Args:  arguments(0, "SESSION"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				o.session = args[0]
			}
			return o.show(cmd.Context())
		},
		ValidArgsFunction: a.completeSession,
	}
	cmd.Flags().BoolVar(&o.json, "json", false, "print as JSON, one hand-over a line")
	return cmd
}

func (o *lineageOptions) show(ctx context.Context) error {
	d, err := o.desk()
	if err != nil {
		return err
	}
	o.note(d.Damage(ctx))
	id := o.session
	if id != "" {
		if id, err = o.sessionID(ctx, d, id); err != nil {
			return err
		}
	}
	steps, err := d.Lineage(ctx, id)
	if err != nil {
		return err
	}
	if len(steps) == 0 {
		fmt.Fprintln(o.err, "No hand-over.")
		return nil
	}
	if o.json {
		for _, s := range steps {
			if err := printJSON(o.out, listedStep{s.Handoff, s.Handoff.Time.UTC(), s.Handoff.Undone, s.Depth}); err != nil {
				return err
			}
		}
		return nil
	}
	o.print(steps)
	return nil
}

// listedStep is a hand-over as --json prints it.
type listedStep struct {
	*handoff.Handoff
	Time   time.Time `json:"time"`
	Undone bool      `json:"undone,omitempty"`
	Depth  int       `json:"depth"`
}

// print lists the hand-overs, each indented below the one that made its source.
func (o *lineageOptions) print(steps []handoff.Step) {
	name, width := line, 1000
	if o.outTTY {
		var ids []string
		for _, s := range steps {
			ids = append(ids, s.Handoff.Source.ID, s.Handoff.Target.ID)
		}
		name, width = shortIDs(ids), o.width
	}
	for _, s := range steps {
		h := s.Handoff
		from := h.Source.Agent + " " + name(h.Source.ID)
		if h.Op == handoff.OpPull {
			from += " into a copy of " + name(h.Base)
		}
		title := h.Title
		if h.Undone {
			title = "(undone) " + title
		}
		fmt.Fprintln(o.out, clip(fmt.Sprintf("%s%s → %s %s  %s  %s", strings.Repeat("  ", s.Depth), from, h.Target.Agent, name(h.Target.ID),
			h.Time.Local().Format("2006-01-02 15:04"), cut(title, 60)), width))
	}
}

// sessionID resolves what names a session; an id that only the journal knows
// is taken as it is.
func (o *lineageOptions) sessionID(ctx context.Context, d *handoff.Desk, arg string) (string, error) {
	all, err := d.Handoffs(ctx)
	if err != nil {
		return "", err
	}
	for _, h := range all {
		if h.Source.ID == arg || h.Target.ID == arg {
			return arg, nil
		}
	}
	dir, err := o.workDir()
	if err != nil {
		return "", err
	}
	e, err := o.resolve(ctx, d, handoff.Wanted{Name: arg, Dir: dir, All: true})
	if err != nil {
		return "", err
	}
	return e.ID, nil
}
