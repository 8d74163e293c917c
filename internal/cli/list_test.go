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
		"backspace": tea.KeyBackspace, "enter": tea.KeyEnter, "esc": tea.KeyEscape,
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
func onScreen(l *list) (options []string, at string) {
	rows := strings.Split(l.View().Content, "\n")
	for _, row := range rows[1 : len(rows)-1] {
		if rest, ok := strings.CutPrefix(row, "> "); ok {
			at = rest
		}
		options = append(options, row[2:])
	}
	return options, at
}

func TestListKeys(t *testing.T) {
	for _, c := range []struct {
		keys, want string
	}{
		{"", "option 00"},
		{"down down", "option 02"},
		{"j j k", "option 01"},
		{"up", "option 19"},
		{"up down", "option 00"},
		{"ctrl+n ctrl+n ctrl+p", "option 01"},
		{"pgdown", "option 04"},
		{"pgdown pgup", "option 00"},
		{"pgup", "option 00"},
		{"end", "option 19"},
		{"end pgdown", "option 19"},
		{"end home", "option 00"},
		{"/ 1 5", "option 15"},
		{"end / 1", "option 19"},
		{"/ 1 down", "option 10"},
		{"/ 1 7 backspace", "option 01"},
		{"/ 1 7 backspace backspace backspace j", "option 01"},
		{"/ 1 7 ctrl+u", "option 00"},
		{"/ O P T I O N down", "option 01"},
		{"/ x", ""},
		{"/ x enter backspace", "option 00"},
		{"/ j", ""},
	} {
		t.Run(c.keys, func(t *testing.T) {
			l := newList(20, func(i, _ int) string { return fmt.Sprintf("option %02d", i) }, 40, 7, false)
			for _, k := range strings.Fields(c.keys) {
				if _, cmd := l.Update(pressed(k)); cmd != nil {
					t.Fatalf("%s ends it", k)
				}
			}
			if _, at := onScreen(l); at != c.want {
				t.Errorf("at %q, want %q", at, c.want)
			}
		})
	}
}

func TestListEnds(t *testing.T) {
	for key, want := range map[string]int{"enter": 1, "esc": -1, "ctrl+c": -1} {
		l := newList(3, func(i, _ int) string { return fmt.Sprint(i) }, 40, 7, false)
		l.Update(pressed("down"))
		if _, cmd := l.Update(pressed(key)); cmd == nil || l.chosen != want {
			t.Errorf("%s: chosen %d, want %d; ended: %v", key, l.chosen, want, cmd != nil)
		}
	}
}

// Whatever is pressed, the chosen option is on the screen, fits the filter, and the
// screen is not larger than the terminal.
func TestListStaysInOrder(t *testing.T) {
	keys := strings.Fields("up down pgup pgdown home end j k / a b 1 backspace ctrl+u ctrl+n ctrl+p left tab é")
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 40).Draw(t, "options")
		options := make([]string, n)
		for i := range options {
			options[i] = rapid.StringMatching(`[ab1é ]{0,8}`).Draw(t, "option") + fmt.Sprintf("#%d", i)
		}
		l := newList(n, func(i, width int) string { return cut(options[i], width) }, 40, 10, rapid.Bool().Draw(t, "color"))
		for range rapid.IntRange(0, 60).Draw(t, "keys") {
			if rapid.IntRange(0, 9).Draw(t, "what") == 0 {
				l.Update(tea.WindowSizeMsg{Width: rapid.IntRange(12, 80).Draw(t, "width"), Height: rapid.IntRange(3, 30).Draw(t, "height")})
			} else {
				l.Update(pressed(rapid.SampledFrom(keys).Draw(t, "key")))
			}
			rows := strings.Split(ansi.Strip(l.View().Content), "\n")
			if len(rows) > l.height {
				t.Fatalf("%d rows at a height of %d", len(rows), l.height)
			}
			chosen := 0
			for _, row := range rows {
				if ansi.StringWidth(row) > l.width {
					t.Fatalf("%q at a width of %d", row, l.width)
				}
				if strings.HasPrefix(row, "> ") {
					chosen++
				}
			}
			if want := min(1, len(l.found)); chosen != want {
				t.Fatalf("%d options are marked, want %d:\n%s", chosen, want, strings.Join(rows, "\n"))
			}
			for _, i := range l.found {
				if !strings.Contains(strings.ToLower(options[i]), strings.ToLower(string(l.filter))) && len(l.filter) > 0 {
					t.Fatalf("%q does not fit %q", options[i], string(l.filter))
				}
			}
		}
	})
}

func BenchmarkListOfThousands(b *testing.B) {
	l := newList(5000, func(i, width int) string { return cut(fmt.Sprintf("claude 2 h ago    Session number %d", i), width) }, 100, 40, true)
	l.Update(pressed("/"))
	for b.Loop() {
		l.Update(pressed("9"))
		_ = l.View()
		l.Update(pressed("backspace"))
		_ = l.View()
	}
}
