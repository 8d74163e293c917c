package osx

import (
	"errors"
	"io/fs"
	"os"
)

// ErrSymlink says that a name is a symbolic link where none is followed.
var ErrSymlink = errors.New("is a symbolic link")

// ErrNotRegular says that a name is a folder, pipe, socket or device where
// only a regular file will do.
var ErrNotRegular = errors.New("is not a regular file")

// OpenNoFollow is [os.OpenFile], but fails with [ErrSymlink] when the last
// element of path is a symbolic link. Links among its parents are followed.
// os.O_TRUNC must not be given: Windows would truncate before the check.
func OpenNoFollow(path string, flag int, perm fs.FileMode) (*os.File, error) {
	return openNoFollow(path, flag, perm)
}

// OpenRegular opens path for reading, if it is a regular file and no link.
// It never waits, as opening a named pipe would.
func OpenRegular(path string) (*os.File, error) {
	f, err := openNoFollow(path, os.O_RDONLY|noWait, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: path, Err: ErrNotRegular}
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
