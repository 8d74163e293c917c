//go:build windows

package osx

import (
	"errors"

	"golang.org/x/sys/windows"
)

func isDiskFull(err error) bool {
	return errors.Is(err, windows.ERROR_DISK_FULL) || errors.Is(err, windows.ERROR_HANDLE_DISK_FULL) ||
		errors.Is(err, windows.ERROR_DISK_QUOTA_EXCEEDED)
}

func isTooLarge(err error) bool {
	return errors.Is(err, windows.ERROR_FILE_TOO_LARGE)
}

func isReadOnly(err error) bool {
	return errors.Is(err, windows.ERROR_WRITE_PROTECT)
}
