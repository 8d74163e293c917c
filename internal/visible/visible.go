package visible

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text returns s with what cannot be seen as escapes. Newlines and tabs stay.
// Bytes that are no UTF-8 are shown as \x escapes, too: some terminals take
// them for control characters.
func Text(s string) string {
	i := first(s)
	if i < 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	b.WriteString(s[:i])
	prev := last(s[:i])
	for i < len(s) {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			escape(&b, rune(s[i]))
		case hidden(r) || joins(r) && !joinable(prev, r):
			escape(&b, r)
		default:
			b.WriteRune(r)
		}
		prev = r
		i += size
	}
	return b.String()
}

// Line is Text in a single line: white space becomes one space.
func Line(s string) string { return Text(strings.Join(strings.Fields(s), " ")) }

// first returns where the first character stands that is not plain text, or
// -1.
func first(s string) int {
	prev := rune(-1)
	for i, r := range s {
		if r < utf8.RuneSelf {
			if r < ' ' && r != '\n' && r != '\t' || r == 0x7F {
				return i
			}
			prev = r
			continue
		}
		if r == utf8.RuneError && !strings.HasPrefix(s[i:], "\uFFFD") || hidden(r) || joins(r) && !joinable(prev, r) {
			return i
		}
		prev = r
	}
	return -1
}

func last(s string) rune {
	if s == "" {
		return -1
	}
	r, _ := utf8.DecodeLastRuneInString(s)
	return r
}

func escape(b *strings.Builder, r rune) {
	const hex = "0123456789abcdef"
	prefix, digits := `\x`, 2
	switch {
	case r > 0xFFFF:
		prefix, digits = `\U`, 8
	case r > 0xFF:
		prefix, digits = `\u`, 4
	}
	b.WriteString(prefix)
	for shift := 4 * (digits - 1); shift >= 0; shift -= 4 {
		b.WriteByte(hex[r>>shift&15])
	}
}

// hidden reports whether r is never shown as it is.
func hidden(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r < 0x7F:
		return r < ' '
	case joins(r):
		return false
	case unicode.Is(unicode.Cc, r), unicode.Is(unicode.Cf, r), unicode.Is(unicode.Zl, r), unicode.Is(unicode.Zp, r):
		return true
	}
	return blank(r)
}

// blank reports whether r takes part in text without a form of its own: fillers
// and the characters that only select a variant of another.
func blank(r rune) bool {
	switch r {
	case 0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0:
		return true
	}
	return r >= 0x180B && r <= 0x180F || r >= 0xE0000 && r <= 0xE0FFF || r >= 0xFFF0 && r <= 0xFFF8
}

// joins reports whether r is invisible and yet a part of ordinary writing: the
// joiners of Persian and of emoji, and what chooses between text and emoji.
func joins(r rune) bool {
	return r == 0x200C || r == 0x200D || r >= 0xFE00 && r <= 0xFE0F
}

// joinable reports whether r may follow prev: a selector a visible character, a
// joiner that or a selector. Longer runs say something that cannot be seen.
func joinable(prev, r rune) bool {
	if selector := r >= 0xFE00; selector || !(prev >= 0xFE00 && prev <= 0xFE0F) {
		return prev > ' ' && !joins(prev) && !hidden(prev)
	}
	return true
}
