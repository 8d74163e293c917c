//go:build unix

package osx

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// pollTime is how long one look at a file waits, in milliseconds.
const pollTime = 100

// readable reports whether a read from f would not block, after waiting a short
// while for it. A file that cannot be polled counts as readable, as does one
// that has ended.
func readable(f *os.File) bool {
	fds := []unix.PollFd{{Fd: int32(f.Fd()), Events: unix.POLLIN}}
	n, err := unix.Poll(fds, pollTime)
	return n > 0 || err != nil && !errors.Is(err, unix.EINTR)
}

func execProgram(path string, argv, env []string) error { return unix.Exec(path, argv, env) }
