package dialect

import (
	"slices"
	"strconv"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// The input of a tool that takes free text, where a dialect has functions alone.
const (
	inputMember = "input"
	inputSchema = `{"type":"object","properties":{"` + inputMember + `":{"type":"string"}},"required":["` + inputMember + `"],"additionalProperties":false}`
)

// shellSchema is the input of a Responses local_shell tool, as a function has it.
const shellSchema = `{"type":"object","properties":{"command":{"type":"array","items":{"type":"string"}},"workdir":{"type":"string"},"timeout_ms":{"type":"integer"}},"required":["command"]}`

// Flat tells what the tools of a request are called that [Flatten] has changed,
// and turns the calls of an answer back. The zero value changes nothing.
type Flat struct {
	names map[string]original // by the name that the target sees
}

// IsEmpty reports whether f changes nothing.
func (f *Flat) IsEmpty() bool { return len(f.names) == 0 }

// original is a tool as the caller declared it.
type original struct {
	name canon.ToolName
	call canon.CallKind
}

// Flatten gives the tools of q, the choice among them and the calls of its
// conversation the forms that c has: functions instead of free text and shell
// calls, names instead of namespaces, legal names. What it changes or drops is
// listed in r. A second time it changes nothing.
func Flatten(q *canon.Request, c *canon.Capacity, r *canon.Report) *Flat {
	f := &flattener{c: c, r: r, to: make(map[key]string), used: make(map[string]bool), flat: &Flat{names: make(map[string]original)}}
	for i := range q.Tools {
		if t := &q.Tools[i]; f.isFlat(t) {
			f.used[t.Name] = true
		}
	}
	q.Tools = slices.DeleteFunc(q.Tools, func(t canon.Tool) bool { return !f.takes(&t) })
	for i := range q.Tools {
		f.tool(&q.Tools[i])
	}
	f.choice(q)
	for _, m := range q.Messages {
		for _, b := range m.Blocks {
			switch b := b.(type) {
			case *canon.ToolCallBlock:
				f.call(b)
			case *canon.ToolResultBlock:
				f.result(b)
			}
		}
	}
	return f.flat
}

// key is what calls and declarations name a tool by.
type key struct {
	name canon.ToolName
	call canon.CallKind
}

type flattener struct {
	c    *canon.Capacity
	r    *canon.Report
	to   map[key]string
	used map[string]bool
	flat *Flat
}

func (f *flattener) lose(what string, a canon.Action, why string) {
	f.r.Lose(canon.Loss{What: what, Action: a, Why: why})
}

// takes reports whether the target can have the tool in some form.
func (f *flattener) takes(t *canon.Tool) bool {
	if t.Call != canon.CallProvider || t.Dialect == f.c.Dialect {
		return true
	}
	f.lose("tool", canon.Dropped, "the provider's own tool "+strconv.Quote(t.Name)+" exists only in the "+t.Dialect+" dialect")
	return false
}

// isFlat reports whether the target takes the tool as it is.
func (f *flattener) isFlat(t *canon.Tool) bool {
	return t.Call == canon.CallProvider || f.keeps(t.Call) && (t.Namespace == "" || f.c.Namespaces) && f.legal(t.Name) && (t.Namespace == "" || f.legal(t.Namespace))
}

func (f *flattener) legal(name string) bool { return f.c.Names.Max == 0 || f.c.Names.Legal(name) }

func (f *flattener) keeps(call canon.CallKind) bool {
	switch call {
	case canon.CallCustom:
		return f.c.Custom
	case canon.CallShell:
		return f.c.Shell
	case canon.CallFunction, canon.CallProvider:
	}
	return true
}

func (f *flattener) tool(t *canon.Tool) {
	if f.isFlat(t) {
		return
	}
	was := original{name: canon.ToolName{Namespace: t.Namespace, Name: t.Name}, call: t.Call}
	name := f.name(key{was.name, t.Call})
	f.flat.names[name] = was
	switch {
	case t.Namespace != "" && !f.c.Namespaces:
		f.lose("tool", canon.Moved, "the namespace becomes part of the name")
	case name != t.Name:
		f.lose("tool", canon.Renamed, "the target's API refuses the name")
	}
	t.Name = name
	if !f.c.Namespaces {
		t.Namespace = ""
	}
	if f.keeps(t.Call) {
		return
	}
	f.lose("tool", canon.Moved, "a "+string(t.Call)+" tool becomes a function")
	switch t.Call {
	case canon.CallCustom:
		t.Schema = canon.Raw(inputSchema)
		if t.Grammar != nil {
			t.Description = canon.Join(t.Description, canon.NewText("\n\nThe input has this form:\n"), grammarText(t.Grammar))
			t.Grammar = nil
		}
	case canon.CallShell:
		t.Schema = canon.Raw(shellSchema)
		if t.Description.IsEmpty() {
			t.Description = canon.NewText("Runs a command line in a shell.")
		}
	case canon.CallFunction, canon.CallProvider:
	}
	t.Call = canon.CallFunction
	t.Raw, t.Dialect = nil, ""
}

// grammarText returns the definition of a grammar, or all of it if it has none.
func grammarText(grammar canon.Raw) canon.Text {
	d := jsonx.NewDecoder(grammar)
	if d.Kind() == jsonx.Object {
		for name := range d.Members() {
			if string(name) == "definition" && d.Kind() == jsonx.String {
				return canon.ReadText(d)
			}
		}
	}
	return canon.NewText(string(grammar))
}

// name returns the name that the target sees of a tool, the same for the same
// tool and of no other.
func (f *flattener) name(k key) string {
	if name, ok := f.to[k]; ok {
		return name
	}
	name := k.name.Name
	if k.name.Namespace != "" && !f.c.Namespaces {
		name = k.name.Namespace + "__" + name
	}
	if f.c.Names.Max > 0 {
		name = canon.LegalID(name, f.c.Names)
	}
	for n, base := 2, name; f.used[name]; n++ {
		name = base + "_" + strconv.Itoa(n)
		if f.c.Names.Max > 0 && !f.c.Names.Legal(name) {
			name = canon.LegalID(name, f.c.Names)
		}
	}
	f.used[name] = true
	f.to[k] = name
	return name
}

func (f *flattener) choice(q *canon.Request) {
	if q.Choice.Mode == canon.ChoiceUnset {
		return
	}
	if len(q.Tools) == 0 {
		f.lose("tool_choice", canon.Dropped, "there is no tool to choose")
		q.Choice = canon.ToolChoice{}
		return
	}
	var names []canon.ToolName
	for _, n := range q.Choice.Names {
		if now, ok := f.declared(n, q.Tools); ok {
			names = append(names, now)
		} else {
			f.lose("tool_choice", canon.Dropped, "the tool "+strconv.Quote(n.String())+" is not declared")
		}
	}
	if len(names) == 0 && len(q.Choice.Names) > 0 {
		q.Choice.Mode = canon.ChoiceAuto
	}
	q.Choice.Names = names
}

// declared returns the name that the target sees of a tool that is declared.
func (f *flattener) declared(n canon.ToolName, tools []canon.Tool) (canon.ToolName, bool) {
	for _, call := range [...]canon.CallKind{canon.CallFunction, canon.CallCustom, canon.CallShell} {
		if name, ok := f.to[key{n, call}]; ok {
			n.Name = name
			if !f.c.Namespaces {
				n.Namespace = ""
			}
			return n, true
		}
	}
	return n, slices.ContainsFunc(tools, func(t canon.Tool) bool { return t.Name == n.Name && t.Namespace == n.Namespace })
}

// call gives a call of the conversation the form that its tool has, also if the
// tool is declared no more.
func (f *flattener) call(b *canon.ToolCallBlock) {
	if b.Call == canon.CallProvider {
		return
	}
	asTool := canon.Tool{Name: b.Name, Namespace: b.Namespace, Call: b.Call}
	if f.isFlat(&asTool) || b.Name == "" {
		return
	}
	b.Name = f.name(key{canon.ToolName{Namespace: b.Namespace, Name: b.Name}, b.Call})
	if !f.c.Namespaces {
		b.Namespace = ""
	}
	if !f.keeps(b.Call) {
		if b.Input.JSON == nil {
			b.Input = ObjectInput(b.Input)
		}
		b.Call = canon.CallFunction
	}
	f.lose(string(canon.KindToolCall), canon.Moved, "the call has the form that its tool has for the target")
}

func (f *flattener) result(b *canon.ToolResultBlock) {
	if b.Call != "" && !f.keeps(b.Call) {
		b.Call = canon.CallFunction
	}
}

// Restore gives a call of an answer the name and the form that the caller
// declared.
func (f *Flat) Restore(b *canon.ToolCallBlock) {
	was, ok := f.names[b.Name]
	if !ok || b.Namespace != "" && b.Namespace != was.name.Namespace || b.Call == canon.CallProvider {
		return
	}
	b.Name, b.Namespace = was.name.Name, was.name.Namespace
	if was.call == b.Call {
		return
	}
	b.Call = was.call
	if was.call == canon.CallCustom {
		b.Input = formOf(b.Input)
	}
}

// unwrapInput returns the text that is the one member of v.
func unwrapInput(v canon.Raw) (t canon.Text, ok bool) {
	d := jsonx.NewDecoder(v)
	if d.Kind() != jsonx.Object {
		return t, false
	}
	for name := range d.Members() {
		if string(name) != inputMember || d.Kind() != jsonx.String {
			return t, false
		}
		t, ok = canon.ReadText(d), true
	}
	return t, ok
}
