package canon

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// Raw is a JSON value as it was written.
type Raw = jsonx.Raw

// Text is a string that remembers how it was written. It is either a decoded
// string or the inside of a JSON string literal; conversion between JSON
// dialects copies the literal and decodes nothing. Two texts are equal when
// their decoded values are, in whatever escaping they stand.
//
// A Text holds valid Unicode only. The zero value is the empty text. Texts
// share memory with what they were read from and must not be modified.
type Text struct {
	body    string // decoded, or the inside of a literal
	escaped bool   // body is the inside of a literal with at least one escape
	literal bool   // body is the inside of a literal, so it needs no escape
}

// NewText returns s as a text. Each byte of invalid UTF-8 becomes U+FFFD.
func NewText(s string) Text {
	if !utf8.ValidString(s) {
		s = string([]rune(s))
	}
	return Text{body: s}
}

// LiteralText returns the text that lit, a well-formed JSON string literal with
// its quotes, stands for, and how many invalid UTF-8 sequences and lone
// surrogates had to be replaced by U+FFFD. The text keeps lit's memory, which
// must not change afterwards.
func LiteralText(lit []byte) (t Text, replaced int) {
	lit, replaced = jsonx.CleanLiteral(lit)
	if len(lit) < 2 {
		return Text{}, replaced
	}
	inside := lit[1 : len(lit)-1]
	return Text{body: view(inside), escaped: bytes.IndexByte(inside, '\\') >= 0, literal: true}, replaced
}

// String returns the decoded value. It decodes anew at each call.
func (t Text) String() string {
	if !t.escaped {
		return t.body
	}
	return string(t.AppendTo(nil))
}

// Clone returns the text with memory of its own.
func (t Text) Clone() Text {
	t.body = strings.Clone(t.body)
	return t
}

// AppendTo appends the decoded value to dst.
func (t Text) AppendTo(dst []byte) []byte {
	if !t.escaped {
		return append(dst, t.body...)
	}
	return jsonx.AppendUnescape(dst, t.body)
}

// AppendQuoted appends the value as a JSON string literal, in the escaping it
// was read in.
func (t Text) AppendQuoted(dst []byte) []byte {
	if t.literal || !needsEscape(t.body) {
		// A long text is mostly followed by some more of its record.
		dst = append(slices.Grow(dst, len(t.body)+1024), '"')
		dst = append(dst, t.body...)
		return append(dst, '"')
	}
	return jsonx.AppendQuote(dst, t.body)
}

// IsEmpty reports whether the decoded value is "".
func (t Text) IsEmpty() bool { return t.body == "" }

// Size returns the number of bytes the text takes as it is held: an upper
// bound of its decoded length.
func (t Text) Size() int { return len(t.body) }

// HasPrefix reports whether the decoded value begins with prefix.
func (t Text) HasPrefix(prefix string) bool {
	if !t.escaped {
		return strings.HasPrefix(t.body, prefix)
	}
	return strings.HasPrefix(t.Head(len(prefix)), prefix)
}

// Head returns at least the first n bytes of the decoded value up to the end of
// a character, or all of it when it is shorter. It decodes no more than it
// needs.
func (t Text) Head(n int) string {
	if t.escaped {
		var short [128]byte // most are asked for less
		return string(jsonx.AppendUnescapeHead(short[:0], t.body, n))
	}
	n = max(n, 0)
	for n < len(t.body) && !utf8.RuneStart(t.body[n]) {
		n++
	}
	return t.body[:min(n, len(t.body))]
}

// Equal reports whether both texts have the same decoded value.
func (t Text) Equal(u Text) bool {
	if t.escaped == u.escaped && t.body == u.body {
		return true
	}
	if !t.escaped && !u.escaped {
		return false
	}
	// An escape takes at most six characters for one byte.
	const longest = len(`\u0000`)
	if a, b := len(t.body), len(u.body); a > longest*b || b > longest*a || !t.escaped && a > b || !u.escaped && b > a {
		return false
	}
	return t.String() == u.String()
}

// IsBlank reports whether the decoded value is empty or white space only.
func (t Text) IsBlank() bool {
	return strings.TrimSpace(t.Head(1)) == "" && strings.TrimSpace(t.String()) == ""
}

// Cut splits a text around the first occurrence of sep in its decoded value,
// in whatever escaping that stands.
func (t Text) Cut(sep string) (before, after Text, found bool) {
	cut := strings.Cut
	if t.escaped {
		cut = jsonx.CutUnescaped
	}
	b, a, ok := cut(t.body, sep)
	if !ok {
		return t, Text{}, false
	}
	return t.part(b), t.part(a), true
}

// CutSuffix returns the text without the end whose decoded value is suffix. It
// keeps the escaping if the end is spelled with the fewest escapes.
func (t Text) CutSuffix(suffix string) (before Text, found bool) {
	if !t.escaped {
		s, ok := strings.CutSuffix(t.body, suffix)
		return t.part(s), ok
	}
	if s, ok := strings.CutSuffix(t.body, NewText(suffix).inside()); ok && endsWhole(s) {
		return t.part(s), true
	}
	s, ok := strings.CutSuffix(t.String(), suffix)
	if !ok {
		return t, false
	}
	return NewText(s), true
}

// endsWhole reports whether s, which the inside of a literal begins with, ends
// behind a character rather than within its escape.
func endsWhole(s string) bool {
	i := strings.LastIndexByte(s, '\\')
	if i < 0 || len(s)-i >= len(`\u0000`) {
		return true
	}
	slashes := i + 1 - len(strings.TrimRight(s[:i+1], `\`))
	return slashes%2 == 0 || len(s)-i >= 2 && s[i+1] != 'u'
}

// part returns a piece of t's body as a text.
func (t Text) part(body string) Text {
	return Text{body: body, escaped: t.escaped && strings.IndexByte(body, '\\') >= 0, literal: t.literal}
}

// Join returns the concatenation of texts.
func Join(texts ...Text) Text { return JoinWith("", texts...) }

// JoinWith returns the concatenation of texts with sep between them.
func JoinWith(sep string, texts ...Text) Text {
	if len(texts) == 1 {
		return texts[0]
	}
	between := NewText(sep)
	var parts []Text
	literal, escaped := false, false
	for i, t := range texts {
		for k, x := range [...]Text{between, t} {
			if x.body == "" || i == 0 && k == 0 {
				continue
			}
			parts = append(parts, x)
			literal = literal || x.literal
			escaped = escaped || x.escaped || needsEscape(x.body)
		}
	}
	switch {
	case len(parts) == 0:
		return Text{}
	case len(parts) == 1:
		return parts[0]
	}
	var out strings.Builder
	for _, x := range parts {
		if literal {
			out.WriteString(x.inside())
		} else {
			out.WriteString(x.body)
		}
	}
	return Text{body: out.String(), escaped: literal && escaped, literal: literal}
}

// inside returns the text as the inside of a literal.
func (t Text) inside() string {
	if t.literal || !needsEscape(t.body) {
		return t.body
	}
	q := jsonx.AppendQuote(nil, t.body)
	return string(q[1 : len(q)-1])
}

func needsEscape(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < 0x20 || c == '"' || c == '\\' {
			return true
		}
	}
	return false
}
