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
	// width is that of the terminal, in columns.
	width int
	color bool
}

// defaultWidth is the width where there is no terminal.
const defaultWidth = 80

func systemStreams() streams {
	s := streams{in: os.Stdin, out: os.Stdout, err: os.Stderr, width: defaultWidth}
	s.inTTY = term.IsTerminal(int(os.Stdin.Fd()))
	s.outTTY = term.IsTerminal(int(os.Stdout.Fd()))
	s.errTTY = term.IsTerminal(int(os.Stderr.Fd()))
	for _, f := range []*os.File{os.Stdout, os.Stderr} {
		if w, _, err := term.GetSize(int(f.Fd())); err == nil && w > 0 {
			s.width = w
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
