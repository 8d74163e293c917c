//go:build windows

package osx

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

const noWait = 0

func openNoFollow(path string, flag int, perm fs.FileMode) (*os.File, error) {
	f, err := os.OpenFile(path, flag|windows.O_FILE_FLAG_OPEN_REPARSE_POINT, perm)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		err = &fs.PathError{Op: "open", Path: path, Err: ErrSymlink}
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
