package secret

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func filters() map[string][]spec {
	return map[string][]spec{"always": vendorAnchors(), "keyword": keywordAnchors()}
}

// core returns the sets of the four bytes whose grams are in the table.
func (s spec) coreSets() []string {
	sets := expand(s.prefix, s.fold)
	if s.core < 0 {
		sets = append([]string{s.before}, sets...)
	} else {
		sets = sets[s.core:]
	}
	for len(sets) < 4 {
		sets = append(sets, s.after)
	}
	return sets[:4]
}

func TestBothGramsOfEveryCoreLeadToItsAnchor(t *testing.T) {
	for name, specs := range filters() {
		var f filter
		f.build(specs)
		for _, s := range specs {
			for i := range 2 {
				for g := range grams(s.coreSets()[i : i+3]) {
					bucket := f.buckets[f.table[gram(g[0], g[1], g[2])]]
					if !slices.ContainsFunc(bucket, func(a *anchor) bool { return a.rule == s.rule && a.core == s.core }) {
						t.Fatalf("%s: %q of %q (%s) is not in the table", name, g, s.prefix, s.rule)
					}
				}
			}
		}
	}
}

func grams(sets []string) map[string]bool {
	all := map[string]bool{}
	for _, x := range sets[0] {
		for _, y := range sets[1] {
			for _, z := range sets[2] {
				all[string([]rune{x, y, z})] = true
			}
		}
	}
	return all
}

// What fills texts must not be mistaken for a gram of a rule: that would cost
// speed, not finds, and nobody would see it.
func TestCommonGramsAreNotInTheTable(t *testing.T) {
	var f filter
	f.build(vendorAnchors())
	for _, run := range []string{" ", "\t", "\n", "-", "=", "*", "#", ".", "_", "/", "0", "~", "+", "─", "│", "█", "\x00", "A", "x"} {
		text := []byte(strings.Repeat(run, 12))
		if i := f.next(text, 0); i >= 0 {
			t.Errorf("%q: looks like a key at %d", text, i)
		}
	}
	seldom := []byte(strings.Repeat(plain, 3))
	n := 0
	for i := f.next(seldom, 0); i >= 0; i = f.next(seldom, i+2) {
		n++
	}
	if most := len(seldom) / 150; n > most {
		t.Errorf("%d candidates in %d bytes, more than %d", n, len(seldom), most)
	}
}

func TestNextStopsWhereTheTableSays(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	f, p := New(Options{}), newPot()
	for range 20000 {
		text := p.soup(r, r.IntN(60))
		from := r.IntN(len(text) + 1)
		want := -1
		for i := from; i+2 < len(text); i += 2 {
			if f.always.table[gram(text[i], text[i+1], text[i+2])] != 0 {
				want = i
				break
			}
		}
		if got := f.always.next(text, from); got != want {
			t.Fatalf("next(%q, %d) = %d, want %d", text, from, got, want)
		}
	}
}

func TestMixIsTheHashOfEveryGramInTheWord(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 1000 {
		v := r.Uint64()
		for k := range 3 {
			g := v >> (16 * k)
			if got, want := uint16(mix(v)>>(16*k)), gram(byte(g), byte(g>>8), byte(g>>16)); got != want {
				t.Fatalf("gram %d of %x: %x, want %x", k, v, got, want)
			}
		}
	}
}
