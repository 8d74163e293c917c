package canon

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"hash"

	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// Link is one link of a digest chain: the digest of a content block and all
// blocks before it.
type Link [16]byte

// String returns the link in unpadded URL-safe base64.
func (l Link) String() string { return base64.RawURLEncoding.EncodeToString(l[:]) }

// Digester computes digests of content blocks. A digest covers the role and
// authority (but of calls and results), the block's kind and its decoded
// content: text, a call's name and input, a result's content and error flag,
// media data. Ids, times, grouping, escaping, unknown members and empty text in
// a result are no part of it, so the same content has the same digest in every
// format.
//
// The zero value is ready to use; it is not safe for concurrent use.
type Digester struct {
	h       hash.Hash
	scratch []byte
	sum     [sha256.Size]byte
}

// Block returns the digest of b as part of a message with m's role.
func (d *Digester) Block(m *Message, b Block) Link {
	if d.h == nil {
		d.h = sha256.New()
	}
	d.h.Reset()
	// A call is always the assistant's and a result the user's or provider's;
	// dialects differ in the role they file them under.
	if k := b.Kind(); k != KindToolCall && k != KindToolResult {
		d.field("role", string(m.Role))
		d.field("authority", string(m.Authority))
	}
	d.block(b)
	return Link(d.h.Sum(d.sum[:0]))
}

// Next returns the link that follows prev when b is added to the chain.
func (d *Digester) Next(prev Link, m *Message, b Block) Link {
	return d.Extend(prev, d.Block(m, b))
}

// Extend returns the link that follows prev when a block with the digest
// content is added to the chain.
func (d *Digester) Extend(prev, content Link) Link {
	if d.h == nil {
		d.h = sha256.New()
	}
	d.h.Reset()
	d.h.Write(prev[:])
	d.h.Write(content[:])
	return Link(d.h.Sum(d.sum[:0]))
}

// Chained reports whether b of m is a part of digest chains: reasoning,
// scaffolding, summaries, compaction marks and what a stage synthesized are
// not, since another client leaves them out or makes its own.
func Chained(m *Message, b Block) bool {
	if b.Meta().Tag != "" || m.Kind == Summary || b.Meta().Synthesized {
		return false
	}
	switch b.Kind() {
	case KindReasoning, KindCompaction:
		return false
	case KindText, KindImage, KindDocument, KindToolCall, KindToolResult, KindOpaque:
	}
	return true
}

func (d *Digester) block(b Block) {
	d.field("kind", string(b.Kind()))
	switch b := b.(type) {
	case *TextBlock:
		d.text(b.Text)
	case *ImageBlock:
		d.media(b.Media)
	case *DocumentBlock:
		d.media(b.Media)
	case *ReasoningBlock:
		d.text(b.Text)
		for _, s := range b.Summary {
			d.text(s)
		}
		d.text(b.Capsule.Sealed)
	case *ToolCallBlock:
		d.field("call", string(b.Call))
		d.field("namespace", b.Namespace)
		d.field("name", b.Name)
		if b.Input.JSON != nil {
			d.field("json", "")
			d.json(b.Input.JSON)
		} else {
			d.text(b.Input.Text)
		}
	case *ToolResultBlock:
		if b.IsError {
			d.field("error", "true")
		}
		for _, inner := range b.Content {
			if t, ok := inner.(*TextBlock); ok && t.Text.IsEmpty() {
				continue // some dialects cannot tell it from no content
			}
			d.block(inner)
		}
		d.field("end", "")
	case *CompactionBlock:
		d.text(b.Capsule.Sealed)
	case *OpaqueBlock:
		d.field("type", b.Type)
		d.json(b.Raw)
	}
}

func (d *Digester) media(m Media) {
	d.field("media", m.MediaType)
	d.text(m.Data)
	d.text(m.URL)
	d.text(m.Plain)
}

// field writes a named value. Lengths go first, so that no two sequences of
// fields read alike.
func (d *Digester) field(name, value string) {
	d.write(append(d.begin(name), value...), len(name))
}

func (d *Digester) text(t Text) {
	const name = "text"
	d.write(t.AppendTo(d.begin(name)), len(name))
}

// begin starts a field with its name and room for the length of its value.
func (d *Digester) begin(name string) []byte {
	d.scratch = append(d.scratch[:0], byte(len(name)))
	d.scratch = append(d.scratch, name...)
	return binary.LittleEndian.AppendUint64(d.scratch, 0)
}

func (d *Digester) write(field []byte, name int) {
	binary.LittleEndian.PutUint64(field[1+name:], uint64(len(field)-1-name-8))
	d.scratch = field
	d.h.Write(field)
}

// json writes the tokens of a JSON value, so that white space and the spelling
// of strings do not matter; the order of members and the digits of numbers do.
func (d *Digester) json(v Raw) {
	dec := jsonx.NewDecoder(v)
	d.jsonValue(dec)
	if dec.Err() != nil {
		d.field("invalid", string(v))
	}
}

func (d *Digester) jsonValue(dec *jsonx.Decoder) {
	switch dec.Kind() {
	case jsonx.Object:
		d.field("{", "")
		for name := range dec.Members() {
			d.field("name", string(name))
			d.jsonValue(dec)
		}
		d.field("}", "")
	case jsonx.Array:
		d.field("[", "")
		for range dec.Elements() {
			d.jsonValue(dec)
		}
		d.field("]", "")
	case jsonx.String:
		t, _ := LiteralText(dec.Literal())
		d.text(t)
	case jsonx.Number, jsonx.True, jsonx.False, jsonx.Null:
		d.field("v", string(dec.Raw()))
	case jsonx.End:
		dec.Skip()
	}
}
