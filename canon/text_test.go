package canon_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// drawString draws valid text, rich in what JSON escapes.
func drawString(t *rapid.T, label string) string {
	return rapid.StringOf(rapid.OneOf(
		rapid.SampledFrom([]rune("ab;:/,\\\"\n\t\b\f\r\x00\x1f é€😀\u2028\uFFFD\u00a0")),
		rapid.Rune(),
	)).Filter(utf8.ValidString).Draw(t, label)
}

// spellings are five ways to write a string as a JSON literal.
var spellings = []string{"least", "html", "ascii", "slashes", "all"}

func spell(s, how string) []byte {
	least := func(s string) string {
		var b strings.Builder
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		if e.Encode(s) != nil {
			panic(s)
		}
		return strings.TrimSpace(b.String())
	}
	switch how {
	case "least":
		return []byte(least(s))
	case "html":
		b, err := json.Marshal(s)
		if err != nil {
			panic(err)
		}
		return b
	case "slashes":
		return []byte(strings.ReplaceAll(least(s), "/", `\/`))
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		if how == "ascii" && r < utf8.RuneSelf {
			b.WriteString(strings.Trim(least(string(r)), `"`))
			if r == '"' {
				b.WriteString(`"`)
			}
			continue
		}
		for _, u := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&b, `\u%04X`, u)
		}
	}
	b.WriteByte('"')
	return []byte(b.String())
}

// drawText draws a string and a text of it: decoded, in one of five spellings,
// or put together from several.
func drawText(t *rapid.T, label string) (string, canon.Text) {
	if n := rapid.IntRange(0, 5).Draw(t, label+" parts"); n > 1 {
		var all strings.Builder
		var parts []canon.Text
		for i := range n {
			s, x := drawPlain(t, fmt.Sprint(label, i))
			all.WriteString(s)
			parts = append(parts, x)
		}
		return all.String(), canon.Join(parts...)
	}
	return drawPlain(t, label)
}

func drawPlain(t *rapid.T, label string) (string, canon.Text) {
	s := drawString(t, label)
	how := rapid.SampledFrom(append([]string{"decoded"}, spellings...)).Draw(t, label+" spelling")
	if how == "decoded" {
		return s, canon.NewText(s)
	}
	x, n := canon.LiteralText(spell(s, how))
	if n != 0 {
		t.Fatalf("%d characters of %q were replaced", n, s)
	}
	return s, x
}

func TestSpellingsSayTheSame(t *testing.T) {
	s := "a/b \"c\"\\\n\t\b\f\r\x01é€😀\u2028\uFFFD<&>"
	plain := canon.NewText(s)
	for _, a := range spellings {
		x, n := canon.LiteralText(spell(s, a))
		if n != 0 || x.String() != s || !x.Equal(plain) || !plain.Equal(x) {
			t.Errorf("%s: %q, %d replaced", a, x.String(), n)
		}
		if got := string(x.AppendQuoted(nil)); got != string(spell(s, a)) {
			t.Errorf("%s is written as %s", a, got)
		}
		for _, b := range spellings {
			if y, _ := canon.LiteralText(spell(s, b)); !x.Equal(y) {
				t.Errorf("%s is not %s", a, b)
			}
			if y, _ := canon.LiteralText(spell(s+"x", b)); x.Equal(y) || y.Equal(x) {
				t.Errorf("%s is %s of another string", a, b)
			}
		}
	}
}

// Whatever a text was made of, it behaves as its decoded value.
func TestATextIsItsDecodedValue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, x := drawText(t, "s")
		if x.String() != s || string(x.AppendTo([]byte("<"))) != "<"+s {
			t.Fatalf("String: %q, want %q", x.String(), s)
		}
		if x.IsEmpty() != (s == "") || x.IsBlank() != (strings.TrimSpace(s) == "") {
			t.Fatalf("%q: empty %t, blank %t", s, x.IsEmpty(), x.IsBlank())
		}
		if x.Size() < len(s) {
			t.Fatalf("%q: size %d", s, x.Size())
		}
		var back string
		if err := json.Unmarshal(x.AppendQuoted(nil), &back); err != nil || back != s {
			t.Fatalf("quoted %s: %q, %v", x.AppendQuoted(nil), back, err)
		}
		if held, escaped := x.View(); !escaped && string(held) != s || escaped && string(jsonx.AppendUnescape(nil, string(held))) != s {
			t.Fatalf("%q is held as %q, escaped: %t", s, held, escaped)
		}
		u, y := drawText(t, "u")
		if x.Equal(y) != (s == u) || y.Equal(x) != (s == u) {
			t.Fatalf("%q, %q: equal %t", s, u, x.Equal(y))
		}
		if got := canon.Join(x, y, x); got.String() != s+u+s {
			t.Fatalf("joined %q, want %q", got.String(), s+u+s)
		}
		prefix := drawString(t, "prefix")
		if rapid.Bool().Draw(t, "is prefix") {
			prefix = s[:rapid.IntRange(0, len(s)).Draw(t, "length")]
		}
		if x.HasPrefix(prefix) != strings.HasPrefix(s, prefix) {
			t.Fatalf("%q begins with %q: %t", s, prefix, x.HasPrefix(prefix))
		}
	})
}

// Reported: anthropics/claude-code#69927, text cut within a character.
func TestHeadEndsWithAWholeCharacter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, x := drawText(t, "s")
		n := rapid.IntRange(-1, len(s)+3).Draw(t, "n")
		got := x.Head(n)
		if !strings.HasPrefix(s, got) || len(got) < min(n, len(s)) || len(got) >= max(n, 0)+utf8.UTFMax {
			t.Fatalf("anthropics/claude-code#69927: Head(%d) of %q is %q", n, s, got)
		}
		if !utf8.ValidString(got) {
			t.Fatalf("anthropics/claude-code#69927: Head(%d) of %q is %q: half a character", n, s, got)
		}
	})
}

func TestCutIsThatOfTheDecodedValue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, x := drawText(t, "s")
		sep := drawString(t, "sep")
		if i := rapid.IntRange(0, len(s)).Draw(t, "from"); utf8.ValidString(s[i:]) && rapid.Bool().Draw(t, "is in it") {
			sep = string([]rune(s[i:])[:min(rapid.IntRange(0, 9).Draw(t, "length"), utf8.RuneCountInString(s[i:]))])
		}
		before, after, ok := x.Cut(sep)
		wantBefore, wantAfter, wantOK := strings.Cut(s, sep)
		if before.String() != wantBefore || after.String() != wantAfter || ok != wantOK {
			t.Fatalf("%q around %q: %q, %q, %t", s, sep, before.String(), after.String(), ok)
		}
		if got := canon.Join(before, after); ok && sep == "" && !got.Equal(x) {
			t.Fatalf("%q put together again is %q", s, got.String())
		}
	})
}

func TestCutSuffixIsThatOfTheDecodedValue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, x := drawText(t, "s")
		suffix := drawString(t, "suffix")
		if i := rapid.IntRange(0, len(s)).Draw(t, "from"); utf8.ValidString(s[i:]) && rapid.Bool().Draw(t, "is its end") {
			suffix = s[i:]
		}
		before, ok := x.CutSuffix(suffix)
		want, wantOK := strings.CutSuffix(s, suffix)
		if before.String() != want || ok != wantOK {
			t.Fatalf("%q without %q: %q, %t", s, suffix, before.String(), ok)
		}
	})
	for lit, want := range map[string]string{`"a\\\n"`: `a\`, `"a\\n"`: `a\n`, `"a\u000a"`: "a"} {
		if got, _ := literal(lit).CutSuffix("\n"); got.String() != want {
			t.Errorf("%s without a line end is %q", lit, got.String())
		}
	}
}

// Reported: anthropics/claude-code#56064, #70618 and openai/codex#36802. What is
// no Unicode never gets past reading, and how it was written does not matter.
func TestDamageIsReplacedAndCounted(t *testing.T) {
	for _, x := range []struct {
		name, lit, want string
		replaced        int
	}{
		{"lone high surrogate, anthropics/claude-code#56064", `"a\ud83db"`, "a\uFFFDb", 1},
		{"lone low surrogate, anthropics/claude-code#70618", `"a\ude00b"`, "a\uFFFDb", 1},
		{"surrogates in the wrong order", `"\ude00\ud83d"`, "\uFFFD\uFFFD", 2},
		{"half a pair before a pair", `"\ud83d\ud83d\ude00"`, "\uFFFD😀", 1},
		{"half a pair at the end, anthropics/claude-code#69927", `"a\uD83D"`, "a\uFFFD", 1},
		{"half a pair before another escape", `"\ud83d\n"`, "\uFFFD\n", 1},
		{"a pair", `"\ud83d\ude00"`, "😀", 0},
		{"a backslash before what looks like an escape", `"\\ud83d"`, `\ud83d`, 0},
		{"the same and then a lone surrogate", `"\\\ud83d"`, "\\\uFFFD", 1},
		{"a cut sequence, openai/codex#36802", "\"a\xe2\x82b\"", "a\uFFFD\uFFFDb", 2},
		{"a surrogate in UTF-8", "\"\xed\xa0\xbd\"", "\uFFFD\uFFFD\uFFFD", 3},
		{"a replacement character", "\"\uFFFD\"", "\uFFFD", 0},
		{"too short a literal", `"`, "", 0},
	} {
		t.Run(x.name, func(t *testing.T) {
			got, n := canon.LiteralText([]byte(x.lit))
			if got.String() != x.want || n != x.replaced {
				t.Errorf("%q, %d replaced", got.String(), n)
			}
		})
	}
	rapid.Check(t, func(t *rapid.T) {
		b := rapid.SliceOf(rapid.SampledFrom([]byte("ab\xe2\x82\xac\xff\xed\xa0"))).Draw(t, "bytes")
		fromLiteral, _ := canon.LiteralText([]byte(`"` + string(b) + `"`))
		if plain := canon.NewText(string(b)); !plain.Equal(fromLiteral) || !utf8.ValidString(plain.String()) {
			t.Fatalf("%q: decoded %q, as a literal %q", b, plain.String(), fromLiteral.String())
		}
	})
}

func TestTheEmptyText(t *testing.T) {
	literal, _ := canon.LiteralText([]byte(`""`))
	for _, x := range []canon.Text{{}, canon.NewText(""), literal, canon.Join()} {
		if x.String() != "" || !x.IsEmpty() || !x.IsBlank() || x.Size() != 0 || string(x.AppendQuoted(nil)) != `""` || !x.HasPrefix("") || x.HasPrefix("a") || x.Head(9) != "" {
			t.Errorf("%#v", x)
		}
	}
}

// Texts of other lengths are told apart without decoding them.
func TestEqualDecodesNoTextThatIsTooLong(t *testing.T) {
	long, short := literal(`"`+strings.Repeat(`line\n`, 100_000)+`"`), canon.NewText("a line\n")
	if n := testing.AllocsPerRun(10, func() {
		if long.Equal(short) || short.Equal(long) {
			t.Error("they are equal")
		}
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
	if every := literal(`"\u0061\u0062"`); !every.Equal(canon.NewText("ab")) || !canon.NewText("ab").Equal(every) {
		t.Error("the longest escapes are not equal to what they stand for")
	}
}

// Joining is in proportion to what is joined, and a text is joined with others as
// one is with one.
func TestJoiningManyTexts(t *testing.T) {
	literal, _ := canon.LiteralText([]byte(`"a\u0041\""`))
	for _, texts := range [][]canon.Text{
		nil,
		{literal},
		{canon.NewText("x\n"), literal},
		{literal, canon.NewText("y")},
		{canon.NewText(""), canon.NewText("z"), canon.NewText("")},
		{canon.NewText("\n"), canon.NewText("\n")},
	} {
		for _, sep := range []string{"", "\n", "--"} {
			var want []string
			for _, x := range texts {
				want = append(want, x.String())
			}
			got := canon.JoinWith(sep, texts...)
			if got.String() != strings.Join(want, sep) || !canon.NewText(got.String()).Equal(got) {
				t.Errorf("%q with %q: %q", want, sep, got.String())
			}
			var quoted string
			if err := json.Unmarshal(got.AppendQuoted(nil), &quoted); err != nil || quoted != got.String() {
				t.Errorf("%q is written as %s, %v", got.String(), got.AppendQuoted(nil), err)
			}
		}
	}
	many := make([]canon.Text, 100_000)
	for i := range many {
		many[i] = canon.NewText("0123456789")
	}
	if n := testing.AllocsPerRun(1, func() { canon.Join(many...) }); n > 100 {
		t.Errorf("%v allocations", n)
	}
}
