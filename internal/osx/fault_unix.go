//go:build unix

package osx

import (
	"errors"

	"golang.org/x/sys/unix"
)

func isDiskFull(err error) bool {
	return errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT)
}

func isTooLarge(err error) bool {
	return errors.Is(err, unix.EFBIG)
}

func isReadOnly(err error) bool {
	return errors.Is(err, unix.EROFS)
}
