package atomicfile

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/crosswalk-agents/crosswalk/internal/fault"
	"github.com/crosswalk-agents/crosswalk/internal/osx"
)

const bufferSize = 64 << 10

// Writer writes one file. Call [Writer.Commit] to have it, [Writer.Abort] to
// have nothing; "defer w.Abort()" is right, as it does nothing after Commit.
// A method that fails aborts at once, and every later one returns the same
// error. All errors are of type *[Error]. A Writer is not for use by several
// goroutines at once.
type Writer struct {
	options
	op   string // "create" or "replace"
	path string // the final name, absolute

	dir  string
	made []string    // folders made for this file, the outermost first
	keep fs.FileMode // the permission bits of the file to be replaced, or 0

	temp    string
	file    *os.File
	info    fs.FileInfo // says which file the temporary one is
	buf     *bufio.Writer
	wrote   bool // AfterFirstWrite has passed
	renamed bool
	closed  bool
	err     error // what ended this Writer; fs.ErrClosed after Commit or Abort
}

// Path returns the absolute name that the file has after Commit.
func (w *Writer) Path() string {
	return w.path
}

// Write adds p to the file.
func (w *Writer) Write(p []byte) (int, error) {
	if w.err != nil {
		return 0, w.ended("write")
	}
	n, err := w.buf.Write(p)
	if err != nil {
		return n, w.fail("write", err)
	}
	return n, nil
}

// pass is called at each Point.
func (w *Writer) pass(p Point) error {
	fault.Point(string(p), w.path)
	return w.hook(p)
}

// sink is the file below the buffer.
type sink struct{ w *Writer }

func (s sink) Write(p []byte) (int, error) {
	n, err := s.w.file.Write(p)
	if err == nil && !s.w.wrote {
		s.w.wrote = true
		err = s.w.pass(AfterFirstWrite)
	}
	return n, err
}

// Reopen opens what was written so far for reading, from the start, so that
// it can be checked before anyone else sees it. The caller closes the file,
// and does so before Commit: on Windows an open file is not renamed.
func (w *Writer) Reopen() (*os.File, error) {
	if w.err != nil {
		return nil, w.ended("re-read")
	}
	if err := w.buf.Flush(); err != nil {
		return nil, w.fail("write", err)
	}
	f, err := osx.OpenNoFollow(w.temp, os.O_RDONLY, 0)
	if err != nil {
		return nil, w.fail("re-read", err)
	}
	info, err := f.Stat()
	if err == nil && !os.SameFile(info, w.info) {
		err = errSwapped
	}
	if err != nil {
		return nil, w.fail("re-read", errors.Join(err, f.Close()))
	}
	return f, nil
}

// errSwapped is the answer to someone putting another file in the place of
// the temporary one.
var errSwapped = errors.New("the temporary file was replaced by another")

// Commit makes the content durable, gives the file its name and makes the
// name durable. [Create]'s file never takes the place of another: if the name
// is taken by then, even by a link that leads nowhere, the error matches
// [fs.ErrExist]. After an error nothing is left, with one exception: when
// [Replace]'s file is in place and only making the name durable failed, it
// stays there.
func (w *Writer) Commit() error {
	if w.err != nil {
		return w.ended(w.op)
	}
	if err := w.finish(); err != nil {
		return w.fail("write", err)
	}
	if err := w.publish(); err != nil {
		return w.fail(w.op, err)
	}
	if err := w.persist(); err != nil {
		return w.fail("sync", err)
	}
	w.err = fs.ErrClosed
	return nil
}

// finish brings the whole content to the disk.
func (w *Writer) finish() error {
	if err := w.buf.Flush(); err != nil {
		return err
	}
	if w.keep != 0 {
		if err := w.file.Chmod(w.keep); err != nil {
			return err
		}
	}
	if err := w.pass(BeforeFsync); err != nil {
		return err
	}
	if !w.noSync {
		if err := w.file.Sync(); err != nil {
			return err
		}
	}
	if err := w.pass(AfterFsync); err != nil {
		return err
	}
	w.closed = true
	return w.file.Close()
}

// publish gives the file its name.
func (w *Writer) publish() error {
	if err := w.pass(BeforeRename); err != nil {
		return err
	}
	info, err := os.Lstat(w.temp)
	if err != nil {
		return fmt.Errorf("find the temporary file: %w", bare(err))
	}
	if !os.SameFile(info, w.info) {
		return errSwapped
	}
	rename := osx.RenameNoReplace
	if w.op == opReplace {
		rename = os.Rename
	}
	if err := rename(w.temp, w.path); err != nil {
		return err
	}
	w.renamed = true
	return w.pass(AfterRename)
}

// persist makes the name durable.
func (w *Writer) persist() error {
	if err := w.pass(BeforeDirsync); err != nil {
		return err
	}
	if w.noSync {
		return nil
	}
	return syncFolders(w.dir, w.made)
}

// Abort gives the file up and removes what there is of it. After Commit or a
// failure it does nothing and returns nil.
func (w *Writer) Abort() error {
	if w.err != nil {
		return nil
	}
	w.err = fs.ErrClosed
	if err := w.cleanUp(); err != nil {
		return newError("abort", w.path, err)
	}
	return nil
}

// fail ends the Writer with err and removes what there is of the file.
func (w *Writer) fail(op string, err error) error {
	err = bare(err)
	if cerr := w.cleanUp(); cerr != nil {
		err = fmt.Errorf("%w; then %w", err, cerr)
	}
	w.err = newError(op, w.path, err)
	return w.err
}

// ended is the error of a call that comes after the end.
func (w *Writer) ended(op string) error {
	if errors.Is(w.err, fs.ErrClosed) {
		return newError(op, w.path, fs.ErrClosed)
	}
	return w.err
}

// cleanUp closes and removes the temporary file, or the final one if it is
// there and new, and the folders made for it.
func (w *Writer) cleanUp() error {
	if !w.closed {
		w.closed = true
		// What could not be written no longer matters.
		_ = w.file.Close()
	}
	name := w.temp
	if w.renamed {
		if w.op == opReplace {
			return nil
		}
		name = w.path
	}
	if info, err := os.Lstat(name); err == nil && os.SameFile(info, w.info) {
		if err := os.Remove(name); err != nil {
			return fmt.Errorf("remove %q: %w", name, bare(err))
		}
	}
	removeFolders(w.made)
	return nil
}
