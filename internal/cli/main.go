package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/agent/all"
	"github.com/crosswalk-agents/crosswalk/handoff"
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
	// quiet and verbose are the -q and -v flags.
	quiet, verbose bool
	// noInput never asks; yes answers yes.
	noInput, yes bool
}

// Main runs the program and returns its exit code.
func Main() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	a := &app{streams: systemStreams(), agents: all.Agents()}
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
	code := exitCode(ctx, err)
	if !errors.Is(err, errSilent) {
		fmt.Fprintln(a.err, "crosswalk:", visible(err.Error()))
		var h hinted
		if errors.As(err, &h) && h.hint != "" {
			fmt.Fprintln(a.err, "  "+visible(h.hint))
		}
	}
	return code
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
	return nil, usagef("unknown agent %q; known are %v", id, known)
}
