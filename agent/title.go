package agent

import (
	"strings"
	"unicode/utf8"

	"github.com/crosswalk-agents/crosswalk/canon"
)

// titleRunes is how long a title made from a prompt may be.
const titleRunes = 100

// TitleFrom makes a title of the first line of a prompt.
func TitleFrom(prompt string) string {
	prompt = strings.TrimSpace(prompt)
	if i := strings.IndexAny(prompt, "\r\n"); i >= 0 {
		prompt = strings.TrimSpace(prompt[:i])
	}
	return cutTitle(prompt, titleRunes)
}

// maxCutWord is how much is kept of a word in which a title is cut. It may be a key,
// and no rule that masks keys would know half of one.
const maxCutWord = 8

// cutTitle returns title with at most n characters.
func cutTitle(title string, n int) string {
	runes := []rune(title)
	if len(runes) <= n {
		return title
	}
	end := n - 1
	if word := wordStart(runes, end); ofKey(runes[end]) {
		end = min(end, word+maxCutWord)
	}
	return strings.TrimSpace(string(runes[:end])) + "…"
}

// wordStart returns where the characters of keys begin that end before end.
func wordStart(runes []rune, end int) int {
	for end > 0 && ofKey(runes[end-1]) {
		end--
	}
	return end
}

// ofKey reports whether keys are made of characters such as r.
func ofKey(r rune) bool { return r > ' ' && r < utf8.RuneSelf && r != 0x7f }

// The label of a title that names where the session came from.
const (
	labelOpen  = " (from "
	labelClose = ")"
	// maxLabelName is how long an agent's name in a label may be, in bytes; what
	// is longer is part of a person's own title.
	maxLabelName = 40
)

// HandedOverTitle is the title of t at its new place: its own, with the agent
// it comes from. The label of an earlier hand-over gives way to the new one, so
// that a session that goes to and fro does not collect them. A session without a
// title gets none.
func (m *Marker) HandedOverTitle(t *canon.Thread) string {
	name := DisplayName(m.SourceAgent)
	title := t.Title
	if t.Origin != nil {
		title = withoutLabel(title)
	}
	if title == "" || name == "" || len(name) > maxLabelName {
		return title
	}
	label := labelOpen + name + labelClose
	return cutTitle(title, titleRunes-utf8.RuneCountInString(label)) + label
}

// OwnTitle is the title of a session without the label of the hand-over that made
// it.
func (e *Entry) OwnTitle() string {
	if e.Origin == nil {
		return e.Title
	}
	return withoutLabel(e.Title)
}

func withoutLabel(title string) string {
	rest, ok := strings.CutSuffix(title, labelClose)
	if !ok {
		return title
	}
	i := strings.LastIndex(rest, labelOpen)
	if i < 0 {
		return title
	}
	name := rest[i+len(labelOpen):]
	if name == "" || len(name) > maxLabelName || strings.ContainsAny(name, "()") {
		return title
	}
	return strings.TrimSpace(rest[:i])
}

// Head returns the first characters of t, at most n bytes.
func Head(t canon.Text, n int) string {
	s := t.Head(n)
	s = s[:min(n, len(s))]
	for len(s) > 0 {
		if r, size := utf8.DecodeLastRuneInString(s); r != utf8.RuneError || size > 1 {
			break
		}
		s = s[:len(s)-1]
	}
	return s
}
