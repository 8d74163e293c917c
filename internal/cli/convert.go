package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/spf13/cobra"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/handoff"
)

// convertOptions are those of `crosswalk convert`.
type convertOptions struct {
	handoffFlags
	file, to, from, output string
}

func newConvert(a *app) *cobra.Command {
	o := &convertOptions{handoffFlags: handoffFlags{app: a}}
	cmd := &cobra.Command{
		Use:   "convert FILE --to AGENT",
		Short: "Convert a session file into another agent's format",
		Long: `Convert a session file into another agent's format, from file to file: no
agent's home is read or written, and no journal. The canonical form that
"show --json" prints is read, too.`,
		Example: `  crosswalk convert 3f1c….jsonl --to codex -o rollout.jsonl`,
		Args:    arguments(1, "FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.file = args[0]
			return o.convert(cmd.Context())
		},
	}
	o.register(cmd)
	o.registerPart(cmd)
	f := cmd.Flags()
	f.StringVar(&o.to, "to", "", "the `AGENT` to write for")
	f.StringVar(&o.from, "from", "", "the `AGENT` that wrote FILE (recognised if not given)")
	f.StringVarP(&o.output, "output", "o", "", "the `FILE` to write; by default one with the name that the agent gives, in this directory")
	a.completeAgents(cmd, "to", "from")
	return cmd
}

func (o *convertOptions) convert(ctx context.Context) error {
	if o.to == "" {
		return usagef("--to AGENT is missing")
	}
	w, dm, err := o.writer(o.to)
	if err != nil {
		return err
	}
	src, err := o.source(ctx)
	if errors.Is(err, fs.ErrNotExist) {
		return hinted{err, "convert takes a file; a session by its name is handed over with:  crosswalk to " + o.to + " SESSION"}
	}
	if err != nil {
		return err
	}
	sm, err := src.Manifest()
	if err != nil {
		return err
	}
	if err := o.checkModel(dm); err != nil {
		return err
	}
	res, err := o.write(ctx, src, sm, w, dm)
	if err != nil {
		return err
	}
	switch {
	case o.json:
		if err := printJSON(o.out, res); err != nil {
			return err
		}
	case o.dryRun:
		o.sayDryRun()
	default:
		fmt.Fprintln(o.out, visible(res.Target.Path))
	}
	return o.nextStep(w, res)
}

// nextStep says where the file belongs, on whatever machine, and what to run
// there.
func (o *convertOptions) nextStep(w agent.Writer, res *handoff.Result) error {
	placer, ok := w.(agent.Placer)
	if o.quiet || o.dryRun || !ok || res.Resume.Dir == "" {
		return nil
	}
	now, err := o.at()
	if err != nil {
		return err
	}
	home := agent.IsolatedHome("~")
	place, err := placer.Place(home, res.Resume.Dir, res.Target.ID, now)
	if err != nil {
		return err
	}
	fmt.Fprintf(o.err, "To go on with it where %s is, copy it there to\n  %s\nand run\n  %s\n", line(res.Resume.Dir), line(place), visible(shellCommand(res.Resume)))
	return nil
}

func (o *convertOptions) write(ctx context.Context, src agent.Agent, sm *agent.Manifest, w agent.Writer, dm *agent.Manifest) (*handoff.Result, error) {
	opts, err := o.options(dm)
	if err != nil {
		return nil, err
	}
	opts.KeepInstructions = true
	if opts.HereDir, err = o.workDir(); err != nil {
		return nil, err
	}
	if o.output == standardOutput {
		return nil, usagef("--output writes a file, not to standard output: name one")
	}
	if err := notAFolder("--output", o.output); err != nil {
		return nil, err
	}
	if o.output == "" {
		if opts.Folder, err = o.workDir(); err != nil {
			return nil, err
		}
	}
	gate := func(res *handoff.Result) error { return o.gate(ctx, sm, dm, opts.Redact, res) }
	return o.attempt(&opts, gate, func() (*handoff.Result, error) {
		if opts.Redact {
			d, err := o.desk()
			if err != nil {
				return nil, err
			}
			opts.Lineage = d.FileKey()
		}
		return handoff.Convert(ctx, src, o.file, w, o.output, opts)
	})
}

// source returns the agent that wrote the file.
func (o *convertOptions) source(ctx context.Context) (agent.Agent, error) {
	if o.from != "" {
		return o.reader(o.from)
	}
	d := &handoff.Desk{Agents: o.agents, Readers: readers(), Home: o.home}
	return d.Recognise(ctx, o.file)
}
