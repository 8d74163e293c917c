package chat

import (
	"slices"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/dialect"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// readTool reads the declaration of a tool. The function or the free-text tool
// stands in an object of its own, but some clients leave that out.
func readTool(d *jsonx.Decoder) canon.Tool {
	t := canon.Tool{Call: canon.CallFunction}
	start := d.Next()
	if d.Kind() != jsonx.Object {
		d.Skip()
		return providerTool("", d.Slice(start))
	}
	typ, inner := "", false
	for name := range d.Members() {
		switch {
		case string(name) == "type":
			typ = d.OptStr()
		case (string(name) == "function" || string(name) == "custom") && d.Kind() == jsonx.Object:
			inner = true
			outer := string(name)
			for member := range d.Members() {
				if !readToolMember(d, &t, member) {
					readWithin(&t.Ext, d, outer, member)
				}
			}
		case !inner && readToolMember(d, &t, name):
		default:
			t.Ext.Read(d, Name, name)
		}
	}
	switch typ {
	case "function", "":
		if t.Grammar != nil { // a function has none
			add(&t.Ext, canon.Member{Name: "function.format", Value: t.Grammar})
			t.Grammar = nil
		}
	case "custom":
		t.Call = canon.CallCustom
		if t.Schema != nil { // free text has none
			add(&t.Ext, canon.Member{Name: "custom.parameters", Value: t.Schema})
			t.Schema = nil
		}
	default:
		return providerTool(typ, d.Slice(start))
	}
	return t
}

func providerTool(typ string, whole canon.Raw) canon.Tool {
	raw, _ := jsonx.CleanValue(whole)
	return canon.Tool{Name: typ, Call: canon.CallProvider, Dialect: Name, Raw: raw}
}

func readToolMember(d *jsonx.Decoder, t *canon.Tool, member []byte) bool {
	switch string(member) {
	case "name":
		t.Name = d.OptStr()
	case "description":
		t.Description = canon.ReadOptText(d)
	case "parameters":
		if t.Schema = nil; d.Kind() == jsonx.Object {
			t.Schema = d.CleanRaw()
		} else {
			d.Skip()
		}
	case "strict":
		t.Strict = readFlag(d)
	case "format":
		t.Grammar = readGrammar(d)
	default:
		return false
	}
	return true
}

// readGrammar reads the form of a free-text tool's input. What the Responses API
// has beside the type stands here in an object of its own.
func readGrammar(d *jsonx.Decoder) canon.Raw {
	if d.Kind() != jsonx.Object {
		d.Skip()
		return nil
	}
	whole := d.CleanRaw()
	inner := jsonx.NewDecoder(whole)
	for name := range inner.Members() {
		if string(name) == "grammar" && inner.Kind() == jsonx.Object {
			out := canon.Raw(`{"type":"grammar"`)
			for member := range inner.Members() {
				if string(member) != "type" {
					out = appendMember(out, string(member), inner.Raw())
				}
			}
			return append(out, '}')
		}
	}
	return whole
}

// appendGrammar is the way back of readGrammar.
func appendGrammar(dst []byte, grammar canon.Raw) []byte {
	typ := ""
	var inner []byte
	d := jsonx.NewDecoder(grammar)
	if d.Kind() == jsonx.Object {
		for name := range d.Members() {
			if string(name) == "type" {
				typ = d.OptStr()
			} else {
				inner = appendMember(inner, string(name), d.Raw())
			}
		}
	}
	if typ != "grammar" || inner == nil {
		return jsonx.AppendRaw(dst, grammar)
	}
	dst = append(dst, `{"type":"grammar","grammar":{`...)
	dst = append(dst, inner[1:]...)
	return append(dst, "}}"...)
}

// appendTool appends the declaration of a tool.
func appendTool(dst []byte, t *canon.Tool, r *canon.Report) []byte {
	if t.Raw != nil {
		return jsonx.AppendRaw(dst, t.Raw)
	}
	kind := "function"
	if t.Call == canon.CallCustom {
		kind = "custom"
	}
	dst = append(dst, `{"type":"`+kind+`","`+kind+`":{"name":`...)
	dst = jsonx.AppendQuote(dst, t.Name)
	if !t.Description.IsEmpty() {
		dst = append(dst, `,"description":`...)
		dst = t.Description.AppendQuoted(dst)
	}
	if t.Call == canon.CallCustom {
		if t.Grammar != nil {
			dst = append(dst, `,"format":`...)
			dst = appendGrammar(dst, t.Grammar)
		}
		if t.Strict != canon.FlagUnset {
			r.Lose(canon.Loss{What: "strict", Action: canon.Dropped, Why: "free text follows no schema"})
		}
	} else {
		dst = append(dst, `,"parameters":`...)
		dst = dialect.AppendSchema(dst, t.Schema, r)
		switch t.Strict {
		case canon.FlagOn:
			dst = append(dst, `,"strict":true`...)
		case canon.FlagOff:
			dst = append(dst, `,"strict":false`...)
		case canon.FlagUnset:
		}
	}
	if t.Deferred {
		r.Lose(canon.Loss{What: "defer_loading", Action: canon.Dropped, Why: "the protocol shows the model every tool"})
	}
	dialect.Leave(&t.Ext, Name, r)
	dst = append(appendWithin(dst, &t.Ext, kind), '}')
	return append(appendBeside(dst, &t.Ext, kind), '}')
}

// readChoice reads a tool choice. A form that canon does not model stays as it
// is.
func readChoice(d *jsonx.Decoder, r *canon.Request) {
	r.Choice = canon.ToolChoice{}
	take(&r.Ext.Members, "tool_choice")
	whole := d.CleanRaw()
	switch in := jsonx.NewDecoder(whole); in.Kind() {
	case jsonx.String:
		r.Choice.Mode = choiceMode(in.Str())
	case jsonx.Object:
		r.Choice = readChoiceObject(in)
	case jsonx.Null, jsonx.End:
		return
	default:
	}
	if r.Choice.Mode == canon.ChoiceUnset {
		r.Choice = canon.ToolChoice{}
		add(&r.Ext, canon.Member{Name: "tool_choice", Value: whole})
	}
}

func choiceMode(s string) canon.ChoiceMode {
	switch s {
	case "auto":
		return canon.ChoiceAuto
	case "required", "any": // the latter as Mistral has it
		return canon.ChoiceAny
	case "none":
		return canon.ChoiceNone
	}
	return canon.ChoiceUnset
}

func readChoiceObject(d *jsonx.Decoder) (c canon.ToolChoice) {
	typ, name, mode := "", "", ""
	var names []canon.ToolName
	for member := range d.Members() {
		switch string(member) {
		case "type":
			typ = d.OptStr()
		case "name", "function", "custom":
			if s := nameIn(d); s != "" {
				name = s
			}
		case "allowed_tools":
			if d.Kind() != jsonx.Object {
				continue
			}
			for inner := range d.Members() {
				switch string(inner) {
				case "mode":
					mode = d.OptStr()
				case "tools":
					names = readNames(d)
				}
			}
		}
	}
	switch {
	case (typ == "function" || typ == "custom") && name != "":
		return canon.ToolChoice{Mode: canon.ChoiceOneOf, Names: []canon.ToolName{{Name: name}}}
	case typ == "allowed_tools" && len(names) > 0:
		return canon.ToolChoice{Mode: choiceMode(mode), Names: names}
	}
	return c
}

// nameIn reads a name, or an object with one.
func nameIn(d *jsonx.Decoder) (name string) {
	if d.Kind() != jsonx.Object {
		return d.OptStr()
	}
	for member := range d.Members() {
		if string(member) == "name" {
			name = d.OptStr()
		}
	}
	return name
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
		name := ""
		for member := range d.Members() {
			switch string(member) {
			case "name", "function", "custom":
				if s := nameIn(d); s != "" {
					name = s
				}
			}
		}
		names = append(names, canon.ToolName{Name: name})
	}
	return names
}

// appendChoice appends the tool choice, which names tools that are declared.
func appendChoice(dst []byte, q *canon.Request) []byte {
	mode := "auto"
	switch c := &q.Choice; c.Mode {
	case canon.ChoiceUnset:
		return dst
	case canon.ChoiceNone:
		return append(dst, `,"tool_choice":"none"`...)
	case canon.ChoiceOneOf:
		if len(c.Names) == 1 {
			dst = append(dst, `,"tool_choice":`...)
			return appendChosen(dst, q, c.Names[0])
		}
		mode = "required"
	case canon.ChoiceAny:
		mode = "required"
	case canon.ChoiceAuto:
	}
	if len(q.Choice.Names) == 0 {
		return append(dst, `,"tool_choice":"`+mode+`"`...)
	}
	dst = append(dst, `,"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"`+mode+`","tools":[`...)
	for i, n := range q.Choice.Names {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendChosen(dst, q, n)
	}
	return append(dst, `]}}`...)
}

func appendChosen(dst []byte, q *canon.Request, n canon.ToolName) []byte {
	kind := "function"
	if slices.ContainsFunc(q.Tools, func(t canon.Tool) bool { return t.Call == canon.CallCustom && t.Name == n.Name }) {
		kind = "custom"
	}
	dst = append(dst, `{"type":"`+kind+`","`+kind+`":{"name":`...)
	return append(jsonx.AppendQuote(dst, n.Name), `}}`...)
}
