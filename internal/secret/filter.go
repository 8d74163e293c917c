package secret

import (
	"encoding/binary"
	"slices"
)

// filter finds where anchors may stand. An anchor is the fixed part of a rule
// and has a core of four bytes; the core's two overlapping runs of three bytes
// (grams) go into a table. Of two neighbouring positions one is even, so
// looking up the gram at every second position meets every core.
//
// Measured on code, logs and prose, in units of bytes.Count(text, "\n"): this
// takes 6 to 8 (3.5 GB/s a core), a loop that looks at every byte 9, the same
// table with a multiplicative hash 8, skipping by the length of the shortest
// key 25, a bitmap of byte pairs at every position 36, bytes.Index for twenty
// of the prefixes 130.
type filter struct {
	// table holds for the hash of a gram the number of its bucket, 0 for none.
	// Bytes rather than bits: a shift by a variable costs more than the cache.
	table   [1 << 16]uint8
	buckets [][]*anchor
}

// anchor is the fixed part of a rule and what decides about the rest.
type anchor struct {
	rule   string
	weight int
	// sets holds the bytes allowed at each position of the prefix.
	sets []string
	// core is where in the prefix its four characteristic bytes begin; -1 if the
	// first of them stands before it.
	core int
	// before and after are the classes of the bytes that have to stand around the
	// prefix; empty if any may. The core needs them where the prefix is shorter.
	before, after string
	// match decides about the body that begins behind the prefix and returns the
	// place of the secret; to is 0 if there is none.
	match func(text []byte, start, body int) (from, to int)
	// whole says that nothing inside a match is worth a look of its own.
	whole bool
}

// mix makes hashes of the grams that begin at the even bytes of v: bits 16k to
// 16k+15 for the gram in bytes 2k, 2k+1, 2k+2, as long as these lie within v.
// It works for all of them at once, which a multiplication would not. Of all
// sums of up to three shifts this one confuses the fewest grams of English and
// code with those of the rules (1 in 400).
func mix(v uint64) uint64 { return v ^ v>>2 ^ v>>5 }

func gram(a, b, c byte) uint16 {
	return uint16(mix(uint64(a) | uint64(b)<<8 | uint64(c)<<16))
}

// next returns the first position from i on, in steps of two, where a core may
// be, or -1.
func (f *filter) next(text []byte, i int) int {
	for i+2 < len(text) {
		s := text[i:]
		for len(s) >= 14 {
			a := mix(binary.LittleEndian.Uint64(s))
			b := mix(binary.LittleEndian.Uint64(s[6:]))
			if f.table[uint16(a)]|f.table[uint16(a>>16)]|f.table[uint16(a>>32)]|
				f.table[uint16(b)]|f.table[uint16(b>>16)]|f.table[uint16(b>>32)] != 0 {
				break
			}
			s = s[12:]
		}
		i = len(text) - len(s)
		for end := min(i+12, len(text)-2); i < end; i += 2 {
			if f.table[gram(text[i], text[i+1], text[i+2])] != 0 {
				return i
			}
		}
	}
	return -1
}

// at decides about a position that next returned, and where to go on.
func (f *filter) at(text []byte, i int) (m find, resume int) {
	for _, a := range f.buckets[f.table[gram(text[i], text[i+1], text[i+2])]] {
		for start := i - a.core - 1; start <= i-a.core; start++ {
			if !a.prefixed(text, start) {
				continue
			}
			from, to := a.match(text, start, start+len(a.sets))
			if to == 0 {
				continue
			}
			m = find{Match{a.rule, from, to}, a.weight}
			if a.whole {
				return m, max(to, i+2)
			}
			return m, i + 2
		}
	}
	return find{}, i + 2
}

func (f *filter) any(text []byte) bool {
	for i := f.next(text, 0); i >= 0; {
		m, resume := f.at(text, i)
		if m.End > 0 {
			return true
		}
		i = f.next(text, resume)
	}
	return false
}

func (a *anchor) prefixed(text []byte, start int) bool {
	if start < 0 || start+len(a.sets) > len(text) {
		return false
	}
	end := start + len(a.sets)
	if a.before != "" && (start == 0 || !has(a.before, text[start-1])) || a.after != "" && (end == len(text) || !has(a.after, text[end])) {
		return false
	}
	for i, set := range a.sets {
		if !has(set, text[start+i]) {
			return false
		}
	}
	return true
}

func has(set string, b byte) bool {
	for i := range len(set) {
		if set[i] == b {
			return true
		}
	}
	return false
}

// build enters anchors. A prefix shorter than a core is lengthened by what
// stands around it, before and after.
func (f *filter) build(anchors []spec) {
	f.buckets = make([][]*anchor, 1, len(anchors)+1)
	for _, s := range anchors {
		a := s.anchor
		a.sets = expand(s.prefix, s.fold)
		core := a.sets
		if a.core < 0 {
			core = append([]string{s.before}, core...)
		} else {
			core = core[a.core:]
		}
		for core = slices.Clone(core); len(core) < 4; {
			core = append(core, s.after)
		}
		f.enter(&a, core[:3])
		f.enter(&a, core[1:4])
	}
}

func (f *filter) enter(a *anchor, sets []string) {
	alone := f.bucket([]*anchor{a})
	for _, x := range []byte(sets[0]) {
		for _, y := range []byte(sets[1]) {
			for _, z := range []byte(sets[2]) {
				g := gram(x, y, z)
				others := f.buckets[f.table[g]]
				switch {
				case len(others) == 0:
					f.table[g] = alone
				case !slices.Contains(others, a):
					f.table[g] = f.bucket(append(slices.Clip(others), a))
				}
			}
		}
	}
}

// bucket returns the number of the bucket that holds these anchors.
func (f *filter) bucket(want []*anchor) uint8 {
	for n, b := range f.buckets {
		if slices.Equal(b, want) {
			return uint8(n)
		}
	}
	if len(f.buckets) == 256 {
		panic("secret: more combinations of anchors than a byte can number")
	}
	f.buckets = append(f.buckets, want)
	return uint8(len(f.buckets) - 1)
}

// spec is an anchor as it is written down.
type spec struct {
	anchor
	// prefix is literal but for classes as in [a-z0-9].
	prefix string
	// fold accepts letters of either case.
	fold bool
}

// expand turns a prefix into the bytes allowed at each position.
func expand(prefix string, fold bool) []string {
	var sets []string
	for i := 0; i < len(prefix); i++ {
		set := prefix[i : i+1]
		if set == "[" {
			end := i + 1
			for prefix[end] != ']' {
				end++
			}
			set = ranges(prefix[i+1 : end])
			i = end
		}
		if c := set[0]; fold && classOf(c)&(lower|upper) != 0 {
			set = string([]byte{c | 0x20, c &^ 0x20})
		}
		sets = append(sets, set)
	}
	return sets
}

// ranges spells a class out: a-d becomes abcd.
func ranges(class string) string {
	var out []byte
	for i := 0; i < len(class); i++ {
		if i+2 < len(class) && class[i+1] == '-' {
			for c := class[i]; c <= class[i+2]; c++ {
				out = append(out, c)
			}
			i += 2
			continue
		}
		out = append(out, class[i])
	}
	return string(out)
}
