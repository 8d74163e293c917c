package responses

import (
	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/dialect"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
	"github.com/crosswalk-agents/crosswalk/internal/sse"
)

// SpliceRequest implements [dialect.Codec].
func (Codec) SpliceRequest(dst, body []byte, edits []canon.Edit) ([]byte, error) {
	s := splicer{edits: edits}
	absent := func(texts []string) []byte { return append(append([]byte{'['}, systemItems(texts)...), ']') }
	return s.edits.Body(dst, body, "input", absent, func(p *jsonx.Patcher, name []byte, texts []string) bool {
		switch string(name) {
		case "model":
			p.Replace(s.edits.Model)
		case "tools":
			s.tools(p)
		case "tool_choice":
			s.choice(p)
		case "input":
			s.input(p, systemItems(texts))
		}
		return string(name) == "input"
	})
}

// SpliceResponse implements [dialect.Codec].
func (Codec) SpliceResponse(dst, body []byte, edits []canon.Edit) ([]byte, error) {
	s := splicer{edits: edits}
	return dialect.Splice(dst, body, s.answer)
}

// SpliceFrame implements [dialect.Codec]. A name stands in the item when it is
// added and when it is done, in the events of its arguments, and in the final
// list.
func (Codec) SpliceFrame(dst []byte, f *sse.Event, edits []canon.Edit) ([]byte, error) {
	s := splicer{edits: edits}
	return dialect.SpliceFrame(dst, f, func(p *jsonx.Patcher) {
		p.Object(func(name []byte) bool {
			switch string(name) {
			case "response":
				s.answer(p)
			case "item":
				s.item(p)
			case "name":
				p.Replace(s.edits.Tool)
			}
			return true
		})
	})
}

type splicer struct{ edits dialect.Edits }

// systemItems returns texts as items, parted by commas.
func systemItems(texts []string) (out []byte) {
	for i, t := range texts {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, `{"type":"message","role":"system","content":[{"type":"input_text","text":`...)
		out = append(jsonx.AppendQuote(out, t), "}]}"...)
	}
	return out
}

func (s *splicer) answer(p *jsonx.Patcher) {
	if p.Kind() != jsonx.Object {
		return
	}
	p.Object(func(name []byte) bool {
		switch string(name) {
		case "model":
			p.Replace(s.edits.Model)
		case "output":
			dialect.EachElement(p, s.item)
		case "tools":
			s.tools(p)
		case "tool_choice":
			s.choice(p)
		}
		return true
	})
}

// tools renames declared tools, those of namespaces too, whose own names stay.
func (s *splicer) tools(p *jsonx.Patcher) {
	dialect.EachElement(p, func(p *jsonx.Patcher) {
		if p.Kind() != jsonx.Object {
			return
		}
		was, typ := len(p.Patches), ""
		var inner []jsonx.Patch
		p.Object(func(name []byte) bool {
			switch string(name) {
			case "type":
				typ = p.OptStr()
			case "name":
				p.Replace(s.edits.Tool)
			case "tools":
				from := len(p.Patches)
				s.tools(p)
				inner = append(inner, p.Patches[from:]...)
			}
			return true
		})
		if typ == "namespace" {
			p.Patches = append(p.Patches[:was], inner...)
		}
	})
}

// choice renames the tools that a choice names.
func (s *splicer) choice(p *jsonx.Patcher) {
	if p.Kind() != jsonx.Object {
		return
	}
	p.Object(func(name []byte) bool {
		switch string(name) {
		case "name":
			p.Replace(s.edits.Tool)
		case "tools":
			dialect.EachElement(p, s.choice)
		}
		return true
	})
}

// input edits the items and puts the system's text behind the leading ones.
func (s *splicer) input(p *jsonx.Patcher, system []byte) {
	from := p.Next()
	switch p.Kind() {
	case jsonx.String:
		p.Skip()
		if len(system) > 0 {
			p.Insert(from, append(append([]byte{'['}, system...), `,{"role":"user","content":`...))
			p.Insert(p.Offset(), []byte("}]"))
		}
	case jsonx.Array:
		s.items(p, system)
	default:
		p.Skip()
		if len(system) > 0 {
			p.Patches = append(p.Patches, jsonx.Patch{From: from, To: p.Offset(), With: append(append([]byte{'['}, system...), ']')})
		}
	}
}

func (s *splicer) items(p *jsonx.Patcher, system []byte) {
	leading, n, behind := true, 0, 0
	first := 0
	for range p.Elements() {
		if n == 0 {
			first = p.Next()
		}
		n++
		if role, declares := s.edit(p); leading && (role == "system" || role == "developer") {
			behind = p.Offset()
		} else if !declares {
			leading = false
		}
	}
	if len(system) == 0 || p.Err() != nil {
		return
	}
	switch {
	case behind > 0:
		p.Insert(behind, append([]byte{','}, system...))
	case n > 0:
		p.Insert(first, append(append([]byte{}, system...), ','))
	default:
		p.Insert(p.Offset()-1, system)
	}
}

func (s *splicer) item(p *jsonx.Patcher) { s.edit(p) }

// edit renames the tool that an item calls, or those that it declares. It tells
// the role of a message, and whether the item only declares tools.
func (s *splicer) edit(p *jsonx.Patcher) (role string, declares bool) {
	if p.Kind() != jsonx.Object {
		p.Skip()
		return "", false
	}
	was, typ := len(p.Patches), ""
	p.Object(func(name []byte) bool {
		switch string(name) {
		case "type":
			typ = p.OptStr()
		case "role":
			role = p.OptStr()
		case "name":
			p.Replace(s.edits.Tool)
		case "tools":
			s.tools(p)
		}
		return true
	})
	switch typ {
	case "function_call", "custom_tool_call":
	case "additional_tools":
		return "", true
	case "", "message":
		p.Patches = p.Patches[:was]
		return role, false
	default:
		p.Patches = p.Patches[:was]
	}
	return "", false
}
