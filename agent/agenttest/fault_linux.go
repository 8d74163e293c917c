package agenttest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/atomicfile"
)

// What a child process is to run, and a folder that its parent removes.
const (
	childEnv    = "CROSSWALK_AGENTTEST_CHILD"
	childDirEnv = "CROSSWALK_AGENTTEST_DIR"
)

// testSystemFaults meets the faults that only the system can make, each in a
// process of its own.
func testSystemFaults(t *testing.T, w agent.Writer) {
	t.Run("size limit", func(t *testing.T) {
		dir, child := inChild(t)
		if !child {
			nothingIn(t, dir)
			return
		}
		const most = 64 << 10
		must(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: most, Max: most}))
		s := example()
		s.msgs[0].Blocks = append(s.msgs[0].Blocks, &canon.TextBlock{Text: canon.NewText(strings.Repeat("long ", most))})
		_, err := w.Write(t.Context(), s.thread, stream(s.msgs), options(agent.IsolatedHome(dir), new(canon.Report)))
		if !errors.Is(err, atomicfile.ErrTooLarge) {
			t.Errorf("error %v, want one that matches atomicfile.ErrTooLarge", err)
		}
	})
	t.Run("folder that cannot be written", func(t *testing.T) {
		dir, child := inChild(t)
		if !child {
			nothingIn(t, dir)
			return
		}
		must(t, os.Chmod(dir, 0o555))
		for d := filepath.Dir(dir); d != os.TempDir() && d != "/"; d = filepath.Dir(d) {
			must(t, os.Chmod(d, 0o755))
		}
		becomeNobody(t)
		s := example()
		_, err := w.Write(t.Context(), s.thread, stream(s.msgs), options(agent.IsolatedHome(dir), new(canon.Report)))
		if !errors.Is(err, fs.ErrPermission) {
			t.Errorf("error %v, want one that matches fs.ErrPermission", err)
		}
	})
}

// inChild runs the current test alone in a new process and takes over its
// result. In that process child is true.
func inChild(t *testing.T) (dir string, child bool) {
	t.Helper()
	if os.Getenv(childEnv) == t.Name() {
		return os.Getenv(childDirEnv), true
	}
	dir = t.TempDir()
	exe, err := os.Executable()
	must(t, err)
	parts := strings.Split(t.Name(), "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	cmd := exec.CommandContext(t.Context(), exe, "-test.v", "-test.run="+strings.Join(parts, "/"))
	cmd.Env = append(os.Environ(), childEnv+"="+t.Name(), childDirEnv+"="+dir)
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()) {
		t.Fatalf("the child process failed: %v\n%s", err, out)
	}
	must(t, os.Chmod(dir, 0o755))
	return dir, false
}

// becomeNobody gives up root's rights in this process, if it has them.
func becomeNobody(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		return
	}
	const nobody = 65534
	if err := errors.Join(syscall.Setgroups(nil), syscall.Setgid(nobody), syscall.Setuid(nobody)); err != nil {
		t.Fatal(fmt.Errorf("become nobody: %w", err))
	}
}
