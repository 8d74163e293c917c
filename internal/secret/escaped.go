package secret

import "bytes"

// escapePrefix begins the escape of a character by its code unit, as far as
// the character is of ASCII.
const escapePrefix = `\u00`

// FindEscaped finds secrets some of whose characters are written as escapes by
// code unit, as in JSON source that is quoted in a text.
func (f *Finder) FindEscaped(text []byte) []Match {
	if !bytes.Contains(text, []byte(escapePrefix)) {
		return nil
	}
	plain := make([]byte, 0, len(text))
	at := make([]int, 0, len(text)+1) // where each byte of plain begins in text
	for i := 0; i < len(text); {
		if c, ok := escapedASCII(text[i:]); ok {
			plain = append(plain, c)
			at = append(at, i)
			i += 6
			continue
		}
		plain = append(plain, text[i])
		at = append(at, i)
		i++
	}
	at = append(at, len(text))
	matches := f.Find(plain)
	for i := range matches {
		matches[i].Start, matches[i].End = at[matches[i].Start], at[matches[i].End]
	}
	return matches
}

// escapedASCII decodes an escape of an ASCII character that b begins with.
func escapedASCII(b []byte) (byte, bool) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' || b[2] != '0' || b[3] != '0' {
		return 0, false
	}
	hi, ok1 := hexDigit(b[4])
	lo, ok2 := hexDigit(b[5])
	return hi<<4 | lo, ok1 && ok2 && hi < 8
}

func hexDigit(c byte) (byte, bool) {
	switch {
	case c >= '0' && c <= '9':
		return c - '0', true
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10, true
	case c >= 'A' && c <= 'F':
		return c - 'A' + 10, true
	}
	return 0, false
}
