//go:build unix

package osx

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

func syncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = f.Sync()
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOTSUP) {
		err = nil
	}
	return errors.Join(err, f.Close())
}

func workingDir() (string, error) {
	return unix.Getwd()
}
