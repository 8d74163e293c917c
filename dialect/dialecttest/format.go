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
	if r.StreamUsage {
		line("stream usage", "true")
	}
	if r.MaxOutput != 0 {
		line("max output", fmt.Sprint(r.MaxOutput))
	}
	choice := string(r.Choice.Mode)
	for _, n := range r.Choice.Names {
		choice += " " + n.String()
	}
	line("choice", choice)
	if r.OneCall {
		line("one call", "true")
	}
	for _, x := range []struct {
		name  string
		value canon.Raw
	}{
		{"temperature", r.Sampling.Temperature},
		{"top p", r.Sampling.TopP},
		{"top k", r.Sampling.TopK},
		{"seed", r.Sampling.Seed},
		{"frequency penalty", r.Sampling.FrequencyPenalty},
		{"presence penalty", r.Sampling.PresencePenalty},
	} {
		line(x.name, string(x.value))
	}
	for _, s := range r.Stop {
		line("stop", fmt.Sprintf("%q", s.String()))
	}
	line("reasoning", formatReasoning(&r.Reasoning))
	line("format", formatFormat(&r.Format))
	line("user", r.User.String())
	line("cache key", r.CacheKey.String())
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

func formatReasoning(r *canon.Reasoning) string {
	words := []string{string(r.Mode)}
	if r.Effort != "" {
		words = append(words, "effort "+string(r.Effort))
	}
	if r.Budget != 0 {
		words = append(words, fmt.Sprintf("budget %d", r.Budget))
	}
	if r.Show != "" {
		words = append(words, "show "+string(r.Show))
	}
	return strings.TrimSpace(strings.Join(words, " "))
}

func formatFormat(f *canon.Format) string {
	s := string(f.Kind)
	if f.Name != "" {
		s += " " + f.Name
	}
	if !f.Description.IsEmpty() {
		s += fmt.Sprintf(" %q", f.Description.String())
	}
	if f.Schema != nil {
		s += " " + string(f.Schema)
	}
	return s + formatFlag(" strict", f.Strict)
}

func formatFlag(name string, f canon.Flag) string {
	switch f {
	case canon.FlagOn:
		return name
	case canon.FlagOff:
		return name + "=false"
	case canon.FlagUnset:
	}
	return ""
}

// FormatResponse returns all that a says, in a form for people to compare.
func FormatResponse(a *canon.Response) string {
	var b strings.Builder
	fmt.Fprintf(&b, "id: %s\nmodel: %s\n", a.ID, a.Model)
	for _, block := range a.Blocks {
		b.WriteString("    " + FormatBlock(block) + "\n")
	}
	fmt.Fprintf(&b, "stop: %s", a.Stop.Reason)
	if !a.Stop.Sequence.IsEmpty() {
		fmt.Fprintf(&b, " %q", a.Stop.Sequence.String())
	}
	if a.Stop.Detail != "" {
		fmt.Fprintf(&b, " (%s)", a.Stop.Detail)
	}
	if u := a.Usage; u != nil {
		fmt.Fprintf(&b, "\nusage: input %d (cache read %d, written %d), output %d (reasoning %d)", u.Input, u.CacheRead, u.CacheWrite, u.Output, u.Reasoning)
	}
	for _, m := range a.Ext.Members {
		fmt.Fprintf(&b, "\n%s %s: %s", a.Ext.Dialect, m.Name, m.Value)
	}
	return b.String() + "\n"
}

// FormatLosses lists what r lists as lost, a line each.
func FormatLosses(r *canon.Report) string {
	var b strings.Builder
	for _, l := range r.Losses {
		fmt.Fprintf(&b, "%s %s: %s\n", l.What, l.Action, l.Why)
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
	if t.Grammar != nil {
		s += " grammar " + string(t.Grammar)
	}
	s += formatFlag(" strict", t.Strict)
	if t.Deferred {
		s += " deferred"
	}
	if t.Raw != nil {
		s += " " + t.Dialect + " " + string(t.Raw)
	}
	return s + formatExt(&t.Ext)
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
