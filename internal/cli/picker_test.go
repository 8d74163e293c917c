package cli

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"
)

func pressed(key string) tea.KeyPressMsg {
	codes := map[string]rune{
		"up": tea.KeyUp, "down": tea.KeyDown, "pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown, "home": tea.KeyHome, "end": tea.KeyEnd,
		"backspace": tea.KeyBackspace, "enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab, "left": tea.KeyLeft,
	}
	if c, ok := codes[key]; ok {
		return tea.KeyPressMsg{Code: c}
	}
	if rest, ok := strings.CutPrefix(key, "ctrl+"); ok {
		return tea.KeyPressMsg{Code: rune(rest[0]), Mod: tea.ModCtrl}
	}
	return tea.KeyPressMsg{Code: []rune(key)[0], Text: key}
}

// onScreen returns the options on the screen and the chosen one.
func onScreen(p *picker) (options []string, at string) {
	rows := strings.Split(p.View().Content, "\n")
	for _, row := range rows[1 : len(rows)-1] {
		if rest, ok := strings.CutPrefix(row, "> "); ok {
			at = rest
		}
		options = append(options, row[2:])
	}
	return options, at
}

func TestPickerKeys(t *testing.T) {
	for _, c := range []struct {
		keys, want string
	}{
		{"", "option 00"},
		{"down down", "option 02"},
		{"j j k", "option 01"},
		{"up", "option 19"},
		{"up down", "option 00"},
		{"ctrl+n ctrl+n ctrl+p", "option 01"},
		{"pgdown", "option 05"},
		{"pgdown pgup", "option 00"},
		{"pgup", "option 00"},
		{"end", "option 19"},
		{"end pgdown", "option 19"},
		{"end home", "option 00"},
		{"/ 1 5", "option 15"},
		{"end / 1", "option 01"},
		{"/ 1 down", "option 10"},
		{"/ 1 7 backspace", "option 01"},
		{"/ 1 7 backspace backspace backspace j", "option 01"},
		{"/ 1 7 ctrl+u", "option 00"},
		{"/ O P T I O N down", "option 01"},
		{"/ x", ""},
		{"/ x enter backspace", "option 00"},
		{"/ j", ""},
		{"/ 1 left 5", "option 15"},
		{"/ 1 tab down j", ""},
		{"q ? down", "option 01"},
	} {
		t.Run(c.keys, func(t *testing.T) {
			p := newPicker(20, func(i, _ int) string { return fmt.Sprintf("option %02d", i) }, 40, 7, false)
			for _, k := range strings.Fields(c.keys) {
				if _, cmd := p.Update(pressed(k)); cmd != nil {
					t.Fatalf("%s ends it", k)
				}
			}
			if _, at := onScreen(p); at != c.want {
				t.Errorf("at %q, want %q", at, c.want)
			}
		})
	}
}

func TestPickerEnds(t *testing.T) {
	for key, want := range map[string]int{"enter": 1, "esc": -1, "ctrl+c": -1} {
		p := newPicker(3, func(i, _ int) string { return fmt.Sprint(i) }, 40, 7, false)
		p.Update(pressed("down"))
		if _, cmd := p.Update(pressed(key)); cmd == nil || p.chosen != want {
			t.Errorf("%s: chosen %d, want %d; ended: %v", key, p.chosen, want, cmd != nil)
		}
	}
}

// Whatever is pressed, the chosen option is on the screen, fits the filter, and the
// screen is not larger than the terminal.
func TestPickerStaysInOrder(t *testing.T) {
	keys := strings.Fields("up down pgup pgdown home end j k q ? / a b 1 backspace ctrl+u ctrl+n ctrl+p ctrl+v left tab é")
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 40).Draw(t, "options")
		options := make([]string, n)
		for i := range options {
			options[i] = rapid.StringMatching(`[ab1é ]{0,8}`).Draw(t, "option") + fmt.Sprintf("#%d", i)
		}
		height := 10
		p := newPicker(n, func(i, width int) string { return cut(options[i], width) }, 40, height, rapid.Bool().Draw(t, "color"))
		for range rapid.IntRange(0, 60).Draw(t, "keys") {
			if rapid.IntRange(0, 9).Draw(t, "what") == 0 {
				height = rapid.IntRange(3, 30).Draw(t, "height")
				p.Update(tea.WindowSizeMsg{Width: rapid.IntRange(12, 80).Draw(t, "width"), Height: height})
			} else {
				p.Update(pressed(rapid.SampledFrom(keys).Draw(t, "key")))
			}
			rows := strings.Split(ansi.Strip(p.View().Content), "\n")
			if len(rows) > height {
				t.Fatalf("%d rows at a height of %d", len(rows), height)
			}
			chosen := 0
			for _, row := range rows {
				if ansi.StringWidth(row) > p.width {
					t.Fatalf("%q at a width of %d", row, p.width)
				}
				if strings.HasPrefix(row, "> ") {
					chosen++
				}
			}
			found := p.list.VisibleItems()
			if want := min(1, len(found)); chosen != want {
				t.Fatalf("%d options are marked, want %d:\n%s", chosen, want, strings.Join(rows, "\n"))
			}
			filter := p.list.FilterValue()
			for _, o := range found {
				if !strings.Contains(o.FilterValue(), filter) {
					t.Fatalf("%q does not fit %q", o.FilterValue(), filter)
				}
			}
		}
	})
}

func BenchmarkPickerOfThousands(b *testing.B) {
	p := newPicker(5000, func(i, width int) string { return cut(fmt.Sprintf("claude 2 h ago    Session number %d", i), width) }, 100, 40, true)
	p.Update(pressed("/"))
	for b.Loop() {
		p.Update(pressed("9"))
		_ = p.View()
		p.Update(pressed("backspace"))
		_ = p.View()
	}
}

// What is pasted into the filter does not reach the terminal as it is.
func TestPickerShowsWhatIsPastedEscaped(t *testing.T) {
	p := newPicker(3, func(i, _ int) string { return fmt.Sprintf("option %d", i) }, 60, 7, false)
	p.Update(tea.PasteMsg{Content: "before the filter"})
	p.Update(pressed("/"))
	p.Update(tea.PasteMsg{Content: "option\x1b]0;owned\a\u202e"})
	title, _, _ := strings.Cut(p.View().Content, "\n")
	if strings.ContainsAny(title, "\x1b\a\u202e") || !strings.HasPrefix(title, "/option") {
		t.Errorf("the filter is shown as %q", title)
	}
	p.Update(pressed("ctrl+u"))
	p.Update(tea.PasteMsg{Content: "ION 2"})
	if _, at := onScreen(p); at != "option 2" {
		t.Errorf("at %q, want %q", at, "option 2")
	}
}
