package rig

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// boxAttr asks for fresh namespaces. Without root, a user namespace gives the
// right to the others, and the command sees itself as root.
func boxAttr(sealed bool) *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Setsid: true}
	if !sealed {
		return attr
	}
	attr.Cloneflags = syscall.CLONE_NEWNET | syscall.CLONE_NEWPID | syscall.CLONE_NEWNS | syscall.CLONE_NEWIPC | syscall.CLONE_NEWUTS
	if os.Geteuid() != 0 {
		attr.Cloneflags |= syscall.CLONE_NEWUSER
		attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Geteuid(), Size: 1}}
		attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getegid(), Size: 1}}
	}
	return attr
}

// own gives Home and Work to the user that the command runs as.
func (b *Box) own() error {
	if b.User == nil {
		return nil
	}
	if os.Geteuid() != 0 {
		return fmt.Errorf("run as user %d: only root can", b.User.UID)
	}
	for _, dir := range []string{b.Home, b.Work} {
		err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			return os.Lchown(path, b.User.UID, b.User.GID)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
