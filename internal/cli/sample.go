package cli

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/handoff"
)

// sampleSession is a small session of Claude Code that we wrote, for machines
// that have none of any agent.
//
//go:embed sample/claude.jsonl
var sampleSession []byte

const (
	sampleAgent = "claude"
	sampleName  = "5a3f0c1e-7d2b-4c8e-9f10-2b6d8e4a1c77.jsonl"
)

// handOverSample hands the shipped sample over, in folders of its own: the
// person's agents and Crosswalk's journal stay as they are.
func (o *toOptions) handOverSample(ctx context.Context, dm *agent.Manifest) error {
	src, err := o.agent(sampleAgent)
	if err != nil {
		return err
	}
	sm, err := src.Manifest()
	if err != nil {
		return err
	}
	dst, err := o.agent(o.target)
	if err != nil {
		return err
	}
	w, ok := dst.(agent.Writer)
	if !ok {
		return usagef("%s sessions can be read, not written", o.target)
	}
	dir, err := os.MkdirTemp("", "crosswalk-sample-")
	if err != nil {
		return err
	}
	project, home := filepath.Join(dir, "greeter"), filepath.Join(dir, "home")
	file := filepath.Join(dir, sampleName)
	for _, d := range []string{project, home} {
		if err := os.Mkdir(d, 0o700); err != nil {
			return err
		}
	}
	if err := os.WriteFile(file, sampleSession, 0o600); err != nil {
		return err
	}
	fmt.Fprintf(o.err, "There is no session of any agent on this machine, so this hands over the sample that Crosswalk ships, in %s.\n", visible(dir))
	opts, err := o.options(dm)
	if err != nil {
		return err
	}
	opts.Dir = project
	opts.Home = agent.Home{Dir: home, Getenv: func(string) string { return "" }}
	opts.Confirm = o.gate(sm, dm, opts.Redact)
	res, err := handoff.Convert(ctx, src, file, w, "", opts)
	if err != nil {
		return err
	}
	// The client has to be told of the home that holds the session.
	place, err := opts.Home.Path(dm.Home)
	if err != nil {
		return err
	}
	if o.json {
		return printJSON(o.out, res)
	}
	fmt.Fprintf(o.out, "cd %s && %s=%s %s\n", shellWord(project), dm.Home.Env, shellWord(place), shellCommand(&handoff.Resume{Argv: res.Resume.Argv}))
	return nil
}
