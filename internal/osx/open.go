package osx

import (
	"errors"
	"io"
	"io/fs"
	"os"
)

// ErrSymlink says that a name is a symbolic link where none is followed.
var ErrSymlink = errors.New("is a symbolic link")

// ErrNotRegular says that a name is a folder, pipe, socket or device where
// only a regular file will do.
var ErrNotRegular = errors.New("is not a regular file")

// ErrTooBig says that a file holds more than is read of it.
var ErrTooBig = errors.New("is too big")

// OpenNoFollow is [os.OpenFile], but fails with [ErrSymlink] when the last
// element of path is a symbolic link. Links among its parents are followed.
// os.O_TRUNC must not be given: Windows would truncate before the check.
func OpenNoFollow(path string, flag int, perm fs.FileMode) (*os.File, error) {
	return openNoFollow(path, flag, perm)
}

// OpenRegular opens path for reading, if it is a regular file and no link.
// It never waits, as opening a named pipe would.
func OpenRegular(path string) (*os.File, error) {
	return regular(path)(openNoFollow(path, os.O_RDONLY|noWait, 0))
}

// OpenLinked is [OpenRegular], and follows a link.
func OpenLinked(path string) (*os.File, error) {
	return regular(path)(os.OpenFile(path, os.O_RDONLY|noWait, 0))
}

// ReadFile reads the regular file at path, or that to which the link there
// leads. More than most bytes are an error that matches [ErrTooBig].
func ReadFile(path string, most int64) (data []byte, err error) {
	f, err := OpenLinked(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	data, err = io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(data)) > most {
		return nil, &fs.PathError{Op: "read", Path: path, Err: ErrTooBig}
	}
	return data, err
}

// regular lets what was opened at path pass if it is a regular file.
func regular(path string) func(*os.File, error) (*os.File, error) {
	return func(f *os.File, err error) (*os.File, error) {
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
}
