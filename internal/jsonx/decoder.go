package jsonx

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"strconv"
	"time"
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
	text    []byte
	pos     int
	depth   int
	err     error
	damaged int
	traits  traits // of the value read last
	pending bool   // a member or element was announced and not yet read
	known   *known // of a Decoder that reads text after text
	longest Extent
	given   Extent
	nameAt  int // where the name of the last member begins
}

// Extent is the place of a text's longest value. A Decoder that is told it need
// not look for the end of that value once more. The zero value is no place.
type Extent struct {
	from uint32
	size uint32 // above the traits
}

const (
	extentShift = 3
	// shortest is what is worth remembering, in bytes.
	shortest = 64
	longest  = 1<<(32-extentShift) - 1
)

// note remembers a value that is longer than the one before.
func (e *Extent) note(from, end int, t traits) {
	if n := end - from; uint32(n) > e.size>>extentShift && n >= shortest && n <= longest && end <= math.MaxUint32 {
		*e = Extent{from: uint32(from), size: uint32(n)<<extentShift | uint32(t)}
	}
}

// in returns the end and the traits of the value at text[from], if that is the
// place.
func (e *Extent) in(text []byte, from int) (end int, t traits, ok bool) {
	if e.size == 0 || int(e.from) != from {
		return 0, 0, false
	}
	end = from + int(e.size>>extentShift)
	return end, traits(e.size & (1<<extentShift - 1)), end <= len(text) && closes(text[from], text[end-1])
}

// closes reports whether a value that begins with first may end with last.
func closes(first, last byte) bool {
	switch first {
	case '"':
		return last == '"'
	case '{', '[':
		return last == first+2
	}
	return true
}

// Longest returns the place of the longest value that was read or skipped as a
// whole since [Decoder.Reset].
func (d *Decoder) Longest() Extent { return d.longest }

// ResetKnown is [Decoder.Reset] for a text that was read before, with what
// [Decoder.Longest] returned then. If the text is another one by now, what is
// read may not be well-formed.
func (d *Decoder) ResetKnown(text []byte, e Extent) {
	d.Reset(text)
	d.given = e
}

// known are strings that were read lately: the records of a file repeat most of
// their short ones.
type known [256]string

// knownSize is the longest literal that is looked up, in bytes.
const knownSize = 64

// unquote returns what the literal lit, which is longer than 2, stands for.
func (k *known) unquote(lit []byte) string {
	n := len(lit)
	at := (uint(lit[1])*31+uint(lit[n-2]))*31 + uint(lit[n/2])*7 + uint(n)
	s := &k[at%uint(len(k))]
	if *s != string(lit[1:n-1]) || bytes.IndexByte(lit, '\\') >= 0 {
		*s = Unquote(lit)
	}
	return *s
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
	if d.known == nil && d.text != nil {
		d.known = new(known)
	}
	*d = Decoder{text: text, known: d.known}
}

// Err returns the first error, or nil. Reaching the end of the text between
// values is no error.
func (d *Decoder) Err() error { return d.err }

// Offset returns the position in the text, in bytes, after what was read last.
func (d *Decoder) Offset() int { return d.pos }

// Damaged returns how many bytes of invalid UTF-8 and lone surrogates there were
// in what was read with [Decoder.Literal] and [Decoder.CleanRaw] and in the
// names that [Decoder.Members] yielded. They were replaced by U+FFFD.
func (d *Decoder) Damaged() int { return d.damaged }

// Next returns the position in the text, in bytes, of the next value.
func (d *Decoder) Next() int { return skipSpace(d.text, d.pos) }

// Slice returns the text from a position that Next gave to what was read last.
func (d *Decoder) Slice(from int) Raw {
	to := d.Offset()
	if d.err != nil || from > to {
		return nil
	}
	return Raw(d.text[from:to:to])
}

// Kind reports the kind of the next value without reading it. What is no
// value, too, is End: reading it reports the error.
func (d *Decoder) Kind() Kind {
	if d.err != nil {
		return End
	}
	d.pos = skipSpace(d.text, d.pos)
	if d.pos >= len(d.text) {
		return End
	}
	switch c := d.text[d.pos]; c {
	case '"', '{', '[', 't', 'f', 'n':
		return Kind(c)
	default:
		if c == '-' || c >= '0' && c <= '9' {
			return Number
		}
		return End
	}
}

// More reports whether another value follows at the top level of the text. A
// syntax error counts as a value: reading it reports the error.
func (d *Decoder) More() bool {
	return d.err == nil && skipSpace(d.text, d.pos) < len(d.text)
}

// Members reads an object and yields the decoded name of each member in order.
// The body reads the member's value with d; a value it leaves is skipped. The
// name is valid until the next read. Leaving the loop early skips the rest of
// the object, unless an error stopped the reading.
func (d *Decoder) Members() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		going := true
		for first := d.open(Object); d.next('}', &first); {
			name := d.name()
			if d.err != nil {
				return
			}
			d.pending = true
			going = going && yield(name)
			if d.pending {
				d.Skip()
			}
		}
	}
}

// Elements reads an array and yields the index of each element. The body reads
// the element with d; one it leaves is skipped, and so is the rest of the array
// when the loop is left early.
func (d *Decoder) Elements() iter.Seq[int] {
	return func(yield func(int) bool) {
		going := true
		i := 0
		for first := d.open(Array); d.next(']', &first); i++ {
			d.pending = true
			going = going && yield(i)
			if d.pending {
				d.Skip()
			}
		}
	}
}

// open reads the bracket of an object or array. It returns true for next.
func (d *Decoder) open(want Kind) bool {
	d.pending = false
	if !d.want(want) {
		return true
	}
	if d.depth++; d.depth > maxDepth {
		d.fail(d.pos, errDepth)
		return true
	}
	d.pos++
	return true
}

// next goes on to the next member or element and reports whether there is one;
// if not, it reads the closing bracket.
func (d *Decoder) next(bracket byte, first *bool) bool {
	if d.err != nil {
		return false
	}
	d.pos = skipSpace(d.text, d.pos)
	if d.pos >= len(d.text) {
		d.fail(d.pos, io.ErrUnexpectedEOF)
		return false
	}
	switch c := d.text[d.pos]; {
	case c == bracket:
		d.pos++
		d.depth--
		d.pending = false
		return false
	case *first:
		*first = false
		return true
	case c == ',':
		d.pos = skipSpace(d.text, d.pos+1)
		if d.pos < len(d.text) && d.text[d.pos] == bracket {
			d.fail(d.pos, errToken)
			return false
		}
		return true
	}
	d.fail(d.pos, errComma)
	return false
}

// name reads a member's name and the colon.
func (d *Decoder) name() []byte {
	if d.Kind() != String {
		err := errName
		if d.pos >= len(d.text) {
			err = io.ErrUnexpectedEOF
		}
		d.fail(d.pos, err)
		return nil
	}
	from := d.pos
	d.nameAt = from
	end, t, err := scanString(d.text, from+1)
	if err != nil {
		d.fail(end, err)
		return nil
	}
	d.pos = skipSpace(d.text, end)
	switch {
	case d.pos >= len(d.text):
		d.fail(d.pos, io.ErrUnexpectedEOF)
		return nil
	case d.text[d.pos] != ':':
		d.fail(d.pos, errColon)
		return nil
	}
	d.pos++
	lit := d.text[from:end]
	if t&(hasSurrogate|hasHigh) != 0 {
		clean, n := cleanLiteral(lit, t)
		d.damaged += n
		lit = clean
	}
	if t&hasEscape != 0 {
		return AppendUnquote(nil, lit)
	}
	return lit[1 : len(lit)-1]
}

// Skip reads over the next value.
func (d *Decoder) Skip() { d.Raw() }

// Raw reads the next value of any kind as it is written.
func (d *Decoder) Raw() Raw {
	d.pending = false
	if d.err != nil {
		return nil
	}
	from := skipSpace(d.text, d.pos)
	end, t, ok := d.given.in(d.text, from)
	if !ok {
		var err error
		if end, t, err = scanValue(d.text, from, d.depth); err != nil {
			d.fail(end, err)
			return nil
		}
		d.longest.note(from, end, t)
	}
	d.pos, d.traits = end, t
	return Raw(d.text[from:end:end])
}

// CleanRaw reads the next value of any kind as it is written, but for invalid
// UTF-8 and lone surrogates, see [Decoder.Damaged].
func (d *Decoder) CleanRaw() Raw {
	r := d.Raw()
	if d.traits&(hasSurrogate|hasHigh) == 0 {
		return r
	}
	r, n := cleanValue(r, d.traits)
	d.damaged += n
	return r
}

// Literal reads a string and returns it as written, quotes included, but for
// invalid UTF-8 and lone surrogates, see [Decoder.Damaged].
func (d *Decoder) Literal() []byte {
	if !d.want(String) {
		return nil
	}
	lit := d.Raw()
	if d.traits&(hasSurrogate|hasHigh) == 0 {
		return lit
	}
	clean, n := cleanLiteral(lit, d.traits)
	d.damaged += n
	return clean
}

// Escaped reports whether the literal read last holds an escape.
func (d *Decoder) Escaped() bool { return d.traits&hasEscape != 0 }

// Str reads a string and returns it decoded; invalid UTF-8 and lone surrogates
// become U+FFFD.
func (d *Decoder) Str() string {
	lit := d.Literal()
	switch n := len(lit); {
	case n <= 2:
		return ""
	case d.known != nil && n <= knownSize:
		return d.known.unquote(lit)
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

// The seconds of the years 1 to 9999 in UTC. Times outside of them are none: as
// they are written elsewhere, nobody could read them.
const (
	firstSecond = -62135596800
	endSecond   = 253402300800
)

// OptTime reads a time in the form of RFC 3339 if there is one, of the years 1 to
// 9999; anything else is skipped and reads as the zero time.
func (d *Decoder) OptTime() (t time.Time) {
	if d.Kind() != String {
		d.Skip()
		return t
	}
	lit := d.Literal()
	if len(lit) < 2 {
		return t
	}
	text := lit[1 : len(lit)-1]
	if d.Escaped() {
		text = AppendUnquote(nil, lit)
	}
	if t.UnmarshalText(text) != nil || t.Unix() < firstSecond || t.Unix() >= endSecond {
		return time.Time{}
	}
	return t
}

// Bool reads a boolean.
func (d *Decoder) Bool() bool {
	if !d.want(True) {
		return false
	}
	return string(d.Raw()) == "true"
}

// OptBool reads a boolean if there is one; a value of another kind is skipped
// and reads as false.
func (d *Decoder) OptBool() bool {
	k := d.Kind()
	d.Skip()
	return k == True && d.err == nil
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
	got := d.Kind()
	if got == k || k == True && got == False {
		return true
	}
	if got == End && d.pos < len(d.text) && d.text[d.pos] != '}' && d.text[d.pos] != ']' {
		d.fail(d.pos, errToken)
		return false
	}
	if got == End && d.pos >= len(d.text) {
		d.fail(d.pos, io.ErrUnexpectedEOF)
		return false
	}
	d.err = fmt.Errorf("%w: want %v, got %v at byte %d", ErrKind, k, got, d.pos)
	return false
}

// fail records the first error and its place.
func (d *Decoder) fail(at int, err error) {
	if d.err != nil {
		return
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		d.err = fmt.Errorf("the text ends within a value at byte %d: %w", at, err)
		return
	}
	d.err = fmt.Errorf("%w at byte %d", err, at)
}
