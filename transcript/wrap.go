package transcript

import (
	"strings"
	"unicode"
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
	var prev rune
	for i, r := range line {
		n := columns(prev, r)
		prev = r
		if column+n > width && i > 0 {
			switch {
			case r == ' ':
				return i, afterSpaces(line, i)
			case end > 0:
				return end, next
			}
			return i, i
		}
		column += n
		switch {
		case r != ' ':
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
	var prev rune
	for _, r := range line {
		if r == '\t' {
			n := tabStop - column%tabStop
			b.WriteString("    "[:n])
			column += n
			continue
		}
		b.WriteRune(r)
		column += columns(prev, r)
		prev = r
	}
	return b.String()
}

// clip returns s in one row of at most width columns.
func clip(s shown, width int) shown {
	switch {
	case width <= 0:
		return ""
	case total(s) <= width:
		return s
	}
	column := 0
	var prev rune
	for i, r := range s {
		n := columns(prev, r)
		if column+n > width-1 {
			return s[:i] + "…"
		}
		column += n
		prev = r
	}
	return s
}

// total returns the columns that s takes in one row.
func total(s shown) int {
	n := 0
	var prev rune
	for _, r := range s {
		n += columns(prev, r)
		prev = r
	}
	return n
}

// columns returns how many columns of a terminal r takes behind prev. Where
// terminals differ it is the larger number.
func columns(prev, r rune) int {
	switch {
	case r < 0x300:
		return 1
	case prev == 0x200D, r == 0x200C, r == 0x200D, r >= 0xFE00 && r <= 0xFE0F, r >= 0x1F3FB && r <= 0x1F3FF:
		return 0 // joins or changes the character before
	case unicode.In(r, unicode.Mn, unicode.Me):
		return 0
	case isWide(r):
		return 2
	}
	return 1
}

// wide lists the ranges of characters that take two columns: wide and full
// width in Unicode's EastAsianWidth, and the emoji.
var wide = [...][2]rune{
	{0x1100, 0x115F},
	{0x231A, 0x231B},
	{0x2329, 0x232A},
	{0x23E9, 0x23F3},
	{0x25FD, 0x25FE},
	{0x2614, 0x2615},
	{0x2648, 0x2653},
	{0x267F, 0x267F},
	{0x2693, 0x2693},
	{0x26A1, 0x26A1},
	{0x26AA, 0x26AB},
	{0x26BD, 0x26BE},
	{0x26C4, 0x26C5},
	{0x26CE, 0x26CE},
	{0x26D4, 0x26D4},
	{0x26EA, 0x26EA},
	{0x26F2, 0x26F5},
	{0x26FA, 0x26FD},
	{0x2705, 0x2705},
	{0x270A, 0x270B},
	{0x2728, 0x2728},
	{0x274C, 0x274E},
	{0x2753, 0x2757},
	{0x2795, 0x2797},
	{0x27B0, 0x27B0},
	{0x27BF, 0x27BF},
	{0x2B1B, 0x2B1C},
	{0x2B50, 0x2B50},
	{0x2B55, 0x2B55},
	{0x2E80, 0x303E},
	{0x3041, 0x33FF},
	{0x3400, 0x4DBF},
	{0x4E00, 0xA4CF},
	{0xA960, 0xA97C},
	{0xAC00, 0xD7A3},
	{0xF900, 0xFAFF},
	{0xFE10, 0xFE19},
	{0xFE30, 0xFE6F},
	{0xFF00, 0xFF60},
	{0xFFE0, 0xFFE6},
	{0x16FE0, 0x18DFF},
	{0x1AFF0, 0x1B2FF},
	{0x1F004, 0x1F004},
	{0x1F0CF, 0x1F0CF},
	{0x1F18E, 0x1F18E},
	{0x1F191, 0x1F19A},
	{0x1F1E6, 0x1F320},
	{0x1F32D, 0x1F64F},
	{0x1F680, 0x1F6FF},
	{0x1F7E0, 0x1F7F0},
	{0x1F90C, 0x1F9FF},
	{0x1FA70, 0x1FAFF},
	{0x20000, 0x3FFFD},
}

func isWide(r rune) bool {
	lo, hi := 0, len(wide)
	for lo < hi {
		switch mid := (lo + hi) / 2; {
		case r < wide[mid][0]:
			hi = mid
		case r > wide[mid][1]:
			lo = mid + 1
		default:
			return true
		}
	}
	return false
}
