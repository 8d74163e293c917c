package responses

import (
	"bytes"
	"slices"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// namespacePrefix begins the names of members that a namespace has, in Ext of its
// first tool.
const namespacePrefix = "namespace."

// declare adds t to tools. A tool that is declared again takes the place of the
// first: Codex's code mode repeats its tools when they change.
func declare(tools []canon.Tool, t canon.Tool) []canon.Tool {
	for i := range tools {
		o := &tools[i]
		same := o.Call == t.Call && o.Name == t.Name && o.Namespace == t.Namespace
		if same && (t.Call != canon.CallProvider || bytes.Equal(o.Raw, t.Raw)) {
			*o = t
			return tools
		}
	}
	return append(tools, t)
}

// readTools adds a list of tools; a namespace holds a list of its own.
func readTools(d *jsonx.Decoder, tools []canon.Tool, namespace string) []canon.Tool {
	for range d.Elements() {
		t := canon.Tool{Namespace: namespace}
		start := d.Next()
		var typ string
		var inner, format canon.Raw
		for name := range d.Members() {
			switch string(name) {
			case "type":
				typ = d.OptStr()
			case "name":
				t.Name = d.OptStr()
			case "description":
				t.Description = canon.ReadOptText(d)
			case "parameters":
				t.Schema = readRaw(d)
			case "strict":
				t.Strict = readFlag(d)
			case "defer_loading":
				t.Deferred = d.OptBool()
			case "format":
				format = readRaw(d)
			case "tools":
				inner = d.Raw()
			default:
				t.Ext.Read(d, Name, name)
			}
		}
		if typ == "namespace" && namespace == "" {
			if more, ok := readNamespace(inner, &t); ok {
				tools = append(tools, more...)
				continue
			}
		}
		raw, _ := jsonx.CleanValue(d.Slice(start))
		tools = append(tools, toolOf(&t, typ, format, raw))
	}
	return tools
}

// readNamespace reads the tools of a namespace, which is described by s; ok is
// false if there is none.
func readNamespace(list canon.Raw, s *canon.Tool) (tools []canon.Tool, ok bool) {
	if list.Kind() != jsonx.Array {
		return nil, false
	}
	d := jsonx.NewDecoder(list)
	tools = readTools(d, nil, s.Name)
	if d.Err() != nil || len(tools) == 0 {
		return nil, false
	}
	e := &tools[0].Ext
	if !s.Description.IsEmpty() {
		keep(e, namespacePrefix+"description", quoted(s.Description))
	}
	for _, m := range s.Ext.Members {
		keep(e, namespacePrefix+m.Name, m.Value)
	}
	return tools, true
}

// toolOf returns the tool of a type whose members t has.
func toolOf(t *canon.Tool, typ string, format, raw canon.Raw) canon.Tool {
	switch typ {
	case "function":
		t.Call = canon.CallFunction
		keep(&t.Ext, "format", format)
		return *t
	case "custom":
		t.Call = canon.CallCustom
		keep(&t.Ext, "parameters", t.Schema)
		t.Schema = nil
		switch kind := valueOf(format, "type"); string(kind) {
		case `"grammar"`:
			t.Grammar = format
		case `"text"`: // goes without saying
		default:
			keep(&t.Ext, "format", format)
		}
		return *t
	}
	p := canon.Tool{Name: t.Name, Namespace: t.Namespace, Call: canon.CallProvider, Dialect: Name, Raw: raw}
	if typ == NameLocalShell {
		p.Call = canon.CallShell
	}
	if p.Name == "" {
		p.Name = typ
	}
	return p
}

// keep adds a member to e, if it is there.
func keep(e *canon.Ext, name string, value canon.Raw) {
	if value != nil {
		e.Dialect = Name
		e.Members = append(e.Members, canon.Member{Name: name, Value: value})
	}
}

// readFlag reads a boolean; any other value says nothing.
func readFlag(d *jsonx.Decoder) canon.Flag {
	if k := d.Kind(); k == jsonx.True || k == jsonx.False {
		return canon.FlagOf(d.Bool())
	}
	d.Skip()
	return canon.FlagUnset
}

// readChoice reads a tool choice. A form that canon does not model stays as it
// is.
func readChoice(d *jsonx.Decoder, r *canon.Request) {
	start := d.Next()
	kind := d.Kind()
	switch kind {
	case jsonx.String:
		r.Choice = canon.ToolChoice{Mode: choiceMode(d.Str())}
	case jsonx.Object:
		r.Choice = readChoiceObject(d)
	default:
		d.Skip()
		r.Choice = canon.ToolChoice{}
	}
	r.Ext.Members = slices.DeleteFunc(r.Ext.Members, func(m canon.Member) bool { return m.Name == "tool_choice" })
	if r.Choice.Mode == canon.ChoiceUnset && kind != jsonx.Null {
		r.Choice = canon.ToolChoice{}
		raw, _ := jsonx.CleanValue(d.Slice(start))
		keep(&r.Ext, "tool_choice", raw)
	}
}

func choiceMode(s string) canon.ChoiceMode {
	switch s {
	case "auto":
		return canon.ChoiceAuto
	case "required":
		return canon.ChoiceAny
	case "none":
		return canon.ChoiceNone
	}
	return canon.ChoiceUnset
}

// toolRef is how a choice names a tool.
type toolRef struct {
	typ, name, namespace string
	odd                  bool // it says more
}

// member reads a member and reports whether there is one like it.
func (t *toolRef) member(d *jsonx.Decoder, name []byte) bool {
	switch string(name) {
	case "type":
		t.typ = d.OptStr()
	case "name":
		t.name = d.OptStr()
	case "namespace":
		t.namespace = d.OptStr()
	default:
		return false
	}
	return true
}

// toolName returns the name; a tool of the provider's goes by its type.
func (t *toolRef) toolName() canon.ToolName {
	n := canon.ToolName{Namespace: t.namespace, Name: t.name}
	if n.Name == "" {
		n.Name = t.typ
	}
	return n
}

// readChoiceObject reads the choice of one tool or of several. One that says more
// than canon does is none.
func readChoiceObject(d *jsonx.Decoder) (c canon.ToolChoice) {
	var t toolRef
	var mode string
	var names []canon.ToolName
	for name := range d.Members() {
		switch string(name) {
		case "mode":
			mode = d.OptStr()
		case "tools":
			var odd bool
			names, odd = readNames(d)
			t.odd = t.odd || odd
		default:
			t.odd = !t.member(d, name) || t.odd
		}
	}
	switch {
	case t.odd:
		return c
	case t.typ == "allowed_tools" && len(names) > 0:
		return canon.ToolChoice{Mode: choiceMode(mode), Names: names}
	case t.typ == "allowed_tools":
		return c
	}
	if n := t.toolName(); n.Name != "" {
		c = canon.ToolChoice{Mode: canon.ChoiceOneOf, Names: []canon.ToolName{n}}
	}
	return c
}

// readNames reads the names of a list of tools; odd says that one of them says
// more.
func readNames(d *jsonx.Decoder) (names []canon.ToolName, odd bool) {
	if d.Kind() != jsonx.Array {
		d.Skip()
		return nil, false
	}
	for range d.Elements() {
		if d.Kind() != jsonx.Object {
			continue
		}
		var t toolRef
		for name := range d.Members() {
			odd = !t.member(d, name) || odd
		}
		names = append(names, t.toolName())
	}
	return names, odd
}
