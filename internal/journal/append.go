package journal

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/crosswalk-agents/crosswalk/internal/fault"
	"github.com/crosswalk-agents/crosswalk/internal/osx"
)

// ErrTooLong says that a line is longer than [MaxLine].
var ErrTooLong = errors.New("line is longer than 16 MiB")

// A record's time has all nine digits, so that times compare as text.
const timeLayout = "2006-01-02T15:04:05.000000000Z07:00"

// Append adds one record with the current time. The kind is one to 64
// lower-case letters, digits, dots, hyphens and underscores. The payload is
// encoded by encoding/json and must come out as an object without members
// named "t" or "kind" in whatever case; nil stands for an empty one. A record
// over [MaxLine] is refused with [ErrTooLong]. Waiting for other writers ends
// with ctx. After an error nothing was added, unless only making the record
// durable failed.
func (j *Journal) Append(ctx context.Context, kind string, payload any) error {
	body, err := encode(kind, payload)
	if err == nil {
		err = j.append(ctx, body)
	}
	if err != nil {
		return fmt.Errorf("append %q to journal %q: %w", kind, j.dir, err)
	}
	return nil
}

// encode gives what follows the time in the line: `","kind":…}` and newline.
func encode(kind string, payload any) ([]byte, error) {
	if !isName(kind, ".-_") {
		return nil, errors.New("the kind is not made of lower-case letters, digits, dots, hyphens and underscores")
	}
	body := []byte(`","kind":"` + kind + `"`)
	members, err := encodeMembers(payload)
	if err != nil {
		return nil, err
	}
	if len(members) > 0 {
		body = append(append(body, ','), members...)
	}
	body = append(body, "}\n"...)
	if size := len(linePrefix(time.Time{})) + len(body); size > MaxLine {
		return nil, fmt.Errorf("%w: it would have %d bytes", ErrTooLong, size)
	}
	return body, nil
}

// encodeMembers gives the payload's members without the braces.
func encodeMembers(payload any) ([]byte, error) {
	if payload == nil {
		return nil, nil
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(payload); err != nil {
		return nil, fmt.Errorf("encode the payload: %w", err)
	}
	object := bytes.TrimSpace(buf.Bytes())
	if bytes.Equal(object, []byte("null")) {
		return nil, nil
	}
	if object[0] != '{' {
		return nil, fmt.Errorf("the payload, a %T, is not a JSON object", payload)
	}
	// Decoding matches names in whatever case, so "T" would hide "t".
	var envelope struct {
		T    json.RawMessage `json:"t"`
		Kind json.RawMessage `json:"kind"`
	}
	if err := json.Unmarshal(object, &envelope); err != nil {
		return nil, fmt.Errorf("encode the payload: %w", err)
	}
	if envelope.T != nil || envelope.Kind != nil {
		return nil, fmt.Errorf(`the payload, a %T, has a member "t" or "kind", which are the journal's own`, payload)
	}
	return object[1 : len(object)-1], nil
}

func linePrefix(t time.Time) []byte {
	return t.UTC().AppendFormat([]byte(`{"t":"`), timeLayout)
}

func (j *Journal) append(ctx context.Context, body []byte) error {
	select {
	case j.turn <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	f, first, err := j.write(ctx, body)
	<-j.turn
	if err != nil {
		return err
	}
	// Others may write while this record goes to the disk.
	if j.sync {
		err = f.Sync()
		if err == nil && first {
			err = osx.SyncDir(j.dir)
		}
	}
	return errors.Join(err, f.Close())
}

// write adds the record to its segment and returns the segment, unlocked, and
// whether the record is its first.
func (j *Journal) write(ctx context.Context, body []byte) (f *os.File, first bool, err error) {
	t := j.now().UTC()
	if t.Year() < 0 || t.Year() > 9999 {
		return nil, false, fmt.Errorf("the clock says it is the year %d", t.Year())
	}
	f, err = j.openSegment(ctx, t)
	if err != nil {
		return nil, false, err
	}
	// The wait may have been long; a record stays in its day's segment.
	if later := j.now().UTC(); later.Format(segmentLayout) == t.Format(segmentLayout) {
		t = later
	}
	size, err := writeLine(f, linePrefix(t), body)
	if err == nil {
		err = osx.UnlockFile(f)
	}
	if err != nil {
		return nil, false, errors.Join(err, f.Close())
	}
	return f, size == 0, nil
}

// openSegment opens and locks the segment of the day of t.
func (j *Journal) openSegment(ctx context.Context, t time.Time) (*os.File, error) {
	path := filepath.Join(j.dir, t.Format(segmentLayout))
	const flag = os.O_RDWR | os.O_APPEND | os.O_CREATE
	f, err := osx.OpenLocked(ctx, path, flag, 0o600)
	if !errors.Is(err, fs.ErrNotExist) {
		return f, err
	}
	if err := j.makeFolder(j.dir); err != nil {
		return nil, err
	}
	return osx.OpenLocked(ctx, path, flag, 0o600)
}

// makeFolder makes dir and what is missing above it, durable if records are.
func (j *Journal) makeFolder(dir string) error {
	err := os.Mkdir(dir, 0o700)
	if parent := filepath.Dir(dir); errors.Is(err, fs.ErrNotExist) && parent != dir {
		if err := j.makeFolder(parent); err != nil {
			return err
		}
		err = os.Mkdir(dir, 0o700)
	}
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil || !j.sync {
		return err
	}
	return osx.SyncDir(filepath.Dir(dir))
}

// writeLine writes prefix and body as one line to the locked segment and
// returns the size that it had before. If the last line there is torn, the
// write starts with the newline that it lacks. Of a write that the system
// cuts short nothing stays.
func writeLine(f *os.File, prefix, body []byte) (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	size := info.Size()
	line := make([]byte, 0, 1+len(prefix)+len(body))
	if size > 0 {
		last := make([]byte, 1)
		if _, err := f.ReadAt(last, size-1); err != nil {
			return 0, err
		}
		if last[0] != '\n' {
			line = append(line, '\n')
		}
	}
	line = append(append(line, prefix...), body...)
	fault.Point("before-append", f.Name())
	if _, err := f.Write(line); err != nil {
		// Where this fails too, the torn line is repaired later.
		_ = f.Truncate(size)
		return 0, err
	}
	fault.Point("after-append", f.Name())
	return size, nil
}
