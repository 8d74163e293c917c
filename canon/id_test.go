package canon_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/crosswalk-agents/crosswalk/canon"
)

func TestLegalID(t *testing.T) {
	g := canon.Grammar{Max: 24, Extra: "_-"}
	for name, x := range map[string]struct{ id, want string }{
		"legal":                  {"toolu_01-A", "toolu_01-A"},
		"of the greatest length": {strings.Repeat("a", 24), strings.Repeat("a", 24)},
		"empty":                  {"", "_e3b0c44298fc"},
		"other signs":            {"call:1|a", "call_1_a_e63406b65777"},
		"letters beyond ASCII":   {"é", "___4a99557e4033"},
		"too long":               {strings.Repeat("a", 25), "aaaaaaaaaaa_2f521e2a7d0b"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := canon.LegalID(x.id, g); got != x.want {
				t.Errorf("%q, want %q", got, x.want)
			}
		})
	}
}

func TestLegalIDWithoutADigitFirst(t *testing.T) {
	for name, x := range map[string]struct {
		g        canon.Grammar
		id, want string
	}{
		"a letter":          {canon.Grammar{Max: 24, Extra: "_", NoDigitFirst: true}, "a1", "a1"},
		"an extra one":      {canon.Grammar{Max: 24, Extra: "_", NoDigitFirst: true}, "_1", "_1"},
		"a digit":           {canon.Grammar{Max: 24, Extra: "_", NoDigitFirst: true}, "1a", "_1a_a73fcf339640"},
		"a digit without _": {canon.Grammar{Max: 24, NoDigitFirst: true}, "1a", "x1axa73fcf339640"},
		"no room":           {canon.Grammar{Max: 12, Extra: "_", NoDigitFirst: true}, "1", "_b86b273ff34"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := canon.LegalID(x.id, x.g); got != x.want {
				t.Errorf("%q, want %q", got, x.want)
			}
		})
	}
}

func drawGrammar(t *rapid.T) canon.Grammar {
	return canon.Grammar{
		Max:          rapid.IntRange(14, 130).Draw(t, "max"),
		Extra:        rapid.SampledFrom([]string{"", "-", "_-", "_", "_.:-"}).Draw(t, "extra"),
		NoDigitFirst: rapid.Bool().Draw(t, "no digit first"),
	}
}

func TestAliasesAreLegalStableAndTheirOwn(t *testing.T) {
	id := rapid.OneOf(rapid.String(), rapid.StringMatching(`[ab_|/:. -]{0,6}`), rapid.StringMatching(`[ab]{0,140}`))
	rapid.Check(t, func(t *rapid.T) {
		g := drawGrammar(t)
		a, b := id.Draw(t, "a"), id.Draw(t, "b")
		alias := canon.LegalID(a, g)
		if !g.Legal(alias) {
			t.Fatalf("%q is not legal", alias)
		}
		if again := canon.LegalID(a, g); again != alias {
			t.Fatalf("%q has the aliases %q and %q", a, alias, again)
		}
		if twice := canon.LegalID(alias, g); twice != alias {
			t.Fatalf("the alias of %q is %q", alias, twice)
		}
		if g.Legal(a) && alias != a {
			t.Fatalf("%q is legal and became %q", a, alias)
		}
		if other := canon.LegalID(b, g); (other == alias) != (a == b) {
			t.Fatalf("%q and %q have the aliases %q and %q", a, b, alias, other)
		}
	})
}

func TestAGrammarWithoutRoomStillHoldsAliases(t *testing.T) {
	for n := 1; n <= 14; n++ {
		g := canon.Grammar{Max: n}
		for _, id := range []string{"", "a b", "a very long name"} {
			if alias := canon.LegalID(id, g); !g.Legal(alias) || canon.LegalID(alias, g) != alias {
				t.Errorf("%d bytes: %q became %q", n, id, alias)
			}
		}
	}
}

func TestGrammar(t *testing.T) {
	g := canon.Grammar{Max: 4, Extra: "_"}
	for id, want := range map[string]bool{"": false, "a": true, "Z9_a": true, "abcde": false, "a-b": false, "é": false, "a\x00": false} {
		if got := g.Legal(id); got != want {
			t.Errorf("%q is legal: %t", id, got)
		}
	}
}
