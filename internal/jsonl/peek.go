package jsonl

import (
	"bytes"
	"errors"
	"io"
	"slices"

	"github.com/klauspost/compress/zstd"
)

// Peeked is the beginning and the end of a file, in whole lines.
type Peeked struct {
	Head []byte
	// Tail is nil if Head reaches to the end, the file is compressed, or no line
	// fits.
	Tail []byte
	// Size is that of the file as it lies on the disk.
	Size int64
}

// Peeker peeks into one file after the other. The zero value is ready to use; it
// is for one goroutine.
type Peeker struct{ head, tail []byte }

// Peek reads the first and last lines of the regular file at path, about n
// bytes of each, and at least one whole line of each if that is no longer than
// most bytes. A last line without a newline counts as whole. The result is valid
// until the next call.
func (k *Peeker) Peek(path string, n, most int) (p Peeked, err error) {
	n, most = max(n, 1), max(n, most, 1)
	f, info, err := openRegular(path)
	if err != nil {
		return p, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	p.Size = info.Size()
	if isZstd(f) {
		z, err := zstd.NewReader(f, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(128<<20), zstd.WithDecoderLowmem(true))
		if err != nil {
			return p, err
		}
		defer z.Close()
		p.Head, _, err = k.first(z, n, most)
		return p, err
	}
	var whole bool
	p.Head, whole, err = k.first(io.NewSectionReader(f, 0, p.Size), n, most)
	if from := int64(len(p.Head)); err == nil && !whole && from < p.Size {
		p.Tail, err = k.last(f, from, p.Size, n, most)
	}
	return p, err
}

// first reads whole lines of about n bytes; whole says that this was all.
func (k *Peeker) first(r io.Reader, n, most int) (b []byte, whole bool, err error) {
	b = k.head[:0]
	for want := min(n, most); ; want = min(2*want, most) {
		// A byte more than wanted tells whether this is all.
		k.head = slices.Grow(b, want+1-len(b))[:want+1]
		got, err := io.ReadFull(r, k.head[len(b):])
		b = k.head[:len(b)+got]
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return b, true, nil
		}
		if err != nil {
			return nil, false, err
		}
		if i := bytes.LastIndexByte(b, '\n'); i >= 0 {
			return b[:i+1], false, nil
		}
		if want == most {
			return nil, false, nil
		}
	}
}

// last reads whole lines of about n bytes that lie behind the byte from and end
// at size, where another line begins at from.
func (k *Peeker) last(r io.ReaderAt, from, size int64, n, most int) ([]byte, error) {
	for want := min(n, most); ; want = min(2*want, most) {
		start := max(from, size-int64(want)-1)
		k.tail = slices.Grow(k.tail[:0], int(size-start))[:size-start]
		b := k.tail
		if got, err := r.ReadAt(b, start); err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		} else if b = b[:got]; start == from {
			return b, nil
		}
		// The last byte ends a line of which more may have to be read.
		if i := bytes.IndexByte(b[:max(len(b)-1, 0)], '\n'); i >= 0 {
			return b[i+1:], nil
		}
		if want == most {
			return nil, nil
		}
	}
}
