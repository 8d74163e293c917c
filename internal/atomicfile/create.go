package atomicfile

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/crosswalk-agents/crosswalk/internal/osx"
)

const (
	opCreate  = "create"
	opReplace = "replace"
)

// Create starts a file that must not exist yet, neither now nor at Commit: a
// name that is taken, even by a symbolic link that leads nowhere, is an error
// matching [fs.ErrExist]. Sessions are made with perm 0600. Missing folders
// are made with 0700.
func Create(path string, perm fs.FileMode, opts ...Option) (*Writer, error) {
	return start(opCreate, path, perm, newOptions(opts))
}

// Free returns the error of [Create] if something has the name path already. It
// saves the work of a file that could not be created.
func Free(path string) error {
	if _, err := os.Lstat(path); err == nil {
		return newError(opCreate, path, fs.ErrExist)
	}
	return nil
}

// Replace starts the next version of the file at path, or its first with
// permissions perm; an existing file's permission bits are kept. Readers see
// the old version or the new one, never a part. The name may not be a
// symbolic link ([osx.ErrSymlink]) unless [FollowLink] is given, nor anything
// else that is not a regular file.
func Replace(path string, perm fs.FileMode, opts ...Option) (*Writer, error) {
	return start(opReplace, path, perm, newOptions(opts))
}

// CreateFile is [Create] with the whole content at hand.
func CreateFile(path string, data []byte, perm fs.FileMode, opts ...Option) error {
	return writeAll(data)(Create(path, perm, opts...))
}

// ReplaceFile is [Replace] with the whole content at hand.
func ReplaceFile(path string, data []byte, perm fs.FileMode, opts ...Option) error {
	return writeAll(data)(Replace(path, perm, opts...))
}

func writeAll(data []byte) func(*Writer, error) error {
	return func(w *Writer, err error) error {
		if err != nil {
			return err
		}
		if _, err := w.Write(data); err != nil {
			return err
		}
		return w.Commit()
	}
}

func start(op, path string, perm fs.FileMode, o options) (*Writer, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, newError(op, path, err)
	}
	w := &Writer{options: o, op: op, path: abs}
	if err := w.checkTarget(); err != nil {
		return nil, newError(op, abs, err)
	}
	w.dir = filepath.Dir(w.path)
	// What cannot be swept now is swept some other time.
	_, _ = Sweep(w.dir, LeftoverAge)
	if err := w.createTemp(perm); err != nil {
		return nil, newError(op, w.path, err)
	}
	w.buf = bufio.NewWriterSize(sink{w}, bufferSize)
	if err := w.pass(AfterTempCreate); err != nil {
		return nil, w.fail(op, err)
	}
	return w, nil
}

// checkTarget refuses early what Commit would refuse, and finds the place and
// the permissions of a file to be replaced.
func (w *Writer) checkTarget() error {
	info, err := os.Lstat(w.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if w.op == opCreate {
		return fs.ErrExist
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		if !w.followLink {
			return osx.ErrSymlink
		}
		target, err := filepath.EvalSymlinks(w.path)
		if err != nil {
			return fmt.Errorf("follow the symbolic link: %w", bare(err))
		}
		w.path = target
		if info, err = os.Lstat(target); err != nil {
			return err
		}
	}
	if !info.Mode().IsRegular() {
		return osx.ErrNotRegular
	}
	w.keep = info.Mode().Perm()
	return nil
}

// Another process that gives up may remove a folder that we have just found,
// and a random name may be taken: both are tried again this often.
const createAttempts = 100

func (w *Writer) createTemp(perm fs.FileMode) error {
	var err error
	for range createAttempts {
		if err = w.tryCreateTemp(perm); !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return err
}

// tryCreateTemp makes what is missing of the folder and the temporary file in
// it, locked for as long as it is open so that [Sweep] knows its writer runs.
func (w *Writer) tryCreateTemp(perm fs.FileMode) error {
	made, err := makeFolders(w.dir)
	if err != nil {
		return err
	}
	temp := filepath.Join(w.dir, newTempName())
	f, err := osx.OpenNoFollow(temp, os.O_RDWR|os.O_CREATE|os.O_EXCL, perm.Perm())
	if err != nil {
		removeFolders(made)
		return err
	}
	info, err := f.Stat()
	if err != nil {
		err = errors.Join(err, f.Close(), os.Remove(temp))
		removeFolders(made)
		return err
	}
	// On a file system without locks the file's age must do.
	_ = osx.TryLockFile(f)
	w.made, w.temp, w.file, w.info = made, temp, f, info
	return nil
}
