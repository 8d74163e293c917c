package atomicfile_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/crosswalk-agents/crosswalk/internal/atomicfile"
)

func TestCreateShowsTheFileOnlyWhenItIsComplete(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "session.jsonl")
	w, err := atomicfile.Create(path, 0o600)
	must(t, err)
	content := strings.Repeat("a line of a session\n", 20_000)
	for part := range slices.Chunk([]byte(content), 1000) {
		if _, err := w.Write(part); err != nil {
			t.Fatal(err)
		}
	}
	names := listing(t, dir)
	if len(names) != 1 || !strings.HasPrefix(names[0], ".") || strings.HasSuffix(names[0], ".jsonl") {
		t.Errorf("before Commit the folder holds %q, want one hidden file that no scanner takes for a session", names)
	}
	must(t, w.Commit())
	if names := listing(t, dir); !slices.Equal(names, []string{"session.jsonl"}) {
		t.Errorf("after Commit the folder holds %q", names)
	}
	if read(t, path) != content {
		t.Error("the content differs")
	}
	info, err := os.Stat(path)
	must(t, err)
	if runtime.GOOS != "windows" && info.Mode() != 0o600 {
		t.Errorf("mode %v, want 0600", info.Mode())
	}
}

func TestContentCanBeReReadBeforeCommit(t *testing.T) {
	w, err := atomicfile.Create(filepath.Join(t.TempDir(), "f"), 0o600)
	must(t, err)
	for _, want := range []string{"one ", "one two "} {
		if _, err := io.WriteString(w, want[len(want)-4:]); err != nil {
			t.Fatal(err)
		}
		f, err := w.Reopen()
		must(t, err)
		got, err := io.ReadAll(f)
		must(t, err)
		must(t, f.Close())
		if string(got) != want {
			t.Errorf("re-read %q, want %q", got, want)
		}
	}
	must(t, w.Commit())
	if got := read(t, w.Path()); got != "one two " {
		t.Errorf("committed %q", got)
	}
}

func TestCreateRefusesATakenName(t *testing.T) {
	occupants := map[string]func(path string) error{
		"file":          func(path string) error { return os.WriteFile(path, []byte("theirs"), 0o600) },
		"folder":        func(path string) error { return os.Mkdir(path, 0o700) },
		"link":          func(path string) error { return os.Symlink(filepath.Dir(path), path) },
		"dangling link": func(path string) error { return os.Symlink(path+".elsewhere", path) },
	}
	for what, occupy := range occupants {
		t.Run(what+" there before Create", func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "f")
			must(t, occupy(path))
			_, err := atomicfile.Create(path, 0o600)
			wantTaken(t, err, dir, path)
		})
		t.Run(what+" there before Commit", func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "f")
			w, err := atomicfile.Create(path, 0o600)
			must(t, err)
			must(t, occupy(path))
			wantTaken(t, w.Commit(), dir, path)
		})
	}
}

func wantTaken(t *testing.T, err error, dir, path string) {
	t.Helper()
	var e *atomicfile.Error
	if !errors.Is(err, fs.ErrExist) || !errors.As(err, &e) {
		t.Fatalf("error %v, want an *Error matching ErrExist", err)
	}
	if e.Op != "create" || e.Path != path || e.Hint == "" {
		t.Errorf("error %#v, want operation, path and hint", e)
	}
	if names := listing(t, dir); !slices.Equal(names, []string{"f"}) {
		t.Errorf("the folder holds %q", names)
	}
	if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() && read(t, path) != "theirs" {
		t.Error("the file that was there changed")
	}
}

func TestErrorsReadLikeASentence(t *testing.T) {
	for want, occupy := range map[string]func(path string) error{
		"file already exists (the name is a symbolic link, which is not followed; choose another name)": func(path string) error { return os.Symlink("nowhere", path) },
		"a folder of this name exists (name a file in it, or choose another name)":                      func(path string) error { return os.Mkdir(path, 0o700) },
		"file already exists (choose another name, or move the existing file away)":                     func(path string) error { return os.WriteFile(path, nil, 0o600) },
	} {
		path := filepath.Join(t.TempDir(), "f")
		must(t, occupy(path))
		_, err := atomicfile.Create(path, 0o600)
		for _, err := range []error{err, atomicfile.Free(path)} {
			if got := fmt.Sprint(err); got != fmt.Sprintf("create %q: %s", path, want) || !errors.Is(err, fs.ErrExist) {
				t.Errorf("got  %v\nwant %s", err, want)
			}
		}
	}
}

func TestAbortLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "2026", "03", "f")
	w, err := atomicfile.Create(path, 0o600)
	must(t, err)
	if _, err := io.WriteString(w, "x"); err != nil {
		t.Fatal(err)
	}
	must(t, w.Abort())
	if names := listing(t, dir); len(names) != 0 {
		t.Errorf("the folder holds %q", names)
	}
	must(t, w.Abort())
	if _, err := io.WriteString(w, "x"); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("Write after Abort = %v", err)
	}
	if err := w.Commit(); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("Commit after Abort = %v", err)
	}
}

func TestAbortAfterCommitDoesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "f")
	w, err := atomicfile.Create(path, 0o600)
	must(t, err)
	must(t, w.Commit())
	must(t, w.Abort())
	if got := read(t, path); got != "" {
		t.Errorf("content %q", got)
	}
	if err := w.Commit(); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("second Commit = %v", err)
	}
}

func TestMadeFoldersArePrivateAndStayWhileOthersUseThem(t *testing.T) {
	dir := t.TempDir()
	made := filepath.Join(dir, "a", "b")
	w, err := atomicfile.Create(filepath.Join(made, "f"), 0o600)
	must(t, err)
	for _, folder := range []string{made, filepath.Dir(made)} {
		info, err := os.Stat(folder)
		must(t, err)
		if runtime.GOOS != "windows" && info.Mode().Perm() != 0o700 {
			t.Errorf("%s has mode %v, want 0700", folder, info.Mode())
		}
	}
	must(t, os.WriteFile(filepath.Join(dir, "a", "theirs"), nil, 0o600))
	must(t, w.Abort())
	if names := listing(t, filepath.Join(dir, "a")); !slices.Equal(names, []string{"theirs"}) {
		t.Errorf("the folder holds %q", names)
	}
}

func TestFoldersThatWereThereBeforeStay(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "empty")
	must(t, os.Mkdir(dir, 0o700))
	w, err := atomicfile.Create(filepath.Join(dir, "f"), 0o600)
	must(t, err)
	must(t, w.Abort())
	if _, err := os.Stat(dir); err != nil {
		t.Error(err)
	}
}

func TestOneOfManyCreatorsWins(t *testing.T) {
	for range 20 {
		dir := t.TempDir()
		path := filepath.Join(dir, "made", "f")
		var won atomic.Int32
		var wg sync.WaitGroup
		start := make(chan struct{})
		for i := range 8 {
			wg.Go(func() {
				<-start
				err := atomicfile.CreateFile(path, []byte(strings.Repeat(string(rune('a'+i)), 1000)), 0o600)
				switch {
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
			t.Fatalf("%d creators won", won.Load())
		}
		got := read(t, path)
		if len(got) != 1000 || strings.Trim(got, got[:1]) != "" {
			t.Fatal("the file is a mixture")
		}
		if names := listing(t, filepath.Dir(path)); len(names) != 1 {
			t.Fatalf("left over: %q", names)
		}
	}
}

func TestCreatorSurvivesFoldersThatOthersRemove(t *testing.T) {
	dir := t.TempDir()
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for range 50 {
				w, err := atomicfile.Create(filepath.Join(dir, "a", "b", string(rune('a'+i))), 0o600)
				if err != nil {
					t.Error(err)
					return
				}
				if err := w.Abort(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	// A folder that was in use by another when its maker gave up may stay.
	must(t, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			t.Errorf("left over: %q", path)
		}
		return err
	}))
}

func TestSwappedTemporaryFileIsNotPublished(t *testing.T) {
	dir := t.TempDir()
	w, err := atomicfile.Create(filepath.Join(dir, "f"), 0o600)
	must(t, err)
	temp := filepath.Join(dir, listing(t, dir)[0])
	must(t, os.Remove(temp))
	must(t, os.WriteFile(temp, []byte("theirs"), 0o600))
	if err := w.Commit(); err == nil {
		t.Fatal("a file that is not ours was published")
	}
	if _, err := os.Lstat(filepath.Join(dir, "f")); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

func TestParentThatIsNoFolderIsAnError(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "a"), nil, 0o600))
	must(t, os.Symlink("nowhere", filepath.Join(dir, "dangling")))
	for _, parent := range []string{"a", "dangling"} {
		_, err := atomicfile.Create(filepath.Join(dir, parent, "b", "f"), 0o600)
		var e *atomicfile.Error
		if !errors.As(err, &e) || errors.Is(err, fs.ErrExist) {
			t.Errorf("%s: error %v, want an *Error that does not say the file exists", parent, err)
		}
	}
	if names := listing(t, dir); !slices.Equal(names, []string{"a", "dangling"}) {
		t.Errorf("the folder holds %q", names)
	}
}

func listing(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	must(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func read(t *testing.T, path string) string {
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
