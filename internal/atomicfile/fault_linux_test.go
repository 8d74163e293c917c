package atomicfile_test

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/crosswalk-agents/crosswalk/internal/atomicfile"
)

// What a child process is to run, and a folder for it that its parent removes.
const (
	childEnv    = "CROSSWALK_TEST_CHILD"
	childDirEnv = "CROSSWALK_TEST_CHILD_DIR"
)

// inChild tells whether this is the process for the test's body. If not, it
// runs this test alone in a new process and takes over its result. A refusal
// to start the process at all skips the test with the reason.
func inChild(t *testing.T, attr *syscall.SysProcAttr, needs string) bool {
	t.Helper()
	if os.Getenv(childEnv) == t.Name() {
		return true
	}
	exe, err := os.Executable()
	must(t, err)
	cmd := exec.CommandContext(t.Context(), exe, "-test.v", "-test.run=^"+regexp.QuoteMeta(t.Name())+"$")
	cmd.Env = append(os.Environ(), childEnv+"="+t.Name(), childDirEnv+"="+t.TempDir(), "GORACE=atexit_sleep_ms=0")
	cmd.SysProcAttr = attr
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	switch {
	case err == nil:
		if strings.Contains(string(out), "--- SKIP") {
			t.Skipf("runs %s; here the child process skipped:\n%s", needs, out)
		}
	case errors.As(err, &exit):
		t.Fatalf("the child process failed: %v\n%s", err, out)
	default:
		t.Skipf("runs %s; here: %v", needs, err)
	}
	return false
}

// ownMounts gives a child a mount namespace of its own, as root directly and
// otherwise through a user namespace.
func ownMounts() *syscall.SysProcAttr {
	if os.Geteuid() == 0 {
		return &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS}
	}
	return &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Geteuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getegid(), Size: 1}},
	}
}

const needsMounts = "as root, or where user namespaces are allowed"

func mountTmpfs(t *testing.T, dir, data string, flags uintptr) {
	t.Helper()
	if err := unix.Mount("tmpfs", dir, "tmpfs", flags, data); err != nil {
		t.Skipf("runs %s; here: mount a tmpfs: %v", needsMounts, err)
	}
	t.Cleanup(func() { must(t, unix.Unmount(dir, unix.MNT_DETACH)) })
}

// writeUntilItFails writes 8 MiB as a session does, in parts.
func writeUntilItFails(path string) error {
	w, err := atomicfile.Create(path, 0o600)
	if err != nil {
		return err
	}
	for range 1024 {
		if _, err := w.Write(make([]byte, 8<<10)); err != nil {
			return err
		}
	}
	return w.Commit()
}

func TestFullDiskLeavesNothing(t *testing.T) {
	if !inChild(t, ownMounts(), needsMounts) {
		return
	}
	dir := t.TempDir()
	mountTmpfs(t, dir, "size=256k", 0)
	err := writeUntilItFails(filepath.Join(dir, "a", "b", "session.jsonl"))
	wantTyped(t, err, atomicfile.ErrNoSpace)
	if names := listing(t, dir); len(names) != 0 {
		t.Errorf("left over: %q", names)
	}

	// What was there before is untouched, and the space is free again.
	path := filepath.Join(dir, "config")
	must(t, atomicfile.ReplaceFile(path, []byte("old"), 0o600))
	wantTyped(t, atomicfile.ReplaceFile(path, make([]byte, 1<<20), 0o600), atomicfile.ErrNoSpace)
	if names := listing(t, dir); !slices.Equal(names, []string{"config"}) || read(t, path) != "old" {
		t.Errorf("the folder holds %q", names)
	}
	must(t, atomicfile.ReplaceFile(path, make([]byte, 128<<10), 0o600))
}

func TestFullDiskWithoutRoomForTheNameLeavesNothing(t *testing.T) {
	if !inChild(t, ownMounts(), needsMounts) {
		return
	}
	dir := t.TempDir()
	mountTmpfs(t, dir, "nr_inodes=3", 0) // the root, a folder, no more than one file
	wantTyped(t, atomicfile.CreateFile(filepath.Join(dir, "a", "b", "f"), nil, 0o600), atomicfile.ErrNoSpace)
	if names := listing(t, dir); len(names) != 0 {
		t.Errorf("left over: %q", names)
	}
}

func TestReadOnlyFileSystemIsSaid(t *testing.T) {
	if !inChild(t, ownMounts(), needsMounts) {
		return
	}
	dir := t.TempDir()
	mountTmpfs(t, dir, "", unix.MS_RDONLY)
	wantTyped(t, atomicfile.CreateFile(filepath.Join(dir, "f"), nil, 0o600), syscall.EROFS)
	wantTyped(t, atomicfile.CreateFile(filepath.Join(dir, "a", "f"), nil, 0o600), syscall.EROFS)
}

func TestFileSizeLimitLeavesNothing(t *testing.T) {
	if !inChild(t, nil, "everywhere") {
		return
	}
	dir := t.TempDir()
	limit := syscall.Rlimit{Cur: 100_000, Max: 100_000}
	must(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit))
	wantTyped(t, writeUntilItFails(filepath.Join(dir, "a", "session.jsonl")), atomicfile.ErrTooLarge)
	if names := listing(t, dir); len(names) != 0 {
		t.Errorf("left over: %q", names)
	}
	must(t, atomicfile.CreateFile(filepath.Join(dir, "small"), make([]byte, 100_000), 0o600))
}

func TestMissingPermissionLeavesNothing(t *testing.T) {
	if !inChild(t, nil, "everywhere") {
		return
	}
	dir := os.Getenv(childDirEnv)
	t.Cleanup(func() { _ = os.Chmod(filepath.Join(dir, "closed"), 0o700) })
	must(t, os.Mkdir(filepath.Join(dir, "closed"), 0o700))
	must(t, os.WriteFile(filepath.Join(dir, "closed", "config"), []byte("old"), 0o644))
	must(t, os.Mkdir(filepath.Join(dir, "closed", "open"), 0o777))
	must(t, os.Chmod(filepath.Join(dir, "closed", "open"), 0o777))
	must(t, os.Chmod(filepath.Join(dir, "closed"), 0o555))
	must(t, os.Chmod(dir, 0o755))
	must(t, os.Chmod(filepath.Dir(dir), 0o755))
	becomeNobody(t)

	closed := filepath.Join(dir, "closed")
	for _, path := range []string{filepath.Join(closed, "f"), filepath.Join(closed, "a", "b", "f")} {
		wantTyped(t, atomicfile.CreateFile(path, nil, 0o600), fs.ErrPermission)
	}
	wantTyped(t, atomicfile.ReplaceFile(filepath.Join(closed, "config"), nil, 0o600), fs.ErrPermission)
	must(t, atomicfile.CreateFile(filepath.Join(closed, "open", "a", "f"), nil, 0o600))
	if names := listing(t, closed); !slices.Equal(names, []string{"config", "open"}) {
		t.Errorf("the folder holds %q", names)
	}
}

// becomeNobody gives up root's rights in this process, if it has them.
func becomeNobody(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		return
	}
	const nobody = 65534
	must(t, syscall.Setgroups(nil))
	must(t, syscall.Setgid(nobody))
	must(t, syscall.Setuid(nobody))
}

func wantTyped(t *testing.T, err, target error) {
	t.Helper()
	var e *atomicfile.Error
	if !errors.Is(err, target) || !errors.As(err, &e) {
		t.Fatalf("error %v, want an *Error matching %v", err, target)
	}
	if e.Op == "" || e.Path == "" || e.Hint == "" {
		t.Errorf("error %#v, want operation, path and hint", e)
	}
	if strings.Contains(e.Error(), ".tmp") {
		t.Errorf("error %q names the temporary file", e)
	}
}
