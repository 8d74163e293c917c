package atomicfile_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/crosswalk-agents/crosswalk/internal/atomicfile"
)

func TestFolderIsMarkedUntilItIsFinished(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "side")
	f, err := atomicfile.CreateFolder(path)
	must(t, err)
	if names := listing(t, path); f.Path() != path || len(names) != 1 || !atomicfile.IsLeftover(names[0]) {
		t.Errorf("%q holds %q", f.Path(), names)
	}
	must(t, os.WriteFile(filepath.Join(path, "a"), nil, 0o600))
	must(t, f.Finish())
	if names := listing(t, path); !slices.Equal(names, []string{"a"}) {
		t.Errorf("it holds %q", names)
	}
	if names := listing(t, dir); !slices.Equal(names, []string{"side"}) {
		t.Errorf("beside it: %q", names)
	}
}

func TestFolderThatIsGivenUpIsGone(t *testing.T) {
	dir := t.TempDir()
	f, err := atomicfile.CreateFolder(filepath.Join(dir, "side"))
	must(t, err)
	must(t, os.WriteFile(filepath.Join(dir, "side", "a"), nil, 0o600))
	must(t, f.Abort())
	if names := listing(t, dir); len(names) != 0 {
		t.Errorf("left over: %q", names)
	}
}

func TestFolderDoesNotTakeTheNameOfAnother(t *testing.T) {
	for name, occupy := range map[string]func(path string) error{
		"file":          func(path string) error { return os.WriteFile(path, nil, 0o600) },
		"dangling link": func(path string) error { return os.Symlink("nowhere", path) },
		"folder": func(path string) error {
			return errors.Join(os.Mkdir(path, 0o700), os.WriteFile(filepath.Join(path, "a"), nil, 0o600))
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			must(t, occupy(filepath.Join(dir, "side")))
			_, err := atomicfile.CreateFolder(filepath.Join(dir, "side"))
			wantTypedError(t, err, fs.ErrExist)
			if names := listing(t, dir); !slices.Equal(names, []string{"side"}) {
				t.Errorf("there is %q", names)
			}
		})
	}
	_, err := atomicfile.CreateFolder(filepath.Join(t.TempDir(), "none", "side"))
	wantTypedError(t, err, fs.ErrNotExist)
}

func wantTypedError(t *testing.T, err, target error) {
	t.Helper()
	var e *atomicfile.Error
	if !errors.Is(err, target) || !errors.As(err, &e) || filepath.Base(e.Path) != "side" {
		t.Errorf("error %v, want an *Error about the folder that matches %v", err, target)
	}
}

// A folder in the making is swept once its maker is gone; one whose file is
// there loses only its mark.
func TestSweepFolders(t *testing.T) {
	const mark = ".crosswalk-unfinished"
	dir := t.TempDir()
	ages := map[string]time.Duration{"left": time.Hour, "young": 0, "complete": time.Hour, ".crosswalk-0123456789abcdef.tmp": time.Hour}
	for name, age := range ages {
		must(t, os.MkdirAll(filepath.Join(dir, name, "deep"), 0o700))
		path := filepath.Join(dir, name, mark)
		must(t, os.WriteFile(path, nil, 0o600))
		must(t, os.Chtimes(path, time.Time{}, time.Now().Add(-age)))
	}
	must(t, os.MkdirAll(filepath.Join(dir, "theirs", "deep"), 0o700))
	live, err := atomicfile.CreateFolder(filepath.Join(dir, "live"))
	must(t, err)
	must(t, os.Chtimes(filepath.Join(dir, "live", mark), time.Time{}, time.Now().Add(-48*time.Hour)))

	must(t, atomicfile.SweepFolders(dir, time.Minute, func(path string) bool { return filepath.Base(path) == "complete" }))
	if names := listing(t, dir); !slices.Equal(names, []string{"complete", "live", "theirs", "young"}) {
		t.Errorf("there is %q", names)
	}
	if names := listing(t, filepath.Join(dir, "complete")); !slices.Equal(names, []string{"deep"}) {
		t.Errorf("the complete one holds %q", names)
	}
	must(t, live.Finish())
	must(t, atomicfile.SweepFolders(filepath.Join(dir, "none"), 0, nil))
}

// Whoever writes in a folder removes what killed processes left there: files,
// and folders that are empty yet.
func TestWritingSweepsTheFolder(t *testing.T) {
	for name, write := range map[string]func(string, []byte, fs.FileMode, ...atomicfile.Option) error{
		"create": atomicfile.CreateFile, "replace": atomicfile.ReplaceFile,
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			const folder, full, young = ".crosswalk-00000000000000aa.tmp", ".crosswalk-00000000000000bb.tmp", ".crosswalk-00000000000000cc.tmp"
			must(t, os.WriteFile(filepath.Join(dir, leftover), nil, 0o600))
			must(t, os.WriteFile(filepath.Join(dir, young), nil, 0o600))
			must(t, os.Mkdir(filepath.Join(dir, folder), 0o700))
			must(t, os.MkdirAll(filepath.Join(dir, full, "a"), 0o700))
			ago := time.Now().Add(-2 * atomicfile.LeftoverAge)
			for _, old := range []string{leftover, folder, full} {
				must(t, os.Chtimes(filepath.Join(dir, old), ago, ago))
			}
			must(t, write(filepath.Join(dir, "f"), nil, 0o600))
			if names := listing(t, dir); !slices.Equal(names, []string{full, young, "f"}) {
				t.Errorf("there is %q", names)
			}
		})
	}
}
