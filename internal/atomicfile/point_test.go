package atomicfile_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/crosswalk-agents/crosswalk/internal/atomicfile"
)

// points lists the write points in the order in which a Commit passes them.
func points() []atomicfile.Point {
	return []atomicfile.Point{
		atomicfile.AfterTempCreate, atomicfile.AfterFirstWrite, atomicfile.BeforeFsync, atomicfile.AfterFsync,
		atomicfile.BeforeRename, atomicfile.AfterRename, atomicfile.BeforeDirsync,
	}
}

func TestPointsArePassedOnceInOrder(t *testing.T) {
	for _, sync := range []bool{true, false} {
		var passed []atomicfile.Point
		hook := atomicfile.Hook(func(p atomicfile.Point) error {
			passed = append(passed, p)
			return nil
		})
		must(t, atomicfile.CreateFile(filepath.Join(t.TempDir(), "f"), make([]byte, 1<<20), 0o600, hook, atomicfile.Sync(sync)))
		if !slices.Equal(passed, points()) {
			t.Errorf("sync %v: passed %q", sync, passed)
		}
	}
}

func TestFailureAtAnyPointLeavesNothing(t *testing.T) {
	fault := errors.New("the disk is on fire")
	for _, at := range points() {
		hook := atomicfile.Hook(func(p atomicfile.Point) error {
			if p == at {
				return fault
			}
			return nil
		})
		t.Run("create, "+string(at), func(t *testing.T) {
			dir := t.TempDir()
			err := atomicfile.CreateFile(filepath.Join(dir, "a", "b", "f"), []byte("x"), 0o600, hook)
			wantFault(t, err, fault)
			if names := listing(t, dir); len(names) != 0 {
				t.Errorf("left over: %q", names)
			}
		})
		t.Run("replace, "+string(at), func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "f")
			must(t, os.WriteFile(path, []byte("old"), 0o600))
			wantFault(t, atomicfile.ReplaceFile(path, []byte("new"), 0o600, hook), fault)
			want := "old"
			if at == atomicfile.AfterRename || at == atomicfile.BeforeDirsync {
				want = "new"
			}
			if got := read(t, path); got != want {
				t.Errorf("content %q, want %q", got, want)
			}
			if names := listing(t, dir); !slices.Equal(names, []string{"f"}) {
				t.Errorf("the folder holds %q", names)
			}
		})
	}
}

func wantFault(t *testing.T, err, fault error) {
	t.Helper()
	var e *atomicfile.Error
	if !errors.Is(err, fault) || !errors.As(err, &e) {
		t.Errorf("error %v, want an *Error with the fault", err)
	}
}

func TestFailedWriterRepeatsItsError(t *testing.T) {
	fault := errors.New("the disk is on fire")
	w, err := atomicfile.Create(filepath.Join(t.TempDir(), "f"), 0o600, atomicfile.Hook(func(p atomicfile.Point) error {
		if p == atomicfile.AfterFirstWrite {
			return fault
		}
		return nil
	}))
	must(t, err)
	if _, err := w.Write(make([]byte, 1<<20)); !errors.Is(err, fault) {
		t.Fatalf("Write = %v", err)
	}
	if _, err := w.Write(nil); !errors.Is(err, fault) {
		t.Errorf("second Write = %v", err)
	}
	if _, err := w.Reopen(); !errors.Is(err, fault) {
		t.Errorf("Reopen = %v", err)
	}
	if err := w.Commit(); !errors.Is(err, fault) {
		t.Errorf("Commit = %v", err)
	}
	must(t, w.Abort())
}
