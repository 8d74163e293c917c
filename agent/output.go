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
	wrote  contents

	// Lines is how many lines were written.
	Lines int
	// Size is how many bytes were written.
	Size int64
	// Messages is how many messages went in.
	Messages int
	// Side is a folder of files that was made beside the session's; empty if
	// there is none.
	Side string
}

// CreateOutput starts the session file at path, which must not exist. The
// caller defers Abort.
func CreateOutput(path string, r *canon.Report, opts ...atomicfile.Option) (*Output, error) {
	if err := jsonl.CheckName(path); err != nil {
		return nil, err
	}
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
		o.wrote.add(&o.digest, m, b, o.digest.Block(m, b))
	}
}

// contents is a sequence of content blocks: how many they are, and what is kept
// of them to know them again.
type contents struct {
	n      int
	prints uint64 // of the blocks as they are written
	digest canon.Link
	links  []canon.Link // of the blocks that digest chains are made of
}

// print adds a block as it is written.
func (c *contents) print(d *canon.Digester, m *canon.Message, b canon.Block) {
	c.n++
	// Any odd number will do: the order counts, too.
	c.prints = c.prints*0x9E3779B97F4A7C15 + d.Fingerprint(m, b)
	if canon.Chained(m, b) {
		c.prints++
	}
}

// add adds a block with its digest.
func (c *contents) add(d *canon.Digester, m *canon.Message, b canon.Block, digest canon.Link) {
	c.print(d, m, b)
	c.digest = d.Extend(c.digest, digest)
	if !canon.Chained(m, b) {
		return
	}
	var last canon.Link
	if n := len(c.links); n > 0 {
		last = c.links[n-1]
	}
	c.links = append(c.links, d.Extend(last, digest))
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
	if _, err := o.w.Write(line); err != nil {
		return err
	}
	if _, err := o.w.Write([]byte{'\n'}); err != nil {
		return err
	}
	o.Lines++
	o.Size += int64(len(line) + 1)
	return nil
}

// Patch overwrites bytes that were written.
func (o *Output) Patch(off int64, p []byte) error { return o.w.Patch(off, p) }

// Commit reads the file back through open, compares what it holds with what
// went in, and gives it its name. open takes the file over, also when it fails.
func (o *Output) Commit(ctx context.Context, wo *WriteOptions, open func(context.Context, *jsonl.File) (Session, error)) (*Written, error) {
	if o.wrote.n == 0 {
		return nil, fmt.Errorf("write %q: without scaffolding and reasoning the session %w", o.w.Path(), ErrNoConversation)
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
	if errors.Is(err, ErrNoConversation) {
		return nil, fmt.Errorf("write %q: of what is handed over nobody has typed or answered anything: it %w", o.w.Path(), ErrNoConversation)
	}
	if err != nil {
		return nil, fmt.Errorf("re-read %q: %w", o.w.Path(), err)
	}
	extent := ExtentOf(s)
	if err := errors.Join(o.compare(ctx, s), s.Close()); err != nil {
		return nil, err
	}
	written := &Written{
		ID: wo.ID, Path: o.w.Path(), Lines: o.Lines, Size: o.Size, Messages: o.Messages, Links: o.wrote.links, Folders: o.w.Folders(), Side: o.Side,
		Reopen: o.w.Reopen, Extent: extent,
	}
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

// compare reads the messages of s. What is held just as it was written need not
// be decoded for its digests; if not all is, they are read once more.
func (o *Output) compare(ctx context.Context, s Session) error {
	var read contents
	for m, err := range s.Messages(ctx) {
		if err != nil {
			return fmt.Errorf("re-read %q: %w", o.w.Path(), err)
		}
		for _, b := range m.Blocks {
			read.print(&o.digest, m, b)
		}
	}
	if read.n == o.wrote.n && read.prints == o.wrote.prints {
		return nil
	}
	read = contents{}
	for m, err := range s.Messages(ctx) {
		if err != nil {
			return fmt.Errorf("re-read %q: %w", o.w.Path(), err)
		}
		for _, b := range m.Blocks {
			read.add(&o.digest, m, b, o.digest.Block(m, b))
		}
	}
	if read.n != o.wrote.n || read.digest != o.wrote.digest {
		return fmt.Errorf("re-read %q: it holds %d content blocks that differ from the %d that were written: %w", o.w.Path(), read.n, o.wrote.n, ErrReread)
	}
	o.wrote.links = read.links
	return nil
}

// ErrReread is matched by the error for a written file that does not read back
// as what was written. It is a defect of the adapter.
var ErrReread = errors.New("the written session does not read back")
