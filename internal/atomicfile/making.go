package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/crosswalk-agents/crosswalk/internal/fault"
	"github.com/crosswalk-agents/crosswalk/internal/osx"
)

// unfinished is the name of the file by which a folder in the making is known.
// Its maker holds the lock on it.
const unfinished = tempPrefix + "unfinished"

// IsLeftover reports whether a file of this name is one that this package leaves
// behind only if its process is killed.
func IsLeftover(name string) bool { return name == unfinished || isTempName(name) }

// Folder is a folder in the making that goes with a file: a mark within says so
// until [Folder.Finish], which is called once the file has its name. The folder
// of a killed process keeps its mark, and [SweepFolders] removes it.
type Folder struct {
	path string
	mark *os.File
}

// CreateFolder makes the folder at path (0700), where there must be nothing but
// an empty folder.
func CreateFolder(path string) (*Folder, error) {
	if info, err := os.Lstat(path); err == nil && !info.IsDir() {
		return nil, newError(opCreate, path, fs.ErrExist)
	}
	// It comes with its mark: there is no moment at which it has none.
	temp := filepath.Join(filepath.Dir(path), newTempName())
	if err := os.Mkdir(temp, 0o700); err != nil {
		return nil, newError(opCreate, path, err)
	}
	fault.Point("folder-made", temp)
	f, err := osx.OpenNoFollow(filepath.Join(temp, unfinished), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		// On a file system without locks the mark's age must do.
		_ = osx.TryLockFile(f)
		fault.Point("folder-marked", temp)
		if err = os.Rename(temp, path); err == nil {
			fault.Point("folder-named", path)
			return &Folder{path: path, mark: f}, nil
		}
		err = errors.Join(bare(err), f.Close())
	}
	err = newError(opCreate, path, err)
	return nil, errors.Join(err, os.RemoveAll(temp))
}

// Path returns where the folder is.
func (f *Folder) Path() string { return f.path }

// Finish says that the folder is complete, and what it goes with is there.
func (f *Folder) Finish() error {
	fault.Point("folder-finishing", f.path)
	err := errors.Join(os.Remove(filepath.Join(f.path, unfinished)), f.mark.Close())
	if err != nil {
		return newError("finish", f.path, err)
	}
	return nil
}

// Abort removes the folder with all it holds.
func (f *Folder) Abort() error {
	err := errors.Join(f.mark.Close(), os.RemoveAll(f.path))
	if err != nil {
		return newError("abort", f.path, err)
	}
	return nil
}

// SweepFolders removes from dir the folders that killed processes left in the
// making, by the rules of [Sweep]. One whose file got its name, as done tells,
// is complete and loses only its mark.
func SweepFolders(dir string, olderThan time.Duration, done func(path string) bool) error {
	marks, err := fs.Glob(os.DirFS(dir), "*/"+unfinished)
	if err != nil {
		return newError("sweep", dir, err)
	}
	var failed []error
	for _, name := range marks {
		mark := filepath.Join(dir, filepath.FromSlash(name))
		path := filepath.Dir(mark)
		if done(path) {
			_, err = sweepOne(mark, olderThan)
		} else {
			err = sweepFolder(mark, path, olderThan)
		}
		if err != nil {
			failed = append(failed, newError("sweep", path, err))
		}
	}
	return errors.Join(failed...)
}

// sweepFolder removes the folder at path if its mark is an orphan.
func sweepFolder(mark, path string, olderThan time.Duration) error {
	f, err := osx.OpenRegular(mark)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err == nil && isOrphan(f, time.Since(info.ModTime()), olderThan) {
		err = os.RemoveAll(path)
	}
	return errors.Join(err, f.Close())
}
