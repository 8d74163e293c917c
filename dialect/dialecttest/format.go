package dialecttest

import (
	"fmt"
	"strings"

	"github.com/crosswalk-agents/crosswalk/canon"
)

// Format returns all that r says, in a form for people to compare.
func Format(r *canon.Request) string {
	var b strings.Builder
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%s: %s\n", name, value)
		}
	}
	line("model", r.Model)
	if r.Stream {
		line("stream", "true")
	}
	if r.MaxOutput != 0 {
		line("max output", fmt.Sprint(r.MaxOutput))
	}
	choice := string(r.Choice.Mode)
	for _, n := range r.Choice.Names {
		choice += " " + n.String()
	}
	line("choice", choice)
	for _, m := range r.Messages {
		b.WriteString(FormatMessage(m))
	}
	for i := range r.Tools {
		line("tool", formatTool(&r.Tools[i]))
	}
	for _, m := range r.Ext.Members {
		line(r.Ext.Dialect+" "+m.Name, string(m.Value))
	}
	return b.String()
}

func formatTool(t *canon.Tool) string {
	name := t.Name
	if t.Namespace != "" {
		name = t.Namespace + "/" + name
	}
	s := fmt.Sprintf("%s %s", t.Call, name)
	if !t.Description.IsEmpty() {
		s += fmt.Sprintf(" %q", t.Description.String())
	}
	if t.Schema != nil {
		s += " schema " + string(t.Schema)
	}
	if t.Schema == nil {
		s += " " + string(t.Raw)
	}
	return s
}

// FormatMessage returns what m says: a line for it and one for each block.
func FormatMessage(m *canon.Message) string {
	var b strings.Builder
	b.WriteString(string(m.Role))
	for _, s := range []string{string(m.Authority), string(m.Kind), m.ID} {
		if s != "" {
			b.WriteString(" " + s)
		}
	}
	b.WriteString(formatExt(&m.Ext) + "\n")
	for _, block := range m.Blocks {
		b.WriteString("    " + FormatBlock(block) + "\n")
	}
	return b.String()
}

// FormatBlock returns what b says.
func FormatBlock(b canon.Block) string {
	s := string(b.Kind())
	say := func(name string, value fmt.Stringer) {
		if v := value.String(); v != "" {
			s += fmt.Sprintf(" %s%q", name, v)
		}
	}
	switch b := b.(type) {
	case *canon.TextBlock:
		s += fmt.Sprintf(" %q", b.Text.String())
	case *canon.ImageBlock:
		s += formatMedia(&b.Media)
	case *canon.DocumentBlock:
		s += formatMedia(&b.Media)
	case *canon.ReasoningBlock:
		say("", b.Text)
		for _, t := range b.Summary {
			say("summary ", t)
		}
		say(b.Capsule.Issuer+" ", b.Capsule.Sealed)
		if b.Redacted {
			s += " redacted"
		}
	case *canon.ToolCallBlock:
		s += fmt.Sprintf(" %s %q", b.Call, b.CallID)
		if b.Namespace != "" {
			s += " " + b.Namespace
		}
		s += " " + b.Name
		if b.Input.JSON != nil {
			s += " " + string(b.Input.JSON)
		}
		say("text ", b.Input.Text)
	case *canon.ToolResultBlock:
		s += formatResult(b)
	case *canon.CompactionBlock:
		say(b.Capsule.Issuer+" ", b.Capsule.Sealed)
	case *canon.OpaqueBlock:
		s += fmt.Sprintf(" %s %q %s", b.Dialect, b.Type, b.Raw)
	}
	return s + formatExt(&b.Meta().Ext)
}

func formatResult(b *canon.ToolResultBlock) string {
	s := fmt.Sprintf(" %s %q", b.Call, b.CallID)
	if b.IsError {
		s += " error"
	}
	var content []string
	for _, inner := range b.Content {
		content = append(content, FormatBlock(inner))
	}
	return s + " [" + strings.Join(content, ", ") + "]"
}

func formatMedia(m *canon.Media) string {
	s := ""
	for _, x := range []struct{ name, value string }{
		{"type", m.MediaType}, {"data", m.Data.String()}, {"url", m.URL.String()}, {"plain", m.Plain.String()}, {"name", m.Name},
	} {
		if x.value != "" {
			s += fmt.Sprintf(" %s=%q", x.name, x.value)
		}
	}
	return s
}

func formatExt(e *canon.Ext) string {
	s := ""
	for _, m := range e.Members {
		s += fmt.Sprintf(" +%s.%s=%s", e.Dialect, m.Name, m.Value)
	}
	return s
}
