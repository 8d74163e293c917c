package cli

import (
	"bufio"
	"context"
	"errors"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/agent/all"
	"github.com/crosswalk-agents/crosswalk/agent/canonical"
	"github.com/crosswalk-agents/crosswalk/handoff"
	"github.com/crosswalk-agents/crosswalk/internal/osx"
	"github.com/crosswalk-agents/crosswalk/internal/xdg"
)

// app is what every command works with.
type app struct {
	streams
	home   agent.Home
	agents []agent.Agent
	// now is the time of the command, as clock told it.
	now   time.Time
	clock func() time.Time
	// patience is how long something takes before its progress is shown.
	patience time.Duration
	// workDir returns the physical working directory.
	workDir func() (string, error)
	// quiet and verbose are the -q and -v flags.
	quiet, verbose bool
	// noInput never asks; yes answers yes.
	noInput, yes bool
	// answers is what the person types.
	answers *bufio.Reader
	// interrupts ends the command when the person says so.
	interrupts *interrupts
}

// Main runs the program and returns its exit code.
func Main() int { return main(func(*app) {}) }

// main runs the program as adjust wants it.
func main(adjust func(*app)) int {
	ctx, i := watchInterrupts(context.Background())
	defer i.stop()
	a := &app{streams: systemStreams(), agents: all.Agents(), clock: time.Now, patience: time.Second, workDir: osx.WorkingDir, interrupts: i}
	adjust(a)
	a.now = a.clock()
	return a.run(ctx, os.Args[1:])
}

// Command returns the whole command tree, for those who describe it.
func Command() *cobra.Command {
	return newRoot(&app{streams: streams{width: defaultWidth}, agents: all.Agents(), workDir: osx.WorkingDir})
}

// run executes one command line.
func (a *app) run(ctx context.Context, args []string) int {
	root := newRoot(a)
	root.SetArgs(args)
	root.SetOut(a.out)
	root.SetErr(a.err)
	cmd, err := root.ExecuteContextC(ctx)
	if perr := a.printed(); perr != nil && (err == nil || errors.Is(err, errSilent)) {
		err = perr
	}
	if err == nil {
		return exitDone
	}
	if ctx.Err() != nil {
		err = errCancelled
	}
	if !errors.Is(err, errSilent) {
		a.complain(cmd, err)
	}
	return exitCode(err)
}

// agent returns the agent with the given id.
func (a *app) agent(id string) (agent.Agent, error) {
	var known []string
	for _, ag := range a.agents {
		m, err := ag.Manifest()
		if err != nil {
			return nil, err
		}
		if m.ID == id {
			return ag, nil
		}
		known = append(known, m.ID)
	}
	if id == "" {
		return nil, usagef("no agent is given; known are %s", strings.Join(known, ", "))
	}
	return nil, usagef("unknown agent %q; known are %s", id, strings.Join(known, ", "))
}

// writer returns the agent with the given id, to write sessions of.
func (a *app) writer(id string) (agent.Writer, *agent.Manifest, error) {
	ag, err := a.agent(id)
	if err != nil {
		return nil, nil, err
	}
	w, ok := ag.(agent.Writer)
	if !ok {
		return nil, nil, usagef("%s sessions can be read, not written", id)
	}
	m, err := ag.Manifest()
	return w, m, err
}

// readers are the agents whose files are read, and which list no sessions.
func readers() []agent.Agent { return []agent.Agent{canonical.New()} }

// desk returns the service that hands sessions over.
func (a *app) desk() (*handoff.Desk, error) {
	state, err := xdg.State(a.home.Getenv)
	if err != nil {
		return nil, err
	}
	return &handoff.Desk{Agents: a.agents, Readers: readers(), Home: a.home, State: state, Clock: a.clock}, nil
}

// name returns an agent's own name for itself.
func (a *app) name(id string) string {
	if ag, err := a.reader(id); err == nil {
		if m, err := ag.Manifest(); err == nil {
			return m.Name
		}
	}
	return id
}
