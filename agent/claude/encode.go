package claude

import (
	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/codemode"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// part is one record of a message: what it holds and what our member of it
// says to undo the change of form.
type part struct {
	role   canon.Role
	blocks []canon.Block
	link   link
}

// parts splits a message into records as the client writes them: each block of
// an answer has a record of its own, results stand apart from text.
func (w *writer) parts(m *canon.Message) []part {
	if m.Role == canon.System {
		return []part{w.systemPart(m)}
	}
	var parts []part
	var run []canon.Block
	flush := func() {
		if len(run) > 0 {
			parts = append(parts, part{role: m.Role, blocks: run, link: link{Kind: string(m.Kind), Plain: plain(m.Role, run)}})
			run = nil
		}
	}
	for _, b := range m.Blocks {
		switch b := b.(type) {
		case *canon.ToolCallBlock:
			flush()
			parts = append(parts, w.callPart(m, b))
		case *canon.ToolResultBlock:
			flush()
			parts = append(parts, resultPart(b))
		default:
			run = append(run, b)
			if m.Role == canon.Assistant {
				flush()
			}
		}
	}
	flush()
	return parts
}

// plain returns the mark of text that reads like scaffolding and is none, or "".
func plain(role canon.Role, blocks []canon.Block) string {
	for _, b := range blocks {
		if role != canon.User {
			break
		}
		if t, ok := b.(*canon.TextBlock); ok && t.Tag == "" && scaffoldTag(t.Text) != "" {
			return "true"
		}
	}
	return ""
}

// systemPart wraps text of the system as context on a user record. (Older
// clients and models take no system message within a conversation.)
func (w *writer) systemPart(m *canon.Message) part {
	p := part{role: canon.User, link: link{Role: string(m.Role), Authority: string(m.Authority), Kind: string(m.Kind)}}
	for _, b := range m.Blocks {
		if t, ok := b.(*canon.TextBlock); ok {
			b = &canon.TextBlock{BlockMeta: t.BlockMeta, Text: wrap(t.Text)}
		}
		p.blocks = append(p.blocks, b)
	}
	w.moved(m, "text", string(m.Role)+" text becomes context in a user message")
	return p
}

// callPart gives a call the form of a function call with an object as input.
func (w *writer) callPart(m *canon.Message, b *canon.ToolCallBlock) part {
	c := &canon.ToolCallBlock{BlockMeta: b.BlockMeta, CallID: b.CallID, Name: b.Name, Call: canon.CallFunction, Input: b.Input}
	p := part{role: canon.Assistant, blocks: []canon.Block{c}}
	l := &p.link
	if b.Namespace != "" {
		c.Name = b.Namespace + "__" + b.Name
	}
	c.Name = canon.LegalID(c.Name, nameGrammar)
	if c.Name != b.Name {
		l.Name, l.Namespace = b.Name, b.Namespace
	}
	if b.Call != canon.CallFunction {
		l.Call = string(b.Call)
		w.moved(m, "tool_call", string(b.Call)+" call becomes a function call")
	}
	switch {
	case b.Input.JSON.Kind() == jsonx.Object:
	case b.Input.JSON != nil:
		l.Form = formJSON
		c.Input = canon.Input{JSON: append(append([]byte(`{"`+inputMember+`":`), b.Input.JSON...), '}')}
	case b.Input.Text.IsEmpty() && b.Call != canon.CallCustom:
		l.Form = formText
		c.Input = canon.Input{JSON: canon.Raw(`{}`)}
	default:
		l.Form = formText
		c.Input = canon.Input{JSON: textInput(b)}
	}
	switch {
	case b.Namespace != "":
		w.moved(m, "tool_call", "the namespace becomes part of the name")
	case l.Name != "":
		w.o.Report.Change(m, "tool_call name", canon.Renamed, "the target's API refuses the name")
	}
	if l.Form != "" && b.Call == canon.CallFunction {
		w.moved(m, "tool_call", "an input that is no object becomes a member of one")
	}
	return p
}

// textInput makes an object of the free text that a call has as its input. Beside
// a script of Codex's code mode stand the commands that it runs.
func textInput(b *canon.ToolCallBlock) canon.Raw {
	raw := b.Input.Text.AppendQuoted([]byte(`{"` + inputMember + `":`))
	if b.Call == canon.CallCustom {
		if commands := codemode.Commands(b.Input.Text.String()); len(commands) > 0 {
			raw = append(raw, `,"`+commandsMember+`":`...)
			for i, command := range commands {
				raw = jsonx.AppendQuote(append(raw, "[,"[min(i, 1)]), command)
			}
			raw = append(raw, ']')
		}
	}
	return append(raw, '}')
}

func resultPart(b *canon.ToolResultBlock) part {
	r := *b
	p := part{role: canon.User, blocks: []canon.Block{&r}}
	if b.Call != "" && b.Call != canon.CallFunction {
		p.link.Call = string(b.Call)
	}
	r.Call = canon.CallFunction
	return p
}

func (w *writer) moved(m *canon.Message, what, why string) {
	w.o.Report.Change(m, what, canon.Moved, why)
}
