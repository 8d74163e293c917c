package rig

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
)

// A Terminal is a program in a real pseudo-terminal, with an emulator that
// keeps its screen and answers its questions. [Terminal.Wait] or
// [Terminal.Close] must be called.
type Terminal struct {
	master *os.File
	wait   func() (Result, error)
	kill   func()
	pumps  sync.WaitGroup

	mu      sync.Mutex
	screen  *vt.Emulator
	output  []byte
	changed chan struct{} // closed and replaced at every output
	ended   bool          // no more output will come
}

// Tty runs cmd in a terminal of that size, without a box: for programs of our
// own. The environment is cmd's.
func Tty(ctx context.Context, cols, rows int, cmd *exec.Cmd) (*Terminal, error) {
	started := time.Now()
	master, err := pty.StartWithSize(cmd, size(cols, rows))
	if err != nil {
		return nil, fmt.Errorf("start %q in a terminal: %w", cmd.Path, err)
	}
	stop := context.AfterFunc(ctx, func() { _ = cmd.Process.Kill() })
	wait := func() (Result, error) {
		defer stop()
		err := cmd.Wait()
		res := Result{ExitCode: cmd.ProcessState.ExitCode(), Duration: time.Since(started)}
		if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
			err = nil
		}
		return res, errors.Join(err, ctx.Err())
	}
	return newTerminal(master, cols, rows, wait, func() { _ = cmd.Process.Kill() }), nil
}

// Tty runs cmd in the box, in a terminal of that size.
func (b Box) Tty(ctx context.Context, cols, rows int, cmd Command) (*Terminal, error) {
	master, slave, err := pty.Open()
	if err != nil {
		return nil, fmt.Errorf("open a terminal: %w", err)
	}
	defer slave.Close()
	if err := pty.Setsize(master, size(cols, rows)); err != nil {
		return nil, errors.Join(err, master.Close())
	}
	if b.User != nil {
		if err := slave.Chown(b.User.UID, b.User.GID); err != nil {
			return nil, errors.Join(err, master.Close())
		}
	}
	p, err := b.launch(ctx, cmd, slave)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start box: %w", err), master.Close())
	}
	return newTerminal(master, cols, rows, p.Wait, p.Kill), nil
}

// Tty runs the client interactively. The questions of a first start are
// answered beforehand, see [Claude.AskTrust].
func (c Claude) Tty(ctx context.Context, cols, rows int, args ...string) (*Terminal, error) {
	box, argv, err := c.command(ctx, args)
	if err != nil {
		return nil, fmt.Errorf("start claude: %w", err)
	}
	return box.Tty(ctx, cols, rows, Command{Argv: argv})
}

// Tty runs the client interactively. The work folder is trusted beforehand, see
// [Codex.AskTrust].
func (c Codex) Tty(ctx context.Context, cols, rows int, args ...string) (*Terminal, error) {
	if !c.Daemon {
		args = append([]string{"--disable", "daemon_auto_start"}, args...)
	}
	box, argv, err := c.command(ctx, args)
	if err != nil {
		return nil, fmt.Errorf("start codex: %w", err)
	}
	return box.Tty(ctx, cols, rows, Command{Argv: argv})
}

func size(cols, rows int) *pty.Winsize {
	return &pty.Winsize{Cols: uint16(cols), Rows: uint16(rows)}
}

func newTerminal(master *os.File, cols, rows int, wait func() (Result, error), kill func()) *Terminal {
	t := &Terminal{
		master: master, wait: wait, kill: kill,
		screen: vt.NewEmulator(cols, rows), changed: make(chan struct{}),
	}
	t.pumps.Add(2)
	go t.show()
	go t.answer()
	return t
}

// show feeds the program's output to the emulator.
func (t *Terminal) show() {
	defer t.pumps.Done()
	buf := make([]byte, 32<<10)
	var osc oscFilter
	for {
		n, err := t.master.Read(buf)
		t.mu.Lock()
		t.output = append(t.output, buf[:n]...)
		_, _ = t.screen.Write(osc.filter(buf[:n]))
		t.ended = err != nil // Linux says EIO when the program has gone
		close(t.changed)
		t.changed = make(chan struct{})
		t.mu.Unlock()
		if err != nil {
			t.endAnswers()
			return
		}
	}
}

// answer gives the program what the emulator replies to its questions, and the
// keys.
func (t *Terminal) answer() {
	defer t.pumps.Done()
	_, err := io.Copy(t.master, t.screen)
	if err != nil { // the program has gone: whoever writes must not block
		_, _ = io.Copy(io.Discard, t.screen)
	}
}

// endAnswers ends what answer reads. The emulator's own Close may not be called
// while another goroutine reads.
func (t *Terminal) endAnswers() {
	if c, ok := t.screen.InputPipe().(io.Closer); ok {
		_ = c.Close()
	}
}

// Screen returns the text on the screen: one line per row, without trailing
// spaces and empty rows at the end.
func (t *Terminal) Screen() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.text()
}

func (t *Terminal) text() string {
	lines := strings.Split(t.screen.String(), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " \r")
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n")
}

// Output returns everything the program wrote, with its escape sequences.
func (t *Terminal) Output() []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]byte(nil), t.output...)
}

// WaitFor waits until the screen matches the regular expression. The error
// shows the screen.
func (t *Terminal) WaitFor(pattern string, timeout time.Duration) error {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return err
	}
	return t.waitUntil(fmt.Sprintf("%q", pattern), re.MatchString, timeout)
}

// WaitGone waits until the screen no longer matches the regular expression.
func (t *Terminal) WaitGone(pattern string, timeout time.Duration) error {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return err
	}
	return t.waitUntil(fmt.Sprintf("%q to be gone", pattern), func(s string) bool { return !re.MatchString(s) }, timeout)
}

func (t *Terminal) waitUntil(what string, ok func(string) bool, timeout time.Duration) error {
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	for {
		t.mu.Lock()
		text, changed, ended := t.text(), t.changed, t.ended
		t.mu.Unlock()
		if ok(text) {
			return nil
		}
		if ended {
			return fmt.Errorf("wait for %s: the program has ended; its last screen:\n%s", what, text)
		}
		select {
		case <-changed:
		case <-timer.C:
			return fmt.Errorf("wait for %s: not within %v; the screen:\n%s", what, timeout, text)
		}
	}
}

// Typing is slow enough for a program to see keys, not a paste.
const (
	typePause  = 2 * time.Millisecond
	pressPause = 50 * time.Millisecond
)

// Type types text, key by key.
func (t *Terminal) Type(text string) error {
	for _, r := range text {
		if _, err := t.master.WriteString(string(r)); err != nil {
			return fmt.Errorf("type %q: %w", text, err)
		}
		time.Sleep(typePause)
	}
	return nil
}

// Press presses keys one after the other, each after a short pause.
func (t *Terminal) Press(keys ...Key) {
	for _, k := range keys {
		time.Sleep(pressPause)
		t.mu.Lock()
		if !t.ended {
			t.screen.SendKey(k)
		}
		t.mu.Unlock()
	}
}

// Resize changes the size of the terminal.
func (t *Terminal) Resize(cols, rows int) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.screen.Resize(cols, rows)
	return pty.Setsize(t.master, size(cols, rows))
}

// Wait waits until the program has ended and returns what the run left.
func (t *Terminal) Wait() (Result, error) {
	res, err := t.wait()
	t.pumps.Wait()
	res.Stdout = string(t.Output())
	return res, errors.Join(err, t.master.Close())
}

// Close ends the program, if it still runs, and everything it left running.
func (t *Terminal) Close() (Result, error) {
	t.kill()
	return t.Wait()
}
