package cli

import (
	"io"
	"os"
	"strings"
	"unicode"

	"golang.org/x/term"
)

// streams are the program's input and output.
type streams struct {
	in       io.Reader
	out, err io.Writer
	// inTTY, outTTY and errTTY tell which of them are terminals.
	inTTY, outTTY, errTTY bool
	width                 int
	color                 bool
}

func systemStreams() streams {
	s := streams{in: os.Stdin, out: os.Stdout, err: os.Stderr, width: 80}
	s.inTTY = term.IsTerminal(int(os.Stdin.Fd()))
	s.outTTY = term.IsTerminal(int(os.Stdout.Fd()))
	s.errTTY = term.IsTerminal(int(os.Stderr.Fd()))
	if w, _, err := term.GetSize(int(os.Stdout.Fd())); err == nil && w > 0 {
		s.width = w
	}
	s.color = os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	return s
}

// visible shows control characters and those that change the direction of text
// as escapes, so that a hostile session cannot drive the terminal. Newlines and
// tabs stay.
func visible(s string) string {
	if !strings.ContainsFunc(s, hidden) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if !hidden(r) {
			b.WriteRune(r)
			continue
		}
		const hex = "0123456789abcdef"
		if r < 0x100 {
			b.WriteString(`\x` + string(hex[r>>4]) + string(hex[r&15]))
			continue
		}
		b.WriteString(`\u`)
		for shift := 12; shift >= 0; shift -= 4 {
			b.WriteByte(hex[r>>shift&15])
		}
	}
	return b.String()
}

func hidden(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case unicode.IsControl(r):
		return true
	case r >= 0x202A && r <= 0x202E, r >= 0x2066 && r <= 0x2069, r == 0x200E, r == 0x200F, r == 0x061C:
		return true
	}
	return r == '\u2028' || r == '\u2029' || r == '\uFEFF'
}

// line is visible in a single line.
func line(s string) string {
	return visible(strings.Join(strings.Fields(s), " "))
}
