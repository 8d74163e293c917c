//go:build darwin

package osx

import "golang.org/x/sys/unix"

func renameNoReplace(oldpath, newpath string) error {
	err := unix.RenamexNp(oldpath, newpath, unix.RENAME_EXCL)
	if lacksRename(err) {
		return linkRename(oldpath, newpath)
	}
	return err
}
