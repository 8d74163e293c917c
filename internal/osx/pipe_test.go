//go:build unix

package osx_test

import (
	"errors"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/crosswalk-agents/crosswalk/internal/osx"
)

func TestPipesAndDevicesAreNotOpened(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := unix.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := osx.OpenRegular(pipe); !errors.Is(err, osx.ErrNotRegular) {
		t.Errorf("OpenRegular = %v, want ErrNotRegular", err)
	}
	for _, path := range []string{pipe, "/dev/zero"} {
		if _, err := osx.OpenLinked(path); !errors.Is(err, osx.ErrNotRegular) {
			t.Errorf("OpenLinked(%q) = %v, want ErrNotRegular", path, err)
		}
		if _, err := osx.ReadFile(path, 10); !errors.Is(err, osx.ErrNotRegular) {
			t.Errorf("ReadFile(%q) = %v, want ErrNotRegular", path, err)
		}
	}
}
