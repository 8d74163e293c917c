//go:build unix

package osx_test

import (
	"errors"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/crosswalk-agents/crosswalk/internal/osx"
)

func TestOpenRegularDoesNotHangOnAPipe(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := unix.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := osx.OpenRegular(pipe); !errors.Is(err, osx.ErrNotRegular) {
		t.Fatalf("OpenRegular = %v, want ErrNotRegular", err)
	}
}
