package transcript

import "strings"

// segment is a part of a text: prose, or code between fences.
type segment struct {
	Code bool
	Text shown
}

// segments splits text at the fences of Markdown. A fence that is not closed
// runs to the end.
func segments(text shown) []segment {
	var out []segment
	var part strings.Builder
	fence := ""
	flush := func() {
		if s := strings.Trim(part.String(), "\n"); strings.TrimSpace(s) != "" {
			out = append(out, segment{Code: fence != "", Text: shown(s)})
		}
		part.Reset()
	}
	for line := range strings.Lines(string(text)) {
		mark := fenceOf(line)
		switch {
		case fence == "" && mark != "":
			flush()
			fence = mark
		case fence != "" && strings.HasPrefix(mark, fence) && strings.TrimSpace(line) == mark:
			flush()
			fence = ""
		default:
			part.WriteString(line)
		}
	}
	flush()
	return out
}

// fenceOf returns the run of backquotes or tildes that makes a line a fence, or
// "".
func fenceOf(line string) string {
	line = strings.TrimLeft(line, " ")
	for _, c := range [...]string{"`", "~"} {
		n := len(line) - len(strings.TrimLeft(line, c))
		if n >= 3 && !strings.Contains(line[n:], c) {
			return line[:n]
		}
	}
	return ""
}
