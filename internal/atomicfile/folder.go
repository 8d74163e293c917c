package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/crosswalk-agents/crosswalk/internal/fault"
	"github.com/crosswalk-agents/crosswalk/internal/osx"
)

// makeFolders makes dir and what is missing above it, 0700, and returns those
// it made, the outermost first. A failure leaves none of them.
func makeFolders(dir string) ([]string, error) {
	missing, err := missingFolders(dir)
	if err != nil {
		return nil, err
	}
	var made []string
	for _, folder := range missing {
		err := os.Mkdir(folder, 0o700)
		if err == nil {
			made = append(made, folder)
			fault.Point("folder-made", folder)
			continue
		}
		if errors.Is(err, fs.ErrExist) {
			// Another process may have made it at the same time.
			if err = checkFolder(folder); err == nil {
				continue
			}
		}
		removeFolders(made)
		return nil, fmt.Errorf("make folder %q: %w", folder, bare(err))
	}
	return made, nil
}

// errNoFolder is not fs.ErrExist: that would speak of the file itself.
var errNoFolder = errors.New("something that is no folder has this name")

func checkFolder(path string) error {
	info, err := os.Stat(path)
	if err == nil && !info.IsDir() {
		err = errNoFolder
	}
	return err
}

// missingFolders lists dir and those of its parents that are not there, the
// outermost first.
func missingFolders(dir string) ([]string, error) {
	var missing []string
	for folder := dir; ; folder = filepath.Dir(folder) {
		_, err := os.Stat(folder)
		if err == nil || folder == filepath.Dir(folder) {
			slices.Reverse(missing)
			return missing, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("look at folder %q: %w", folder, bare(err))
		}
		missing = append(missing, folder)
	}
}

// removeFolders removes those of the made folders that are empty, the
// innermost first. Others may have put something in meanwhile.
func removeFolders(made []string) {
	for _, folder := range slices.Backward(made) {
		if info, err := os.Lstat(folder); err != nil || !info.IsDir() || os.Remove(folder) != nil {
			return
		}
	}
}

// syncFolders makes the entry of a new file in dir durable, and that of every
// folder that was made for it.
func syncFolders(dir string, made []string) error {
	if err := osx.SyncDir(dir); err != nil {
		return err
	}
	for _, folder := range slices.Backward(made) {
		if err := osx.SyncDir(filepath.Dir(folder)); err != nil {
			return err
		}
	}
	return nil
}
