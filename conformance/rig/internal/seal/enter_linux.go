package seal

import (
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// enter turns fresh namespaces into a box: no mount leaks out, hidden folders
// are empty but for what is kept, /proc shows only this box, loopback is up.
func enter(spec Spec) error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("make mounts private: %w", err)
	}
	if err := hide(spec.Hide, spec.Keep); err != nil {
		return err
	}
	if err := unix.Mount("proc", "/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""); err != nil {
		return fmt.Errorf("mount /proc: %w", err)
	}
	if err := unix.Sethostname([]byte("box")); err != nil {
		return fmt.Errorf("set host name: %w", err)
	}
	return loopbackUp()
}

// hide covers each folder with an empty file system and puts what is kept back
// in its place. The trees to keep are taken hold of before they are covered.
func hide(folders, keep []string) error {
	trees, err := holdTrees(folders, keep)
	if err != nil {
		return err
	}
	for _, dir := range folders {
		mode := "mode=0755"
		if fi, err := os.Stat(dir); err == nil && fi.Mode()&os.ModeSticky != 0 {
			mode = "mode=1777"
		}
		if err := unix.Mount("none", dir, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, mode); err != nil {
			return fmt.Errorf("hide %q: %w", dir, err)
		}
	}
	for _, t := range trees {
		if err := t.restore(); err != nil {
			return fmt.Errorf("keep %q: %w", t.path, err)
		}
	}
	return nil
}

type heldTree struct {
	path string
	dir  bool
	fd   int
}

func holdTrees(folders, keep []string) ([]heldTree, error) {
	sort.Strings(keep) // a parent comes before what it holds
	var trees []heldTree
	for _, path := range keep {
		if within(path, paths(trees)) || !within(path, folders) {
			continue
		}
		fi, err := os.Stat(path)
		if err != nil {
			return nil, fmt.Errorf("keep: %w", err)
		}
		fd, err := unix.OpenTree(unix.AT_FDCWD, path, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE)
		if err != nil {
			return nil, fmt.Errorf("keep %q: %w", path, err)
		}
		trees = append(trees, heldTree{path: path, dir: fi.IsDir(), fd: fd})
	}
	return trees, nil
}

func (t heldTree) restore() error {
	defer unix.Close(t.fd)
	place := t.path
	if !t.dir {
		place = filepath.Dir(t.path)
	}
	if err := os.MkdirAll(place, 0o755); err != nil {
		return err
	}
	if !t.dir {
		if err := os.WriteFile(t.path, nil, 0o600); err != nil {
			return err
		}
	}
	return unix.MoveMount(t.fd, "", unix.AT_FDCWD, t.path, unix.MOVE_MOUNT_F_EMPTY_PATH)
}

func paths(trees []heldTree) []string {
	list := make([]string, len(trees))
	for i, t := range trees {
		list[i] = t.path
	}
	return list
}

// within reports whether path is, or lies in, one of the folders.
func within(path string, folders []string) bool {
	for _, f := range folders {
		if path == f || strings.HasPrefix(path, strings.TrimSuffix(f, "/")+"/") {
			return true
		}
	}
	return false
}

func loopbackUp() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("open socket: %w", err)
	}
	defer unix.Close(fd)
	req, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	req.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	if err := unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, req); err != nil {
		return fmt.Errorf("bring loopback up: %w", err)
	}
	return nil
}

// adoptOrphans makes an unsealed box the parent of what its children leave
// behind, so that it can end it.
func adoptOrphans() error {
	return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
}

// endStrays kills the box's remaining descendants. A sealed box has no need of
// it: the kernel does that when its first process ends.
func endStrays(sealed bool) {
	if sealed {
		return
	}
	self := os.Getpid()
	for range 100 {
		children := childrenOf(self)
		if len(children) == 0 {
			return
		}
		for _, pid := range children {
			_ = unix.Kill(pid, unix.SIGKILL)
			_, _ = unix.Wait4(pid, nil, 0, nil)
		}
	}
}

func childrenOf(parent int) []int {
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", parent))
	var pids []int
	for _, name := range tasks {
		data, _ := os.ReadFile(name)
		for _, word := range strings.Fields(string(data)) {
			if pid, err := strconv.Atoi(word); err == nil {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}
