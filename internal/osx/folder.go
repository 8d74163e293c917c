package osx

import (
	"fmt"
	"path/filepath"
)

// SyncDir makes the entries of the folder durable: a file created, renamed or
// removed in it stays so after a power cut. It does nothing where the system
// or the file system has no such thing.
func SyncDir(dir string) error {
	return syncDir(dir)
}

// WorkingDir returns the physical working directory: what the kernel says,
// without symbolic links, whatever $PWD holds.
func WorkingDir() (string, error) {
	dir, err := workingDir()
	if err != nil {
		return "", fmt.Errorf("find the working directory: %w", err)
	}
	// A folder outside this process's root is reported as "(unreachable)/…".
	if !filepath.IsAbs(dir) {
		return "", fmt.Errorf("find the working directory: %q cannot be reached from here", dir)
	}
	return dir, nil
}

// RealPath returns path, which must exist, as an absolute path without
// symbolic links. A relative one starts at [WorkingDir]; ".." after a link
// leads to the parent of what the link points to, as the kernel has it.
func RealPath(path string) (string, error) {
	if !filepath.IsAbs(path) {
		dir, err := WorkingDir()
		if err != nil {
			return "", err
		}
		// filepath.Join would take "link/.." away as text.
		path = dir + string(filepath.Separator) + path
	}
	return filepath.EvalSymlinks(path)
}
