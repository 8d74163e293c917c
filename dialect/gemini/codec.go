package gemini

import (
	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/dialect"
)

// Name is the dialect's name.
const Name = "gemini"

// Codec implements [dialect.Codec].
type Codec struct{}

// New returns the codec.
func New() Codec { return Codec{} }

// Name implements [dialect.Codec].
func (Codec) Name() string { return Name }

// NewDecoder implements [dialect.Codec].
func (Codec) NewDecoder(r *canon.Report) dialect.Decoder {
	d := &decoder{report: r}
	d.parts = streamed{decoder: d}
	return d
}

// NewEncoder implements [dialect.Codec].
func (Codec) NewEncoder(_ dialect.StreamOptions, r *canon.Report) dialect.Encoder {
	e := &encoder{}
	e.writer = partWriter{report: r, emit: e.part}
	return e
}

// Capacity implements [dialect.Codec].
func (Codec) Capacity(t *dialect.Target) *canon.Capacity { return Capacity(t) }

// Capacity is what the API takes as history. Its reference documents names of
// functions of letters, digits, _ and more that models do not reliably repeat,
// ids of calls that may be anything, images of four types that canon knows, inline
// data of 20 MB, and PDF documents. (ai.google.dev/api, 2026-11.)
func Capacity(t *dialect.Target) *canon.Capacity {
	c := &canon.Capacity{
		Dialect:    Name,
		CallIDs:    canon.Grammar{Max: 128, Extra: "_-.:|/"},
		Names:      canon.Grammar{Max: 64, Extra: "_", NoDigitFirst: true},
		ImageTypes: []string{"image/png", "image/jpeg", "image/webp", "image/heic", "image/heif"},
		MaxImage:   20 << 20,
		Documents: func(b *canon.DocumentBlock) bool {
			return !b.URL.IsEmpty() || !b.Data.IsEmpty() && b.MediaType == pdf
		},
		ErrorFlag:     true,
		UserFirst:     true,
		SystemApart:   true,
		LeadingSystem: true,
		Reasoning: func(b *canon.ReasoningBlock) bool {
			return b.Capsule.Issuer == t.IssuerOr(Name) && !(b.Text.IsEmpty() && b.Capsule.Sealed.IsEmpty())
		},
	}
	if t.NoImages {
		c.ImageTypes, c.NoImageURLs = nil, true
	}
	return c
}
