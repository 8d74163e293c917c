package cli

import (
	"io"
	"os"

	"golang.org/x/term"

	shown "github.com/crosswalk-agents/crosswalk/internal/visible"
)

// streams are the program's input and output.
type streams struct {
	in       io.Reader
	out, err io.Writer
	// inTTY, outTTY and errTTY tell which of them are terminals.
	inTTY, outTTY, errTTY bool
	// width and height are those of the terminal, in columns and lines.
	width, height int
	color         bool
}

// The size where there is no terminal.
const (
	defaultWidth  = 80
	defaultHeight = 24
)

func systemStreams() streams {
	s := streams{in: os.Stdin, out: os.Stdout, err: os.Stderr, width: defaultWidth, height: defaultHeight}
	s.inTTY = term.IsTerminal(int(os.Stdin.Fd()))
	s.outTTY = term.IsTerminal(int(os.Stdout.Fd()))
	s.errTTY = term.IsTerminal(int(os.Stderr.Fd()))
	for _, f := range []*os.File{os.Stdout, os.Stderr} {
		if w, h, err := term.GetSize(int(f.Fd())); err == nil && w > 0 && h > 0 {
			s.width, s.height = w, h
			break
		}
	}
	s.color = os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	return s
}

// visible shows control characters and those that cannot be seen as escapes, so
// that a hostile session cannot drive the terminal. Newlines and tabs stay.
func visible(s string) string { return shown.Text(s) }

// line is visible in a single line.
func line(s string) string { return shown.Line(s) }
