package jsonl

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/crosswalk-agents/crosswalk/internal/fault"
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

// ErrNotRegular is matched by the error for a directory, a pipe or a device.
var ErrNotRegular = errors.New("not a regular file")

// File is a consistent view of a file of JSON lines: what it held at Open. It
// is safe for concurrent reading.
type File struct {
	path     string
	src      io.ReaderAt
	size     int64
	file     *os.File
	temp     string // to be removed on Close
	progress func(done, size int64)
	watch    *watch // nil if nobody else has the file
}

// Open opens the regular file at path and, if it is compressed with zstd,
// unpacks it into a nameless temporary file, until ctx ends. The content tells
// whether it is, not the name.
func Open(ctx context.Context, path string, limits Limits) (*File, error) {
	f, info, err := openRegular(path)
	if err != nil {
		return nil, err
	}
	if !isZstd(f) {
		fault.Point("source-opened", path)
		return &File{path: path, src: f, size: info.Size(), file: f, watch: newWatch(info)}, nil
	}
	unpacked, err := unpack(ctx, f, info.Size(), limits)
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, errors.Join(fmt.Errorf("unpack %q: %w", path, err), unpacked.Close())
	}
	unpacked.path = path
	return unpacked, nil
}

// openRegular opens a regular file. It looks before it opens: opening a named
// pipe would wait for a writer.
func openRegular(path string) (*os.File, os.FileInfo, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, nil, fmt.Errorf("open %q: %w", path, ErrNotRegular)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	if info, err = f.Stat(); err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("open %q: %w", path, ErrNotRegular)
	}
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return f, info, nil
}

// FromBytes returns a file that holds b, under the name path.
func FromBytes(path string, b []byte) *File {
	return &File{path: path, src: bytes.NewReader(b), size: int64(len(b))}
}

// CheckName returns an error if path, where a file is to be written as it is,
// says that it is compressed.
func CheckName(path string) error {
	if strings.HasSuffix(path, ".zst") {
		return fmt.Errorf("create %q: it would not be compressed; leave .zst out of the name", path)
	}
	return nil
}

func isZstd(f *os.File) bool {
	var magic [4]byte
	n, _ := f.ReadAt(magic[:], 0)
	return n == 4 && magic == [4]byte{0x28, 0xB5, 0x2F, 0xFD}
}

// unpack returns the unpacked content of f. The result is to be closed also
// when there is an error.
func unpack(ctx context.Context, f *os.File, packed int64, limits Limits) (*File, error) {
	out := new(File)
	// The window bound keeps a hostile frame from reserving memory.
	z, err := zstd.NewReader(f, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(128<<20), zstd.WithDecoderLowmem(true))
	if err != nil {
		return out, err
	}
	defer z.Close()
	tmp, err := os.CreateTemp("", "crosswalk-*")
	if err != nil {
		return out, err
	}
	out.src, out.file = tmp, tmp
	// Where an open file can be removed, nothing is left even by a crash;
	// elsewhere Close removes it.
	if os.Remove(tmp.Name()) != nil {
		out.temp = tmp.Name()
	}
	most := limits.most(packed)
	if out.size, err = io.Copy(tmp, io.LimitReader(whileReader{ctx, z}, most+1)); err != nil {
		return out, err
	}
	if out.size > most {
		return out, fmt.Errorf("%w: %d bytes packed, more than %d unpacked", ErrBomb, packed, most)
	}
	return out, nil
}

// whileReader reads from r until ctx ends.
type whileReader struct {
	ctx context.Context
	r   io.Reader
}

func (w whileReader) Read(p []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	return w.r.Read(p)
}

// most returns how many bytes a file of packed bytes may unpack to.
func (l Limits) most(packed int64) int64 {
	if l.Size == 0 {
		l.Size = defaultSize
	}
	if l.Ratio == 0 {
		l.Ratio = defaultRatio
	}
	most := min(l.Size, math.MaxInt64-1)
	if packed < most/l.Ratio {
		most = min(most, max(ratioFree, packed*l.Ratio))
	}
	return most
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
	fault.Point("source-read", f.path)
	if n, err := f.src.ReadAt(b, off); err != nil {
		return nil, f.readError(off+int64(n), err)
	}
	return b, nil
}

// windowSize is how much a [Window] reads at once.
const windowSize = 256 << 10

// Window reads records that mostly lie one behind the other: it takes many of
// them from the file in one go. What it returns shares memory that is never
// written again. It is for one goroutine.
type Window struct {
	f   *File
	off int64
	buf []byte
}

// Window returns a window on f.
func (f *File) Window() *Window { return &Window{f: f} }

// Read returns the n bytes at off.
func (w *Window) Read(off int64, n int) ([]byte, error) {
	if at := off - w.off; at < 0 || at+int64(n) > int64(len(w.buf)) {
		size := min(max(int64(n), windowSize), w.f.size-off)
		if size < int64(n) {
			return nil, fmt.Errorf("read %q at byte %d: %w", w.f.path, off, io.ErrUnexpectedEOF)
		}
		b, err := w.f.ReadAt(off, int(size))
		if err != nil {
			return nil, err
		}
		w.off, w.buf = off, b
	}
	at := off - w.off
	return w.buf[at : at+int64(n) : at+int64(n)], nil
}

// Close releases the file. Closing twice is no error.
func (f *File) Close() error {
	if f.file == nil {
		return nil
	}
	err := f.file.Close()
	f.file = nil
	if f.temp != "" {
		if rm := os.Remove(f.temp); !errors.Is(rm, os.ErrNotExist) {
			err = errors.Join(err, rm)
		}
	}
	return err
}

// FromFile returns what f, which nobody else writes to, holds now. Closing the
// result closes f.
func FromFile(f *os.File) (*File, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	return &File{path: f.Name(), src: f, size: info.Size(), file: f}, nil
}

// Limit makes f end at size, if it is longer: as it was when it had that size.
func (f *File) Limit(size int64) { f.size = min(f.size, size) }

// EndsRecord reports whether a JSON object may end at off: its brace stands
// before, and the file or the line ends there, or another object begins.
func (f *File) EndsRecord(off int64) (bool, error) {
	if off <= 0 || off > f.size {
		return false, nil
	}
	around := make([]byte, min(2, f.size-off+1))
	if _, err := f.src.ReadAt(around, off-1); err != nil {
		return false, fmt.Errorf("read %q at byte %d: %w", f.path, off-1, err)
	}
	if around[0] == '\n' {
		return true, nil
	}
	return around[0] == '}' && (len(around) == 1 || bytes.IndexByte([]byte("\r\n\x00 {"), around[1]) >= 0), nil
}

// LimitLines makes f end behind its first n lines, if it has more.
func (f *File) LimitLines(n int) error {
	buf := make([]byte, chunk)
	for at := int64(0); at < f.size; {
		part := buf[:min(int64(len(buf)), f.size-at)]
		if _, err := f.src.ReadAt(part, at); err != nil {
			return fmt.Errorf("read %q at byte %d: %w", f.path, at, err)
		}
		rest := part
		for n > 0 {
			i := bytes.IndexByte(rest, '\n')
			if i < 0 {
				break
			}
			n--
			rest = rest[i+1:]
		}
		at += int64(len(part))
		if n == 0 {
			f.size = at - int64(len(rest))
			return nil
		}
	}
	return nil
}

// Lines calls line for each line of f with its newline, if it has one, and for
// each piece of a line that is longer than [MaxLine]. The line is valid during
// the call only.
func (f *File) Lines(line func([]byte) error) error {
	r := bufio.NewReaderSize(io.NewSectionReader(f.src, 0, f.size), chunk)
	var long []byte
	var done int64
	for {
		part, err := r.ReadSlice('\n')
		done += int64(len(part))
		switch full := errors.Is(err, bufio.ErrBufferFull); {
		case full && len(long)+len(part) < MaxLine:
			long = append(long, part...)
			continue
		case full:
			err = nil
		case err != nil && (!errors.Is(err, io.EOF) || done < f.size):
			return f.readError(done, err)
		}
		if len(long) > 0 {
			long = append(long, part...)
			part = long
		}
		if len(part) > 0 {
			if err := line(part); err != nil {
				return err
			}
		}
		if err != nil {
			return f.Unchanged()
		}
		long = long[:0]
	}
}
