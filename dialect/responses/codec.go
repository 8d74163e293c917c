package responses

import (
	"slices"
	"strings"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/dialect"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
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
	return &encoder{answer: answer{report: r}}
}

// Capacity implements [dialect.Codec].
func (Codec) Capacity(t *dialect.Target) *canon.Capacity { return Capacity(t) }

// Capacity is what the Responses API takes as history. Its reference and guides
// document call ids of at most 64 characters, names of 64 letters, digits, _ and
// -, four image types, files inline or by their address, and reasoning that comes
// back sealed. An image may have 20 MB. (platform.openai.com, 2026-11.)
func Capacity(t *dialect.Target) *canon.Capacity {
	c := &canon.Capacity{
		Dialect:    Name,
		CallIDs:    canon.Grammar{Max: maxID, Extra: "_-"},
		Names:      canon.Grammar{Max: 64, Extra: "_-"},
		ImageTypes: []string{"image/png", "image/jpeg", "image/gif", "image/webp"},
		MaxImage:   20 << 20,
		Documents: func(b *canon.DocumentBlock) bool {
			return !b.URL.IsEmpty() || !b.Data.IsEmpty()
		},
		Call:          fitCall,
		Custom:        true,
		Shell:         true,
		Namespaces:    true,
		BlankText:     true,
		SystemApart:   true,
		LeadingSystem: t.LeadingSystem,
		Reasoning: func(b *canon.ReasoningBlock) bool {
			return b.Capsule.Issuer == t.IssuerOr(Name) && (!b.Capsule.Sealed.IsEmpty() || b.ItemID != "")
		},
		Compaction: func(b *canon.CompactionBlock) bool {
			return b.Capsule.Issuer == t.IssuerOr(Name) && !b.Capsule.Sealed.IsEmpty()
		},
	}
	if t.NoImages {
		c.ImageTypes, c.NoImageURLs = nil, true
	}
	c.Provider = func(b *canon.ToolCallBlock, r *canon.ToolResultBlock) bool {
		if takesProvider(c, b, r) {
			return true
		}
		b.ItemID = "" // it is one of another type of item
		if r != nil {
			r.ItemID = ""
		}
		return false
	}
	return c
}

// maxID is the greatest length of an id, in bytes.
const maxID = 64

// takesProvider reports whether the API takes back a call of a tool that it runs:
// a web search, whose item has no result, or an image that was made.
func takesProvider(c *canon.Capacity, b *canon.ToolCallBlock, r *canon.ToolResultBlock) bool {
	if b.Namespace != "" {
		return false
	}
	switch b.Name {
	case NameWebSearch:
		return (r == nil || len(r.Content) == 0) && isSearch(b.Input)
	case NameImageGeneration:
		i := madeImage(r)
		return i != nil && slices.Contains(c.ImageTypes, i.MediaType) && i.Data.Size() <= c.MaxImage && isBase64(i.Data) && b.Input.JSON.Kind() == jsonx.Object
	}
	return false
}

// isSearch reports whether a web search has the input of this protocol's: an
// action that says what it is, or none, as in old items.
func isSearch(in canon.Input) bool {
	return in.JSON == nil && in.Text.IsEmpty() || valueOf(in.JSON, "type").Kind() == jsonx.String
}

// isBase64 reports whether t has the characters of base64 alone.
func isBase64(t canon.Text) bool {
	const others = "+/=\r\n"
	return strings.IndexFunc(t.String(), func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && !strings.ContainsRune(others, c)
	}) < 0
}

// madeImage returns the image that r holds and nothing else, or nil.
func madeImage(r *canon.ToolResultBlock) *canon.ImageBlock {
	if r == nil || len(r.Content) != 1 {
		return nil
	}
	if i, ok := r.Content[0].(*canon.ImageBlock); ok && !i.Data.IsEmpty() {
		return i
	}
	return nil
}

// fitCall gives a call the form that its item has.
func fitCall(b *canon.ToolCallBlock) (why string) {
	switch b.Call {
	case canon.CallCustom:
		if b.Input.JSON != nil {
			b.Input = canon.Input{Text: canon.NewText(string(b.Input.JSON))}
		}
	case canon.CallFunction, "":
		b.Call = canon.CallFunction
		if b.Input.JSON != nil {
			return ""
		}
		b.Input = canon.InputOf(canon.CallFunction, b.Input.Text.AppendTo(nil))
	case canon.CallShell:
		if isAction(b.Input.JSON) {
			return ""
		}
		b.Call, b.ItemID = canon.CallFunction, ""
		fitCall(b)
		return "a shell call without a command line becomes a function call"
	case canon.CallProvider:
	}
	return ""
}

// isAction reports whether v has a command line, as the action of a shell call
// needs it.
func isAction(v canon.Raw) bool { return valueOf(v, "command").Kind() == jsonx.Array }

// valueOf returns the member of the object v called name, or nil.
func valueOf(v canon.Raw, name string) (found canon.Raw) {
	if v.Kind() != jsonx.Object {
		return nil
	}
	d := jsonx.NewDecoder(v)
	for n := range d.Members() {
		if string(n) == name {
			found = d.Raw()
		}
	}
	return found
}
