package responses

import (
	"bytes"
	"fmt"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// DecodeRequest reads the body of a POST /v1/responses request. The top-level
// instructions become the leading system message; the tools of
// additional_tools items (Codex's code mode) are declared like the others. The
// request shares body's memory.
func DecodeRequest(body []byte) (*canon.Request, error) {
	r := new(canon.Request)
	var leading []*canon.Message
	var additional []canon.Tool
	d := jsonx.NewDecoder(body)
	for name := range d.Members() {
		switch string(name) {
		case "model":
			r.Model = d.Str()
		case "instructions":
			leading = nil
			if d.Kind() == jsonx.String {
				text := &canon.TextBlock{Text: canon.ReadText(d)}
				leading = append(leading, &canon.Message{Role: canon.System, Authority: canon.AuthoritySystem, Blocks: []canon.Block{text}})
			}
		case "input":
			r.Messages, additional = readInput(d)
		case "tools":
			r.Tools = nil
			if d.Kind() != jsonx.Null {
				r.Tools = readTools(d, nil, "")
			}
		case "tool_choice":
			readChoice(d, r)
		case "max_output_tokens":
			r.MaxOutput = d.OptInt()
		case "stream":
			r.Stream = d.OptBool()
		default:
			r.Ext.Read(d, Name, name)
		}
	}
	if err := d.Err(); err != nil {
		return nil, fmt.Errorf("decode Responses request: %w", err)
	}
	if d.More() {
		return nil, fmt.Errorf("decode Responses request: more text after the body at byte %d", d.Offset())
	}
	r.Messages = append(leading, r.Messages...)
	for _, t := range additional {
		r.Tools = declare(r.Tools, t)
	}
	return r, nil
}

// readInput reads the input: a string or a list of items. Items that declare
// tools are no messages.
func readInput(d *jsonx.Decoder) (msgs []*canon.Message, additional []canon.Tool) {
	if d.Kind() == jsonx.String {
		text := &canon.TextBlock{Text: canon.ReadText(d)}
		return []*canon.Message{{Role: canon.User, Blocks: []canon.Block{text}}}, nil
	}
	for range d.Elements() {
		m := ReadItem(d)
		if o, ok := m.First().(*canon.OpaqueBlock); ok && o.Type == "additional_tools" {
			item := jsonx.NewDecoder(o.Raw)
			for name := range item.Members() {
				if string(name) == "tools" {
					additional = readTools(item, additional, "")
				}
			}
			continue
		}
		msgs = append(msgs, m)
	}
	return msgs, additional
}

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
		var inner canon.Raw
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
			case "tools":
				inner = d.Raw()
			}
		}
		t.Raw, _ = jsonx.CleanValue(d.Slice(start))
		switch {
		case typ == "namespace" && namespace == "":
			tools = readTools(jsonx.NewDecoder(inner), tools, t.Name)
			continue
		case typ == "function":
			t.Call = canon.CallFunction
		case typ == "custom":
			t.Call = canon.CallCustom
		case typ == NameLocalShell:
			t.Call = canon.CallShell
		default:
			t.Call = canon.CallProvider
		}
		if t.Name == "" {
			t.Name = typ
		}
		tools = append(tools, t)
	}
	return tools
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
	if r.Choice.Mode == canon.ChoiceUnset && kind != jsonx.Null {
		r.Choice = canon.ToolChoice{}
		raw, _ := jsonx.CleanValue(d.Slice(start))
		r.Ext.Dialect = Name
		r.Ext.Members = append(r.Ext.Members, canon.Member{Name: "tool_choice", Value: raw})
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

// readChoiceObject reads the choice of one tool, by its name or, where it has
// none, its type, or of several.
func readChoiceObject(d *jsonx.Decoder) (c canon.ToolChoice) {
	var typ, name, mode string
	var names []canon.ToolName
	for member := range d.Members() {
		switch string(member) {
		case "type":
			typ = d.OptStr()
		case "name":
			name = d.OptStr()
		case "mode":
			mode = d.OptStr()
		case "tools":
			names = readNames(d)
		}
	}
	switch {
	case typ == "allowed_tools" && len(names) > 0:
		return canon.ToolChoice{Mode: choiceMode(mode), Names: names}
	case typ == "allowed_tools":
		return c
	case name == "":
		name = typ
	}
	if name != "" {
		c = canon.ToolChoice{Mode: canon.ChoiceOneOf, Names: []canon.ToolName{{Name: name}}}
	}
	return c
}

// readNames reads the names of a list of tools.
func readNames(d *jsonx.Decoder) (names []canon.ToolName) {
	if d.Kind() != jsonx.Array {
		d.Skip()
		return nil
	}
	for range d.Elements() {
		if d.Kind() != jsonx.Object {
			continue
		}
		var typ, name string
		for member := range d.Members() {
			switch string(member) {
			case "type":
				typ = d.OptStr()
			case "name":
				name = d.OptStr()
			}
		}
		if name == "" {
			name = typ
		}
		names = append(names, canon.ToolName{Name: name})
	}
	return names
}
