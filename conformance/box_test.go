//go:build conformance

package conformance_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/crosswalk-agents/crosswalk/conformance/rig"
)

// sh runs a shell script in a box.
func sh(t *testing.T, box rig.Box, script string) (rig.Result, error) {
	t.Helper()
	return box.Run(t.Context(), rig.Command{Argv: []string{"/bin/sh", "-c", script}})
}

func newBox(t *testing.T) rig.Box {
	home, work := folders(t)
	return rig.Box{Bench: bench, Home: home, Work: work}
}

func exists(path ...string) bool {
	_, err := os.Stat(filepath.Join(path...))
	return err == nil
}

func sealed(t *testing.T) {
	t.Helper()
	if !bench.Sealed() {
		t.Skip("this machine makes no boxes")
	}
}

func TestBoxHasLoopbackOnly(t *testing.T) {
	sealed(t)
	res, err := sh(t, newBox(t), `sed 1,2d /proc/net/dev | cut -d: -f1; cat /proc/net/route`)
	succeeded(t, res, err)
	if got := strings.Fields(res.Stdout); len(got) == 0 || got[0] != "lo" || strings.Contains(res.Stdout, "eth") {
		t.Errorf("interfaces and routes: %s", res.Stdout)
	}
}

func TestBoxHidesHomeEnvironmentAndProcesses(t *testing.T) {
	sealed(t)
	home := os.Getenv("HOME")
	marker, err := os.CreateTemp(home, ".crosswalk-rig-*")
	if err != nil {
		t.Skipf("cannot write to the home folder: %v", err)
	}
	defer os.Remove(marker.Name())
	defer marker.Close()
	t.Setenv("CROSSWALK_RIG_SECRET", "must-not-be-seen")

	box := newBox(t)
	box.Env = []string{"EXTRA=yes"}
	res, err := sh(t, box, `env; ls -A `+home+`; cat /proc/[0-9]*/environ | tr '\0' '\n'; ls -d /proc/[0-9]* | wc -l`)
	succeeded(t, res, err)
	for _, hidden := range []string{"must-not-be-seen", filepath.Base(marker.Name())} {
		if strings.Contains(res.Stdout, hidden) {
			t.Errorf("%s is visible inside:\n%s", hidden, res.Stdout)
		}
	}
	for _, want := range []string{"HOME=" + box.Home, "EXTRA=yes", "PWD=" + box.Work} {
		if !strings.Contains(res.Stdout, want) {
			t.Errorf("no %s inside:\n%s", want, res.Stdout)
		}
	}
}

func TestBoxForwardsExitCodesAndSignals(t *testing.T) {
	res, err := sh(t, newBox(t), "exit 7")
	if err != nil || res.ExitCode != 7 {
		t.Errorf("exit code %d, %v; want 7", res.ExitCode, err)
	}
	res, err = sh(t, newBox(t), "kill -KILL $$")
	if err != nil || res.ExitCode != 137 {
		t.Errorf("exit code %d, %v; want 137", res.ExitCode, err)
	}
	box := newBox(t)
	p, err := box.Start(t.Context(), rig.Command{Argv: []string{"/bin/sh", "-c", `trap 'exit 9' TERM; touch ready; while :; do sleep 0.05; done`}})
	if err != nil {
		t.Fatal(err)
	}
	for !exists(box.Work, "ready") && t.Context().Err() == nil {
		time.Sleep(10 * time.Millisecond)
	}
	if err := p.Terminate(); err != nil {
		t.Error(err)
	}
	if res, err = p.Wait(); err != nil || res.ExitCode != 9 {
		t.Errorf("exit code %d, %v; want 9", res.ExitCode, err)
	}
}

// Each case leaves a process behind that would write a file a little later.
func TestNothingOutlivesTheBox(t *testing.T) {
	const leave = `(sleep 1; echo alive > late) & setsid sh -c 'sleep 1; echo alive > late2' & `
	for name, run := range map[string]func(box rig.Box) error{
		"after the command's end": func(box rig.Box) error {
			_, err := sh(t, box, leave+"exit 0")
			return err
		},
		"after a timeout": func(box rig.Box) error {
			box.Timeout = 500 * time.Millisecond
			_, err := sh(t, box, leave+"sleep 60")
			if !errors.Is(err, context.DeadlineExceeded) {
				return errors.New("no timeout was reported")
			}
			return nil
		},
		"after a kill": func(box rig.Box) error {
			p, err := box.Start(t.Context(), rig.Command{Argv: []string{"/bin/sh", "-c", leave + "sleep 60"}})
			if err != nil {
				return err
			}
			time.Sleep(300 * time.Millisecond)
			p.Kill()
			_, err = p.Wait()
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			box := newBox(t)
			if err := run(box); err != nil {
				t.Fatal(err)
			}
			time.Sleep(1500 * time.Millisecond)
			for _, file := range []string{"late", "late2"} {
				if exists(box.Work, file) {
					t.Errorf("a process went on and wrote %s", file)
				}
			}
		})
	}
}

func TestBoxRunsAsAnotherUser(t *testing.T) {
	sealed(t)
	if os.Geteuid() != 0 {
		t.Skip("needs root")
	}
	const nobody = 65534
	home, work := folders(t)
	c := bench.Claude(home, work, editTurns["claude"]...)
	c.User = &rig.User{UID: nobody, GID: nobody}
	res, err := c.Run(t.Context(), "-p", "hello", "--dangerously-skip-permissions")
	succeeded(t, res, err)
	if got := read(t, work, "a.txt"); got != "alpha\nBETA\n" {
		t.Errorf("a.txt holds %q", got)
	}
}

func TestSidecarStandsBetweenClientAndModel(t *testing.T) {
	t.Parallel()
	// A second scripted model stands for a gateway: it answers, the first one is
	// not asked.
	home, work := folders(t)
	script := filepath.Join(work, "gateway.json")
	if err := os.WriteFile(script, []byte(`[{"text":"answer of the sidecar"}]`), 0o600); err != nil {
		t.Fatal(err)
	}
	c := bench.Claude(home, work, rig.Turn{Text: "answer of the model"})
	c.Sidecar = &rig.Sidecar{
		Argv: []string{bench.ScriptedUpstream(), "--listen", "$LISTEN", "--script", script},
		Env:  []string{"UPSTREAM=$UPSTREAM"},
	}
	res, err := c.Run(t.Context(), "-p", "hello")
	succeeded(t, res, err)
	if !strings.Contains(res.Stdout, "answer of the sidecar") || len(res.Requests) != 0 {
		t.Errorf("the model was asked %d times; the client said %q", len(res.Requests), res.Stdout)
	}
}

func TestBoxReportsAServiceThatDoesNotStart(t *testing.T) {
	box := newBox(t)
	box.Sidecar = &rig.Sidecar{Argv: []string{"/bin/sh", "-c", "echo no such route >&2; exit 4"}}
	if _, err := sh(t, box, "exit 0"); err == nil || !strings.Contains(err.Error(), "no such route") {
		t.Errorf("error %v does not say what the sidecar said", err)
	}
}

// A program of ours that starts a client finds it, and the client the model.
func TestHostLetsAProgramStartBothClients(t *testing.T) {
	t.Parallel()
	home, work := folders(t)
	box, err := bench.Claude(home, work, rig.Turn{Text: "first answer"}, rig.Turn{Text: "second answer"}).Host(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if box, err = (rig.Codex{Box: box}).Host(t.Context()); err != nil {
		t.Fatal(err)
	}
	res, err := sh(t, box, "claude -p hello && codex exec --skip-git-repo-check hello </dev/null")
	succeeded(t, res, err)
	if !strings.Contains(res.Stdout, "first answer") || !strings.Contains(res.Stdout, "second answer") {
		t.Errorf("the clients said:\n%s", res.Stdout)
	}
}
