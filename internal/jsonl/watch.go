package jsonl

import (
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"os"
	"sync/atomic"
	"time"
)

// ErrChanged is matched by the error for a file that did not only grow while it
// was read: what was read may be a mixture of two contents.
var ErrChanged = errors.New("the file changed while it was read")

// watch notices that another process rewrites a file instead of adding to it.
type watch struct {
	modified time.Time
	seed     maphash.Seed
	// seen is what the first whole pass read, and nil before.
	seen atomic.Pointer[seen]
}

// seen is the beginning of a file.
type seen struct {
	size int64
	sum  uint64
}

func newWatch(info os.FileInfo) *watch {
	return &watch{modified: info.ModTime(), seed: maphash.MakeSeed()}
}

// pass sums up what one pass reads; nil does nothing.
type pass struct {
	w *watch
	h maphash.Hash
}

// begin returns nil if nothing is to be summed up.
func (w *watch) begin() *pass {
	if w == nil || w.seen.Load() != nil {
		return nil
	}
	p := &pass{w: w}
	p.h.SetSeed(w.seed)
	return p
}

func (p *pass) add(b []byte) {
	if p != nil {
		_, _ = p.h.Write(b) // never fails
	}
}

// Write is add for what is passed over.
func (p *pass) Write(b []byte) (int, error) {
	p.add(b)
	return len(b), nil
}

func (p *pass) end(size int64) {
	if p != nil {
		p.w.seen.Store(&seen{size: size, sum: p.h.Sum64()})
	}
}

// Unchanged returns an error that matches [ErrChanged] if f no longer begins
// with what the first whole pass over it has read. It costs nothing unless the
// file was written to meanwhile.
func (f *File) Unchanged() error {
	if f.watch == nil || f.watch.seen.Load() == nil {
		return nil
	}
	seen := f.watch.seen.Load()
	info, err := f.file.Stat()
	switch {
	case err != nil:
		return fmt.Errorf("read %q: %w", f.path, err)
	case info.Size() < seen.size:
		return f.shorter(info.Size())
	case info.ModTime().Equal(f.watch.modified):
		return nil
	}
	var h maphash.Hash
	h.SetSeed(f.watch.seed)
	n, err := io.Copy(&h, io.NewSectionReader(f.src, 0, seen.size))
	switch {
	case err != nil || n < seen.size:
		return f.readError(n, err)
	case h.Sum64() != seen.sum:
		return fmt.Errorf("read %q: %w", f.path, ErrChanged)
	}
	return nil
}

// readError is the error of a read that ended at byte off.
func (f *File) readError(off int64, err error) error {
	if err == nil || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return f.shorter(off)
	}
	return fmt.Errorf("read %q at byte %d: %w", f.path, off, err)
}

func (f *File) shorter(size int64) error {
	return fmt.Errorf("read %q: %w: it had %d bytes, and has %d now", f.path, ErrChanged, f.size, size)
}
