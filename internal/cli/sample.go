package cli

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/handoff"
	"github.com/crosswalk-agents/crosswalk/internal/osx"
)

// sampleSession is a small session of Claude Code that we wrote, for machines
// that have none of any agent.
//
//go:embed sample/claude.jsonl
var sampleSession []byte

const (
	sampleAgent = "claude"
	// sampleTarget is where it can be handed.
	sampleTarget = "codex"
	sampleName   = "5a3f0c1e-7d2b-4c8e-9f10-2b6d8e4a1c77.jsonl"
)

// handOverSample hands the shipped sample over, in folders of its own: the
// person's agents and Crosswalk's journal stay as they are.
func (o *toOptions) handOverSample(ctx context.Context, dm *agent.Manifest) (err error) {
	src, err := o.agent(sampleAgent)
	if err != nil {
		return err
	}
	sm, err := src.Manifest()
	if err != nil {
		return err
	}
	w, _, err := o.writer(o.target)
	if err != nil {
		return err
	}
	dir, project, err := unpackSample()
	if err != nil {
		return err
	}
	kept := false
	defer func() {
		if !kept {
			err = errors.Join(err, os.RemoveAll(dir))
		}
	}()
	switch {
	case o.quiet:
	case o.dryRun: // nothing stays in the folder
		fmt.Fprintln(o.err, "There is no session of any agent on this machine, so this would hand over the sample that Crosswalk ships.")
	default:
		fmt.Fprintf(o.err, "There is no session of any agent on this machine, so this hands over the sample that Crosswalk ships, in %s.\n", visible(dir))
	}
	opts, err := o.options(dm)
	if err != nil {
		return err
	}
	if !o.dryRun { // which has none that stays
		opts.Dir = project
	}
	opts.Home = agent.IsolatedHome(filepath.Join(dir, "home"))
	res, err := o.attempt(&opts,
		func(res *handoff.Result) error { return o.gate(ctx, sm, dm, opts.Redact, res) },
		func() (*handoff.Result, error) {
			return handoff.Convert(ctx, src, filepath.Join(dir, sampleName), w, "", opts)
		})
	if err != nil {
		return err
	}
	if o.dryRun {
		o.sayDryRun()
		return nil
	}
	kept = true
	return o.doneSample(res, &opts, dm)
}

// doneSample says how to go on. The client has to be told of the home that
// holds the session.
func (o *toOptions) doneSample(res *handoff.Result, opts *handoff.Options, dm *agent.Manifest) error {
	place, err := opts.Home.Path(dm.Home)
	if err != nil {
		return err
	}
	res.Resume.Env = map[string]string{dm.Home.Env: place}
	if !o.quiet && !o.launch {
		fmt.Fprintf(o.err, "Look at it without %s:  crosswalk show %s\n", dm.Name, shellWord(res.Target.Path))
	}
	if o.json {
		return printJSON(o.out, res)
	}
	fmt.Fprintln(o.out, visible(shellCommand(res.Resume)))
	if o.launch {
		return o.launchTarget(res)
	}
	return nil
}

// unpackSample writes the sample to a folder of its own.
func unpackSample() (dir, project string, err error) {
	made, err := os.MkdirTemp("", "crosswalk-sample-")
	if err != nil {
		return "", "", err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(made))
		}
	}()
	// The name may be a link; agents look for sessions by the real one.
	if dir, err = osx.RealPath(made); err != nil {
		return "", "", err
	}
	project = filepath.Join(dir, "greeter")
	for _, d := range []string{project, filepath.Join(dir, "home")} {
		if err := os.Mkdir(d, 0o700); err != nil {
			return "", "", err
		}
	}
	return dir, project, os.WriteFile(filepath.Join(dir, sampleName), sampleSession, 0o600)
}
