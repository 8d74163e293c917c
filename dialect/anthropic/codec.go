package anthropic

import (
	"strings"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/dialect"
)

// Codec implements [dialect.Codec].
type Codec struct{}

// New returns the codec.
func New() Codec { return Codec{} }

// Name implements [dialect.Codec].
func (Codec) Name() string { return Name }

// NewDecoder implements [dialect.Codec].
func (Codec) NewDecoder(r *canon.Report) dialect.Decoder { return &decoder{report: r} }

// NewEncoder implements [dialect.Codec].
func (Codec) NewEncoder(_ dialect.StreamOptions, r *canon.Report) dialect.Encoder {
	return &encoder{report: r}
}

// Capacity implements [dialect.Codec].
func (Codec) Capacity(t *dialect.Target) *canon.Capacity { return Capacity(t) }

// isOwn reports whether a call is one of the vendor's own tools. The API refuses a
// server_tool_use whose id does not match ^srvtoolu_[a-zA-Z0-9_]+$.
func isOwn(b *canon.ToolCallBlock) bool {
	return strings.HasPrefix(b.CallID, "srvtoolu_") && canon.Grammar{Max: 128, Extra: "_"}.Legal(b.CallID)
}

// Capacity is what the Messages API takes as history. Its reference and the
// guides to vision and PDF support document ids and names of letters, digits, _
// and -, four image types of at most 5 MB, no text without content, and PDF or
// plain text documents. (docs.anthropic.com, 2026-11.)
func Capacity(t *dialect.Target) *canon.Capacity {
	c := &canon.Capacity{
		Dialect:    Name,
		CallIDs:    canon.Grammar{Max: 128, Extra: "_-"},
		Names:      canon.Grammar{Max: 128, Extra: "_-"},
		ImageTypes: []string{"image/png", "image/jpeg", "image/gif", "image/webp"},
		MaxImage:   5 << 20,
		Documents: func(b *canon.DocumentBlock) bool {
			return !b.URL.IsEmpty() || !b.Plain.IsEmpty() || !b.Data.IsEmpty() && b.MediaType == "application/pdf"
		},
		ErrorFlag:     true,
		BillingLine:   true,
		UserFirst:     true,
		SystemApart:   true,
		LeadingSystem: t.LeadingSystem,
		Reasoning: func(b *canon.ReasoningBlock) bool {
			return b.Capsule.Issuer == t.IssuerOr(Name) && !b.Capsule.Sealed.IsEmpty()
		},
	}
	if t.NoImages {
		c.ImageTypes, c.NoImageURLs = nil, true
	}
	return c
}
