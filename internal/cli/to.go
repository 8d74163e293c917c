package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/handoff"
	"github.com/crosswalk-agents/crosswalk/internal/osx"
)

// toOptions are those of `crosswalk to`.
type toOptions struct {
	handoffFlags
	target, session      string
	from                 string
	pick, all            bool
	launch, again, index bool
}

func newTo(a *app) *cobra.Command {
	o := &toOptions{handoffFlags: handoffFlags{app: a}}
	cmd := &cobra.Command{
		Use:     "to AGENT [SESSION]",
		Aliases: []string{"handoff"},
		Short:   "Continue a session in another agent",
		Long: `Hand a session over to AGENT and print the command that continues it there.

SESSION is an id, the beginning of one, a path or a title. Without it the session
is taken that this shell runs in, else the newest one of this directory that a
person typed in any other agent. The original is never touched.`,
		Example: `  crosswalk to codex            # the newest Claude Code session of this directory
  crosswalk to claude --turns 5 # the last five turns of the newest Codex session
  crosswalk to codex -i         # choose from a list`,
		Args: arguments(0, "AGENT", "SESSION"),
		RunE: func(cmd *cobra.Command, args []string) error {
			args = append(args, "", "")
			o.target, o.session = args[0], args[1]
			return o.run(cmd.Context())
		},
		ValidArgsFunction: func(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
			switch len(args) {
			case 0:
				return a.agentWords(true), cobra.ShellCompDirectiveNoFileComp
			case 1:
				return a.sessionWords(cmd, word, args[0]), newestFirst
			}
			return nil, cobra.ShellCompDirectiveNoFileComp
		},
	}
	o.register(cmd)
	o.registerPart(cmd)
	f := cmd.Flags()
	f.StringVar(&o.from, "from", "", "take a session of this `AGENT`")
	f.BoolVar(&o.all, "all", false, "look beyond this directory")
	registerPick(f, &o.pick)
	f.BoolVar(&o.launch, "launch", false, "start the target agent with the session")
	f.BoolVar(&o.again, "again", false, "write it anew even if the same was handed over before")
	f.BoolVar(&o.index, "index", false, "ask the target agent to index its sessions, so that its picker lists this one")
	a.completeAgents(cmd, "from")
	return cmd
}

func (o *toOptions) run(ctx context.Context) error {
	dst, err := o.agent(o.target)
	if err != nil {
		return err
	}
	dm, err := dst.Manifest()
	if err != nil {
		return err
	}
	if err := errors.Join(o.conflicts(), o.checkModel(dm)); err != nil {
		return err
	}
	d, err := o.desk()
	if err != nil {
		return err
	}
	e, err := o.find(ctx, d)
	var nf *handoff.NotFoundError
	if errors.As(err, &nf) && nf.Empty && o.target != sampleAgent {
		return o.handOverSample(ctx, dm)
	}
	if err != nil {
		return err
	}
	if e.Agent == o.target {
		return usagef("session %q is one of %s already; name another agent to hand it to", cmp.Or(e.ID, e.Path), dm.Name)
	}
	res, err := o.handOver(ctx, d, e, dm)
	if err != nil {
		return err
	}
	if o.dryRun {
		return o.printResult(res)
	}
	return o.done(ctx, e, res, dst)
}

func (o *toOptions) conflicts() error {
	if o.from == o.target {
		return usagef("--from and the target are both %s", o.target)
	}
	given := map[string]bool{
		"SESSION": o.session != "", "-i": o.pick, "--json": o.json, "--launch": o.launch, "--dry-run": o.dryRun, "--index": o.index,
	}
	return errors.Join(
		exclusive(given, "SESSION", "-i"), exclusive(given, "--json", "--launch"),
		exclusive(given, "--dry-run", "--launch"), exclusive(given, "--dry-run", "--index"),
	)
}

// find returns the session to hand over.
func (o *toOptions) find(ctx context.Context, d *handoff.Desk) (*agent.Entry, error) {
	dir, err := o.workDir()
	if err != nil {
		return nil, err
	}
	switch {
	case o.session != "":
		return o.resolve(ctx, d, handoff.Wanted{Name: o.session, Dir: dir, Agent: o.from, Not: o.target, All: o.all})
	case o.pick:
		return o.pickSession(ctx, d, dir, o.from, o.target, o.all, nil)
	}
	c, err := d.Choose(ctx, dir, o.target, o.from, o.all)
	if err != nil {
		return nil, err
	}
	if !o.quiet {
		for _, why := range slices.Sorted(maps.Keys(c.Skipped)) {
			fmt.Fprintf(o.err, "passed over: %d newer (%s)\n", c.Skipped[why], why)
		}
		if o.verbose {
			fmt.Fprintf(o.err, "taking %s\n", c.Why)
		}
	}
	return &c.Entry, o.older(ctx, c)
}

// older returns an error unless the person wants what was chosen, if newer
// sessions were passed over that hand-overs wrote: it need not be what one
// worked on.
func (o *toOptions) older(ctx context.Context, c *handoff.Choice) error {
	if len(c.Passed) == 0 || o.yes {
		return nil
	}
	if !o.canAsk() {
		return &passedOverError{choice: c, target: o.target}
	}
	for _, l := range o.passedLines(c) {
		fmt.Fprintln(o.err, visible(l))
	}
	question := fmt.Sprintf("The next one is %s, %s. Hand it over?", cut(titleOf(&c.Entry), 50), age(o.app.now, c.Modified))
	if o.choose(ctx, question, []string{"yes", "no"}) != "yes" {
		return errCancelled
	}
	return nil
}

// handOver writes the session.
func (o *toOptions) handOver(ctx context.Context, d *handoff.Desk, e *agent.Entry, dm *agent.Manifest) (*handoff.Result, error) {
	opts, err := o.options(dm)
	if err != nil {
		return nil, err
	}
	src, err := o.reader(e.Agent)
	if err != nil {
		return nil, err
	}
	sm, err := src.Manifest()
	if err != nil {
		return nil, err
	}
	opts.KeepInstructions = true
	if opts.HereDir, err = o.workDir(); err != nil {
		return nil, err
	}
	return o.attempt(&opts,
		func(res *handoff.Result) error { return o.gate(ctx, sm, dm, opts.Redact, res) },
		func() (*handoff.Result, error) { return d.To(ctx, e, o.target, opts, o.again || o.dryRun) })
}

// done says how to go on, and goes on if that was asked for.
func (o *toOptions) done(ctx context.Context, e *agent.Entry, res *handoff.Result, dst agent.Agent) error {
	if res.Again && !o.quiet {
		fmt.Fprintln(o.err, "The same session was handed over before, unchanged; write it anew with --again.")
	}
	if o.index {
		ix, ok := dst.(agent.Indexer)
		if !ok {
			fmt.Fprintf(o.err, "note: %s lists sessions without being asked\n", o.name(o.target))
		} else if err := ix.Index(ctx, o.home); err != nil && ctx.Err() == nil {
			fmt.Fprintln(o.err, "note: the target did not index the session:", visible(err.Error()))
		}
	}
	if !o.launch {
		o.noteDir(res, fmt.Sprintf(", or hand over again with --map %s=DIR", shellWord(cmp.Or(res.Thread.Dir, e.Dir, res.Resume.Dir))))
	}
	if err := o.printResult(res); err != nil {
		return err
	}
	switch {
	case ctx.Err() != nil: // the session is there, and nothing more is wanted
		return errCancelled
	case o.launch:
		return o.launchTarget(res)
	}
	return nil
}

func (o *toOptions) printResult(res *handoff.Result) error {
	if o.json {
		return printJSON(o.out, res)
	}
	if o.dryRun {
		o.sayDryRun()
		return nil
	}
	if ix, err := o.agent(o.target); err == nil && !o.index && !o.quiet && !o.launch {
		if _, ok := ix.(agent.Indexer); ok {
			fmt.Fprintf(o.err, "%s's picker shows the session after it has been opened once; --index lists it now.\n", o.name(o.target))
		}
	}
	fmt.Fprintln(o.out, visible(shellCommand(res.Resume)))
	return nil
}

// launchTarget starts the target's client in the session's directory.
// It returns only if that fails: the client takes the place of this program.
func (a *app) launchTarget(res *handoff.Result) error {
	if !isDir(res.Resume.Dir) {
		return hinted{fmt.Errorf("launch: the session's directory %q is not here", res.Resume.Dir), "name its place on this machine with --map OLD=NEW"}
	}
	path, err := exec.LookPath(res.Resume.Argv[0])
	if err != nil {
		return hinted{fmt.Errorf("launch: %w", err), a.installHint(res.Target.Agent)}
	}
	if path, err = filepath.Abs(path); err != nil {
		return fmt.Errorf("launch: %w", err)
	}
	fmt.Fprintln(a.err, "$", visible(shellCommand(res.Resume)))
	if err := os.Chdir(res.Resume.Dir); err != nil {
		return fmt.Errorf("launch: %w", err)
	}
	env := append(os.Environ(), "PWD="+res.Resume.Dir)
	for name, value := range res.Resume.Env {
		env = append(env, name+"="+value)
	}
	return fmt.Errorf("launch %q: %w", path, osx.Exec(path, res.Resume.Argv, env))
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func (a *app) installHint(id string) string {
	if ag, err := a.agent(id); err == nil {
		if m, err := ag.Manifest(); err == nil {
			return "install it:  " + m.Install
		}
	}
	return ""
}
