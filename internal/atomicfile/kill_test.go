//go:build unix

package atomicfile_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/crosswalk-agents/crosswalk/internal/atomicfile"
)

// With these in its environment the test binary is a process that writes one
// file and kills itself at a point.
const (
	killPathEnv  = "CROSSWALK_TEST_KILL_PATH"
	killPointEnv = "CROSSWALK_TEST_KILL_POINT"
	killOpEnv    = "CROSSWALK_TEST_KILL_OP"
)

func TestMain(m *testing.M) {
	if path := os.Getenv(killPathEnv); path != "" {
		writeAndDie(path, os.Getenv(killOpEnv), atomicfile.Point(os.Getenv(killPointEnv)))
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func killContent() []byte {
	return bytes.Repeat([]byte("new\n"), 100_000)
}

func writeAndDie(path, op string, at atomicfile.Point) {
	hook := atomicfile.Hook(func(p atomicfile.Point) error {
		if p == at {
			return syscall.Kill(os.Getpid(), syscall.SIGKILL)
		}
		return nil
	})
	write := atomicfile.CreateFile
	if op == "replace" {
		write = atomicfile.ReplaceFile
	}
	if err := write(path, killContent(), 0o600, hook); err != nil {
		os.Exit(1)
	}
}

func TestProcessKilledAtAnyPointLeavesNoFileOrAWholeOne(t *testing.T) {
	for _, op := range []string{"create", "replace"} {
		for _, at := range points() {
			t.Run(op+", "+string(at), func(t *testing.T) {
				dir := t.TempDir()
				path := filepath.Join(dir, "f")
				if op == "replace" {
					must(t, os.WriteFile(path, []byte("old"), 0o600))
				}
				runAndExpectKill(t, path, op, at)
				published := at == atomicfile.AfterRename || at == atomicfile.BeforeDirsync
				checkAfterKill(t, path, op, published)
				checkLeftover(t, dir, !published)

				// The next attempt is not hindered by what the first left.
				if op == "create" && !published {
					must(t, atomicfile.CreateFile(path, nil, 0o600))
				}
			})
		}
	}
}

func runAndExpectKill(t *testing.T, path, op string, at atomicfile.Point) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0", killPathEnv+"="+path, killOpEnv+"="+op, killPointEnv+"="+string(at))
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		t.Fatalf("the process ended with %v, want SIGKILL\n%s", err, out)
	}
}

func checkAfterKill(t *testing.T, path, op string, published bool) {
	t.Helper()
	data, err := os.ReadFile(path)
	switch {
	case published:
		if err != nil || !bytes.Equal(data, killContent()) {
			t.Errorf("want the new file, whole; got %d bytes, %v", len(data), err)
		}
	case op == "replace":
		if string(data) != "old" {
			t.Errorf("want the old file; got %d bytes, %v", len(data), err)
		}
	case !errors.Is(err, fs.ErrNotExist):
		t.Errorf("want no file; got %d bytes, %v", len(data), err)
	}
}

// checkLeftover checks that only a temporary file may be left, and that Sweep
// takes it away once it is old enough.
func checkLeftover(t *testing.T, dir string, want bool) {
	t.Helper()
	names := slices.DeleteFunc(listing(t, dir), func(name string) bool { return name == "f" })
	if (len(names) == 1) != want || want && !strings.HasPrefix(names[0], ".") {
		t.Errorf("left over: %q", names)
	}
	if removed, err := atomicfile.Sweep(dir, time.Hour); err != nil || len(removed) != 0 {
		t.Errorf("Sweep of a young file = %q, %v", removed, err)
	}
	for _, name := range names {
		must(t, os.Chtimes(filepath.Join(dir, name), time.Time{}, time.Now().Add(-2*time.Hour)))
	}
	if removed, err := atomicfile.Sweep(dir, time.Hour); err != nil || len(removed) != len(names) {
		t.Errorf("Sweep = %q, %v", removed, err)
	}
}

func TestOneOfManyCreatingProcessesWins(t *testing.T) {
	path := filepath.Join(t.TempDir(), "made", "f")
	var running []*exec.Cmd
	for range 8 {
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0", killPathEnv+"="+path, killPointEnv+"=never")
		must(t, cmd.Start())
		running = append(running, cmd)
	}
	won := 0
	for _, cmd := range running {
		if cmd.Wait() == nil {
			won++
		}
	}
	if won != 1 || read(t, path) != string(killContent()) {
		t.Errorf("%d processes won", won)
	}
}
