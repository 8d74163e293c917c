package jsonx

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Raw is one JSON value as it was written.
type Raw []byte

// Kind returns the kind of the value; End if there is none.
func (r Raw) Kind() Kind {
	switch r = bytes.TrimLeft(r, " \t\r\n"); {
	case len(r) == 0:
		return End
	case r[0] == '-' || r[0] >= '0' && r[0] <= '9':
		return Number
	default:
		return Kind(r[0])
	}
}

// Valid reports whether r is exactly one well-formed JSON value. Duplicate
// names and invalid UTF-8 are accepted.
func (r Raw) Valid() bool {
	end, _, err := scanValue(r, skipSpace(r, 0), 0)
	return err == nil && skipSpace(r, end) == len(r)
}

// AppendRaw appends the well-formed value v on one line: line breaks, which can
// stand only between its tokens, become spaces.
func AppendRaw(dst []byte, v Raw) []byte {
	at := len(dst)
	dst = append(dst, v...)
	for _, end := range []byte{'\n', '\r'} {
		for i := at; ; i++ {
			n := bytes.IndexByte(dst[i:], end)
			if n < 0 {
				break
			}
			i += n
			dst[i] = ' '
		}
	}
	return dst
}

// AppendQuote appends s as a JSON string literal with the fewest escapes.
// Invalid UTF-8 becomes U+FFFD.
func AppendQuote(dst []byte, s string) []byte {
	// The error only says that UTF-8 was replaced.
	dst, _ = jsontext.AppendQuote(dst, s)
	return dst
}

// AppendUnquote appends the decoded form of the JSON string literal lit, which
// must be well-formed. Invalid UTF-8 and lone surrogates become U+FFFD.
func AppendUnquote(dst, lit []byte) []byte {
	if n := len(lit); n >= 2 && bytes.IndexByte(lit[1:n-1], '\\') < 0 && utf8.Valid(lit) {
		return append(dst, lit[1:n-1]...)
	}
	// The error only says that UTF-8 was replaced.
	dst, _ = jsontext.AppendUnquote(dst, lit)
	return dst
}

// Unquote returns the decoded form of the JSON string literal lit.
func Unquote(lit []byte) string {
	if n := len(lit); n >= 2 && bytes.IndexByte(lit[1:n-1], '\\') < 0 && utf8.Valid(lit) {
		return string(lit[1 : n-1])
	}
	return string(AppendUnquote(nil, lit))
}

// CleanLiteral returns lit with each byte of invalid UTF-8 and each escape of a
// lone surrogate replaced by U+FFFD, and how many there were. It returns lit
// itself when there is nothing to replace.
func CleanLiteral(lit []byte) (clean []byte, replaced int) {
	return cleanLiteral(lit, hasHigh|hasSurrogate)
}

// cleanLiteral is CleanLiteral for a literal with at most the traits t.
func cleanLiteral(lit []byte, t traits) (clean []byte, replaced int) {
	if !suspect(lit, t) {
		return lit, 0
	}
	if replaced = countDamage(lit); replaced == 0 {
		return lit, 0
	}
	// Damage is rare: quoting the decoded form anew is simple and exact.
	return AppendQuote(nil, string(AppendUnquote(nil, lit))), replaced
}

// CleanValue returns the well-formed value v with each byte of invalid UTF-8 and
// each escape of a lone surrogate in its strings replaced by U+FFFD, and how
// many there were. It returns v itself when there is nothing to replace.
func CleanValue(v Raw) (clean Raw, replaced int) {
	return cleanValue(v, hasHigh|hasSurrogate)
}

func cleanValue(v Raw, t traits) (clean Raw, replaced int) {
	if !suspect(v, t) {
		return v, 0
	}
	clean = mapLiterals(v, func(lit []byte) []byte {
		lit, n := CleanLiteral(lit)
		replaced += n
		return lit
	})
	if replaced == 0 {
		return v, 0
	}
	return clean, replaced
}

// MapStrings returns the well-formed value v with each string in it, names of
// members too, replaced by what f returns for it decoded, if f says so. All
// else stays byte for byte; it returns v itself when nothing is replaced.
func MapStrings(v Raw, f func(s string) (string, bool)) Raw {
	changed := false
	out := mapLiterals(v, func(lit []byte) []byte {
		s, ok := f(Unquote(lit))
		if !ok {
			return lit
		}
		changed = true
		return AppendQuote(nil, s)
	})
	if !changed {
		return v
	}
	return out
}

// mapLiterals returns a copy of v with each string literal replaced by what f
// returns for it.
func mapLiterals(v Raw, f func(lit []byte) []byte) Raw {
	out := make(Raw, 0, len(v))
	for i := 0; i < len(v); {
		if v[i] != '"' {
			out = append(out, v[i])
			i++
			continue
		}
		end := i + 1
		for end < len(v) && v[end] != '"' {
			if v[end] == '\\' {
				end++
			}
			end++
		}
		end = min(end+1, len(v))
		out = append(out, f(v[i:end])...)
		i = end
	}
	return out
}

// suspect reports whether b, which has at most the traits t, may hold something
// to replace.
func suspect(b []byte, t traits) bool {
	if t&hasHigh != 0 && !utf8.Valid(b) {
		return true
	}
	return t&hasSurrogate != 0 && (bytes.Contains(b, []byte(`\ud`)) || bytes.Contains(b, []byte(`\uD`)))
}

// countDamage counts the bytes of invalid UTF-8 sequences and the lone
// surrogate escapes of lit.
func countDamage(lit []byte) int {
	n := 0
	for i := 0; i < len(lit); {
		switch c := lit[i]; {
		case c == '\\' && i+1 < len(lit) && lit[i+1] == 'u':
			u, ok := hex4(lit[i+2:])
			i += 6
			if !ok || u < 0xD800 || u > 0xDFFF {
				continue
			}
			if u < 0xDC00 && i+6 <= len(lit) && lit[i] == '\\' && lit[i+1] == 'u' {
				if lo, ok := hex4(lit[i+2:]); ok && lo >= 0xDC00 && lo <= 0xDFFF {
					i += 6
					continue
				}
			}
			n++
		case c == '\\':
			i += 2
		case c < utf8.RuneSelf:
			i++
		default:
			r, size := utf8.DecodeRune(lit[i:])
			if r == utf8.RuneError && size == 1 {
				n++
			}
			i += size
		}
	}
	return n
}

func hex4[T []byte | string](b T) (u rune, ok bool) {
	if len(b) < 4 {
		return 0, false
	}
	for i := range 4 {
		c := b[i]
		switch {
		case c >= '0' && c <= '9':
			u = u<<4 | rune(c-'0')
		case c >= 'a' && c <= 'f':
			u = u<<4 | rune(c-'a'+10)
		case c >= 'A' && c <= 'F':
			u = u<<4 | rune(c-'A'+10)
		default:
			return 0, false
		}
	}
	return u, true
}

// AppendUnescape appends the decoded form of s, the inside of a well-formed
// JSON string literal.
func AppendUnescape(dst []byte, s string) []byte {
	// Nothing grows by more than half: a broken \u to the three bytes of U+FFFD.
	return AppendUnescapeHead(dst, s, 2*len(s))
}

// AppendUnescapeHead is AppendUnescape for a caller that needs no more than the
// first n bytes of the decoded form: it stops there, after a whole character.
func AppendUnescapeHead(dst []byte, s string, n int) []byte {
	dst = slices.Grow(dst, max(0, min(n, len(s))))
	for end := len(dst) + n; len(dst) < end; {
		i := strings.IndexByte(s, '\\')
		if i < 0 || i+1 >= len(s) {
			i = len(s)
		}
		if room := end - len(dst); i >= room {
			for i = room; i < len(s) && !utf8.RuneStart(s[i]); i++ {
			}
			return append(dst, s[:i]...)
		}
		dst = append(dst, s[:i]...)
		if i == len(s) {
			break
		}
		dst, s = appendEscape(dst, s[i:])
	}
	return dst
}

// CutUnescaped is [strings.Cut] for s, the inside of a well-formed JSON string
// literal: it looks for the first place whose decoded form is sep.
func CutUnescaped(s, sep string) (before, after string, found bool) {
	for i := 0; ; i++ {
		if rest, ok := cutPrefix(s[i:], sep); ok {
			return s[:i], rest, true
		}
		if i >= len(s) {
			return s, "", false
		}
		if s[i] == '\\' {
			_, rest := appendEscape(nil, s[i:])
			i = len(s) - len(rest) - 1
		}
	}
}

// cutPrefix returns s, the inside of a literal, without the leading part whose
// decoded form is prefix.
func cutPrefix(s, prefix string) (rest string, ok bool) {
	var buf [utf8.UTFMax]byte
	for prefix != "" {
		if s == "" {
			return "", false
		}
		c := append(buf[:0], s[0])
		if s[0] == '\\' {
			c, rest = appendEscape(buf[:0], s)
		} else {
			rest = s[1:]
		}
		if !strings.HasPrefix(prefix, string(c)) {
			return "", false
		}
		s, prefix = rest, prefix[len(c):]
	}
	return s, true
}

// appendEscape appends the character of the escape that s begins with, and
// returns what follows it.
func appendEscape(dst []byte, s string) (out []byte, rest string) {
	switch {
	case len(s) < 2:
		return append(dst, s...), ""
	case s[1] == 'u':
		return appendUnicodeEscape(dst, s[2:])
	}
	return append(dst, unescaped(s[1])), s[2:]
}

// unescaped returns what the escape of a backslash and c stands for.
func unescaped(c byte) byte {
	switch c {
	case 'n':
		return '\n'
	case 't':
		return '\t'
	case 'r':
		return '\r'
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	}
	return c // quote, backslash, slash
}

// appendUnicodeEscape appends the character of the escape whose digits begin
// s, and returns what follows it.
func appendUnicodeEscape(dst []byte, s string) (out []byte, rest string) {
	u, ok := hex4(s)
	if !ok {
		return utf8.AppendRune(dst, utf8.RuneError), s
	}
	s = s[4:]
	if utf16.IsSurrogate(u) && strings.HasPrefix(s, `\u`) {
		if lo, ok := hex4(s[2:]); ok {
			if r := utf16.DecodeRune(u, lo); r != utf8.RuneError {
				return utf8.AppendRune(dst, r), s[6:]
			}
		}
	}
	return utf8.AppendRune(dst, u), s // a lone surrogate becomes U+FFFD
}
