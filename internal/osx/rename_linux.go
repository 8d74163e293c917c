//go:build linux

package osx

import "golang.org/x/sys/unix"

func renameNoReplace(oldpath, newpath string) error {
	err := unix.Renameat2(unix.AT_FDCWD, oldpath, unix.AT_FDCWD, newpath, unix.RENAME_NOREPLACE)
	if lacksRename(err) {
		return linkRename(oldpath, newpath)
	}
	return err
}
