package chat

import (
	"errors"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/dialect"
)

// Name is the dialect's name.
const Name = "chat"

// ErrCannotExpress is matched by the errors for content that the protocol has
// no form for.
var ErrCannotExpress = errors.New("cannot be expressed in the Chat Completions protocol")

// Codec implements [dialect.Codec].
type Codec struct{}

// New returns the codec.
func New() Codec { return Codec{} }

// Name implements [dialect.Codec].
func (Codec) Name() string { return Name }

// NewDecoder implements [dialect.Codec].
func (Codec) NewDecoder(r *canon.Report) dialect.Decoder { return newDecoder(r) }

// NewEncoder implements [dialect.Codec].
func (Codec) NewEncoder(o dialect.StreamOptions, r *canon.Report) dialect.Encoder {
	return &encoder{options: o, answer: answer{report: r}}
}

// ids is the grammar of call ids. OpenAI says that they have at most 40 bytes; of
// what characters nobody says, and Kimi's hold dots and colons.
var ids = canon.Grammar{Max: 40, Extra: "_-.:|/+=@#~"}

// Capacity implements [dialect.Codec].
func (Codec) Capacity(t *dialect.Target) *canon.Capacity { return Capacity(t) }

// Capacity is what the Chat Completions API takes as history. Its reference and the
// guides to images and files document names of letters, digits, _ and - of at most
// 64, four image types, and PDF documents in the request itself. (2026-11.)
//
// Results have no error flag, but the encoder says it in words.
func Capacity(t *dialect.Target) *canon.Capacity {
	c := &canon.Capacity{
		Dialect:    Name,
		CallIDs:    ids,
		Names:      canon.Grammar{Max: 64, Extra: "_-"},
		ImageTypes: []string{"image/png", "image/jpeg", "image/gif", "image/webp"},
		MaxImage:   20 << 20,
		Documents: func(b *canon.DocumentBlock) bool {
			return !b.Data.IsEmpty() && b.MediaType == "application/pdf"
		},
		Provider: func(*canon.ToolCallBlock, *canon.ToolResultBlock) bool { return false },
		Reasoning: func(b *canon.ReasoningBlock) bool {
			return b.Capsule.Issuer == t.IssuerOr(Name) && !(b.Text.IsEmpty() && b.Capsule.Sealed.IsEmpty())
		},
		Custom:        !t.NoCustom,
		ErrorFlag:     true,
		BlankText:     true,
		SystemApart:   true,
		LeadingSystem: t.LeadingSystem,
	}
	if t.NoImages {
		c.ImageTypes, c.NoImageURLs, c.Documents = nil, true, nil
	}
	return c
}
