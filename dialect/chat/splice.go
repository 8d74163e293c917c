package chat

import (
	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/dialect"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
	"github.com/crosswalk-agents/crosswalk/internal/sse"
)

// SpliceRequest implements [dialect.Codec].
func (Codec) SpliceRequest(dst, body []byte, edits []canon.Edit) ([]byte, error) {
	s := splicer{edits: edits}
	absent := func(texts []string) []byte { return append(append([]byte{'['}, systemMessages(texts)...), ']') }
	return s.edits.Body(dst, body, "messages", absent, func(p *jsonx.Patcher, name []byte, texts []string) bool {
		switch string(name) {
		case "model":
			p.Replace(s.edits.Model)
		case "tools":
			s.list(p, s.tool)
		case "tool_choice":
			s.choice(p)
		case "messages":
			s.messages(p, systemMessages(texts))
		}
		return string(name) == "messages"
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
	return dialect.SpliceFrame(dst, f, s.answer)
}

type splicer struct{ edits dialect.Edits }

// systemMessages returns texts as messages, parted by commas.
func systemMessages(texts []string) (out []byte) {
	for i, t := range texts {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, `{"role":"system","content":`...)
		out = append(jsonx.AppendQuote(out, t), '}')
	}
	return out
}

// list gives each element of the next value to edit, if it is a list of objects.
func (s *splicer) list(p *jsonx.Patcher, edit func(*jsonx.Patcher)) {
	dialect.EachElement(p, func(p *jsonx.Patcher) {
		if p.Kind() == jsonx.Object {
			edit(p)
		}
	})
}

// answer edits an answer, or a chunk of a streamed one.
func (s *splicer) answer(p *jsonx.Patcher) {
	if p.Kind() != jsonx.Object {
		return
	}
	p.Object(func(name []byte) bool {
		switch string(name) {
		case "model":
			p.Replace(s.edits.Model)
		case "choices":
			s.list(p, func(p *jsonx.Patcher) {
				p.Object(func(name []byte) bool {
					if n := string(name); (n == "message" || n == "delta") && p.Kind() == jsonx.Object {
						s.message(p)
					}
					return true
				})
			})
		}
		return true
	})
}

// message renames what a message calls and returns its role.
func (s *splicer) message(p *jsonx.Patcher) (role string) {
	p.Object(func(name []byte) bool {
		switch string(name) {
		case "role":
			role = p.OptStr()
		case "tool_calls":
			s.list(p, func(p *jsonx.Patcher) { s.named(p, false) })
		}
		return true
	})
	return role
}

// named renames the tool that the next value, an object, names in an object of its
// own, or by itself if bare says that it may. It returns the object's type.
func (s *splicer) named(p *jsonx.Patcher, bare bool) (typ string) {
	p.Object(func(name []byte) bool {
		switch string(name) {
		case "type":
			typ = p.OptStr()
		case "name":
			if bare {
				p.Replace(s.edits.Tool)
			}
		case "function", "custom":
			bare = bare && p.Kind() != jsonx.Object
			s.name(p)
		}
		return true
	})
	return typ
}

// name renames the tool that the next value, an object, is of.
func (s *splicer) name(p *jsonx.Patcher) {
	if p.Kind() != jsonx.Object {
		return
	}
	p.Object(func(name []byte) bool {
		if string(name) == "name" {
			p.Replace(s.edits.Tool)
		}
		return true
	})
}

// tool renames a tool that is declared. What canon does not model stays as it is.
func (s *splicer) tool(p *jsonx.Patcher) {
	was := len(p.Patches)
	switch s.named(p, true) {
	case "", "function", "custom":
	default:
		p.Patches = p.Patches[:was]
	}
}

// choice renames the tools to choose from.
func (s *splicer) choice(p *jsonx.Patcher) {
	if p.Kind() != jsonx.Object {
		return
	}
	was := len(p.Patches)
	typ := ""
	p.Object(func(name []byte) bool {
		switch string(name) {
		case "type":
			typ = p.OptStr()
		case "name":
			p.Replace(s.edits.Tool)
		case "function", "custom":
			if p.Kind() == jsonx.Object {
				s.name(p)
			} else {
				p.Replace(s.edits.Tool)
			}
		case "allowed_tools":
			if p.Kind() == jsonx.Object {
				p.Object(func(name []byte) bool {
					if string(name) == "tools" {
						s.list(p, s.choosable)
					}
					return true
				})
			}
		}
		return true
	})
	switch typ {
	case "function", "custom", "allowed_tools":
	default:
		p.Patches = p.Patches[:was]
	}
}

// choosable renames a tool in a list of those to choose from.
func (s *splicer) choosable(p *jsonx.Patcher) {
	p.Object(func(name []byte) bool {
		switch string(name) {
		case "name", "function", "custom":
			if p.Kind() == jsonx.Object {
				s.name(p)
			} else {
				p.Replace(s.edits.Tool)
			}
		}
		return true
	})
}

// messages renames what the conversation calls, and puts system, if any, behind
// the messages of the system that it begins with.
func (s *splicer) messages(p *jsonx.Patcher, system []byte) {
	if p.Kind() != jsonx.Array {
		return
	}
	first, lead, leading := -1, -1, true
	for range p.Elements() {
		if first < 0 {
			first = p.Next()
		}
		if p.Kind() != jsonx.Object {
			leading = false
			continue
		}
		was := len(p.Patches)
		role := s.message(p)
		if role != "assistant" { // what it has of calls is unknown
			p.Patches = p.Patches[:was]
		}
		if leading = leading && (role == "system" || role == "developer"); leading {
			lead = p.Offset()
		}
	}
	switch {
	case len(system) == 0:
	case lead >= 0:
		p.Insert(lead, append([]byte{','}, system...))
	case first >= 0:
		p.Insert(first, append(system[:len(system):len(system)], ','))
	default:
		p.Insert(p.Offset()-1, system)
	}
}
