package claude

import (
	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

const (
	contextOpen  = "<context-from-previous-session>\n"
	contextClose = "\n</context-from-previous-session>"
	// inputMember holds an input that is no JSON object.
	inputMember = "input"
	// commandsMember lists what a script that is the input runs, for people and
	// models: it is read by nobody.
	commandsMember = "commands"
)

// The forms of an input that was put into inputMember.
const (
	formText = "text"
	formJSON = "json"
)

// restore undoes what the writer had to change, as our member of the record
// tells.
func (l *link) restore(m *canon.Message) {
	for _, b := range m.Blocks {
		switch b := b.(type) {
		case *canon.ToolResultBlock:
			if l.Call != "" {
				b.Call = l.call()
			}
			if b.IsInterrupted() || b.Call == canon.CallProvider && len(b.Content) == 0 && !b.IsError {
				b.Synthesized = true
			}
		case *canon.ToolCallBlock:
			l.restoreCall(b)
		case *canon.TextBlock:
			if l.Role == string(canon.System) {
				b.Text, _ = unwrap(b.Text)
			}
		}
	}
	if m.Role == canon.User && l.Role == string(canon.System) {
		m.Role, m.Authority = canon.System, l.authority()
	}
	if k := canon.MessageKind(l.Kind); m.Kind == canon.Injected && (k == canon.Summary || k == canon.CommandOutput || k == canon.HookOutput) {
		m.Kind = k
	}
	if canon.IsOpening(m) {
		m.First().Meta().Synthesized = true
	}
	if l.Model != "" {
		m.Model = l.Model
	}
}

// authority returns the recorded one; a file can say anything.
func (l *link) authority() canon.Authority {
	if l.Authority == string(canon.AuthoritySystem) {
		return canon.AuthoritySystem
	}
	return canon.AuthorityDeveloper
}

// call returns the recorded kind of a call, or CallFunction.
func (l *link) call() canon.CallKind {
	switch k := canon.CallKind(l.Call); k {
	case canon.CallCustom, canon.CallShell, canon.CallProvider:
		return k
	case canon.CallFunction:
	}
	return canon.CallFunction
}

func (l *link) restoreCall(b *canon.ToolCallBlock) {
	if l.Call != "" {
		b.Call = l.call()
	}
	if l.Name != "" {
		b.Name, b.Namespace = l.Name, l.Namespace
	}
	if l.Form == "" {
		return
	}
	d := jsonx.NewDecoder(b.Input.JSON)
	if d.Kind() != jsonx.Object {
		return
	}
	var in canon.Input // of an empty object: the input was empty
	for name := range d.Members() {
		switch {
		case string(name) != inputMember:
		case l.Form == formJSON:
			in.JSON = d.CleanRaw()
		case d.Kind() == jsonx.String:
			in.Text = canon.ReadText(d)
		}
	}
	b.Input = in
}

// wrap marks text of the system as context.
func wrap(t canon.Text) canon.Text {
	return canon.Join(canon.NewText(contextOpen), t, canon.NewText(contextClose))
}

// unwrap returns the text inside the mark.
func unwrap(t canon.Text) (canon.Text, bool) {
	if !t.HasPrefix(contextOpen) {
		return t, false
	}
	_, rest, _ := t.Cut(contextOpen)
	inside, ok := rest.CutSuffix(contextClose)
	if !ok {
		return t, false
	}
	return inside, true
}

// join returns the messages that are complete once m, which may be nil, has
// been read. A provider's tool answers within the message of its call, but has
// to be written as a record of its own.
func (rd *reader) join(m *canon.Message) []*canon.Message {
	if m == nil {
		return nil
	}
	var out []*canon.Message
	if held := rd.held; held != nil {
		rd.held = nil
		if answersProvider(held, m) {
			held.Blocks = append(held.Blocks, m.Blocks...)
			return []*canon.Message{held}
		}
		out = append(out, held)
	}
	if c, ok := m.First().(*canon.ToolCallBlock); ok && c.Call == canon.CallProvider && len(m.Blocks) == 1 {
		rd.held = m
		return out
	}
	return append(out, m)
}

// answersProvider reports whether m is the result of the provider's call that
// held is.
func answersProvider(held, m *canon.Message) bool {
	c, _ := held.First().(*canon.ToolCallBlock)
	r, _ := m.First().(*canon.ToolResultBlock)
	return c != nil && r != nil && len(m.Blocks) == 1 && r.Call == canon.CallProvider && r.CallID == c.CallID
}
