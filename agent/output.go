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
	chain  canon.Link
	blocks int
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
		o.chain = o.digest.Next(o.chain, m, b)
		o.blocks++
	}
}

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
	if o.blocks == 0 {
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
	var chain, link canon.Link
	n := 0
	for m, err := range s.Messages(ctx) {
		if err != nil {
			return fmt.Errorf("re-read %q: %w", o.w.Path(), err)
		}
		for _, b := range m.Blocks {
			content := o.digest.Block(m, b)
			chain = o.digest.Extend(chain, content)
			if canon.Chained(m, b) {
				link = o.digest.Extend(link, content)
				o.links = append(o.links, link)
			}
			n++
		}
	}
	if n != o.blocks || chain != o.chain {
		return fmt.Errorf("re-read %q: it holds %d content blocks that differ from the %d that were written: %w", o.w.Path(), n, o.blocks, ErrReread)
	}
	return nil
}

// ErrReread is matched by the error for a written file that does not read back
// as what was written. It is a defect of the adapter.
var ErrReread = errors.New("the written session does not read back")
