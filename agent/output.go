package agent

import (
	"context"
	"errors"
	"fmt"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/atomicfile"
	"github.com/crosswalk-agents/crosswalk/internal/jsonl"
)

// Output is a session file in the making. It counts and digests the messages
// that go in, and before the file gets its name reads them back and compares.
type Output struct {
	w      *atomicfile.Writer
	report *canon.Report
	digest canon.Digester
	wrote  wrote
	links  []canon.Link

	// Lines is how many lines were written.
	Lines int
	// Size is how many bytes were written.
	Size int64
	// Messages is how many messages went in.
	Messages int
}

// CreateOutput starts the session file at path, which must not exist. The
// caller defers Abort.
func CreateOutput(path string, r *canon.Report, opts ...atomicfile.Option) (*Output, error) {
	w, err := atomicfile.Create(path, 0o600, opts...)
	if err != nil {
		return nil, err
	}
	return &Output{w: w, report: r}, nil
}

// Abort gives the file up; after Commit it does nothing.
func (o *Output) Abort() error { return o.w.Abort() }

// Emit counts a message whose lines follow.
func (o *Output) Emit(m *canon.Message) {
	o.Messages++
	o.report.Emit(m)
	o.Expect(m)
}

// Expect digests a message that the file has to hold when it is read back,
// without counting it: one that is copied.
func (o *Output) Expect(m *canon.Message) {
	for _, b := range m.Blocks {
		o.wrote.add(content{print: o.digest.Fingerprint(m, b), digest: o.digest.Block(m, b)})
	}
}

// content is what is kept of a content block to know it again.
type content struct {
	print  uint64
	digest canon.Link
}

// wroteChunk is how many contents are allocated at once; growing one slice would
// copy it over and over.
const wroteChunk = 4096

// wrote are the content blocks that went into a file, in order.
type wrote struct {
	chunks [][]content
	n      int
}

func (w *wrote) add(c content) {
	if w.n%wroteChunk == 0 {
		w.chunks = append(w.chunks, make([]content, 0, wroteChunk))
	}
	last := &w.chunks[len(w.chunks)-1]
	*last = append(*last, c)
	w.n++
}

func (w *wrote) at(i int) *content { return &w.chunks[i/wroteChunk][i%wroteChunk] }

// WriteRaw writes bytes as they are; they end in a newline, or are the last.
func (o *Output) WriteRaw(b []byte) error {
	if _, err := o.w.Write(b); err != nil {
		return err
	}
	if n := len(b); n > 0 && b[n-1] == '\n' {
		o.Lines++
	}
	o.Size += int64(len(b))
	return nil
}

// WriteLine writes one line; a newline is added.
func (o *Output) WriteLine(line []byte) error {
	if _, err := o.w.Write(append(line, '\n')); err != nil {
		return err
	}
	o.Lines++
	o.Size += int64(len(line) + 1)
	return nil
}

// Patch overwrites bytes that were written.
func (o *Output) Patch(off int64, p []byte) error { return o.w.Patch(off, p) }

// Commit reads the file back through open, compares what it holds with what
// went in, and gives it its name.
func (o *Output) Commit(ctx context.Context, wo *WriteOptions, open func(context.Context, *jsonl.File) (Session, error)) (*Written, error) {
	if o.wrote.n == 0 {
		return nil, fmt.Errorf("write %q: after what a hand-over leaves out the session %w", o.w.Path(), ErrNoConversation)
	}
	f, err := o.w.Reopen()
	if err != nil {
		return nil, err
	}
	file, err := jsonl.FromFile(f)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	s, err := open(ctx, file)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("re-read %q: %w", o.w.Path(), err), file.Close())
	}
	if err := errors.Join(o.compare(ctx, s), s.Close()); err != nil {
		return nil, err
	}
	written := &Written{ID: wo.ID, Path: o.w.Path(), Lines: o.Lines, Size: o.Size, Messages: o.Messages, Links: o.links, Folders: o.w.Folders()}
	if wo.Confirm != nil {
		if err := wo.Confirm(written); err != nil {
			return nil, err
		}
	}
	if err := o.w.Commit(); err != nil {
		return nil, err
	}
	return written, nil
}

func (o *Output) compare(ctx context.Context, s Session) error {
	var link canon.Link
	n := 0
	for m, err := range s.Messages(ctx) {
		if err != nil {
			return fmt.Errorf("re-read %q: %w", o.w.Path(), err)
		}
		for _, b := range m.Blocks {
			if n == o.wrote.n {
				return fmt.Errorf("re-read %q: it holds more than the %d content blocks that were written: %w", o.w.Path(), n, ErrReread)
			}
			// What is held as it was written need not be decoded once more.
			want := o.wrote.at(n)
			if o.digest.Fingerprint(m, b) != want.print && o.digest.Block(m, b) != want.digest {
				return fmt.Errorf("re-read %q: content block %d of %d is not the one that was written: %w", o.w.Path(), n+1, o.wrote.n, ErrReread)
			}
			if canon.Chained(m, b) {
				link = o.digest.Extend(link, want.digest)
				o.links = append(o.links, link)
			}
			n++
		}
	}
	if n != o.wrote.n {
		return fmt.Errorf("re-read %q: it holds %d of the %d content blocks that were written: %w", o.w.Path(), n, o.wrote.n, ErrReread)
	}
	return nil
}

// ErrReread is matched by the error for a written file that does not read back
// as what was written. It is a defect of the adapter.
var ErrReread = errors.New("the written session does not read back")
