package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/agent/all"
	"github.com/crosswalk-agents/crosswalk/agent/canonical"
	"github.com/crosswalk-agents/crosswalk/handoff"
	"github.com/crosswalk-agents/crosswalk/internal/osx"
	"github.com/crosswalk-agents/crosswalk/internal/xdg"
)

// Exit codes, the same for every command.
const (
	exitDone      = 0
	exitFailed    = 1
	exitUsage     = 2
	exitProblems  = 3
	exitRefused   = 4
	exitCancelled = 130
)

// app is what every command works with.
type app struct {
	streams
	home   agent.Home
	agents []agent.Agent
	// now is the time of the command.
	now time.Time
	// workDir returns the physical working directory.
	workDir func() (string, error)
	// quiet and verbose are the -q and -v flags.
	quiet, verbose bool
	// noInput never asks; yes answers yes.
	noInput, yes bool
}

// Main runs the program and returns its exit code.
func Main() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second interrupt ends the program at once
	a := &app{streams: systemStreams(), agents: all.Agents(), now: time.Now(), workDir: osx.WorkingDir}
	return a.run(ctx, os.Args[1:])
}

// run executes one command line.
func (a *app) run(ctx context.Context, args []string) int {
	cmd := newRoot(a)
	cmd.SetArgs(args)
	cmd.SetOut(a.out)
	cmd.SetErr(a.err)
	err := cmd.ExecuteContext(ctx)
	if err == nil {
		return exitDone
	}
	if !errors.Is(err, errSilent) {
		a.complain(err)
	}
	return exitCode(ctx, err)
}

// complain prints an error and what to do about it.
func (a *app) complain(err error) {
	fmt.Fprintln(a.err, "crosswalk:", visible(err.Error()))
	if hint := a.hint(err); hint != "" {
		fmt.Fprintln(a.err, indent(visible(hint), "  "))
	}
}

func exitCode(ctx context.Context, err error) int {
	var u usageError
	switch {
	case ctx.Err() != nil || errors.Is(err, errCancelled):
		return exitCancelled
	case errors.As(err, &u):
		return exitUsage
	case errors.Is(err, errProblems):
		return exitProblems
	case errors.Is(err, handoff.ErrSecrets), errors.Is(err, handoff.ErrRefused):
		return exitRefused
	}
	return exitFailed
}

var (
	// errSilent says that everything was said already.
	errSilent = errors.New("already reported")
	// errCancelled says that the person changed their mind.
	errCancelled = errors.New("cancelled")
	// errProblems says that a check found problems.
	errProblems = errors.New("problems found")
)

// usageError is a mistake in the command line.
type usageError struct{ err error }

func (e usageError) Error() string { return e.err.Error() }
func (e usageError) Unwrap() error { return e.err }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// hinted is an error with what to do next.
type hinted struct {
	error
	hint string
}

func (h hinted) Unwrap() error { return h.error }

// hint returns what to do about an error; "" if there is nothing to say.
func (a *app) hint(err error) string {
	var h hinted
	var notFound *handoff.NotFoundError
	var ambiguous *handoff.AmbiguousError
	var comes *handoff.ComesFromError
	switch {
	case errors.As(err, &h):
		return h.hint
	case errors.As(err, &notFound):
		return a.notFoundHint(notFound)
	case errors.As(err, &ambiguous):
		return a.ambiguousHint(ambiguous)
	case errors.As(err, &comes):
		return fmt.Sprintf("bring back what was added:  crosswalk pull %s\nor hand it over all the same:  crosswalk to %s %s",
			comes.Entry.ID, comes.Handoff.Source.Agent, comes.Entry.ID)
	}
	return ""
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

// desk returns the service that hands sessions over.
func (a *app) desk() (*handoff.Desk, error) {
	dirs, err := xdg.Find(a.home.Getenv)
	if err != nil {
		return nil, err
	}
	return &handoff.Desk{Agents: a.agents, Readers: []agent.Agent{canonical.New()}, Home: a.home, State: dirs.State}, nil
}

// name returns an agent's own name for itself.
func (a *app) name(id string) string {
	for _, ag := range a.agents {
		if m, err := ag.Manifest(); err == nil && m.ID == id {
			return m.Name
		}
	}
	return id
}
