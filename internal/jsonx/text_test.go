package jsonx_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// drawLiteral draws a well-formed string literal in any spelling: escapes of
// all kinds, lone surrogates, raw characters, and bytes that are no UTF-8 if
// damaged.
func drawLiteral(t *rapid.T, damaged bool) string {
	pieces := []string{
		"a", "b", "/", "é", "€", "😀", "\uFFFD", "\u2028", "\x7f", " ", "ud83d", `\\`, `\"`, `\/`, `\b`, `\f`, `\n`, `\r`, `\t`,
		`\u0000`, `\u0041`, `\u00E9`, `\u20ac`, `\uFfFd`, `\ud83d\ude00`, `\uD83D\uDE00`, `\ud83d`, `\uDE00`, `\ud7ff`, `\ue000`, `\udbff`, `\udfff`,
	}
	if damaged {
		pieces = append(pieces, "\xff", "\xe2\x82", "\xed\xa0\xbd", "\xc0\x80", "\xf0\x9f\x98")
	}
	return `"` + strings.Join(rapid.SliceOf(rapid.SampledFrom(pieces)).Draw(t, "pieces"), "") + `"`
}

// decoded is what encoding/json says a literal stands for.
func decoded(t rapid.TB, lit string) string {
	t.Helper()
	var s string
	if err := json.Unmarshal([]byte(lit), &s); err != nil {
		t.Fatalf("%s: %v", lit, err)
	}
	return s
}

func TestDecodingAgreesWithTheStandardLibrary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lit := drawLiteral(t, false)
		want := decoded(t, lit)
		inside := lit[1 : len(lit)-1]
		if got := string(jsonx.AppendUnescape([]byte("<"), inside)); got != "<"+want {
			t.Fatalf("%s: AppendUnescape %q, want %q", lit, got, want)
		}
		for what, got := range map[string]string{
			"Unquote": jsonx.Unquote([]byte(lit)), "AppendUnquote": string(jsonx.AppendUnquote(nil, []byte(lit))), "Str": jsonx.NewDecoder([]byte(lit)).Str(),
		} {
			if got != want {
				t.Fatalf("%s: %s %q, want %q", lit, what, got, want)
			}
		}
	})
	t.Run("damaged", rapid.MakeCheck(func(t *rapid.T) {
		lit := drawLiteral(t, true)
		want := decoded(t, lit)
		if got := jsonx.Unquote([]byte(lit)); got != want {
			t.Fatalf("%q: %q, want %q", lit, got, want)
		}
		if got := jsonx.NewDecoder([]byte(lit)).Str(); got != want {
			t.Fatalf("%q: Str %q, want %q", lit, got, want)
		}
	}))
}

func TestTheHeadIsAPrefixOfWholeCharacters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lit := drawLiteral(t, false)
		inside, all := lit[1:len(lit)-1], decoded(t, lit)
		n := rapid.IntRange(-1, len(all)+2).Draw(t, "n")
		got := string(jsonx.AppendUnescapeHead(nil, inside, n))
		if !strings.HasPrefix(all, got) || !utf8.ValidString(got) {
			t.Fatalf("the first %d bytes of %q are %q", n, all, got)
		}
		if len(got) < min(n, len(all)) || len(got) > max(n, 0) && len(got[:len(got)-lastRune(got)]) >= n {
			t.Fatalf("the first %d bytes of %q are %q", n, all, got)
		}
	})
}

func lastRune(s string) int {
	_, size := utf8.DecodeLastRuneInString(s)
	return size
}

func TestCutIsThatOfTheDecodedString(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lit := drawLiteral(t, false)
		sep := decoded(t, drawLiteral(t, false))
		sep = string([]rune(sep)[:min(2, utf8.RuneCountInString(sep))])
		before, after, found := jsonx.CutUnescaped(lit[1:len(lit)-1], sep)
		wantBefore, wantAfter, wantFound := strings.Cut(decoded(t, lit), sep)
		if found != wantFound || decoded(t, `"`+before+`"`) != wantBefore || decoded(t, `"`+after+`"`) != wantAfter {
			t.Fatalf("%s around %q: %s, %s, %t", lit, sep, before, after, found)
		}
	})
}

func TestCleaning(t *testing.T) {
	for _, x := range []struct {
		name, in, want string
		n              int
	}{
		{"nothing to do", `"a\n\u00e9é"`, `"a\n\u00e9é"`, 0},
		{"a pair", `"\ud83d\ude00"`, `"\ud83d\ude00"`, 0},
		{"a lone high surrogate, anthropics/claude-code#56064", `"a\ud83d"`, "\"a\uFFFD\"", 1},
		{"a lone low surrogate, anthropics/claude-code#70618", `"\uDE00a"`, "\"\uFFFDa\"", 1},
		{"surrogates the wrong way round", `"\ude00\ud83d"`, "\"\uFFFD\uFFFD\"", 2},
		{"a high surrogate before a pair", `"\ud83d\ud83d\ude00"`, "\"\uFFFD😀\"", 1},
		{"what only looks like an escape", `"\\ud83d"`, `"\\ud83d"`, 0},
		{"an escaped backslash before an escape", `"\\\ud83d"`, "\"\\\\\uFFFD\"", 1},
		{"invalid UTF-8, openai/codex#36802", "\"a\xe2\x82b\xff\"", "\"a\uFFFD\uFFFDb\uFFFD\"", 3},
		{"a surrogate that is written as UTF-8", "\"\xed\xa0\xbd\"", "\"\uFFFD\uFFFD\uFFFD\"", 3},
		{"both", "\"\xff\\ud83d\"", "\"\uFFFD\uFFFD\"", 2},
	} {
		t.Run(x.name, func(t *testing.T) {
			lit, n := jsonx.CleanLiteral([]byte(x.in))
			if string(lit) != x.want || n != x.n {
				t.Errorf("%s, %d", lit, n)
			}
			value, n := jsonx.CleanValue(jsonx.Raw(` {"k` + "\n" + `": [` + x.in + `,` + x.in + `]} `))
			if want := ` {"k` + "\n" + `": [` + x.want + `,` + x.want + `]} `; string(value) != want || n != 2*x.n {
				t.Errorf("in a value %s, %d", value, n)
			}
		})
	}
}

func TestWhatIsCleanStaysWhereItIs(t *testing.T) {
	for _, in := range []string{`"a"`, `"\ud83d\ude00é"`, `{"a":["\\ud83d"]}`, ``, `1`} {
		b := []byte(in)
		if lit, n := jsonx.CleanLiteral(b); n != 0 || len(b) > 0 && &lit[0] != &b[0] {
			t.Errorf("the literal %s was copied", in)
		}
		if v, n := jsonx.CleanValue(b); n != 0 || len(b) > 0 && &v[0] != &b[0] {
			t.Errorf("the value %s was copied", in)
		}
	}
}

// cleaned checks what holds for any value that is cleaned.
func cleaned(t rapid.TB, in []byte) {
	t.Helper()
	out, n := jsonx.CleanValue(in)
	if !utf8.Valid(out) || !json.Valid(out) {
		t.Fatalf("%q became %q", in, out)
	}
	if again, m := jsonx.CleanValue(out); m != 0 || !bytes.Equal(again, out) {
		t.Fatalf("%q became %q and then %q", in, out, again)
	}
	if n == 0 && !bytes.Equal(in, out) {
		t.Fatalf("%q became %q and nothing was counted", in, out)
	}
	var before, after any
	if json.Unmarshal(in, &before) != nil || json.Unmarshal(out, &after) != nil {
		return // numbers that are out of range
	}
	if b, a := fmt.Sprintf("%q", before), fmt.Sprintf("%q", after); b != a {
		t.Fatalf("%q says %s and then %s", in, b, a)
	}
}

func TestCleaningKeepsTheRest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawLiteral(t, true), drawLiteral(t, true)
		cleaned(t, []byte(`{`+a+` : [`+b+`,1.0e5], "x":{`+b+`:null}}`))
		lit, n := jsonx.CleanLiteral([]byte(a))
		if got := decoded(t, string(lit)); got != decoded(t, a) || !utf8.Valid(lit) {
			t.Fatalf("%q became %q", a, lit)
		}
		if want := strings.Count(decoded(t, a), "\uFFFD") - strings.Count(a, "\uFFFD") - strings.Count(a, `\uFfFd`); n != want {
			t.Fatalf("%q: %d were replaced, %d counted", a, want, n)
		}
	})
}

func TestQuotingIsUndone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.OneOf(rapid.String(), rapid.Custom(func(t *rapid.T) string { return string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")) })).Draw(t, "s")
		lit := jsonx.AppendQuote([]byte("<"), s)[1:]
		if want := string([]rune(s)); decoded(t, string(lit)) != want || jsonx.Unquote(lit) != want || !utf8.Valid(lit) {
			t.Fatalf("%q was quoted as %s", s, lit)
		}
	})
}

func TestStringsAreMapped(t *testing.T) {
	const in = `{ "a\u0062" : ["ab", "c", 1, "x\/ab"], "c":{"ab":null} }`
	got := jsonx.MapStrings(jsonx.Raw(in), func(s string) (string, bool) {
		return strings.ReplaceAll(s, "ab", "\"\n"), strings.Contains(s, "ab")
	})
	if want := `{ "\"\n" : ["\"\n", "c", 1, "x/\"\n"], "c":{"\"\n":null} }`; string(got) != want {
		t.Errorf("%s", got)
	}
	same := jsonx.Raw(in)
	if got := jsonx.MapStrings(same, func(string) (string, bool) { return "x", false }); &got[0] != &same[0] {
		t.Errorf("%s was copied", got)
	}
}

func TestARawValueIsAppendedOnOneLine(t *testing.T) {
	for in, want := range map[string]string{
		`{"a":"\n"}`: `{"a":"\n"}`, "{\n\"a\":\r\n1}": `{ "a":  1}`, "\n": " ", "": "",
	} {
		if got := string(jsonx.AppendRaw([]byte("\n<"), jsonx.Raw(in))); got != "\n<"+want {
			t.Errorf("%q: %q", in, got)
		}
	}
}
