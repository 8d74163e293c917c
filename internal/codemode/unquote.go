package codemode

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// unquote returns what a JavaScript string or template literal without
// substitutions stands for; ok is false if it holds an escape that is none.
// (ECMAScript 2025, 12.9.4 and 12.9.6.)
func unquote(lit string) (s string, ok bool) {
	if len(lit) < 2 {
		return "", false
	}
	lit = lit[1 : len(lit)-1]
	var out strings.Builder
	high := rune(-1) // a surrogate that waits for its second half
	write := func(r rune) {
		if high >= 0 {
			if r := utf16.DecodeRune(high, r); r != utf8.RuneError {
				out.WriteRune(r)
				high = -1
				return
			}
			out.WriteRune(utf8.RuneError)
			high = -1
		}
		if utf16.IsSurrogate(r) && r < 0xDC00 {
			high = r
			return
		}
		out.WriteRune(r)
	}
	for len(lit) > 0 {
		r, size := utf8.DecodeRuneInString(lit)
		lit = lit[size:]
		if r != '\\' {
			write(r)
			continue
		}
		r, n, ok := escape(lit)
		if !ok {
			return "", false
		}
		if lit = lit[n:]; r >= 0 {
			write(r)
		}
	}
	if high >= 0 {
		out.WriteRune(utf8.RuneError)
	}
	return out.String(), true
}

// escape reads what follows a backslash: the character, -1 for a line that goes
// on, and how many bytes it takes.
func escape(s string) (r rune, n int, ok bool) {
	r, n = utf8.DecodeRuneInString(s)
	switch r {
	case 'n':
		return '\n', n, true
	case 't':
		return '\t', n, true
	case 'r':
		return '\r', n, true
	case 'b':
		return '\b', n, true
	case 'f':
		return '\f', n, true
	case 'v':
		return '\v', n, true
	case '0':
		if len(s) > 1 && s[1] >= '0' && s[1] <= '9' {
			return 0, 0, false
		}
		return 0, n, true
	case '\n', '\u2028', '\u2029':
		return -1, n, true
	case '\r':
		if strings.HasPrefix(s, "\r\n") {
			n++
		}
		return -1, n, true
	case 'x':
		return hex(s, 1, 3)
	case 'u':
		if strings.HasPrefix(s, "u{") {
			end := strings.IndexByte(s, '}')
			if end < 0 {
				return 0, 0, false
			}
			r, _, ok = hex(s, 2, end)
			return r, end + 1, ok
		}
		return hex(s, 1, 5)
	}
	return r, n, n > 0
}

func hex(s string, from, to int) (r rune, n int, ok bool) {
	if len(s) < to {
		return 0, 0, false
	}
	v, err := strconv.ParseUint(s[from:to], 16, 32)
	return rune(v), to, err == nil && v <= utf8.MaxRune
}
