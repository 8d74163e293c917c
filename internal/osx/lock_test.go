package osx_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/crosswalk-agents/crosswalk/internal/osx"
)

// holdEnv makes this test binary a process that locks the named file, says so
// on standard output and holds the lock until its standard input ends.
const holdEnv = "CROSSWALK_TEST_HOLD_LOCK"

func TestMain(m *testing.M) {
	if path := os.Getenv(holdEnv); path != "" {
		os.Exit(hold(path))
	}
	os.Exit(m.Run())
}

func hold(path string) int {
	if _, err := osx.Lock(context.Background(), path); err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println("locked")
	_, _ = io.Copy(io.Discard, os.Stdin)
	return 0
}

// startHolder starts a process that holds the lock on path.
func startHolder(t *testing.T, path string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), holdEnv+"="+path)
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if line != "locked\n" {
		t.Fatalf("the holder says %q, %v", line, err)
	}
	return cmd
}

func TestLockOfAnotherProcessIsWaitedForUntilTheContextEnds(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	startHolder(t, path)

	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	_, err := osx.Lock(ctx, path)
	if !errors.Is(err, osx.ErrLocked) || !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("Lock = %v, want ErrLocked and DeadlineExceeded", err)
	}
}

func TestLockEndsWithTheProcessThatHeldIt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	holder := startHolder(t, path)
	if err := holder.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	l, err := osx.Lock(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Unlock(); err != nil {
		t.Fatal(err)
	}
}

func TestLockIsExclusiveWithinAProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	var inside atomic.Int32
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 20 {
				l, err := osx.Lock(t.Context(), path)
				if err != nil {
					t.Error(err)
					return
				}
				if n := inside.Add(1); n != 1 {
					t.Errorf("%d holders at once", n)
				}
				inside.Add(-1)
				if err := l.Unlock(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}

func TestTryLockFileDoesNotWait(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	first, second := open(t, path), open(t, path)
	if err := osx.TryLockFile(first); err != nil {
		t.Fatal(err)
	}
	if err := osx.TryLockFile(second); !errors.Is(err, osx.ErrLocked) {
		t.Fatalf("TryLockFile = %v, want ErrLocked", err)
	}
	if err := osx.UnlockFile(first); err != nil {
		t.Fatal(err)
	}
	if err := osx.TryLockFile(second); err != nil {
		t.Fatal(err)
	}
}

func TestFileRemovedWhileWaitingIsNotTheOneLocked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "segment")
	holder, err := osx.OpenLocked(t.Context(), path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	got := make(chan *os.File, 1)
	var wg sync.WaitGroup
	wg.Go(func() {
		f, err := osx.OpenLocked(t.Context(), path, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			t.Error(err)
		}
		got <- f
	})
	time.Sleep(20 * time.Millisecond)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := holder.Close(); err != nil {
		t.Fatal(err)
	}
	wg.Wait()
	f := <-got
	defer f.Close()
	locked, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	named, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	if !os.SameFile(locked, named) {
		t.Error("the lock is on a file that has no name any more")
	}
}

func TestLockDoesNotFollowALink(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(dir, "lock")
	symlink(t, filepath.Join(dir, "elsewhere"), link)
	if _, err := osx.Lock(t.Context(), link); !errors.Is(err, osx.ErrSymlink) {
		t.Fatalf("Lock = %v, want ErrSymlink", err)
	}
}

func open(t *testing.T, path string) *os.File {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

func symlink(t *testing.T, to, name string) {
	t.Helper()
	if err := os.Symlink(to, name); err != nil {
		t.Skipf("this system makes no symbolic links here: %v", err)
	}
}
