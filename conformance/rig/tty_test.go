//go:build unix

package rig

import (
	"context"
	"os/exec"
	"strings"
	"testing"
	"time"
)

const soon = 10 * time.Second

func TestTerminalShowsTypesAndEnds(t *testing.T) {
	ctx := t.Context()
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", `printf 'name? '; read -r n; printf 'hello %s\n' "$n"; exit 3`)
	term, err := Tty(ctx, 60, 10, cmd)
	if err != nil {
		t.Fatal(err)
	}
	if err := term.WaitFor(`name\?`, soon); err != nil {
		t.Error(err)
	}
	if err := term.Type("Zoë"); err != nil {
		t.Error(err)
	}
	term.Press(Enter)
	if err := term.WaitFor("hello Zoë", soon); err != nil {
		t.Error(err)
	}
	res, err := term.Wait()
	if err != nil || res.ExitCode != 3 {
		t.Errorf("exit code %d, %v; want 3", res.ExitCode, err)
	}
	if want := "name? Zoë\nhello Zoë"; term.Screen() != want {
		t.Errorf("screen %q, want %q", term.Screen(), want)
	}
}

func TestTerminalAnswersQuestionsAndKnowsItsSize(t *testing.T) {
	ctx := t.Context()
	// The program asks where the cursor is, reads the answer raw and shows it.
	script := `stty -echo raw; printf '\033[3;5H\033[6n'; a=$(dd bs=1 count=6 2>/dev/null | tr '\033' '^'); stty sane; printf '\r\nat %s size %s\n' "$a" "$(stty size)"`
	term, err := Tty(ctx, 44, 12, exec.CommandContext(ctx, "/bin/sh", "-c", script))
	if err != nil {
		t.Fatal(err)
	}
	if err := term.WaitFor(`at \^\[3;5R size 12 44`, soon); err != nil {
		t.Error(err)
	}
	if _, err := term.Wait(); err != nil {
		t.Error(err)
	}
}

func TestWaitForSaysWhatTheScreenShows(t *testing.T) {
	term, err := Tty(t.Context(), 40, 5, exec.CommandContext(t.Context(), "/bin/sh", "-c", "echo here I am; exec sleep 60"))
	if err != nil {
		t.Fatal(err)
	}
	err = term.WaitFor("never", 300*time.Millisecond)
	if err == nil || !strings.Contains(err.Error(), "here I am") {
		t.Errorf("error %v does not show the screen", err)
	}
	if res, err := term.Close(); err != nil {
		t.Errorf("close: %v, %+v", err, res)
	}
	if err := term.WaitFor("never", soon); err == nil || !strings.Contains(err.Error(), "ended") {
		t.Errorf("error %v does not say that the program has ended", err)
	}
}

func TestTerminalEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	term, err := Tty(ctx, 40, 5, exec.CommandContext(t.Context(), "/bin/sh", "-c", "exec sleep 60"))
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := term.Wait(); err == nil {
		t.Error("no error after the context was cancelled")
	}
}
