package osx

import (
	"errors"
	"io/fs"
)

// Remedy says what a person can do about a fault of the system, such as a full
// disk or a missing permission; "" if err is none.
func Remedy(err error) string {
	switch {
	case IsReadOnly(err):
		return "the file system is mounted read-only"
	case errors.Is(err, fs.ErrPermission):
		return "look at the owner and the permissions of the file and of its folder"
	case IsDiskFull(err):
		return "free some space, or have your quota raised"
	case IsTooLarge(err):
		return "the limit is that of the file system or of this process, see ulimit -f"
	}
	return ""
}

// IsDiskFull tells whether err means that the file system, or the share of it
// that this user may fill, has no room left.
func IsDiskFull(err error) bool {
	return isDiskFull(err)
}

// IsTooLarge tells whether err means that a file would grow past what its
// file system or the process's own limit (ulimit -f) allows.
func IsTooLarge(err error) bool {
	return isTooLarge(err)
}

// IsReadOnly tells whether err means that the file system is mounted
// read-only.
func IsReadOnly(err error) bool {
	return isReadOnly(err)
}
