//go:build unix

package osx

import (
	"errors"

	"golang.org/x/sys/unix"
)

// linkRename renames by hard link, which never replaces. If the old name
// cannot be removed, the new one is taken back.
func linkRename(oldpath, newpath string) error {
	if err := unix.Linkat(unix.AT_FDCWD, oldpath, unix.AT_FDCWD, newpath, 0); err != nil {
		return err
	}
	if err := unix.Unlink(oldpath); err != nil {
		return errors.Join(err, unix.Unlink(newpath))
	}
	return nil
}

// lacksRename tells whether err may mean "no such rename here". EPERM is
// what a sandbox that does not know the call answers (Docker before 20.10).
func lacksRename(err error) bool {
	return errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EINVAL) ||
		errors.Is(err, unix.ENOTSUP) || errors.Is(err, unix.EPERM)
}
