package jsonx

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// Kind is the kind of a JSON value: one of the Kind constants.
type Kind byte

// The kinds of JSON values. End is reported after the last element of an
// object or array, after the last value of the text, and after an error.
const (
	End    Kind = 0
	Null   Kind = 'n'
	False  Kind = 'f'
	True   Kind = 't'
	String Kind = '"'
	Number Kind = '0'
	Object Kind = '{'
	Array  Kind = '['
)

// String names the kind as an error message would.
func (k Kind) String() string {
	switch k {
	case Null:
		return "null"
	case False, True:
		return "boolean"
	case String:
		return "string"
	case Number:
		return "number"
	case Object:
		return "object"
	case Array:
		return "array"
	case End:
	}
	return "end of value"
}

// ErrKind is matched by the error of a read that met a value of another kind
// than the one it was asked for.
var ErrKind = errors.New("unexpected kind of value")

// Decoder reads one or more JSON values that lie one after another in memory.
// Errors are sticky: after the first one every method returns zero values and
// [Decoder.Err] tells what went wrong, so a reader checks once at the end.
//
// Bytes that a Decoder returns alias the text it reads.
// The zero value is ready for [Decoder.Reset].
type Decoder struct {
	d       jsontext.Decoder
	buf     bytes.Buffer
	text    []byte
	err     error
	damaged int
	pending bool // a member or element was announced and not yet read
}

// NewDecoder returns a Decoder that reads text.
func NewDecoder(text []byte) *Decoder {
	d := new(Decoder)
	d.Reset(text)
	return d
}

// Reset makes d read text from its beginning. Duplicate names and invalid
// UTF-8 are accepted: what they mean is for the caller to say.
func (d *Decoder) Reset(text []byte) {
	d.buf = *bytes.NewBuffer(text)
	d.text = text
	d.err = nil
	d.damaged = 0
	d.pending = false
	d.d.Reset(&d.buf, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// Err returns the first error, or nil. Reaching the end of the text between
// values is no error.
func (d *Decoder) Err() error { return d.err }

// Offset returns the position in the text, in bytes, after what was read last.
func (d *Decoder) Offset() int { return int(d.d.InputOffset()) }

// Damaged returns how many invalid UTF-8 sequences and lone surrogates the
// values read with [Decoder.Literal] and [Decoder.CleanRaw] had. They were
// replaced by U+FFFD.
func (d *Decoder) Damaged() int { return d.damaged }

// Next returns the position in the text, in bytes, of the next value.
func (d *Decoder) Next() int {
	if d.err == nil {
		d.d.PeekKind()
	}
	at := d.Offset()
	for at < len(d.text) {
		switch d.text[at] {
		case ' ', '\t', '\r', '\n', ',', ':':
			at++
		default:
			return at
		}
	}
	return at
}

// Slice returns the text from a position that Next gave to what was read last.
func (d *Decoder) Slice(from int) Raw {
	to := d.Offset()
	if d.err != nil || from > to {
		return nil
	}
	return Raw(d.text[from:to:to])
}

// Kind reports the kind of the next value without reading it.
func (d *Decoder) Kind() Kind {
	if d.err != nil {
		return End
	}
	switch k := d.d.PeekKind(); k {
	case '}', ']':
		return End
	case 0:
		return End
	default:
		return Kind(k)
	}
}

// More reports whether another value follows at the top level of the text. A
// syntax error counts as a value: reading it reports the error.
func (d *Decoder) More() bool {
	if d.err != nil {
		return false
	}
	for _, c := range d.text[d.Offset():] {
		switch c {
		case ' ', '\t', '\r', '\n':
		default:
			return true
		}
	}
	return false
}

// Members reads an object and yields the decoded name of each member in order.
// The body reads the member's value with d; a value it leaves is skipped. The
// name is valid until the next read. Leaving the loop early skips the rest of
// the object, unless an error stopped the reading.
func (d *Decoder) Members() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		if !d.open(Object) {
			return
		}
		going := true
		for d.err == nil && d.d.PeekKind() != '}' {
			lit, err := d.d.ReadValue()
			if err != nil {
				d.fail(err)
				return
			}
			if going {
				name := lit[1 : len(lit)-1]
				if bytes.IndexByte(name, '\\') >= 0 {
					name, _ = jsontext.AppendUnquote(nil, lit)
				}
				d.pending = true
				going = yield(name)
				d.skipPending()
			} else {
				d.Skip()
			}
		}
		d.close()
	}
}

// Elements reads an array and yields the index of each element. The body reads
// the element with d; one it leaves is skipped, and so is the rest of the array
// when the loop is left early.
func (d *Decoder) Elements() iter.Seq[int] {
	return func(yield func(int) bool) {
		if !d.open(Array) {
			return
		}
		going := true
		for i := 0; d.err == nil && d.d.PeekKind() != ']'; i++ {
			if going {
				d.pending = true
				going = yield(i)
				d.skipPending()
			} else {
				d.Skip()
			}
		}
		d.close()
	}
}

func (d *Decoder) open(want Kind) bool {
	d.pending = false
	if d.err != nil {
		return false
	}
	if k := d.Kind(); k != want {
		d.wrongKind(want, k)
		return false
	}
	if _, err := d.d.ReadToken(); err != nil {
		d.fail(err)
		return false
	}
	return true
}

func (d *Decoder) close() {
	if d.err != nil {
		return
	}
	if _, err := d.d.ReadToken(); err != nil {
		d.fail(err)
	}
}

func (d *Decoder) skipPending() {
	if d.pending {
		d.Skip()
	}
}

// Skip reads over the next value.
func (d *Decoder) Skip() {
	d.pending = false
	if d.err != nil {
		return
	}
	// ReadValue takes a whole value in one go; SkipValue goes token by token.
	if _, err := d.d.ReadValue(); err != nil {
		d.fail(err)
	}
}

// Raw reads the next value of any kind as it is written.
func (d *Decoder) Raw() Raw {
	d.pending = false
	if d.err != nil {
		return nil
	}
	v, err := d.d.ReadValue()
	if err != nil {
		d.fail(err)
		return nil
	}
	return Raw(v[:len(v):len(v)])
}

// CleanRaw reads the next value of any kind as it is written, but for invalid
// UTF-8 and lone surrogates, see [Decoder.Damaged].
func (d *Decoder) CleanRaw() Raw {
	r, n := CleanValue(d.Raw())
	d.damaged += n
	return r
}

// Literal reads a string and returns it as written, quotes included, but for
// invalid UTF-8 and lone surrogates, see [Decoder.Damaged].
func (d *Decoder) Literal() []byte {
	if !d.want(String) {
		return nil
	}
	lit, n := CleanLiteral(d.Raw())
	d.damaged += n
	return lit
}

// Str reads a string and returns it decoded; invalid UTF-8 and lone surrogates
// become U+FFFD.
func (d *Decoder) Str() string {
	lit := d.Literal()
	if lit == nil {
		return ""
	}
	return Unquote(lit)
}

// OptStr reads a string if there is one; a value of another kind is skipped
// and reads as "".
func (d *Decoder) OptStr() string {
	if d.Kind() != String {
		d.Skip()
		return ""
	}
	return d.Str()
}

// Bool reads a boolean.
func (d *Decoder) Bool() bool {
	k := d.Kind()
	if k != True && k != False {
		d.want(True)
		return false
	}
	d.Skip()
	return k == True
}

// OptBool reads a boolean if there is one; a value of another kind is skipped
// and reads as false.
func (d *Decoder) OptBool() bool {
	k := d.Kind()
	d.Skip()
	return k == True
}

// OptInt reads an integer if there is one; a value of another kind, or one
// that does not fit, is skipped and reads as 0.
func (d *Decoder) OptInt() int64 {
	if d.Kind() != Number {
		d.Skip()
		return 0
	}
	n, err := strconv.ParseInt(string(d.Raw()), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

func (d *Decoder) want(k Kind) bool {
	if d.err != nil {
		return false
	}
	if got := d.Kind(); got != k {
		d.wrongKind(k, got)
		return false
	}
	return true
}

func (d *Decoder) wrongKind(want, got Kind) {
	if got == End {
		// Let the parser say what stands there instead of a value.
		if _, err := d.d.ReadToken(); err != nil {
			d.fail(err)
			return
		}
	}
	d.err = fmt.Errorf("%w: want %v, got %v at byte %d", ErrKind, want, got, d.Offset())
}

func (d *Decoder) fail(err error) {
	if d.err != nil {
		return
	}
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	d.err = err
}
