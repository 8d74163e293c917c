package canonical

import (
	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// shape is the union of the members that blocks of all kinds have.
type shape struct {
	typ                            string
	callID, name, namespace        string
	mediaType, dialect, nativeType string
	call                           canon.CallKind
	text, data, url, plain         canon.Text
	summary                        []canon.Text
	capsule                        canon.Capsule
	input                          canon.Input
	content                        []canon.Block
	raw                            canon.Raw
	redacted, isError              bool
	meta                           canon.BlockMeta
}

func (r *reader) blocks(d *jsonx.Decoder) []canon.Block {
	var blocks []canon.Block
	for range r.elements(d) {
		blocks = append(blocks, r.block(d))
	}
	return blocks
}

// block reads one block. One of a kind that this version does not know is kept
// as it is.
func (r *reader) block(d *jsonx.Decoder) canon.Block {
	start := d.Next()
	if d.Kind() != jsonx.Object {
		r.unknown++
		return &canon.OpaqueBlock{Dialect: Dialect, Raw: d.CleanRaw()}
	}
	var s shape
	for name := range d.Members() {
		r.blockMember(d, &s, name)
	}
	if b := s.block(); b != nil {
		return b
	}
	r.unknown++
	raw, _ := jsonx.CleanValue(d.Slice(start))
	return &canon.OpaqueBlock{Dialect: Dialect, Type: s.typ, Raw: raw}
}

// blockMember reads what blocks have beside their content.
func (r *reader) blockMember(d *jsonx.Decoder, s *shape, name []byte) {
	switch string(name) {
	case "type":
		s.typ = d.OptStr()
	case "item_id":
		s.meta.ItemID = d.OptStr()
	case "tag":
		s.meta.Tag = d.OptStr()
	case "synthesized":
		s.meta.Synthesized = d.OptBool()
	case "ext":
		s.meta.Ext = r.ext(d)
	case "call_id":
		s.callID = d.OptStr()
	case "name":
		s.name = d.OptStr()
	case "namespace":
		s.namespace = d.OptStr()
	case "call":
		s.call = known(r, d, canon.CallFunction, canon.CallCustom, canon.CallShell, canon.CallProvider)
	case "media_type":
		s.mediaType = d.OptStr()
	case "dialect":
		s.dialect = d.OptStr()
	case "native_type":
		s.nativeType = d.OptStr()
	case "redacted":
		s.redacted = d.OptBool()
	case "is_error":
		s.isError = d.OptBool()
	default:
		r.contentMember(d, s, name)
	}
}

// contentMember reads what a block holds.
func (r *reader) contentMember(d *jsonx.Decoder, s *shape, name []byte) {
	switch string(name) {
	case "text":
		s.text = r.text(d)
	case "data":
		s.data = r.text(d)
	case "url":
		s.url = r.text(d)
	case "plain":
		s.plain = r.text(d)
	case "summary":
		for range r.elements(d) {
			s.summary = append(s.summary, r.text(d))
		}
	case "capsule":
		s.capsule = r.capsule(d)
	case "input":
		s.input = r.input(d)
	case "content":
		s.content = r.blocks(d)
	case "json":
		s.raw = d.CleanRaw()
	case "json_text":
		s.raw, _ = r.jsonText(d)
	default:
		r.unknown++
	}
}

func (r *reader) capsule(d *jsonx.Decoder) (c canon.Capsule) {
	for name := range r.members(d) {
		switch string(name) {
		case "issuer":
			c.Issuer = d.OptStr()
		case "sealed":
			c.Sealed = r.text(d)
		default:
			r.unknown++
		}
	}
	return c
}

func (r *reader) input(d *jsonx.Decoder) (in canon.Input) {
	for name := range r.members(d) {
		switch string(name) {
		case "json":
			in.JSON = d.CleanRaw()
		case "json_text":
			in.JSON, in.Text = r.jsonText(d)
		case "text":
			in.Text = r.text(d)
		default:
			r.unknown++
		}
	}
	return in
}

// block returns the block that s describes, or nil if canon does not model it.
func (s *shape) block() canon.Block {
	media := canon.Media{MediaType: s.mediaType, Data: s.data, URL: s.url, Plain: s.plain, Name: s.name}
	switch canon.BlockKind(s.typ) {
	case canon.KindText:
		return &canon.TextBlock{BlockMeta: s.meta, Text: s.text}
	case canon.KindImage:
		return &canon.ImageBlock{BlockMeta: s.meta, Media: media}
	case canon.KindDocument:
		return &canon.DocumentBlock{BlockMeta: s.meta, Media: media}
	case canon.KindReasoning:
		return &canon.ReasoningBlock{BlockMeta: s.meta, Text: s.text, Summary: s.summary, Capsule: s.capsule, Redacted: s.redacted}
	case canon.KindToolCall:
		return &canon.ToolCallBlock{BlockMeta: s.meta, CallID: s.callID, Name: s.name, Namespace: s.namespace, Call: s.call, Input: s.input}
	case canon.KindToolResult:
		return &canon.ToolResultBlock{BlockMeta: s.meta, CallID: s.callID, Content: s.content, IsError: s.isError, Call: s.call}
	case canon.KindCompaction:
		return &canon.CompactionBlock{BlockMeta: s.meta, Capsule: s.capsule}
	case canon.KindOpaque:
		return &canon.OpaqueBlock{BlockMeta: s.meta, Dialect: s.dialect, Type: s.nativeType, Raw: s.raw, Words: s.text}
	}
	return nil
}
