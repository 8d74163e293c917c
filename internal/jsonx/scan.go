package jsonx

import (
	"encoding/binary"
	"errors"
	"io"
	"math/bits"
)

// A session file is lexed about six times on its way through, and most of it
// is strings full of escapes. This lexer takes eight bytes at a time and tells
// in the same pass whether a string has escapes or needs a closer look; the
// fuzz tests hold it to the grammar of go-json-experiment/json.

// maxDepth is how deep values may be nested.
const maxDepth = 10_000

// traits tell what stands in a string literal.
type traits uint8

const (
	hasEscape    traits = 1 << iota // a backslash
	hasSurrogate                    // an escape of a surrogate, which may be a lone one
	hasHigh                         // a byte outside ASCII, which may be invalid UTF-8
)

var (
	errControl = errors.New("control character in a string")
	errEscape  = errors.New("invalid escape in a string")
	errDepth   = errors.New("nested deeper than 10,000")
	errToken   = errors.New("invalid character")
	errNumber  = errors.New("invalid number")
	errLiteral = errors.New("invalid literal")
	errComma   = errors.New("missing comma")
	errColon   = errors.New("missing colon")
	errName    = errors.New("member name is no string")
)

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// special marks, in the top bit of each byte, quotes, backslashes and control
// characters of eight bytes. The lowest mark is exact.
func special(x uint64) uint64 {
	quote := x ^ ones*'"'
	slash := x ^ ones*'\\'
	return ((quote-ones)&^quote | (slash-ones)&^slash | (x-ones*0x20)&^x) & highs
}

// scanString returns the position after the closing quote of the string whose
// first byte behind the opening quote is b[i].
func scanString(b []byte, i int) (end int, t traits, err error) {
	var high uint64 // the top bits of all bytes passed over
	for {
		for i+8 <= len(b) {
			x := binary.LittleEndian.Uint64(b[i:])
			mark := special(x)
			if mark == 0 {
				high |= x
				i += 8
				continue
			}
			n := bits.TrailingZeros64(mark) & 56
			high |= x & (1<<n - 1)
			i += n >> 3
			break
		}
		if i >= len(b) {
			return i, t, io.ErrUnexpectedEOF
		}
		switch c := b[i]; {
		case c == '\\':
			if i+1 < len(b) && simpleEscape[b[i+1]] {
				t |= hasEscape
				i += 2
				continue
			}
			n, u := unicodeEscape(b[i:])
			if n == 0 {
				if len(b)-i < 6 {
					return i, t, io.ErrUnexpectedEOF
				}
				return i, t, errEscape
			}
			t |= hasEscape | u
			i += n
		case c == '"':
			if high&highs != 0 {
				t |= hasHigh
			}
			return i + 1, t, nil
		case c < 0x20:
			return i, t, errControl
		default:
			high |= uint64(c)
			i++
		}
	}
}

// simpleEscape tells the characters that may follow a backslash alone.
var simpleEscape = [256]bool{'"': true, '\\': true, '/': true, 'b': true, 'f': true, 'n': true, 'r': true, 't': true}

// unicodeEscape returns the length of the escape of a code unit that b begins
// with; 0 if it is none.
func unicodeEscape(b []byte) (n int, t traits) {
	if len(b) < 6 || b[1] != 'u' {
		return 0, 0
	}
	if _, ok := hex4(b[2:]); !ok {
		return 0, 0
	}
	if b[2]|0x20 == 'd' {
		return 6, hasSurrogate
	}
	return 6, 0
}

// skipSpace returns the position of the next byte that is no white space.
func skipSpace(b []byte, i int) int {
	for i < len(b) {
		switch b[i] {
		case ' ', '\t', '\r', '\n':
			i++
		default:
			return i
		}
	}
	return i
}

// scanValue returns the position after the value that begins at b[i].
func scanValue(b []byte, i, depth int) (end int, t traits, err error) {
	if i >= len(b) {
		return i, 0, io.ErrUnexpectedEOF
	}
	switch c := b[i]; c {
	case '"':
		return scanString(b, i+1)
	case '{':
		return scanObject(b, i+1, depth+1)
	case '[':
		return scanArray(b, i+1, depth+1)
	case 't':
		return scanLiteral(b, i, "true")
	case 'f':
		return scanLiteral(b, i, "false")
	case 'n':
		return scanLiteral(b, i, "null")
	default:
		if c == '-' || c >= '0' && c <= '9' {
			return scanNumber(b, i)
		}
		return i, 0, errToken
	}
}

func scanLiteral(b []byte, i int, want string) (int, traits, error) {
	if len(b)-i < len(want) {
		if string(b[i:]) == want[:len(b)-i] {
			return i, 0, io.ErrUnexpectedEOF
		}
		return i, 0, errLiteral
	}
	if string(b[i:i+len(want)]) != want {
		return i, 0, errLiteral
	}
	return i + len(want), 0, nil
}

func scanNumber(b []byte, i int) (int, traits, error) {
	if b[i] == '-' {
		i++
	}
	switch {
	case i >= len(b):
		return i, 0, io.ErrUnexpectedEOF
	case b[i] == '0':
		i++
	case b[i] >= '1' && b[i] <= '9':
		i = digits(b, i)
	default:
		return i, 0, errNumber
	}
	if i < len(b) && b[i] == '.' {
		from := i + 1
		if i = digits(b, from); i == from {
			return i, 0, errNumber
		}
	}
	if i < len(b) && (b[i] == 'e' || b[i] == 'E') {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		from := i
		if i = digits(b, from); i == from {
			return i, 0, errNumber
		}
	}
	return i, 0, nil
}

func digits(b []byte, i int) int {
	for i < len(b) && b[i] >= '0' && b[i] <= '9' {
		i++
	}
	return i
}

func scanObject(b []byte, i, depth int) (end int, all traits, err error) {
	if depth > maxDepth {
		return i, 0, errDepth
	}
	i = skipSpace(b, i)
	if i < len(b) && b[i] == '}' {
		return i + 1, 0, nil
	}
	for {
		if i = skipSpace(b, i); i >= len(b) {
			return i, all, io.ErrUnexpectedEOF
		}
		if b[i] != '"' {
			return i, all, errName
		}
		var t traits
		if i, t, err = scanString(b, i+1); err != nil {
			return i, all, err
		}
		all |= t
		if i = skipSpace(b, i); i >= len(b) {
			return i, all, io.ErrUnexpectedEOF
		}
		if b[i] != ':' {
			return i, all, errColon
		}
		if i, t, err = scanValue(b, skipSpace(b, i+1), depth); err != nil {
			return i, all, err
		}
		all |= t
		if i = skipSpace(b, i); i >= len(b) {
			return i, all, io.ErrUnexpectedEOF
		}
		switch b[i] {
		case ',':
			i++
		case '}':
			return i + 1, all, nil
		default:
			return i, all, errComma
		}
	}
}

func scanArray(b []byte, i, depth int) (end int, all traits, err error) {
	if depth > maxDepth {
		return i, 0, errDepth
	}
	i = skipSpace(b, i)
	if i < len(b) && b[i] == ']' {
		return i + 1, 0, nil
	}
	for {
		var t traits
		if i, t, err = scanValue(b, skipSpace(b, i), depth); err != nil {
			return i, all, err
		}
		all |= t
		if i = skipSpace(b, i); i >= len(b) {
			return i, all, io.ErrUnexpectedEOF
		}
		switch b[i] {
		case ',':
			i++
		case ']':
			return i + 1, all, nil
		default:
			return i, all, errComma
		}
	}
}
