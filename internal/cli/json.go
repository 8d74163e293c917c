package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// printJSON writes v as one line of JSON.
func printJSON(w io.Writer, v any) error {
	e := json.NewEncoder(&unseenEscaper{w: w})
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// unseenEscaper writes JSON with the characters escaped that a terminal must
// not get. They stand in strings only, so it stays the same JSON.
type unseenEscaper struct {
	w    io.Writer
	part []byte // the beginning of a character
}

func (u *unseenEscaper) Write(p []byte) (int, error) {
	text := append(u.part, p...)
	out := make([]byte, 0, len(text)+16)
	for len(text) > 0 && utf8.FullRune(text) {
		r, n := utf8.DecodeRune(text)
		switch {
		case r == '\n' || r >= ' ' && r < 0x7f, r == utf8.RuneError, !unseen(r):
			out = append(out, text[:n]...)
		case r > 0xffff:
			hi, lo := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, hi, lo)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		text = text[n:]
	}
	u.part = append(u.part[:0:0], text...)
	if _, err := u.w.Write(out); err != nil {
		return 0, err
	}
	return len(p), nil
}
