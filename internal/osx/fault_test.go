//go:build unix

package osx_test

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"testing"

	"github.com/crosswalk-agents/crosswalk/internal/osx"
)

func TestRemedyKnowsTheFaultsOfTheSystem(t *testing.T) {
	for err, want := range map[error]bool{
		syscall.ENOSPC: true, syscall.EDQUOT: true, syscall.EFBIG: true, syscall.EROFS: true, syscall.EACCES: true, syscall.EPERM: true,
		fs.ErrPermission: true, syscall.ENOENT: false, fs.ErrExist: false, errors.New("no space left on device"): false,
	} {
		wrapped := fmt.Errorf("write: %w", &fs.PathError{Op: "write", Path: "f", Err: err})
		if got := osx.Remedy(wrapped); (got != "") != want {
			t.Errorf("%v: %q", err, got)
		}
	}
	if got := osx.Remedy(nil); got != "" {
		t.Errorf("no error: %q", got)
	}
}
