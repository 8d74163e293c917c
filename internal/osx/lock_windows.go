//go:build windows

package osx

import (
	"errors"

	"golang.org/x/sys/windows"
)

// On Windows a lock forbids others to read or write the locked bytes. One
// byte far beyond any content is locked, so that the lock stays advisory.
func lockedByte() *windows.Overlapped {
	return &windows.Overlapped{OffsetHigh: 0x7fffffff}
}

func tryLock(fd uintptr) error {
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	err := windows.LockFileEx(windows.Handle(fd), flags, 0, 1, 0, lockedByte())
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return ErrLocked
	}
	return err
}

func unlock(fd uintptr) error {
	return windows.UnlockFileEx(windows.Handle(fd), 0, 1, 0, lockedByte())
}
