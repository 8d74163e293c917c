package osx_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/crosswalk-agents/crosswalk/internal/osx"
)

func realTempDir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestWorkingDirIsPhysicalWhateverPWDSays(t *testing.T) {
	dir := realTempDir(t)
	target, link := filepath.Join(dir, "real"), filepath.Join(dir, "link")
	if err := os.Mkdir(target, 0o700); err != nil {
		t.Fatal(err)
	}
	symlink(t, target, link)
	t.Chdir(link)
	if logical, err := os.Getwd(); err != nil || logical != link {
		t.Logf("os.Getwd = %q, %v: this system does not keep the logical path", logical, err)
	}
	if got, err := osx.WorkingDir(); err != nil || got != target {
		t.Errorf("WorkingDir = %q, %v, want %q", got, err, target)
	}
}

func TestRealPathResolvesDotsAfterLinksAsTheKernelDoes(t *testing.T) {
	dir := realTempDir(t)
	deep := filepath.Join(dir, "a", "b")
	if err := os.MkdirAll(deep, 0o700); err != nil {
		t.Fatal(err)
	}
	symlink(t, deep, filepath.Join(dir, "link"))
	t.Chdir(dir)
	for path, want := range map[string]string{
		".":            dir,
		"link":         deep,
		"link/..":      filepath.Dir(deep),
		dir + "/link":  deep,
		"./a/../link/": deep,
	} {
		if got, err := osx.RealPath(path); err != nil || got != want {
			t.Errorf("RealPath(%q) = %q, %v, want %q", path, got, err, want)
		}
	}
	if _, err := osx.RealPath("none"); !os.IsNotExist(err) {
		t.Errorf("missing path: %v", err)
	}
}

func TestSyncDirAcceptsAFolder(t *testing.T) {
	if err := osx.SyncDir(t.TempDir()); err != nil {
		t.Fatal(err)
	}
}
