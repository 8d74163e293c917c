package rig

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/crosswalk-agents/crosswalk/conformance/rig/internal/seal"
)

// A Process is a command that runs in a box. [Process.Wait] must be called.
type Process struct {
	cmd      *exec.Cmd
	ctx      context.Context
	cancel   context.CancelFunc
	run      string
	started  time.Time
	lifeline *os.File
	report   *os.File
	stdout   buffer
	stderr   buffer

	mu     sync.Mutex
	killed bool
}

// Start begins cmd in the box.
func (b Box) Start(ctx context.Context, cmd Command) (*Process, error) {
	p, err := b.launch(ctx, cmd, nil)
	if err != nil {
		return nil, fmt.Errorf("start box: %w", err)
	}
	return p, nil
}

// launch prepares the box and starts its first process; with a terminal, that
// is its standard input, output and error.
func (b Box) launch(ctx context.Context, cmd Command, terminal *os.File) (*Process, error) {
	if len(cmd.Argv) == 0 {
		return nil, errors.New("no command")
	}
	if err := errors.Join(b.settle(ctx), b.folders()); err != nil {
		return nil, err
	}
	run, err := b.Bench.newRun()
	if err != nil {
		return nil, err
	}
	spec, err := b.spec(run, cmd, terminal != nil)
	if err != nil {
		return nil, err
	}
	if err := b.own(); err != nil {
		return nil, err
	}
	name := filepath.Join(run, "spec.json")
	data, err := json.Marshal(spec)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(name, data, 0o600); err != nil {
		return nil, err
	}
	timeout := b.Timeout
	if timeout == 0 {
		timeout = 2 * time.Minute
	}
	p := &Process{run: run}
	p.ctx, p.cancel = context.WithTimeout(ctx, timeout)
	p.cmd = exec.CommandContext(p.ctx, b.Bench.box, name)
	p.cmd.SysProcAttr = boxAttr(b.Bench.sealed)
	p.cmd.Env = []string{}
	p.attach(cmd, terminal)
	if err := p.begin(); err != nil {
		p.cancel()
		return nil, err
	}
	return p, nil
}

func (p *Process) attach(cmd Command, terminal *os.File) {
	if terminal != nil {
		p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = terminal, terminal, terminal
		return
	}
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = cmd.Stdin, &p.stdout, &p.stderr
	if cmd.Stdout != nil {
		p.cmd.Stdout = io.MultiWriter(&p.stdout, cmd.Stdout)
	}
}

// begin starts the box with its two pipes. Ending a box always means closing
// its lifeline: it then ends everything inside by itself.
func (p *Process) begin() error {
	lifelineIn, lifeline, err := os.Pipe()
	if err != nil {
		return err
	}
	defer lifelineIn.Close()
	report, reportOut, err := os.Pipe()
	if err != nil {
		return errors.Join(err, lifeline.Close())
	}
	defer reportOut.Close()
	p.lifeline, p.report = lifeline, report
	p.cmd.ExtraFiles = []*os.File{lifelineIn, reportOut}
	p.cmd.Cancel = func() error { return p.lifeline.Close() }
	p.cmd.WaitDelay = 5 * time.Second
	p.started = time.Now()
	if err := p.cmd.Start(); err != nil {
		return errors.Join(err, lifeline.Close(), report.Close())
	}
	return nil
}

// Kill ends the box at once, as a crash or a power cut would end the command.
func (p *Process) Kill() {
	p.mu.Lock()
	p.killed = true
	p.mu.Unlock()
	p.cancel()
}

// Terminate asks the command to end (SIGTERM).
func (p *Process) Terminate() error { return p.cmd.Process.Signal(syscall.SIGTERM) }

// Interrupt interrupts the command (SIGINT).
func (p *Process) Interrupt() error { return p.cmd.Process.Signal(os.Interrupt) }

// Wait waits for the end of the command, and of all that it left running.
func (p *Process) Wait() (Result, error) {
	var report seal.Report
	reported := json.NewDecoder(p.report).Decode(&report) == nil
	waitErr := p.cmd.Wait()
	res := Result{Stdout: p.stdout.String(), Stderr: p.stderr.String(), Duration: time.Since(p.started)}
	ctxErr := p.ctx.Err()
	p.cancel()
	_ = p.lifeline.Close() // closed before when the context ended
	_ = p.report.Close()

	var err error
	if res.Requests, err = readRequests(filepath.Join(p.run, recordDir)); err != nil {
		return res, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case reported && report.Ended:
		res.ExitCode = report.ExitCode
		return res, nil
	case reported:
		return res, fmt.Errorf("box: %s", report.Err)
	case p.killed:
		res.ExitCode = 137
		return res, nil
	case ctxErr != nil:
		return res, fmt.Errorf("run was ended after %v: %w; output so far: %s%s", res.Duration.Round(time.Millisecond), ctxErr, res.Stdout, res.Stderr)
	}
	return res, fmt.Errorf("box ended without a report: %w: %s", waitErr, res.Stderr)
}

// AwaitRequests waits until the model was asked n times.
func (p *Process) AwaitRequests(ctx context.Context, n int) error {
	for {
		names, err := requestNames(filepath.Join(p.run, recordDir))
		if err != nil {
			return err
		}
		if len(names) >= n {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for request %d (have %d): %w", n, len(names), ctx.Err())
		case <-p.ctx.Done():
			return fmt.Errorf("wait for request %d (have %d): the run has ended", n, len(names))
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// A buffer takes the output of a command that may still run.
type buffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}
