package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/handoff"
)

// pullOptions are those of `crosswalk pull`.
type pullOptions struct {
	handoffFlags
	session, onto  string
	pick, all      bool
	launch, review bool
	boundary       int
}

func newPull(a *app) *cobra.Command {
	o := &pullOptions{handoffFlags: handoffFlags{app: a}}
	cmd := &cobra.Command{
		Use:   "pull [SESSION]",
		Short: "Bring back what the other agent added, into a copy of the original",
		Long: `Bring back what was added to a session since it was handed over, into a copy of
the session that it came from. Both originals stay as they are. SESSION is the
one that was continued, or the one that it came from; without it the newest of
this directory is taken. What is new is told by content, so a fork, a compaction
or a migration in between does not matter; a second pull brings only what is new
since.`,
		Args: arguments(0, "SESSION"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				o.session = args[0]
			}
			return o.run(cmd.Context())
		},
		ValidArgsFunction: a.completeSession,
	}
	o.register(cmd)
	f := cmd.Flags()
	f.Lookup("map").Usage = "replace directory OLD by NEW in the tool inputs that are brought back (`OLD=NEW`, repeatable)"
	f.StringVar(&o.onto, "onto", "latest", "`latest|handoff`: add to the original as it is now, or as it was handed over")
	f.BoolVar(&o.review, "review", false, "bring back the final answer of each added turn only")
	f.IntVar(&o.boundary, "boundary", 0, "what follows this `LINE` of the session is new, whatever its content")
	f.BoolVar(&o.all, "all", false, "look beyond this directory")
	f.BoolVar(&o.launch, "launch", false, "start the agent with the copy")
	registerPick(f, &o.pick)
	completeWords(cmd, "onto", "latest", "handoff")
	return cmd
}

func (o *pullOptions) run(ctx context.Context) error {
	if o.onto != "latest" && o.onto != "handoff" {
		return usagef("--onto is latest or handoff, not %q", o.onto)
	}
	if o.boundary < 0 {
		return usagef("--boundary must be 0 or more, not %d", o.boundary)
	}
	if err := o.conflicts(); err != nil {
		return err
	}
	d, err := o.desk()
	if err != nil {
		return err
	}
	o.note(d.Damage(ctx))
	var res *handoff.Result
	e, err := o.find(ctx, d)
	if err == nil {
		res, err = o.pull(ctx, d, e)
	}
	var nothing *handoff.NothingNewError
	switch {
	case errors.As(err, &nothing):
		if res, err = o.nothingNew(nothing); err != nil {
			return err
		}
	case err != nil && e != nil:
		return o.remedy(err, e)
	case err != nil:
		return err
	}
	return o.done(res)
}

// nothingNew says what was looked at, and returns how to go on.
func (o *pullOptions) nothingNew(n *handoff.NothingNewError) (*handoff.Result, error) {
	e, h, next := &n.Entry, n.Handoff, n.Next()
	a, err := o.agent(next.Agent)
	if err != nil {
		return nil, err
	}
	m, err := a.Manifest()
	if err != nil {
		return nil, err
	}
	argv, err := m.ResumeArgv(next.ID)
	if err != nil {
		return nil, err
	}
	o.note(n.Unlisted)
	if !o.quiet {
		what := fmt.Sprintf("Nothing new in %s %s", o.name(e.Agent), line(e.ID))
		switch {
		case n.Pulled():
			what += fmt.Sprintf(": everything was pulled at %s into %s %s", when(o.app.now, h.Time), m.Name, line(next.ID))
		case !h.Time.IsZero(): // which a marker does not tell
			what += fmt.Sprintf(" (handed over %s)", when(o.app.now, h.Time))
		}
		fmt.Fprintln(o.err, what+".")
		if n.Nearest != nil {
			fmt.Fprintln(o.err, visible(o.nearest(n.Nearest, "crosswalk pull "+word(n.Nearest))))
		}
	}
	if !n.Pulled() {
		o.launch = false // there is no copy to start with
	}
	return &handoff.Result{
		Source: handoff.Endpoint{Agent: e.Agent, ID: e.ID, Path: e.Path}, Target: next,
		Resume: &handoff.Resume{Dir: h.Dir, Argv: argv}, Handoff: h.ID, NothingNew: true,
	}, nil
}

// done says how to go on, and goes on if that was asked for.
func (o *pullOptions) done(res *handoff.Result) error {
	o.tellDrift(res)
	if !o.launch {
		o.noteDir(res, "") // a copy stays in the directory of its original
	}
	if o.json {
		return printJSON(o.out, res)
	}
	if o.dryRun && !res.NothingNew {
		o.sayDryRun()
		return nil
	}
	fmt.Fprintln(o.out, visible(shellCommand(res.Resume)))
	if o.launch {
		return o.launchTarget(res)
	}
	return nil
}

func (o *pullOptions) conflicts() error {
	given := map[string]bool{"SESSION": o.session != "", "-i": o.pick, "--json": o.json, "--launch": o.launch, "--dry-run": o.dryRun}
	return errors.Join(exclusive(given, "SESSION", "-i"), exclusive(given, "--json", "--launch"), exclusive(given, "--dry-run", "--launch"))
}

func (o *pullOptions) find(ctx context.Context, d *handoff.Desk) (*agent.Entry, error) {
	dir, err := o.workDir()
	if err != nil {
		return nil, err
	}
	switch {
	case o.session != "":
		c, err := d.ResolvePull(ctx, handoff.Wanted{Name: o.session, Dir: dir, All: o.all})
		if err != nil {
			return nil, err
		}
		o.sayOlder(c)
		return &c.Entry, nil
	case o.pick:
		e, err := o.pickSession(ctx, d, dir, "", "", o.all, handedOver)
		var none *handoff.NotFoundError
		if errors.As(err, &none) {
			break // the choice without a list says best why
		}
		if err != nil {
			return nil, err
		}
		of, err := d.PullOf(ctx, *e)
		if err != nil {
			return nil, err
		}
		return &of, nil
	}
	return d.ChoosePull(ctx, dir, o.all, o.boundary > 0)
}

// handedOver returns the entries that something can be brought back from: those
// that hand-overs wrote, here or on another machine.
func handedOver(ctx context.Context, d *handoff.Desk, entries []agent.Entry) (made []agent.Entry, err error) {
	standings, err := d.Standings(ctx, entries)
	if err != nil {
		return nil, err
	}
	for i, e := range entries {
		h := standings[i].Handoff
		if h != nil && h.Op == handoff.OpTo || h == nil && e.Origin != nil {
			made = append(made, e)
		}
	}
	return made, nil
}

func (o *pullOptions) pull(ctx context.Context, d *handoff.Desk, e *agent.Entry) (*handoff.Result, error) {
	src, err := o.agent(e.Agent)
	if err != nil {
		return nil, err
	}
	sm, err := src.Manifest()
	if err != nil {
		return nil, err
	}
	opts := handoff.PullOptions{OntoHandoff: o.onto == "handoff", Review: o.review, Boundary: o.boundary}
	if opts.Options, err = o.options(sm); err != nil {
		return nil, err
	}
	gate := func(res *handoff.Result) error {
		dst, err := o.agent(res.Target.Agent)
		if err != nil {
			return err
		}
		dm, err := dst.Manifest()
		if err != nil {
			return err
		}
		if err := o.checkModel(dm); err != nil {
			return err
		}
		return o.gate(ctx, sm, dm, opts.Redact, res)
	}
	return o.attempt(&opts.Options, gate, func() (*handoff.Result, error) { return d.Pull(ctx, e, opts) })
}

// remedy adds to the error of a pull from e what can be done.
func (o *pullOptions) remedy(err error, e *agent.Entry) error {
	id := word(e)
	boundary := fmt.Sprintf("name the last line that was handed over:  crosswalk pull %s --boundary LINE\nits lines are in %s", id, line(e.Path))
	var dv *handoff.DivergedError
	var lost *handoff.LostBaseError
	switch {
	case errors.As(err, &dv), errors.Is(err, handoff.ErrNoBoundary):
		return hinted{err, boundary}
	case errors.As(err, &lost):
		return hinted{err, fmt.Sprintf("hand over all of what came of it instead:  crosswalk to %s %s", line(lost.Agent), id)}
	case errors.Is(err, agent.ErrNotResumed):
		return hinted{err, "hand the session over instead:  crosswalk to AGENT " + id}
	case errors.Is(err, handoff.ErrNotHandedOver):
		return hinted{err, fmt.Sprintf("crosswalk lineage shows what was handed over; this one can be:  crosswalk to AGENT %s", id)}
	}
	return err
}

// tellDrift says what changed since the hand-over.
func (o *pullOptions) tellDrift(res *handoff.Result) {
	if o.quiet {
		return
	}
	if res.MovedOn {
		where := "what was added follows its latest message"
		if o.onto == "handoff" {
			where = "the copy is of what it was then"
		}
		fmt.Fprintf(o.err, "The original has moved on since it was handed over; %s.\n", where)
	}
	if res.OtherBranch {
		fmt.Fprintln(o.err, "Another branch of the original is active by now; what was added follows the one that was handed over.")
	}
	if res.GitThen != nil {
		fmt.Fprintf(o.err, "The repository has changed since: %s then, %s now.\n", gitLine(res.GitThen), gitLine(res.GitNow))
	}
}

func gitLine(g *canon.Git) string {
	if g.Commit == "" {
		return "no repository"
	}
	s := line(g.Branch) + " " + g.Commit[:min(10, len(g.Commit))]
	if g.Dirty != "" {
		s += " with changes"
	}
	return s
}
