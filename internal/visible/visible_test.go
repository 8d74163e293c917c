package visible

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestText(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"plain text", "a line\n\tanother", "a line\n\tanother"},
		{"letters of any script", "é 漢字 שלום مرحبا ไทย", "é 漢字 שלום مرحبا ไทย"},
		{"terminal escapes", "\x1b]0;title\x07\x1b[2J", `\x1b]0;title\x07\x1b[2J`},
		{"C1 controls", "\u009b31m\u0085", `\x9b31m\x85`},
		{"carriage return and backspace", "safe\rrm\b\b", `safe\x0drm\x08\x08`},
		{"NUL and delete", "\x00\x7f", `\x00\x7f`},
		{"bytes that are no UTF-8", "\x9b31m\xff", `\x9b31m\xff`},
		{"the replacement character itself", "\ufffd", "\ufffd"},
		{"overrides and isolates of direction", "a\u202eb\u2066c\u2069\u200e\u200f\u061c", `a\u202eb\u2066c\u2069\u200e\u200f\u061c`},
		{"separators of lines and paragraphs", "a\u2028b\u2029", `a\u2028b\u2029`},
		{"byte order mark and soft hyphen", "\ufeffa\u00ad", `\ufeffa\xad`},
		{"zero-width spaces", "pass\u200bword\u2060", `pass\u200bword\u2060`},
		{"tags", "x\U000e0041\U000e007f", `x\U000e0041\U000e007f`},
		{"private use, such as the symbols of prompts", "\ue0b0", "\ue0b0"},
		{"fillers", "\u3164\u115f\u2800\u034f", `\u3164\u115f\u2800\u034f`},
		{"emoji sequences", "❤️ 👩‍❤️‍👨 👍🏽", "❤️ 👩‍❤️‍👨 👍🏽"},
		{"Persian joiners", "می\u200cخواهم", "می\u200cخواهم"},
		{"joiners with nothing to join", "\u200da \u200c", `\u200da \u200c`},
		{"runs of joiners", "a\u200d\u200d\u200cb", "a\u200d" + `\u200d\u200cb`},
		{"runs of selectors", "a\ufe00\ufe01\ufe0f", "a\ufe00" + `\ufe01\ufe0f`},
		{"supplementary selectors", "a\U000e0100", `a\U000e0100`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Text(c.in); got != c.want {
				t.Errorf("Text(%q) = %q, want %q", c.in, got, c.want)
			}
		})
	}
}

func TestLineHasNoBreaks(t *testing.T) {
	if got := Line(" a\n\n b\t\x1b[c\r\n "); got != `a b \x1b[c` {
		t.Errorf("%q", got)
	}
}

func TestNothingHiddenIsLeft(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")) + rapid.String().Draw(t, "text") +
			rapid.StringOf(rapid.SampledFrom([]rune("ab\u200c\u200d\ufe0f\u202e\x1b\u0301\U000e0041"))).Draw(t, "hidden")
		got := Text(s)
		if !utf8.ValidString(got) {
			t.Fatalf("%q is no UTF-8", got)
		}
		for _, r := range got {
			if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)) {
				t.Fatalf("%q has %U", got, r)
			}
		}
		if again := Text(got); again != got {
			t.Fatalf("shown twice %q is %q", got, again)
		}
	})
}

func BenchmarkText(b *testing.B) {
	s := strings.Repeat("a line of ordinary text, long enough\n", 1000)
	b.SetBytes(int64(len(s)))
	for b.Loop() {
		Text(s)
	}
}
