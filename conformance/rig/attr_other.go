//go:build !linux

package rig

import (
	"errors"
	"syscall"
)

func boxAttr(bool) *syscall.SysProcAttr { return nil }

func (b *Box) own() error {
	if b.User != nil {
		return errors.New("another user can be used on Linux only")
	}
	return nil
}
