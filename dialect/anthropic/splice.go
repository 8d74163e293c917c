package anthropic

import (
	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/dialect"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
	"github.com/crosswalk-agents/crosswalk/internal/sse"
)

// SpliceRequest implements [dialect.Codec].
func (Codec) SpliceRequest(dst, body []byte, edits []canon.Edit) ([]byte, error) {
	s := splicer{edits: edits}
	absent := func(texts []string) []byte { return appendSystemBlocks(nil, texts, true) }
	return s.edits.Body(dst, body, "system", absent, func(p *jsonx.Patcher, name []byte, texts []string) bool {
		switch string(name) {
		case "model":
			p.Replace(s.edits.Model)
		case "tools":
			dialect.EachElement(p, func(p *jsonx.Patcher) { s.member(p, "name") })
		case "tool_choice":
			s.member(p, "name")
		case "messages":
			dialect.EachElement(p, s.message)
		case "system":
			addSystem(p, texts)
		}
		return string(name) == "system"
	})
}

// SpliceResponse implements [dialect.Codec].
func (Codec) SpliceResponse(dst, body []byte, edits []canon.Edit) ([]byte, error) {
	s := splicer{edits: edits}
	return dialect.Splice(dst, body, s.answer)
}

// SpliceFrame implements [dialect.Codec].
func (Codec) SpliceFrame(dst []byte, f *sse.Event, edits []canon.Edit) ([]byte, error) {
	s := splicer{edits: edits}
	return dialect.SpliceFrame(dst, f, func(p *jsonx.Patcher) {
		p.Object(func(name []byte) bool {
			switch string(name) {
			case "message":
				s.answer(p)
			case "content_block":
				s.block(p)
			}
			return true
		})
	})
}

type splicer struct{ edits dialect.Edits }

func (s *splicer) answer(p *jsonx.Patcher) {
	if p.Kind() != jsonx.Object {
		return
	}
	p.Object(func(name []byte) bool {
		switch string(name) {
		case "model":
			p.Replace(s.edits.Model)
		case "content":
			s.blocks(p)
		}
		return true
	})
}

// member renames the tool that a member of the next value names.
func (s *splicer) member(p *jsonx.Patcher, member string) {
	if p.Kind() != jsonx.Object {
		return
	}
	p.Object(func(name []byte) bool {
		if string(name) == member {
			p.Replace(s.edits.Tool)
		}
		return true
	})
}

func (s *splicer) message(p *jsonx.Patcher) {
	if p.Kind() != jsonx.Object {
		return
	}
	p.Object(func(name []byte) bool {
		if string(name) == "content" {
			s.blocks(p)
		}
		return true
	})
}

func (s *splicer) blocks(p *jsonx.Patcher) { dialect.EachElement(p, s.block) }

// block renames the tool that a block calls or refers to. Which of its members
// do is known once its type is, wherever that stands.
func (s *splicer) block(p *jsonx.Patcher) {
	if p.Kind() != jsonx.Object {
		return
	}
	was := len(p.Patches)
	typ := ""
	p.Object(func(name []byte) bool {
		switch string(name) {
		case "type":
			typ = p.OptStr()
		case "name", "tool_name":
			p.Replace(s.edits.Tool)
		case "content":
			s.blocks(p)
		}
		return true
	})
	switch typ {
	case "tool_use", "server_tool_use", "tool_reference", "tool_result":
	default:
		p.Patches = p.Patches[:was]
	}
}

// addSystem puts texts behind those of the next value, the system field.
func addSystem(p *jsonx.Patcher, texts []string) {
	if len(texts) == 0 {
		return
	}
	from := p.Next()
	switch p.Kind() {
	case jsonx.String:
		p.Skip()
		p.Insert(from, []byte(`[{"type":"text","text":`))
		p.Insert(p.Offset(), append(appendSystemBlocks([]byte("},"), texts, false), ']'))
	case jsonx.Array:
		n := 0
		for range p.Elements() {
			n++
		}
		sep := ","
		if n == 0 {
			sep = ""
		}
		p.Insert(p.Offset()-1, appendSystemBlocks([]byte(sep), texts, false))
	default:
		p.Skip()
		p.Patches = append(p.Patches, jsonx.Patch{From: from, To: p.Offset(), With: appendSystemBlocks(nil, texts, true)})
	}
}

// appendSystemBlocks appends texts as blocks, without cache marks.
func appendSystemBlocks(dst []byte, texts []string, list bool) []byte {
	if list {
		dst = append(dst, '[')
	}
	for i, t := range texts {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, `{"type":"text","text":`...)
		dst = jsonx.AppendQuote(dst, t)
		dst = append(dst, '}')
	}
	if list {
		dst = append(dst, ']')
	}
	return dst
}
