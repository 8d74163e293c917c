package jsonx

import "slices"

// Patch replaces the bytes of a text from From up to To by With.
type Patch struct {
	From, To int
	With     []byte
}

// Splice appends text with the patches made, which must not overlap and may
// stand in any order.
func Splice(dst, text []byte, patches []Patch) []byte {
	slices.SortStableFunc(patches, func(a, b Patch) int { return a.From - b.From })
	at := 0
	for _, p := range patches {
		dst = append(dst, text[at:p.From]...)
		dst = append(dst, p.With...)
		at = p.To
	}
	return append(dst, text[at:]...)
}

// Patcher collects the patches of a text that a Decoder reads.
type Patcher struct {
	Decoder
	Patches []Patch
}

// Replace reads the next value, which is a string, and replaces it if with says
// so.
func (p *Patcher) Replace(with func(was string) (now string, ok bool)) {
	if p.Kind() != String {
		p.Skip()
		return
	}
	from := p.Next()
	was := p.Str()
	if now, ok := with(was); ok && p.Err() == nil {
		p.Patches = append(p.Patches, Patch{From: from, To: p.Offset(), With: AppendQuote(nil, now)})
	}
}

// Insert puts text before the byte at.
func (p *Patcher) Insert(at int, text []byte) {
	p.Patches = append(p.Patches, Patch{From: at, To: at, With: text})
}

// Object reads an object. each gets the name of a member and reads its value, or
// returns false without reading it to have the member left out, comma and all.
func (p *Patcher) Object(each func(name []byte) (keep bool)) {
	kept := false
	var leading *Patch // the last member that is left out before one that is kept
	for name := range p.Members() {
		from := p.nameAt
		if leading != nil {
			leading.To, leading = from, nil
		}
		if each(name) {
			kept = true
			continue
		}
		p.Skip()
		if kept {
			p.Patches = append(p.Patches, Patch{From: p.commaBefore(from), To: p.Offset()})
			continue
		}
		p.Patches = append(p.Patches, Patch{From: from, To: p.Offset()})
		leading = &p.Patches[len(p.Patches)-1]
	}
}

// commaBefore returns where the comma stands before the member at from.
func (p *Patcher) commaBefore(from int) int {
	for from--; p.text[from] != ','; from-- {
	}
	return from
}
