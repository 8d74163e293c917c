package cli

import (
	"fmt"
	"io"
	"strings"

	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/list"
	tea "charm.land/bubbletea/v2"
)

// picker is the list of sessions on a terminal: the list of bubbles between a
// line of ours with the filter and one with the keys. The filter is a text that
// the option holds in upper or lower case, and is searched before the next key is
// taken, so that enter never takes what fitted an earlier one.
type picker struct {
	list  list.Model
	width int
	// chosen is the option that the person took; -1 is none.
	chosen int
}

// option is one line of the list. It is made when it is shown or searched, so
// that thousands cost nothing at the start.
type option struct {
	i     int
	label func(i, width int) string
}

// pickerFrame is how many lines are not the options'; searchWidth is how much of
// an option the filter looks at, in columns.
const (
	pickerFrame = 2
	searchWidth = 1000
)

func newPicker(n int, label func(i, width int) string, width, height int, color bool) *picker {
	options := make([]list.Item, n)
	for i := range options {
		options[i] = option{i, label}
	}
	p := &picker{list: list.New(options, optionLine{color}, width, height), chosen: -1}
	p.list.SetShowTitle(false)
	p.list.SetShowFilter(false)
	p.list.SetShowStatusBar(false)
	p.list.SetShowPagination(false)
	p.list.SetShowHelp(false)
	p.list.InfiniteScrolling = true
	p.list.Filter = holding
	p.list.FilterInput.CharLimit = 0
	p.list.KeyMap.AcceptWhileFiltering = key.Binding{} // enter takes the option at once
	p.resize(width, height)
	return p
}

// FilterValue implements [list.Item].
func (o option) FilterValue() string { return o.label(o.i, searchWidth) }

// holding is a [list.FilterFunc].
func holding(term string, options []string) []list.Rank {
	var found []list.Rank
	for i, o := range options {
		if strings.Contains(strings.ToLower(o), strings.ToLower(term)) {
			found = append(found, list.Rank{Index: i})
		}
	}
	return found
}

// optionLine draws an option; it implements [list.ItemDelegate].
type optionLine struct{ color bool }

func (optionLine) Height() int                         { return 1 }
func (optionLine) Spacing() int                        { return 0 }
func (optionLine) Update(tea.Msg, *list.Model) tea.Cmd { return nil }

func (l optionLine) Render(w io.Writer, m list.Model, index int, item list.Item) {
	o, ok := item.(option)
	if !ok {
		return
	}
	label := o.label(o.i, m.Width()-2)
	switch {
	case index != m.Index():
		fmt.Fprint(w, "  ", label)
	case l.color:
		fmt.Fprint(w, "\x1b[1;36m> ", label, "\x1b[m")
	default:
		fmt.Fprint(w, "> ", label)
	}
}

func (p *picker) resize(width, height int) {
	p.width = width
	p.list.SetSize(width, max(1, height-pickerFrame))
}

// Init implements [tea.Model].
func (p *picker) Init() tea.Cmd { return nil }

// Update implements [tea.Model].
func (p *picker) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		p.resize(msg.Width, msg.Height)
	case tea.KeyPressMsg:
		switch k := msg.String(); {
		case k == "ctrl+c", k == "esc":
			return p, tea.Quit
		case k == "enter":
			if o, ok := p.list.SelectedItem().(option); ok {
				p.chosen = o.i
				return p, tea.Quit
			}
		case k == "backspace" && p.list.FilterValue() == "":
			p.list.ResetFilter()
		case !p.move(k):
			p.filter(msg)
		}
	case tea.PasteMsg:
		p.filter(msg)
	}
	return p, nil
}

// move moves the choice, while filtering too, where the list itself does not.
func (p *picker) move(key string) bool {
	switch key {
	case "up", "ctrl+p":
		p.list.CursorUp()
	case "down", "ctrl+n":
		p.list.CursorDown()
	case "pgup", "ctrl+b":
		p.list.PrevPage()
	case "pgdown", "ctrl+f":
		p.list.NextPage()
	case "home":
		p.list.GoToStart()
	case "end":
		p.list.GoToEnd()
	default:
		return false
	}
	return true
}

// filter gives the list a key or a pasted text. What the list wants to do later is
// left out: to search, which is done here, to let a cursor blink that is not
// shown, to read the clipboard by another program, and to quit by q.
func (p *picker) filter(msg tea.Msg) {
	before := p.list.FilterValue()
	p.list, _ = p.list.Update(msg)
	p.list.FilterInput.CursorEnd() // there is no cursor to be seen elsewhere
	if term := p.list.FilterValue(); term != before {
		p.list.SetFilterText(term)
		p.list.SetFilterState(list.Filtering)
	}
}

// View implements [tea.Model].
func (p *picker) View() tea.View {
	title, found := "Which session?", len(p.list.VisibleItems())
	if p.list.SettingFilter() {
		title = "/" + line(p.list.FilterValue())
	}
	options := p.list.View()
	if found == 0 {
		options = clip("  nothing fits", p.width)
	}
	help := fmt.Sprintf("%d of %d · ↑↓ · / filters · enter takes · esc leaves", found, len(p.list.Items()))
	v := tea.NewView(clip(title, p.width) + "\n" + options + "\n" + clip(help, p.width))
	v.AltScreen = true // nothing of it is left on the screen
	return v
}
