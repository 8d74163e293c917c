package session

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"time"
)

// Shape says how much of a file is on the active branch.
type Shape int

// The shapes.
const (
	// Active has at least 70 % of the bytes on the active branch.
	Active Shape = iota
	// Sparse has about 1 % there: the rest is progress, what a screen shows, and
	// branches that were given up.
	Sparse
)

// Options say what a file is like.
type Options struct {
	// Seed chooses the content.
	Seed uint64
	// Size is about how many bytes to write.
	Size int64
	// Shape is Active by default.
	Shape Shape
	// Long is the size of one record of an Active file that is longer than all
	// others; 0 is none.
	Long int
	// ID is the session's id; empty makes one.
	ID string
	// Dir is the directory that the session names as its own.
	Dir string
	// Start is the time of the first record; zero is 2026-05-04 08:00 UTC.
	Start time.Time
}

// Stats tell what was written.
type Stats struct {
	ID      string
	Bytes   int64
	Records int
	// Active is how many of the bytes are those of records on the active branch
	// that hold messages.
	Active int64
	// Longest is the length of the longest record.
	Longest int64
}

// Share returns the part of the bytes that is active.
func (s Stats) Share() float64 { return float64(s.Active) / float64(s.Bytes) }

// file is a session file in the making.
type file struct {
	*source
	o     Options
	w     *bufio.Writer
	b     []byte // the record
	stats Stats
	now   time.Time
	err   error
}

func newFile(w io.Writer, o Options) *file {
	f := &file{source: newSource(o.Seed), o: o, w: bufio.NewWriterSize(w, int(min(max(o.Size, 4<<10), 256<<10))), now: o.Start}
	if f.now.IsZero() {
		f.now = time.Date(2026, 5, 4, 8, 0, 0, 0, time.UTC)
	}
	if f.o.ID == "" {
		f.o.ID = f.uuid()
	}
	if f.o.Dir == "" {
		f.o.Dir = "/proj/atlas"
	}
	f.stats.ID = f.o.ID
	return f
}

// end writes the record in f.b; active says that it is a message of the active
// branch.
func (f *file) end(active bool) {
	n := int64(len(f.b))
	f.b = append(f.b, '\n')
	if _, err := f.w.Write(f.b); err != nil && f.err == nil {
		f.err = err
	}
	f.stats.Records++
	f.stats.Bytes += n + 1
	f.stats.Longest = max(f.stats.Longest, n)
	if active {
		f.stats.Active += n + 1
	}
	f.now = f.now.Add(time.Duration(f.between(20, 4000)) * time.Millisecond)
}

// close returns what was written.
func (f *file) close() (Stats, error) {
	if f.err == nil {
		f.err = f.w.Flush()
	}
	if f.err != nil {
		return f.stats, fmt.Errorf("write session: %w", f.err)
	}
	return f.stats, nil
}

// full reports whether the file has its size.
func (f *file) full() bool { return f.err != nil || f.stats.Bytes >= f.o.Size }

// turnSize is about how many bytes a turn has.
func (f *file) turnSize(on bool) int64 {
	const usual = 250 << 10
	if on && f.o.Shape == Sparse {
		return min(usual, f.o.Size/1000)
	}
	return min(usual, f.o.Size/8)
}

// outputSize draws the size of what a tool gave in such a turn.
func (f *file) outputSize(on bool) int { return min(f.resultSize(), int(f.turnSize(on))) }

// owed reports whether a sparse file needs more of the active branch.
func (f *file) owed() bool { return f.stats.Active*110 < f.stats.Bytes }

// add appends the parts to the record.
func (f *file) add(parts ...string) {
	for _, p := range parts {
		f.b = append(f.b, p...)
	}
}

// int appends a number to the record.
func (f *file) int(n int) { f.b = appendInt(f.b, n) }

// stamp appends the time, as both clients write it.
func (f *file) stamp() { f.b = f.now.AppendFormat(f.b, "2006-01-02T15:04:05.000Z") }

func appendInt(b []byte, n int) []byte { return strconv.AppendInt(b, int64(n), 10) }

// requote appends the inside of a JSON string that holds the JSON text inner.
func requote(b, inner []byte) []byte {
	for _, c := range inner {
		if c == '"' || c == '\\' {
			b = append(b, '\\')
		}
		b = append(b, c)
	}
	return b
}

// Func is WriteClaude or WriteCodex.
type Func func(io.Writer, Options) (Stats, error)
