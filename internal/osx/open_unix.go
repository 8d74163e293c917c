//go:build unix

package osx

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

const noWait = unix.O_NONBLOCK

func openNoFollow(path string, flag int, perm fs.FileMode) (*os.File, error) {
	f, err := os.OpenFile(path, flag|unix.O_NOFOLLOW, perm)
	if err == nil {
		return f, nil
	}
	// The system's answer for a link is ELOOP, EMLINK or EFTYPE, which can
	// also mean other things: the file itself is asked.
	if info, lerr := os.Lstat(path); lerr == nil && info.Mode()&fs.ModeSymlink != 0 && !errors.Is(err, fs.ErrExist) {
		return nil, &fs.PathError{Op: "open", Path: path, Err: ErrSymlink}
	}
	return nil, err
}
