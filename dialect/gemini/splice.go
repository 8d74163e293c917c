package gemini

import (
	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/dialect"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
	"github.com/crosswalk-agents/crosswalk/internal/sse"
)

// SpliceRequest implements [dialect.Codec]. A request names no model, so none is
// changed.
func (Codec) SpliceRequest(dst, body []byte, edits []canon.Edit) ([]byte, error) {
	s := splicer{edits: edits}
	absent := func(texts []string) []byte { return appendSystem(nil, texts) }
	return s.edits.Body(dst, body, systemMember, absent, func(p *jsonx.Patcher, name []byte, texts []string) bool {
		switch string(camel(name)) {
		case "contents":
			s.each(p, s.content)
		case systemMember:
			s.system(p, texts)
			return true
		case "tools":
			s.each(p, s.tool)
		case toolMember:
			s.object(p, "functionCallingConfig", func() { s.object(p, "allowedFunctionNames", func() { s.names(p) }) })
		case configMember:
			s.config(p)
		}
		return false
	})
}

// SpliceResponse implements [dialect.Codec].
func (Codec) SpliceResponse(dst, body []byte, edits []canon.Edit) ([]byte, error) {
	s := splicer{edits: edits}
	return dialect.Splice(dst, body, func(p *jsonx.Patcher) { s.each(p, s.answer) })
}

// SpliceFrame implements [dialect.Codec].
func (Codec) SpliceFrame(dst []byte, f *sse.Event, edits []canon.Edit) ([]byte, error) {
	s := splicer{edits: edits}
	return dialect.SpliceFrame(dst, f, s.answer)
}

type splicer struct{ edits dialect.Edits }

// each walks over a value that is to be a list, or is its only element.
func (s *splicer) each(p *jsonx.Patcher, one func(*jsonx.Patcher)) {
	if p.Kind() != jsonx.Array {
		one(p)
		return
	}
	for range p.Elements() {
		one(p)
	}
}

// object walks over a member of the next value, if that is an object.
func (s *splicer) object(p *jsonx.Patcher, member string, one func()) {
	if p.Kind() != jsonx.Object {
		p.Skip()
		return
	}
	p.Object(func(name []byte) bool {
		if string(camel(name)) == member {
			one()
		}
		return true
	})
}

func (s *splicer) answer(p *jsonx.Patcher) {
	if p.Kind() != jsonx.Object {
		p.Skip()
		return
	}
	p.Object(func(name []byte) bool {
		switch string(camel(name)) {
		case "modelVersion":
			p.Replace(s.edits.Model)
		case candidatesMember:
			s.each(p, func(p *jsonx.Patcher) { s.object(p, "content", func() { s.content(p) }) })
		}
		return true
	})
}

func (s *splicer) content(p *jsonx.Patcher) {
	s.object(p, "parts", func() { s.each(p, s.part) })
}

// part renames the tool that a part calls or answers.
func (s *splicer) part(p *jsonx.Patcher) {
	if p.Kind() != jsonx.Object {
		p.Skip()
		return
	}
	p.Object(func(name []byte) bool {
		switch string(camel(name)) {
		case callMember, responseMember:
			s.object(p, "name", func() { p.Replace(s.edits.Tool) })
		}
		return true
	})
}

func (s *splicer) tool(p *jsonx.Patcher) {
	s.object(p, declarationsMember, func() {
		s.each(p, func(p *jsonx.Patcher) { s.object(p, "name", func() { p.Replace(s.edits.Tool) }) })
	})
}

func (s *splicer) names(p *jsonx.Patcher) {
	if p.Kind() != jsonx.Array {
		p.Skip()
		return
	}
	for range p.Elements() {
		p.Replace(s.edits.Tool)
	}
}

// config leaves out parameters, which an edit may name as any dialect does.
func (s *splicer) config(p *jsonx.Patcher) {
	if p.Kind() != jsonx.Object {
		p.Skip()
		return
	}
	p.Object(func(name []byte) bool {
		for _, known := range spellings(camel(name)) {
			if s.edits.Drops([]byte(known)) {
				return false
			}
		}
		return !s.edits.Drops([]byte(configMember + "." + string(name)))
	})
}

// spellings returns what dialects call a parameter; see [canon.Edit].
func spellings(name []byte) []string {
	switch string(name) {
	case "temperature":
		return []string{"temperature"}
	case "topP":
		return []string{"topP", "top_p"}
	case "topK":
		return []string{"topK", "top_k"}
	case "seed":
		return []string{"seed"}
	case "frequencyPenalty":
		return []string{"frequencyPenalty", "frequency_penalty"}
	case "presencePenalty":
		return []string{"presencePenalty", "presence_penalty"}
	case "thinkingConfig":
		return []string{"thinkingConfig", "thinking", "reasoning", "reasoning_effort"}
	}
	return nil
}

// system puts texts behind those of the next value, the system instruction.
func (s *splicer) system(p *jsonx.Patcher, texts []string) {
	from := p.Next()
	switch kind := p.Kind(); {
	case kind == jsonx.Object:
		found := false
		empty := true
		p.Object(func(name []byte) bool {
			empty = false
			if string(name) != "parts" {
				return true
			}
			found = true
			s.systemParts(p, texts)
			return true
		})
		if len(texts) > 0 && !found {
			open := `"parts":`
			if !empty {
				open = "," + open
			}
			p.Insert(p.Offset()-1, appendTexts([]byte(open), texts, true))
		}
	case len(texts) == 0:
		p.Skip()
	case kind == jsonx.String:
		p.Skip()
		p.Insert(from, []byte(`{"parts":[{"text":`))
		p.Insert(p.Offset(), append(appendTexts([]byte("},"), texts, false), "]}"...))
	default:
		p.Skip()
		p.Patches = append(p.Patches, jsonx.Patch{From: from, To: p.Offset(), With: appendSystem(nil, texts)})
	}
}

func (s *splicer) systemParts(p *jsonx.Patcher, texts []string) {
	from := p.Next()
	switch kind := p.Kind(); {
	case kind == jsonx.Array:
		n := 0
		for range p.Elements() {
			s.part(p)
			n++
		}
		if len(texts) == 0 {
			return
		}
		sep := ","
		if n == 0 {
			sep = ""
		}
		p.Insert(p.Offset()-1, appendTexts([]byte(sep), texts, false))
	case kind == jsonx.Null && len(texts) > 0:
		p.Skip()
		p.Patches = append(p.Patches, jsonx.Patch{From: from, To: p.Offset(), With: appendTexts(nil, texts, true)})
	default:
		s.part(p)
		if len(texts) > 0 {
			p.Insert(from, []byte("["))
			p.Insert(p.Offset(), append(appendTexts([]byte(","), texts, false), ']'))
		}
	}
}

// appendSystem appends a system instruction.
func appendSystem(dst []byte, texts []string) []byte {
	dst = append(dst, `{"parts":`...)
	return append(appendTexts(dst, texts, true), '}')
}

// appendTexts appends texts as parts.
func appendTexts(dst []byte, texts []string, list bool) []byte {
	if list {
		dst = append(dst, '[')
	}
	for i, t := range texts {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, `{"text":`...)
		dst = append(jsonx.AppendQuote(dst, t), '}')
	}
	if list {
		dst = append(dst, ']')
	}
	return dst
}
