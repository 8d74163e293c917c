package jsonl

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// Limits bound what a compressed file may grow to. Zero values mean the
// defaults.
type Limits struct {
	// Size is the most bytes to unpack; 64 GiB by default.
	Size int64
	// Ratio is the most bytes to unpack per compressed byte once a file has
	// unpacked to more than 64 MiB; 1,000 by default.
	Ratio int64
}

const (
	defaultSize  = 64 << 30
	defaultRatio = 1000
	ratioFree    = 64 << 20
)

// ErrBomb is matched by the error for a compressed file that unpacks to more
// than the limits allow.
var ErrBomb = errors.New("unpacks to more than allowed")

// File is a consistent view of a file of JSON lines: what it held at Open. It
// is safe for concurrent reading.
type File struct {
	path     string
	src      io.ReaderAt
	size     int64
	file     *os.File
	temp     string // to be removed on Close
	progress func(done, size int64)
}

// Open opens the regular file at path and, if it is compressed with zstd,
// unpacks it into a nameless temporary file.
func Open(path string, limits Limits) (*File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	if !info.Mode().IsRegular() {
		return nil, errors.Join(fmt.Errorf("open %q: not a regular file", path), f.Close())
	}
	if !strings.HasSuffix(path, ".zst") && !isZstd(f) {
		return &File{path: path, src: f, size: info.Size(), file: f}, nil
	}
	unpacked, size, err := unpack(f, info.Size(), limits)
	err = errors.Join(err, f.Close())
	if err != nil {
		if unpacked != nil {
			err = errors.Join(err, unpacked.Close())
		}
		return nil, fmt.Errorf("unpack %q: %w", path, err)
	}
	return &File{path: path, src: unpacked, size: size, file: unpacked, temp: unpacked.Name()}, nil
}

// FromBytes returns a file that holds b, under the name path.
func FromBytes(path string, b []byte) *File {
	return &File{path: path, src: bytes.NewReader(b), size: int64(len(b))}
}

func isZstd(f *os.File) bool {
	var magic [4]byte
	n, _ := f.ReadAt(magic[:], 0)
	return n == 4 && magic == [4]byte{0x28, 0xB5, 0x2F, 0xFD}
}

func unpack(f *os.File, packed int64, limits Limits) (*os.File, int64, error) {
	if limits.Size == 0 {
		limits.Size = defaultSize
	}
	if limits.Ratio == 0 {
		limits.Ratio = defaultRatio
	}
	most := min(limits.Size, max(ratioFree, packed*limits.Ratio))
	// The window bound keeps a hostile frame from reserving memory.
	z, err := zstd.NewReader(f, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(128<<20), zstd.WithDecoderLowmem(true))
	if err != nil {
		return nil, 0, err
	}
	defer z.Close()
	tmp, err := os.CreateTemp("", "crosswalk-*")
	if err != nil {
		return nil, 0, err
	}
	// Where an open file can be removed, nothing is left even by a crash;
	// elsewhere Close removes it.
	_ = os.Remove(tmp.Name())
	n, err := io.Copy(tmp, io.LimitReader(z, most+1))
	if err != nil {
		return tmp, 0, err
	}
	if n > most {
		return tmp, 0, fmt.Errorf("%w: %d bytes packed, more than %d unpacked", ErrBomb, packed, most)
	}
	return tmp, n, nil
}

// OnProgress makes Each report how many bytes of the file it has read.
func (f *File) OnProgress(report func(done, size int64)) { f.progress = report }

// Path returns the path the file was opened under.
func (f *File) Path() string { return f.path }

// Size returns the unpacked size in bytes at Open.
func (f *File) Size() int64 { return f.size }

// ReadAt returns the n bytes at off in memory of their own.
func (f *File) ReadAt(off int64, n int) ([]byte, error) {
	b := make([]byte, n)
	if _, err := f.src.ReadAt(b, off); err != nil {
		return nil, fmt.Errorf("read %q at byte %d: %w", f.path, off, err)
	}
	return b, nil
}

// Close releases the file.
func (f *File) Close() error {
	if f.file == nil {
		return nil
	}
	err := f.file.Close()
	if f.temp != "" {
		if rm := os.Remove(f.temp); !errors.Is(rm, os.ErrNotExist) {
			err = errors.Join(err, rm)
		}
	}
	return err
}

// FromFile returns what f holds now. Closing the result closes f.
func FromFile(f *os.File) (*File, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	return &File{path: f.Name(), src: f, size: info.Size(), file: f}, nil
}
