package osx_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/crosswalk-agents/crosswalk/internal/osx"
)

func TestOpenNoFollowRefusesALinkAndCreatesNothingBehindIt(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "target"), filepath.Join(dir, "link")
	symlink(t, target, link)
	for _, state := range []string{"dangling", "to a file"} {
		for _, flag := range []int{os.O_RDONLY, os.O_RDWR, os.O_RDWR | os.O_CREATE, os.O_WRONLY | os.O_APPEND} {
			if _, err := osx.OpenNoFollow(link, flag, 0o600); !errors.Is(err, osx.ErrSymlink) {
				t.Errorf("link %s, flags %#x: %v, want ErrSymlink", state, flag, err)
			}
		}
		if _, err := os.Lstat(target); state == "dangling" && !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("the link was followed: %v", err)
		}
		if err := os.WriteFile(target, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestOpenNoFollowKeepsTheUsualErrors(t *testing.T) {
	dir := t.TempDir()
	if _, err := osx.OpenNoFollow(filepath.Join(dir, "none"), os.O_RDONLY, 0); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
	link := filepath.Join(dir, "link")
	symlink(t, "nowhere", link)
	if _, err := osx.OpenNoFollow(link, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600); !errors.Is(err, fs.ErrExist) {
		t.Errorf("exclusive creation onto a link: %v", err)
	}
}

func TestOpenNoFollowFollowsLinksAmongTheParents(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "real"), 0o700); err != nil {
		t.Fatal(err)
	}
	symlink(t, "real", filepath.Join(dir, "link"))
	f, err := osx.OpenNoFollow(filepath.Join(dir, "link", "file"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
}

func TestOpenRegularTakesRegularFilesOnly(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := osx.OpenRegular(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := osx.OpenRegular(dir); err == nil {
		t.Error("a folder was opened")
	}
}

func TestReadFileReadsWhatALinkLeadsToUpToALimit(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	if err := os.WriteFile(file, []byte("0123456789"), 0o600); err != nil {
		t.Fatal(err)
	}
	symlink(t, file, link)
	for _, path := range []string{file, link} {
		if data, err := osx.ReadFile(path, 10); err != nil || string(data) != "0123456789" {
			t.Errorf("%q, %v", data, err)
		}
		if data, err := osx.ReadFile(path, 9); !errors.Is(err, osx.ErrTooBig) || len(data) > 0 {
			t.Errorf("%q, %v", data, err)
		}
	}
	if _, err := osx.ReadFile(filepath.Join(dir, "none"), 9); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
}
