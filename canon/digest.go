package canon

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"hash"
	"hash/maphash"
	"io"

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
	digest, print feeder
	sum           [sha256.Size]byte
}

// Block returns the digest of b as part of a message with m's role.
func (d *Digester) Block(m *Message, b Block) Link {
	if d.digest.h == nil {
		d.digest.h = sha256.New()
	}
	d.digest.message(m, b)
	if cap(d.digest.scratch) > maxScratch {
		d.digest.scratch = nil
	}
	return Link(d.digest.h.Sum(d.sum[:0]))
}

// maxScratch is how much memory is kept from one block to the next, in bytes.
const maxScratch = 1 << 20

// Fingerprint returns a number that d returns for every block with the same
// content in the same escaping. Blocks that differ in it may still have the same
// digest; it costs a small part of one.
func (d *Digester) Fingerprint(m *Message, b Block) uint64 {
	h, ok := d.print.h.(*maphash.Hash)
	if !ok {
		h = new(maphash.Hash)
		d.print = feeder{h: h, written: true}
	}
	d.print.message(m, b)
	return h.Sum64()
}

// Extend returns the link that follows prev when a block with the digest
// content is added to the chain.
func (d *Digester) Extend(prev, content Link) Link {
	f := &d.digest
	if f.h == nil {
		f.h = sha256.New()
	}
	f.h.Reset()
	f.scratch = append(append(f.scratch[:0], prev[:]...), content[:]...)
	f.h.Write(f.scratch)
	return Link(f.h.Sum(d.sum[:0]))
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

// feeder feeds a hash with content.
type feeder struct {
	h       hash.Hash
	written bool // as it is written, instead of decoded
	scratch []byte
}

func (f *feeder) message(m *Message, b Block) {
	f.h.Reset()
	// A call is always the assistant's and a result the user's or provider's;
	// dialects differ in the role they file them under.
	if k := b.Kind(); k != KindToolCall && k != KindToolResult {
		f.field("role", string(m.Role))
		f.field("authority", string(m.Authority))
	}
	f.block(b)
}

func (f *feeder) block(b Block) {
	f.field("kind", string(b.Kind()))
	switch b := b.(type) {
	case *TextBlock:
		f.text(b.Text)
	case *ImageBlock:
		f.media(b.Media)
	case *DocumentBlock:
		f.media(b.Media)
	case *ReasoningBlock:
		f.text(b.Text)
		for _, s := range b.Summary {
			f.text(s)
		}
		f.text(b.Capsule.Sealed)
	case *ToolCallBlock:
		f.field("call", string(b.Call))
		f.field("namespace", b.Namespace)
		f.field("name", b.Name)
		if b.Input.JSON != nil {
			f.field("json", "")
			f.json(b.Input.JSON)
		} else {
			f.text(b.Input.Text)
		}
	case *ToolResultBlock:
		if b.IsError {
			f.field("error", "true")
		}
		for _, inner := range b.Content {
			if t, ok := inner.(*TextBlock); ok && t.Text.IsEmpty() {
				continue // some dialects cannot tell it from no content
			}
			f.block(inner)
		}
		f.field("end", "")
	case *CompactionBlock:
		f.text(b.Capsule.Sealed)
	case *OpaqueBlock:
		f.field("type", b.Type)
		f.json(b.Raw)
	}
}

func (f *feeder) media(m Media) {
	f.field("media", m.MediaType)
	f.text(m.Data)
	f.text(m.URL)
	f.text(m.Plain)
}

// field writes a named value. Lengths go first, so that no two sequences of
// fields read alike.
func (f *feeder) field(name, value string) {
	f.write(append(f.begin(name), value...), len(name))
}

func (f *feeder) text(t Text) {
	if f.written {
		f.writtenText(t)
		return
	}
	const name = "text"
	f.write(t.AppendTo(f.begin(name)), len(name))
}

// writtenText writes a text as it is held. The same characters mean something
// else with escapes.
func (f *feeder) writtenText(t Text) {
	name := "plain"
	if t.escaped {
		name = "escaped"
	}
	f.scratch = f.begin(name)
	binary.LittleEndian.PutUint64(f.scratch[1+len(name):], uint64(len(t.body)))
	f.h.Write(f.scratch)
	_, _ = io.WriteString(f.h, t.body) // a hash never fails
}

// begin starts a field with its name and room for the length of its value.
func (f *feeder) begin(name string) []byte {
	f.scratch = append(f.scratch[:0], byte(len(name)))
	f.scratch = append(f.scratch, name...)
	return binary.LittleEndian.AppendUint64(f.scratch, 0)
}

func (f *feeder) write(field []byte, name int) {
	binary.LittleEndian.PutUint64(field[1+name:], uint64(len(field)-1-name-8))
	f.scratch = field
	f.h.Write(field)
}

// json writes the tokens of a JSON value, so that white space and the spelling
// of strings do not matter; the order of members and the digits of numbers do.
func (f *feeder) json(v Raw) {
	if f.written {
		f.writtenText(Text{body: view(v)})
		return
	}
	dec := jsonx.NewDecoder(v)
	f.jsonValue(dec)
	if dec.Err() != nil {
		f.field("invalid", string(v))
	}
}

func (f *feeder) jsonValue(dec *jsonx.Decoder) {
	switch dec.Kind() {
	case jsonx.Object:
		f.field("{", "")
		for name := range dec.Members() {
			f.field("name", string(name))
			f.jsonValue(dec)
		}
		f.field("}", "")
	case jsonx.Array:
		f.field("[", "")
		for range dec.Elements() {
			f.jsonValue(dec)
		}
		f.field("]", "")
	case jsonx.String:
		f.text(ReadText(dec))
	case jsonx.Number, jsonx.True, jsonx.False, jsonx.Null:
		f.field("v", string(dec.Raw()))
	case jsonx.End:
		dec.Skip()
	}
}
