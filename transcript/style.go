package transcript

// Style holds what switches the colours of a terminal on; Reset switches them
// off. The zero value prints plain text, as NO_COLOR asks for.
type Style struct {
	Title, User, Assistant, System, Tool, Failed, Dim, Reset string
}

// ANSI returns a style of the sixteen colours that every terminal has, in which
// a person's own theme shows.
func ANSI() Style {
	return Style{
		Title: "\x1b[1m", User: "\x1b[1;34m", Assistant: "\x1b[1;32m", System: "\x1b[1;35m",
		Tool: "\x1b[36m", Failed: "\x1b[31m", Dim: "\x1b[2m", Reset: "\x1b[0m",
	}
}

// paint returns s between a style and its end.
func (s *Style) paint(on string, text shown) shown {
	if on == "" || text == "" {
		return text
	}
	return shown(on) + text + shown(s.Reset)
}
