package chat

import (
	"slices"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// piece is what a delta brings beside calls.
type piece struct {
	content, refusal canon.Text
	thoughts         [len(thoughtNames)]canon.Text
	details          canon.Raw
	parts            []canon.Block // content that is a list
	calls            canon.Raw
}

// thought returns the first text of reasoning that there is.
func (p *piece) thought() canon.Text {
	for _, t := range p.thoughts {
		if !t.IsEmpty() {
			return t
		}
	}
	return detailsText(p.details)
}

func (d *decoder) readPiece(raw canon.Raw) (p piece) {
	b := &d.body
	b.Reset(raw)
	for name := range b.Members() {
		switch s := string(name); s {
		case "role":
		case "content":
			if b.Kind() == jsonx.String {
				p.content = canon.ReadText(b)
			} else {
				p.parts = readContent(b)
			}
		case "refusal":
			p.refusal = canon.ReadOptText(b)
		case "tool_calls":
			p.calls = b.Raw()
		case detailsName:
			p.details = b.Raw()
			if holdsSealed(p.details) {
				d.lose("delta." + s)
			}
		default:
			if i := slices.Index(thoughtNames[:], s); i >= 0 {
				p.thoughts[i] = canon.ReadOptText(b)
			} else if b.Kind() != jsonx.Null {
				d.lose("delta." + s)
			}
		}
	}
	return p
}

// holdsSealed reports whether pieces of reasoning hold more than text.
func holdsSealed(details canon.Raw) (is bool) {
	if details.Kind() != jsonx.Array {
		return false
	}
	d := jsonx.NewDecoder(details)
	for range d.Elements() {
		if d.Kind() != jsonx.Object {
			continue
		}
		for name := range d.Members() {
			switch string(name) {
			case "data", "signature":
				is = is || d.Kind() == jsonx.String
			}
		}
	}
	return is
}
