package journal

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"
)

// MaxLine is the length that a record's line may have, in bytes, the newline
// included.
const MaxLine = 16 << 20

// A segment's name is its day in this layout.
const segmentLayout = "2006-01-02.jsonl"

// Journal is an append-only list of records in a folder. It holds no file
// open, so there is nothing to close, and may be used by several goroutines
// at once.
type Journal struct {
	dir    string // the folder of the segments
	stream string
	sync   bool
	now    func() time.Time

	// turn holds one token for this process's appender: goroutines wait for
	// it in order, where the lock on the file would have to be asked for
	// again and again.
	turn chan struct{}
}

// Option changes how a journal works.
type Option func(*Journal)

// Stream keeps the records in a folder of this name below the journal's: one
// to 64 lower-case letters, digits and hyphens.
func Stream(name string) Option {
	return func(j *Journal) { j.stream = name }
}

// Sync tells whether Append returns only when the record is durable (the
// default). Without it a killed process loses nothing, a power cut at most
// the last records.
func Sync(on bool) Option {
	return func(j *Journal) { j.sync = on }
}

// Clock makes now the source of the time, instead of [time.Now].
func Clock(now func() time.Time) Option {
	return func(j *Journal) { j.now = now }
}

// New gives the journal in dir. It touches no file: the folder is made by the
// first Append, and a journal that is not there reads as an empty one.
func New(dir string, opts ...Option) (*Journal, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("open journal %q: %w", dir, err)
	}
	j := &Journal{dir: abs, sync: true, now: time.Now, turn: make(chan struct{}, 1)}
	for _, opt := range opts {
		opt(j)
	}
	if j.stream != "" {
		if !isName(j.stream, "-") {
			return nil, fmt.Errorf("open journal %q: the stream's name %q is not made of lower-case letters, digits and hyphens", dir, j.stream)
		}
		j.dir = filepath.Join(abs, j.stream)
	}
	return j, nil
}

// Dir returns the folder of the segments.
func (j *Journal) Dir() string {
	return j.dir
}

// isName tells whether s is 1 to 64 lower-case letters, digits and characters
// of extra.
func isName(s, extra string) bool {
	if s == "" || len(s) > 64 {
		return false
	}
	for _, c := range []byte(s) {
		if !('a' <= c && c <= 'z' || '0' <= c && c <= '9' || strings.IndexByte(extra, c) >= 0) {
			return false
		}
	}
	return true
}
