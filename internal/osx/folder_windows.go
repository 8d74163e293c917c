//go:build windows

package osx

import (
	"os"
	"path/filepath"
)

func syncDir(string) error {
	return nil
}

func workingDir() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(dir)
}
