package sse

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// Event is one event. It may be without a name or without data.
type Event struct {
	// Name is the value of the event field.
	Name []byte
	// Data is the value of the data fields, joined by newlines.
	Data []byte
	// Comment says that this is no event but a line that only keeps the connection
	// alive.
	Comment bool
}

// ErrTooLong is matched by the error for a line or event that is longer than the
// reader's limit.
var ErrTooLong = errors.New("the event is longer than the limit")

// Reader reads events. Lines may end in LF, CR LF or CR; an event that the end of
// the stream cuts off before its blank line is an event, too, as several model
// servers leave that line out. (WHATWG HTML, 9.2.6, but for that.)
type Reader struct {
	r     io.Reader
	max   int
	buf   []byte
	from  int  // where what is not read begins
	skip  bool // a LF that follows a CR
	err   error
	first bool
	event Event
	data  []byte
	name  []byte
}

// NewReader returns a reader of r that takes events of at most max bytes.
func NewReader(r io.Reader, max int) *Reader {
	return &Reader{r: r, max: max, buf: make([]byte, 0, 16<<10), first: true}
}

var bom = []byte("\xEF\xBB\xBF")

// Next returns the next event or comment, which is valid until the next call.
// The error is [io.EOF] behind the last one, matches [ErrTooLong], or is that of
// the stream.
func (r *Reader) Next() (*Event, error) {
	r.data, r.name = r.data[:0], r.name[:0]
	fields, hasData := 0, false
	for {
		line, err := r.line()
		if err != nil {
			if errors.Is(err, io.EOF) && fields > 0 {
				return r.whole(), nil
			}
			return nil, err
		}
		switch {
		case len(line) == 0 && fields > 0:
			return r.whole(), nil
		case len(line) == 0:
		case line[0] == ':' && fields == 0:
			r.event = Event{Comment: true}
			return &r.event, nil
		case line[0] == ':':
		default:
			field, value, _ := bytes.Cut(line, []byte{':'})
			value = bytes.TrimPrefix(value, []byte{' '})
			switch string(field) {
			case "data":
				if hasData {
					r.data = append(r.data, '\n')
				}
				r.data, hasData = append(r.data, value...), true
				fields++
			case "event":
				r.name = append(r.name[:0], value...)
				fields++
			}
			if len(r.data) > r.max {
				return nil, r.tooLong()
			}
		}
	}
}

func (r *Reader) tooLong() error { return fmt.Errorf("%w of %d bytes", ErrTooLong, r.max) }

func (r *Reader) whole() *Event {
	r.event = Event{Name: r.name, Data: r.data}
	return &r.event
}

// line returns the next line without its end.
func (r *Reader) line() ([]byte, error) {
	searched := 0
	for {
		if r.skip && r.from < len(r.buf) {
			if r.buf[r.from] == '\n' {
				r.from++
			}
			r.skip = false
		}
		rest := r.buf[r.from:]
		if i := bytes.IndexAny(rest[min(searched, len(rest)):], "\r\n"); i >= 0 {
			if i += min(searched, len(rest)); i > r.max {
				return nil, r.tooLong()
			}
			r.skip = rest[i] == '\r'
			r.from += i + 1
			return r.begin(rest[:i]), nil
		}
		if searched = len(rest); searched > r.max {
			return nil, r.tooLong()
		}
		if r.err != nil {
			if len(rest) > 0 && errors.Is(r.err, io.EOF) {
				r.from = len(r.buf)
				return r.begin(rest), nil
			}
			return nil, r.err
		}
		r.fill()
	}
}

// begin removes the byte order mark that a stream may begin with.
func (r *Reader) begin(line []byte) []byte {
	if r.first {
		r.first = false
		return bytes.TrimPrefix(line, bom)
	}
	return line
}

// fill reads more.
func (r *Reader) fill() {
	if r.from > 0 {
		r.buf = r.buf[:copy(r.buf, r.buf[r.from:])]
		r.from = 0
	}
	if len(r.buf) == cap(r.buf) {
		r.buf = append(make([]byte, 0, 2*cap(r.buf)), r.buf...)
	}
	n, err := r.r.Read(r.buf[len(r.buf):cap(r.buf)])
	r.buf = r.buf[:len(r.buf)+n]
	r.err = err
}

// Buffered reports whether a whole event may be read without waiting for more of
// the stream.
func (r *Reader) Buffered() bool { return bytes.ContainsAny(r.buf[r.from:], "\r\n") }

// Append appends an event; an empty name is left out. data must not hold line
// breaks.
func Append(dst []byte, name string, data []byte) []byte {
	if name != "" {
		dst = append(dst, "event: "...)
		dst = append(dst, name...)
		dst = append(dst, '\n')
	}
	dst = append(dst, "data: "...)
	dst = append(dst, data...)
	return append(dst, '\n', '\n')
}

// AppendComment appends a line that keeps the connection alive and says nothing.
func AppendComment(dst []byte) []byte { return append(dst, ":\n\n"...) }
