package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// Position is the place of a line in a journal. It stays valid as the journal
// grows, and can be kept (as JSON) to read on from there later.
type Position struct {
	Segment string `json:"segment"`        // the segment's file name
	Offset  int64  `json:"offset"`         // of the line's first byte
	Size    int64  `json:"size"`           // of the line in bytes, newline included
	Line    int64  `json:"line,omitempty"` // counted from 1; 0 when read backward
}

// Record is one entry of a journal.
type Record struct {
	Time     time.Time // UTC
	Kind     string
	Raw      json.RawMessage // the whole object, "t" and "kind" included
	Position Position
}

// Decode stores the payload in v as [json.Unmarshal] does.
func (r Record) Decode(v any) error {
	if err := json.Unmarshal(r.Raw, v); err != nil {
		return fmt.Errorf("decode journal record %q of %s: %w", r.Kind, r.Time.Format(time.RFC3339), err)
	}
	return nil
}

// What a damaged line is. [ErrTooLong] is one more.
var (
	ErrTorn     = errors.New("line is torn")
	ErrNUL      = errors.New("line has NUL bytes")
	ErrNoRecord = errors.New("line is no record")
)

// LineError reports a line that was skipped. Reading goes on after it.
type LineError struct {
	Path     string // of the segment
	Position Position
	Err      error // ErrTorn, ErrNUL, ErrTooLong or ErrNoRecord
}

// Error names the file and the place in it.
func (e *LineError) Error() string {
	place := fmt.Sprintf("offset %d", e.Position.Offset)
	if e.Position.Line > 0 {
		place = fmt.Sprintf("line %d, %s", e.Position.Line, place)
	}
	return fmt.Sprintf("read journal %q, %s: %v", e.Path, place, e.Err)
}

// Unwrap gives the kind of damage.
func (e *LineError) Unwrap() error {
	return e.Err
}

// parseRecord reads one line without its newline. The record keeps nothing of
// text.
func parseRecord(text []byte) (Record, error) {
	if bytes.IndexByte(text, 0) >= 0 {
		return Record{}, ErrNUL
	}
	var envelope struct {
		T    *time.Time `json:"t"`
		Kind string     `json:"kind"`
	}
	if err := json.Unmarshal(text, &envelope); err != nil {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			return Record{}, ErrTorn
		}
		return Record{}, fmt.Errorf("%w: %w", ErrNoRecord, err)
	}
	if envelope.T == nil || envelope.Kind == "" {
		return Record{}, fmt.Errorf("%w: it lacks %q or %q", ErrNoRecord, "t", "kind")
	}
	return Record{Time: envelope.T.UTC(), Kind: envelope.Kind, Raw: bytes.Clone(text)}, nil
}
