package osx

import "os"

// RenameNoReplace gives the file oldpath the name newpath of the same file
// system in one step, and fails with an error matching [os.ErrExist] when
// that name is taken, be it by a symbolic link that leads nowhere. Of several
// processes racing for one name exactly one succeeds.
//
// Where the file system has no such rename the file is linked under the new
// name and the old name removed. Folders then cannot be renamed.
func RenameNoReplace(oldpath, newpath string) error {
	if err := renameNoReplace(oldpath, newpath); err != nil {
		return &os.LinkError{Op: "rename", Old: oldpath, New: newpath, Err: err}
	}
	return nil
}
