package atomicfile_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/crosswalk-agents/crosswalk/internal/atomicfile"
	"github.com/crosswalk-agents/crosswalk/internal/osx"
)

func TestReplaceMakesTheFirstVersionAndTheNext(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "config", "config.yaml")
	for _, version := range []string{"first", "second", ""} {
		must(t, atomicfile.ReplaceFile(path, []byte(version), 0o600))
		if got := read(t, path); got != version {
			t.Errorf("content %q, want %q", got, version)
		}
	}
	if names := listing(t, filepath.Dir(path)); len(names) != 1 {
		t.Errorf("left over: %q", names)
	}
}

func TestReplaceKeepsThePermissionsOfTheFile(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no permission bits; runs on Unix")
	}
	for _, mode := range []fs.FileMode{0o600, 0o640, 0o666, 0o400} {
		path := filepath.Join(t.TempDir(), "f")
		must(t, os.WriteFile(path, nil, 0o600))
		must(t, os.Chmod(path, mode))
		must(t, atomicfile.ReplaceFile(path, []byte("x"), 0o644))
		info, err := os.Stat(path)
		must(t, err)
		if info.Mode().Perm() != mode {
			t.Errorf("mode %v, want %v", info.Mode().Perm(), mode)
		}
	}
}

func TestReplaceAbortKeepsTheOldVersion(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	must(t, os.WriteFile(path, []byte("old"), 0o600))
	w, err := atomicfile.Replace(path, 0o600)
	must(t, err)
	if _, err := w.Write([]byte("new")); err != nil {
		t.Fatal(err)
	}
	must(t, w.Abort())
	if got := read(t, path); got != "old" {
		t.Errorf("content %q", got)
	}
	if names := listing(t, dir); !slices.Equal(names, []string{"f"}) {
		t.Errorf("the folder holds %q", names)
	}
}

func TestReplaceRefusesALinkUnlessToldToFollow(t *testing.T) {
	dir := t.TempDir()
	real, link := filepath.Join(dir, "dotfiles", "f"), filepath.Join(dir, "f")
	must(t, os.Mkdir(filepath.Dir(real), 0o700))
	must(t, os.WriteFile(real, []byte("old"), 0o600))
	must(t, os.Symlink(filepath.Join("dotfiles", "f"), link))

	err := atomicfile.ReplaceFile(link, []byte("new"), 0o600)
	var e *atomicfile.Error
	if !errors.Is(err, osx.ErrSymlink) || !errors.As(err, &e) || e.Hint == "" {
		t.Fatalf("error %v, want ErrSymlink with a hint", err)
	}
	must(t, atomicfile.ReplaceFile(link, []byte("new"), 0o600, atomicfile.FollowLink()))
	if got := read(t, real); got != "new" {
		t.Errorf("content behind the link %q", got)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v", err)
	}
}

func TestReplaceRefusesWhatIsNoRegularFile(t *testing.T) {
	dir := t.TempDir()
	if err := atomicfile.ReplaceFile(dir, nil, 0o600); !errors.Is(err, osx.ErrNotRegular) {
		t.Errorf("a folder: %v", err)
	}
	link := filepath.Join(dir, "dangling")
	must(t, os.Symlink("nowhere", link))
	if err := atomicfile.ReplaceFile(link, nil, 0o600, atomicfile.FollowLink()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a dangling link, followed: %v", err)
	}
}

func TestReadersSeeTheOldVersionOrTheNewOne(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	version := func(i int) string { return strings.Repeat(string(rune('a'+i%26)), 100_000) }
	must(t, atomicfile.ReplaceFile(path, []byte(version(0)), 0o600))
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
			}
			data, err := os.ReadFile(path)
			if err != nil || len(data) != 100_000 || strings.Trim(string(data), string(data[:1])) != "" {
				t.Errorf("a reader sees %d bytes, %v", len(data), err)
				return
			}
		}
	})
	for i := range 200 {
		must(t, atomicfile.ReplaceFile(path, []byte(version(i)), 0o600, atomicfile.Sync(false)))
	}
	close(done)
	wg.Wait()
}
