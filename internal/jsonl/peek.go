package jsonl

import (
	"bytes"
	"errors"
	"io"
	"os"

	"github.com/klauspost/compress/zstd"
)

// Peeked is the beginning and the end of a file, in whole lines.
type Peeked struct {
	Head []byte
	// Tail is nil if Head reaches to the end, or the file is compressed.
	Tail []byte
	// Size is that of the file as it lies on the disk.
	Size int64
}

// Peek reads the first and last lines of the regular file at path, about n
// bytes of each, and at least one whole line of the head if that is no longer
// than most bytes.
func Peek(path string, n, most int) (p Peeked, err error) {
	f, err := os.Open(path)
	if err != nil {
		return p, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return p, err
	}
	if !info.Mode().IsRegular() {
		return p, errors.New("not a regular file")
	}
	p.Size = info.Size()
	if isZstd(f) {
		z, err := zstd.NewReader(f, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(128<<20), zstd.WithDecoderLowmem(true))
		if err != nil {
			return p, err
		}
		defer z.Close()
		p.Head, _, err = head(z, n, most)
		return p, err
	}
	var whole bool
	if p.Head, whole, err = head(f, n, most); err != nil || whole {
		return p, err
	}
	from := max(int64(len(p.Head)), p.Size-int64(n))
	tail := make([]byte, p.Size-from)
	got, err := f.ReadAt(tail, from)
	if err != nil && !errors.Is(err, io.EOF) {
		return p, err
	}
	tail = tail[:got]
	if from > int64(len(p.Head)) {
		i := bytes.IndexByte(tail, '\n')
		tail = tail[i+1:]
	}
	p.Tail = tail
	return p, nil
}

// head reads whole lines of about n bytes; whole says that this was all.
func head(r io.Reader, n, most int) (b []byte, whole bool, err error) {
	for want := n; ; want *= 2 {
		want = min(want, most)
		grown := make([]byte, want)
		copy(grown, b)
		got, err := io.ReadFull(r, grown[len(b):])
		b = grown[:len(b)+got]
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
