//go:build unix

package osx

import "golang.org/x/sys/unix"

// flock, not fcntl: its locks belong to the open file, so two in one process
// exclude each other, and closing some other descriptor of the file does not
// give the lock back.
func tryLock(fd uintptr) error {
	for {
		err := unix.Flock(int(fd), unix.LOCK_EX|unix.LOCK_NB)
		switch err {
		case unix.EINTR:
			continue
		case unix.EWOULDBLOCK:
			return ErrLocked
		default:
			return err
		}
	}
}

func unlock(fd uintptr) error {
	return unix.Flock(int(fd), unix.LOCK_UN)
}
