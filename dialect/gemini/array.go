package gemini

import (
	"errors"
	"fmt"
	"io"

	"github.com/crosswalk-agents/crosswalk/internal/sse"
)

// ArrayReader reads the frames of a stream that is no list of events but one JSON
// list, as streamGenerateContent answers unless it is asked for events (alt=sse).
// Its elements are what the data of the events would be.
type ArrayReader struct {
	r    io.Reader
	max  int
	buf  []byte
	from int // where what was not returned begins
	err  error
	// state is what comes next.
	state arrayState
	event sse.Event
}

type arrayState uint8

const (
	arrayStart arrayState = iota
	arrayFirst            // an element or the end of the list
	arrayNext             // a comma or the end of the list
	arrayMore             // an element
	arrayOver
)

// NewArrayReader returns a reader of r that takes elements of at most max bytes.
func NewArrayReader(r io.Reader, max int) *ArrayReader {
	return &ArrayReader{r: r, max: max, buf: make([]byte, 0, 16<<10)}
}

var errArray = errors.New("read Gemini stream: no list of responses")

// Next returns the next element as an event without a name, which is valid until
// the next call. A body that is one object, as that of an error, is its only
// element. The error is [io.EOF] behind the end of the list, matches
// [io.ErrUnexpectedEOF] where the stream ends within it, or is that of the stream.
func (r *ArrayReader) Next() (*sse.Event, error) {
	for {
		c, err := r.peek()
		if err != nil {
			return nil, err
		}
		switch {
		case r.state == arrayOver:
			return nil, errArray // more stands behind the list
		case c == '[' && r.state == arrayStart:
			r.from++
			r.state = arrayFirst
		case c == ']' && (r.state == arrayFirst || r.state == arrayNext):
			r.from++
			r.state = arrayOver
		case c == ',' && r.state == arrayNext:
			r.from++
			r.state = arrayMore
		case c == '{' && r.state != arrayNext:
			return r.element()
		default:
			return nil, errArray
		}
	}
}

// peek returns the next byte that is no white space.
func (r *ArrayReader) peek() (byte, error) {
	for {
		for ; r.from < len(r.buf); r.from++ {
			switch c := r.buf[r.from]; c {
			case ' ', '\t', '\r', '\n':
			case 0xEF, 0xBB, 0xBF: // a byte order mark
				if r.state != arrayStart {
					return c, nil
				}
			default:
				return c, nil
			}
		}
		if r.err != nil {
			if errors.Is(r.err, io.EOF) && r.state != arrayOver {
				return 0, io.ErrUnexpectedEOF
			}
			return 0, r.err
		}
		r.fill()
	}
}

// element returns the object that begins at r.from.
func (r *ArrayReader) element() (*sse.Event, error) {
	depth, inString, escaped := 0, false, false
	for n := 0; ; n++ {
		for r.from+n == len(r.buf) {
			if errors.Is(r.err, io.EOF) {
				return nil, io.ErrUnexpectedEOF
			}
			if r.err != nil {
				return nil, r.err
			}
			r.fill()
		}
		if n == r.max {
			return nil, fmt.Errorf("%w of %d bytes", sse.ErrTooLong, r.max)
		}
		switch c := r.buf[r.from+n]; {
		case escaped:
			escaped = false
		case inString:
			escaped, inString = c == '\\', c != '"'
		case c == '"':
			inString = true
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth--; depth == 0 {
				return r.whole(n + 1), nil
			}
		}
	}
}

// whole returns the next n bytes as an event.
func (r *ArrayReader) whole(n int) *sse.Event {
	text := r.buf[r.from : r.from+n : r.from+n]
	r.from += n
	if r.state == arrayStart {
		r.state = arrayOver
	} else {
		r.state = arrayNext
	}
	r.event = sse.Event{Data: text, Raw: text}
	return &r.event
}

// fill reads more behind what was not returned.
func (r *ArrayReader) fill() {
	if r.from > 0 {
		r.buf = r.buf[:copy(r.buf, r.buf[r.from:])]
		r.from = 0
	}
	if len(r.buf) == cap(r.buf) {
		r.buf = append(make([]byte, 0, 2*cap(r.buf)), r.buf...)
	}
	n, err := r.r.Read(r.buf[len(r.buf):cap(r.buf)])
	r.buf, r.err = r.buf[:len(r.buf)+n], err
}
