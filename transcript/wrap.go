package transcript

import (
	"strings"

	"github.com/clipperhouse/displaywidth"
)

// tabStop is how far apart the columns are that a tab goes to.
const tabStop = 4

// wrapper cuts text into rows of at most width columns. Lines break at spaces
// where they have them.
type wrapper struct {
	width int
	// line is what is left of the line, rest what follows it if more is set.
	line, rest string
	more       bool
	// inside says that the last row ended within a line.
	inside, done bool
}

func wrap(s shown, width int) *wrapper {
	w := &wrapper{width: max(width, 2), rest: string(s)} // some characters take two columns
	w.nextLine()
	return w
}

func (w *wrapper) nextLine() {
	w.line, w.rest, w.more = strings.Cut(w.rest, "\n")
	w.line = expandTabs(w.line)
}

// next returns the next row. Text without content has one row.
func (w *wrapper) next() (row shown, ok bool) {
	if w.done {
		return "", false
	}
	end, next := fit(w.line, w.width)
	row = shown(strings.TrimRight(w.line[:end], " "))
	w.line = w.line[next:]
	w.inside = w.line != ""
	switch {
	case w.inside:
	case w.more:
		w.nextLine()
	default:
		w.done = true
	}
	return row, true
}

// left says how much follows the last row.
func (w *wrapper) left() shown {
	if w.inside && !w.more {
		return size(len(w.line)) + " more"
	}
	n := 1
	if w.more {
		n += 1 + strings.Count(w.rest, "\n")
	}
	return count(n, "more line", "more lines")
}

// fit returns where the first row of line ends and the next one begins.
func fit(line string, width int) (end, next int) {
	column, words := 0, false
	g := displaywidth.StringGraphemes(line)
	for i := 0; g.Next(); i += len(g.Value()) {
		n, space := g.Width(), g.Value() == " "
		if column+n > width && i > 0 {
			switch {
			case space:
				return i, afterSpaces(line, i)
			case end > 0:
				return end, next
			}
			return i, i
		}
		column += n
		switch {
		case !space:
			words = true
		case words: // spaces that indent a line are no place to break it
			end, next = i, afterSpaces(line, i)
		}
	}
	return len(line), len(line)
}

// afterSpaces returns where the spaces at i end.
func afterSpaces(line string, i int) int {
	for i < len(line) && line[i] == ' ' {
		i++
	}
	return i
}

func expandTabs(line string) string {
	if !strings.Contains(line, "\t") {
		return line
	}
	var b strings.Builder
	column := 0
	for part := range strings.SplitAfterSeq(line, "\t") {
		text, tab := strings.CutSuffix(part, "\t")
		b.WriteString(text)
		column += displaywidth.String(text)
		if tab {
			n := tabStop - column%tabStop
			b.WriteString("    "[:n])
			column += n
		}
	}
	return b.String()
}

// clip returns s in one row of at most width columns.
func clip(s shown, width int) shown {
	if width <= 0 {
		return ""
	}
	return shown(displaywidth.TruncateString(string(s), width, "…"))
}

// total returns the columns that s takes in one row.
func total(s shown) int { return displaywidth.String(string(s)) }
