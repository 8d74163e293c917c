package gemini

import (
	"strings"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

const declarationsMember = "functionDeclarations"

// readTools reads the tools: lists of functions, and tools that the vendor runs,
// each under its own member.
func readTools(d *jsonx.Decoder) (out []canon.Tool) {
	switch d.Kind() {
	case jsonx.Array:
		for range d.Elements() {
			out = append(out, readTool(d)...)
		}
	case jsonx.Null:
		d.Skip()
	default:
		out = readTool(d)
	}
	return out
}

func readTool(d *jsonx.Decoder) (out []canon.Tool) {
	if d.Kind() != jsonx.Object {
		d.Skip()
		return nil
	}
	for name := range d.Members() {
		if string(camel(name)) != declarationsMember {
			if d.Kind() == jsonx.Null {
				continue
			}
			member := string(name)
			raw := jsonx.AppendQuote([]byte{'{'}, member)
			raw = append(append(raw, ':'), d.CleanRaw()...)
			out = append(out, canon.Tool{Name: member, Call: canon.CallProvider, Dialect: Name, Raw: append(raw, '}')})
			continue
		}
		if d.Kind() != jsonx.Array {
			continue
		}
		for range d.Elements() {
			if d.Kind() == jsonx.Object {
				out = append(out, readDeclaration(d))
			}
		}
	}
	return out
}

func readDeclaration(d *jsonx.Decoder) canon.Tool {
	t := canon.Tool{Call: canon.CallFunction}
	var openAPI canon.Raw
	for name := range d.Members() {
		switch string(camel(name)) {
		case "name":
			t.Name = d.OptStr()
		case "description":
			t.Description = canon.ReadOptText(d)
		case "parametersJsonSchema":
			if d.Kind() != jsonx.Null {
				t.Schema = d.CleanRaw()
			}
		case "parameters":
			if d.Kind() == jsonx.Object {
				openAPI = d.CleanRaw()
			}
		default:
			t.Ext.Read(d, Name, name)
		}
	}
	if t.Schema == nil && openAPI != nil {
		t.Schema = jsonSchema(openAPI)
	}
	return t
}

// readToolConfig reads a member of the tool config.
func readToolConfig(d *jsonx.Decoder, r *canon.Request, member []byte) bool {
	if string(camel(member)) != "functionCallingConfig" {
		return false
	}
	r.Choice = canon.ToolChoice{}
	var mode canon.Raw
	r.Ext.ReadWithin(d, Name, []byte(callingMember), func(member []byte) bool {
		switch string(camel(member)) {
		case "mode":
			mode = d.CleanRaw()
		case "allowedFunctionNames":
			for _, t := range canon.ReadTexts(d) {
				r.Choice.Names = append(r.Choice.Names, canon.ToolName{Name: t.String()})
			}
		default:
			return false
		}
		return true
	})
	readMode(r, mode)
	return true
}

// readMode makes a choice of a mode and the names that were read. Mode VALIDATED,
// in which the model may call one of some functions, is AUTO with names; without
// names it also stays as it is.
func readMode(r *canon.Request, mode canon.Raw) {
	names := len(r.Choice.Names) > 0
	word := "?"
	switch mode.Kind() {
	case jsonx.String:
		word = strings.ToUpper(jsonx.Unquote(mode))
	case jsonx.Null, jsonx.End:
		word = ""
	default:
	}
	switch word {
	case "ANY":
		if r.Choice.Mode = canon.ChoiceAny; names {
			r.Choice.Mode = canon.ChoiceOneOf
		}
	case "NONE":
		r.Choice = canon.ToolChoice{Mode: canon.ChoiceNone}
	case "AUTO":
		r.Choice.Mode = canon.ChoiceAuto
	case "", "MODE_UNSPECIFIED":
		if names {
			r.Choice.Mode = canon.ChoiceAuto
		}
	case "VALIDATED":
		r.Choice.Mode = canon.ChoiceAuto
		if !names {
			addMember(r, callingMember+".mode", mode)
		}
	default:
		r.Choice.Mode = canon.ChoiceAuto
		addMember(r, callingMember+".mode", mode)
	}
}
