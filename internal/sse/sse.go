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
	// Raw is all that the stream held of it, the blank line at its end included.
	Raw []byte
}

// ErrTooLong is matched by the error for an event that is longer than the
// reader's limit.
var ErrTooLong = errors.New("the event is longer than the limit")

// Reader reads events. Lines may end in LF, CR LF or CR; an event that the end of
// the stream cuts off before its blank line is an event, too, as several model
// servers leave that line out. (WHATWG HTML, 9.2.6, but for that.)
type Reader struct {
	r   io.Reader
	max int
	buf []byte
	// start is where the event begins, from where what is not read of it begins.
	start, from int
	skip        bool // a LF that follows a CR is passed over
	err         error
	first       bool
	event       Event
	joined      []byte
}

// NewReader returns a reader of r that takes events of at most max bytes.
func NewReader(r io.Reader, max int) *Reader {
	return &Reader{r: r, max: max, buf: make([]byte, 0, 16<<10), first: true}
}

var bom = []byte("\xEF\xBB\xBF")

// span is a part of the event, counted from its start.
type span struct{ from, to int }

// Next returns the next event or comment, which is valid until the next call.
// The error is [io.EOF] behind the last one, matches [ErrTooLong], or is that of
// the stream.
func (r *Reader) Next() (*Event, error) {
	r.start = r.from
	var name, data span
	fields, lines := 0, 0
	for {
		line, err := r.line()
		if err != nil {
			if errors.Is(err, io.EOF) && fields > 0 {
				return r.whole(name, data, lines), nil
			}
			return nil, err
		}
		text := r.buf[r.start+line.from : r.start+line.to]
		switch {
		case len(text) == 0 && fields > 0:
			return r.whole(name, data, lines), nil
		case len(text) == 0:
		case text[0] == ':' && fields == 0:
			r.event = Event{Comment: true, Raw: r.raw()}
			return &r.event, nil
		default:
			field, _, _ := bytes.Cut(text, []byte{':'})
			value := valueOf(line, text)
			switch string(field) {
			case "data":
				if lines++; lines == 1 {
					data = value
				} else {
					r.join(data, value, lines)
				}
				fields++
			case "event":
				name = value
				fields++
			}
		}
	}
}

// valueOf returns the value of the field that a line holds.
func valueOf(line span, text []byte) span {
	i := bytes.IndexByte(text, ':')
	if i < 0 {
		return span{line.to, line.to}
	}
	if i++; i < len(text) && text[i] == ' ' {
		i++
	}
	return span{line.from + i, line.to}
}

// join adds a further data line to the first.
func (r *Reader) join(first, value span, lines int) {
	if lines == 2 {
		r.joined = append(r.joined[:0], r.buf[r.start+first.from:r.start+first.to]...)
	}
	r.joined = append(r.joined, '\n')
	r.joined = append(r.joined, r.buf[r.start+value.from:r.start+value.to]...)
}

func (r *Reader) whole(name, data span, lines int) *Event {
	r.event = Event{Name: r.buf[r.start+name.from : r.start+name.to], Data: r.buf[r.start+data.from : r.start+data.to], Raw: r.raw()}
	if lines > 1 {
		r.event.Data = r.joined
	}
	return &r.event
}

func (r *Reader) raw() []byte { return r.buf[r.start:r.from:r.from] }

// line returns the place of the next line without its end.
func (r *Reader) line() (span, error) {
	searched := 0
	for {
		if r.skip && r.from < len(r.buf) {
			if r.buf[r.from] == '\n' {
				r.from++
			}
			r.skip = false
		}
		rest := r.buf[r.from:]
		searched = min(searched, len(rest))
		end, next := -1, 0
		if i := bytes.IndexAny(rest[searched:], "\r\n"); i >= 0 {
			end = searched + i
			next = end + 1
			r.skip = rest[end] == '\r'
			if r.skip && next < len(rest) {
				if r.skip = false; rest[next] == '\n' {
					next++
				}
			}
		} else if searched = len(rest); r.err != nil {
			if len(rest) == 0 || !errors.Is(r.err, io.EOF) {
				return span{}, r.err
			}
			end, next = len(rest), len(rest)
		}
		if r.from+max(end, searched)-r.start > r.max {
			return span{}, fmt.Errorf("%w of %d bytes", ErrTooLong, r.max)
		}
		if end >= 0 {
			line := span{r.from - r.start, r.from - r.start + end}
			if r.first {
				r.first = false
				line.from += len(rest[:end]) - len(bytes.TrimPrefix(rest[:end], bom))
			}
			r.from += next
			return line, nil
		}
		r.fill()
	}
}

// fill reads more.
func (r *Reader) fill() {
	if r.start > 0 {
		r.buf = r.buf[:copy(r.buf, r.buf[r.start:])]
		r.from -= r.start
		r.start = 0
	}
	if len(r.buf) == cap(r.buf) {
		r.buf = append(make([]byte, 0, 2*cap(r.buf)), r.buf...)
	}
	n, err := r.r.Read(r.buf[len(r.buf):cap(r.buf)])
	r.buf = r.buf[:len(r.buf)+n]
	r.err = err
}

// Ready reports whether Next returns an event or a comment without reading more. A
// part of one that was read is not enough: what follows may be long in coming.
func (r *Reader) Ready() bool {
	rest := r.buf[r.from:]
	if r.skip {
		rest = bytes.TrimPrefix(rest, []byte{'\n'})
	}
	for fields := false; ; {
		i := bytes.IndexAny(rest, "\r\n")
		if i < 0 {
			return false
		}
		field, _, _ := bytes.Cut(rest[:i], []byte{':'})
		switch {
		case i == 0 && fields, i > 0 && len(field) == 0 && !fields:
			return true
		case string(field) == "data" || string(field) == "event":
			fields = true
		}
		if rest[i] == '\r' && i+1 < len(rest) && rest[i+1] == '\n' {
			i++
		}
		rest = rest[i+1:]
	}
}

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
