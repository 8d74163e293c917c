package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
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
	s := streams{in: os.Stdin, out: &printer{w: os.Stdout}, err: os.Stderr, width: defaultWidth, height: defaultHeight}
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

// printer is standard output. It remembers that something could not be written,
// since what prints a line at a time does not look.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) Write(text []byte) (int, error) {
	n, err := p.w.Write(text)
	if err == nil {
		return n, nil
	}
	if path := (*fs.PathError)(nil); errors.As(err, &path) {
		err = path.Err // the name means nothing to a person
	}
	err = fmt.Errorf("write to standard output: %w", err)
	if p.err == nil {
		p.err = err
	}
	return n, err
}

// printed returns the error of the first thing that could not be printed.
func (s *streams) printed() error {
	if p, ok := s.out.(*printer); ok {
		return p.err
	}
	return nil
}

// visible shows control characters and those that cannot be seen as escapes, so
// that a hostile session cannot drive the terminal. Newlines and tabs stay.
func visible(s string) string { return shown.Text(s) }

// line is visible in a single line.
func line(s string) string { return shown.Line(s) }
