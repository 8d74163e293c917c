package measure

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"time"
)

// Command is a program whose cost is measured.
type Command struct {
	Argv []string
	Env  []string
	Dir  string
	// Before is called before each run and costs nothing; may be nil.
	Before func() error
	// Repeat makes a sample the cheapest of several runs, for programs that are
	// over in no time; 0 is one run.
	Repeat int
}

// Cost is what a run of a program took.
type Cost struct {
	// CPU is user and system time.
	CPU     time.Duration
	Elapsed time.Duration
	// MaxRSS is the peak of resident memory in bytes; 0 where the system does not
	// tell.
	MaxRSS int64
}

// Clock chooses the time that counts.
type Clock func(Cost) time.Duration

// CPU counts user and system time.
func CPU(c Cost) time.Duration { return c.CPU }

// Elapsed counts the time until a program has ended.
func Elapsed(c Cost) time.Duration { return c.Elapsed }

// Run runs the program once. Its output is thrown away.
func (c *Command) Run(ctx context.Context) (Cost, error) {
	if c.Before != nil {
		if err := c.Before(); err != nil {
			return Cost{}, err
		}
	}
	cmd := exec.CommandContext(ctx, c.Argv[0], c.Argv[1:]...)
	cmd.Env, cmd.Dir = c.Env, c.Dir
	var said bytes.Buffer
	cmd.Stderr = &said
	began := time.Now()
	err := cmd.Run()
	elapsed := time.Since(began)
	if err != nil {
		return Cost{}, fmt.Errorf("run %q: %w\n%s", c.Argv, err, said.Bytes())
	}
	s := cmd.ProcessState
	return Cost{CPU: s.UserTime() + s.SystemTime(), Elapsed: elapsed, MaxRSS: maxRSS(s)}, nil
}

// sample runs the program and returns the least of each cost.
func (c *Command) sample(ctx context.Context) (least Cost, err error) {
	for i := range max(c.Repeat, 1) {
		cost, err := c.Run(ctx)
		if err != nil {
			return Cost{}, err
		}
		if i == 0 {
			least = cost
		}
		least.CPU, least.Elapsed = min(least.CPU, cost.CPU), min(least.Elapsed, cost.Elapsed)
		least.MaxRSS = max(least.MaxRSS, cost.MaxRSS)
	}
	return least, nil
}
