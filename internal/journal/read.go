package journal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/crosswalk-agents/crosswalk/internal/osx"
)

// Records reads the journal oldest first. Each segment is read up to the size
// that it has when its turn comes; what others append later is not seen, and
// a write that is under way is waited for.
//
// An error that is a *[LineError] stands for one line that was skipped. Any
// other comes in place of the rest of a segment. In both cases reading goes
// on after it for as long as the caller does. The end of ctx is the last
// error. The memory used is that of one line.
func (j *Journal) Records(ctx context.Context) iter.Seq2[Record, error] {
	return j.RecordsAfter(ctx, Position{})
}

// RecordsAfter is Records from the line that follows the one at p, so that an
// index can be brought up to date. The zero Position is before everything.
func (j *Journal) RecordsAfter(ctx context.Context, p Position) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		j.eachSegment(false, yield, func(name string) bool {
			if name < p.Segment {
				return true
			}
			from := Position{Segment: name, Line: 1}
			if name == p.Segment {
				from.Offset = p.Offset + p.Size
				from.Line = 0
				if p.Line > 0 {
					from.Line = p.Line + 1
				}
			}
			return j.readSegment(ctx, name, yield, func(f *os.File, end int64) lineSource {
				lines := newForwardLines(f, from.Offset, end)
				return func() (line, int64, error) {
					l, err := lines.next()
					number := from.Line
					if number > 0 {
						from.Line++
					}
					return l, number, err
				}
			})
		})
	}
}

// Backward reads the journal newest first, otherwise as [Journal.Records]
// does. Positions have no line number.
func (j *Journal) Backward(ctx context.Context) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		j.eachSegment(true, yield, func(name string) bool {
			return j.readSegment(ctx, name, yield, func(f *os.File, end int64) lineSource {
				lines := newBackwardLines(f, end)
				return func() (line, int64, error) {
					l, err := lines.next()
					return l, 0, err
				}
			})
		})
	}
}

// eachSegment calls do with the name of each segment until it returns false.
func (j *Journal) eachSegment(newestFirst bool, yield func(Record, error) bool, do func(name string) bool) {
	entries, err := os.ReadDir(j.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		yield(Record{}, fmt.Errorf("read journal: %w", err))
		return
	}
	if newestFirst {
		slices.Reverse(entries)
	}
	for _, entry := range entries {
		if _, err := time.Parse(segmentLayout, entry.Name()); err == nil && !do(entry.Name()) {
			return
		}
	}
}

// lineSource returns the next line and its number, and io.EOF at the end.
type lineSource func() (line, int64, error)

// readSegment yields what a segment holds and returns false when reading is
// to end.
func (j *Journal) readSegment(ctx context.Context, name string, yield func(Record, error) bool,
	open func(f *os.File, end int64) lineSource,
) bool {
	path := filepath.Join(j.dir, name)
	f, err := osx.OpenRegular(path)
	if errors.Is(err, fs.ErrNotExist) {
		return true
	}
	if err != nil {
		return yield(Record{}, fmt.Errorf("read journal: %w", err))
	}
	defer f.Close()
	end, err := settledSize(ctx, f)
	next := open(f, end)
	for err == nil {
		if err = context.Cause(ctx); err != nil {
			break
		}
		var l line
		var number int64
		l, number, err = next()
		if err != nil || l.text != nil && len(bytes.TrimSpace(l.text)) == 0 {
			continue
		}
		at := Position{Segment: name, Offset: l.offset, Size: l.size, Line: number}
		if !yield(readLine(path, at, l)) {
			return false
		}
	}
	switch {
	case errors.Is(err, io.EOF):
		return true
	case ctx.Err() != nil:
		yield(Record{}, fmt.Errorf("read journal %q: %w", path, err))
		return false
	default:
		return yield(Record{}, fmt.Errorf("read journal %q: %w", path, err))
	}
}

func readLine(path string, at Position, l line) (Record, error) {
	err := ErrTooLong
	var rec Record
	if l.text != nil {
		rec, err = parseRecord(l.text)
	}
	rec.Position = at
	if err != nil {
		return Record{Position: at}, &LineError{Path: path, Position: at, Err: err}
	}
	return rec, nil
}

// writeWait is how long a reader waits for the end of a write under way. A
// write takes milliseconds; a writer that was stopped must not stop readers.
const writeWait = time.Second

// settledSize returns the size of the segment at a moment when no line is
// half written: a writer holds the lock for as long as it writes.
func settledSize(ctx context.Context, f *os.File) (int64, error) {
	size, whole, err := measure(f)
	if err != nil || whole {
		return size, err
	}
	wait, cancel := context.WithTimeout(ctx, writeWait)
	defer cancel()
	if err := osx.LockFile(wait, f); err != nil {
		// Without the lock, the last line is taken for torn if it looks so.
		return size, context.Cause(ctx)
	}
	size, _, err = measure(f)
	return size, errors.Join(err, osx.UnlockFile(f))
}

// measure returns the size of f and whether it ends with a whole line.
func measure(f *os.File) (size int64, whole bool, err error) {
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return 0, true, err
	}
	last := make([]byte, 1)
	_, err = f.ReadAt(last, info.Size()-1)
	if errors.Is(err, io.EOF) {
		// A writer has just taken back a write that was cut short.
		return info.Size(), false, nil
	}
	return info.Size(), last[0] == '\n', err
}
