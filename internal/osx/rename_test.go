//go:build unix

package osx

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
)

// renames are the ways to rename without replacing, each held to the same law.
func renames() map[string]func(string, string) error {
	return map[string]func(string, string) error{"rename": RenameNoReplace, "link and unlink": linkRename}
}

func TestRenameTakesAFreeNameOnly(t *testing.T) {
	occupants := map[string]func(t *testing.T, name string){
		"file":          func(t *testing.T, name string) { put(t, name, "theirs") },
		"folder":        func(t *testing.T, name string) { must(t, os.Mkdir(name, 0o700)) },
		"link":          func(t *testing.T, name string) { put(t, name+".to", "x"); must(t, os.Symlink(name+".to", name)) },
		"dangling link": func(t *testing.T, name string) { must(t, os.Symlink(name+".to", name)) },
	}
	for way, rename := range renames() {
		t.Run(way, func(t *testing.T) {
			dir := t.TempDir()
			from, to := filepath.Join(dir, "from"), filepath.Join(dir, "to")
			put(t, from, "ours")
			must(t, rename(from, to))
			if got := get(t, to); got != "ours" {
				t.Errorf("content %q", got)
			}
			if _, err := os.Lstat(from); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("the old name is still there: %v", err)
			}
		})
		for what, occupy := range occupants {
			t.Run(way+" onto a "+what, func(t *testing.T) {
				dir := t.TempDir()
				from, to := filepath.Join(dir, "from"), filepath.Join(dir, "to")
				put(t, from, "ours")
				occupy(t, to)
				before, err := os.Lstat(to)
				must(t, err)
				if err := rename(from, to); !errors.Is(err, fs.ErrExist) {
					t.Fatalf("rename = %v, want ErrExist", err)
				}
				after, err := os.Lstat(to)
				must(t, err)
				if !os.SameFile(before, after) || get(t, from) != "ours" {
					t.Error("a refused rename changed something")
				}
			})
		}
	}
}

func TestOneOfManyRenamesOntoANameWins(t *testing.T) {
	for way, rename := range renames() {
		t.Run(way, func(t *testing.T) {
			dir := t.TempDir()
			var won atomic.Int32
			var wg sync.WaitGroup
			start := make(chan struct{})
			for i := range 16 {
				from := filepath.Join(dir, strconv.Itoa(i))
				put(t, from, "x")
				wg.Go(func() {
					<-start
					switch err := rename(from, filepath.Join(dir, "to")); {
					case err == nil:
						won.Add(1)
					case !errors.Is(err, fs.ErrExist):
						t.Error(err)
					}
				})
			}
			close(start)
			wg.Wait()
			if won.Load() != 1 {
				t.Errorf("%d won", won.Load())
			}
		})
	}
}

func TestRenameOfAMissingFileFails(t *testing.T) {
	dir := t.TempDir()
	for way, rename := range renames() {
		if err := rename(filepath.Join(dir, "from"), filepath.Join(dir, "to")); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s = %v, want ErrNotExist", way, err)
		}
	}
}

func put(t *testing.T, path, content string) {
	t.Helper()
	must(t, os.WriteFile(path, []byte(content), 0o600))
}

func get(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	must(t, err)
	return string(data)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
