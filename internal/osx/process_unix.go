//go:build unix

package osx

import (
	"errors"

	"golang.org/x/sys/unix"
)

func processAlive(pid int) bool {
	if err := unix.Kill(pid, 0); errors.Is(err, unix.ESRCH) {
		return false
	}
	return !ended(pid)
}
