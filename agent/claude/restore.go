package claude

import (
	"strings"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

const (
	contextOpen  = "<context-from-previous-session>\n"
	contextClose = "\n</context-from-previous-session>"
	// inputMember holds an input that is no JSON object.
	inputMember = "input"
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
				b.Call = canon.CallKind(l.Call)
			}
			if b.Call == canon.CallProvider && len(b.Content) == 0 {
				b.Synthesized = true
			}
			if t, ok := onlyText(b); ok && t == canon.InterruptedResult {
				b.Synthesized = true
			}
		case *canon.ToolCallBlock:
			l.restoreCall(b)
		case *canon.TextBlock:
			if text, ok := unwrap(b.Text); ok && l.Role != "" {
				b.Text = text
			}
		}
	}
	if l.Role != "" {
		m.Role, m.Authority = canon.Role(l.Role), canon.Authority(l.Authority)
	}
	if l.Kind != "" {
		m.Kind = canon.MessageKind(l.Kind)
	}
	if l.Model != "" {
		m.Model = l.Model
	}
}

func (l *link) restoreCall(b *canon.ToolCallBlock) {
	if l.Call != "" {
		b.Call = canon.CallKind(l.Call)
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

// onlyText returns the text of a result that is one short text.
func onlyText(b *canon.ToolResultBlock) (string, bool) {
	if len(b.Content) != 1 {
		return "", false
	}
	t, ok := b.Content[0].(*canon.TextBlock)
	if !ok || t.Text.Size() > 2*len(canon.InterruptedResult) {
		return "", false
	}
	return t.Text.String(), true
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
	s := strings.TrimPrefix(t.String(), contextOpen)
	s, ok := strings.CutSuffix(s, contextClose)
	if !ok {
		return t, false
	}
	return canon.NewText(s), true
}
