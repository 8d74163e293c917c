package cli

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// list is a list to choose from on a terminal. It draws the lines that can be
// seen and no more, so that thousands of sessions cost nothing.
type list struct {
	n     int
	label func(i, width int) string
	// found are the options that fit the filter; at is the chosen one among them,
	// top the first that is shown.
	found   []int
	at, top int
	// filter is what was typed behind the slash, once filtering.
	filter    []rune
	filtering bool

	width, height int
	color         bool
	// chosen is the option that the person took; -1 is none.
	chosen int
}

// listFrame is how many lines are not the options'; searchWidth is how much of
// an option the filter looks at, in columns.
const (
	listFrame   = 2
	searchWidth = 1000
)

func newList(n int, label func(i, width int) string, width, height int, color bool) *list {
	l := &list{n: n, label: label, width: width, height: height, color: color, chosen: -1}
	l.search()
	return l
}

// Init implements [tea.Model].
func (l *list) Init() tea.Cmd { return nil }

// Update implements [tea.Model].
func (l *list) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		l.width, l.height = msg.Width, msg.Height
	case tea.PasteMsg:
		if l.filtering {
			l.filter = append(l.filter, []rune(msg.Content)...)
			l.search()
		}
	case tea.KeyPressMsg:
		switch msg.String() {
		case "ctrl+c", "esc":
			return l, tea.Quit
		case "enter":
			if len(l.found) > 0 {
				l.chosen = l.found[l.at]
				return l, tea.Quit
			}
		default:
			if !l.move(msg.String()) {
				l.typed(msg)
			}
		}
	}
	l.scroll()
	return l, nil
}

// move moves the choice, from the end to the beginning too.
func (l *list) move(key string) bool {
	page := max(1, l.rows()-1)
	last := len(l.found) - 1
	switch key {
	case "up", "ctrl+p":
		if l.at--; l.at < 0 {
			l.at = last
		}
	case "down", "ctrl+n":
		if l.at++; l.at > last {
			l.at = 0
		}
	case "pgup", "ctrl+b":
		l.at -= page
	case "pgdown", "ctrl+f":
		l.at += page
	case "home":
		l.at = 0
	case "end":
		l.at = last
	default:
		return false
	}
	l.at = max(0, min(l.at, last))
	return true
}

// typed takes a key of the filter.
func (l *list) typed(msg tea.KeyPressMsg) {
	switch key := msg.String(); {
	case !l.filtering:
		switch key {
		case "/":
			l.filtering = true
		case "j":
			l.move("down")
		case "k":
			l.move("up")
		}
		return
	case key == "backspace" && len(l.filter) == 0:
		l.filtering = false
	case key == "backspace":
		l.filter = l.filter[:len(l.filter)-1]
	case key == "ctrl+u":
		l.filter = nil
	case msg.Text != "":
		l.filter = append(l.filter, []rune(msg.Text)...)
	default:
		return
	}
	l.search()
}

// search finds the options that fit the filter.
func (l *list) search() {
	want := strings.ToLower(string(l.filter))
	l.found = l.found[:0]
	for i := range l.n {
		if want == "" || strings.Contains(strings.ToLower(l.label(i, searchWidth)), want) {
			l.found = append(l.found, i)
		}
	}
	l.at = max(0, min(l.at, len(l.found)-1))
}

// rows is how many options can be seen.
func (l *list) rows() int { return max(1, l.height-listFrame) }

// scroll keeps the chosen option in sight.
func (l *list) scroll() {
	rows := l.rows()
	l.top = min(l.top, l.at, max(0, len(l.found)-rows))
	l.top = max(l.top, l.at-rows+1)
}

// View implements [tea.Model].
func (l *list) View() tea.View {
	title := "Which session?"
	if l.filtering {
		title = "/" + line(string(l.filter))
	}
	lines := []string{clip(title, l.width)}
	for i := l.top; i < min(len(l.found), l.top+l.rows()); i++ {
		label := l.label(l.found[i], l.width-2)
		switch {
		case i != l.at:
			lines = append(lines, "  "+label)
		case l.color:
			lines = append(lines, "\x1b[1;36m> "+label+"\x1b[m")
		default:
			lines = append(lines, "> "+label)
		}
	}
	if len(l.found) == 0 {
		lines = append(lines, clip("  nothing fits", l.width))
	}
	help := fmt.Sprintf("%d of %d · ↑↓ · / filters · enter takes · esc leaves", len(l.found), l.n)
	lines = append(lines, clip(help, l.width))
	v := tea.NewView(strings.Join(slices.Clip(lines), "\n"))
	v.AltScreen = true // nothing of it is left on the screen
	return v
}
