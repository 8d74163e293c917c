package responses

import (
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
	d := jsonx.NewDecoder(body)
	for name := range d.Members() {
		switch string(name) {
		case "model":
			r.Model = d.Str()
		case "instructions":
			if d.Kind() == jsonx.String {
				text := &canon.TextBlock{Text: canon.ReadText(d)}
				leading = append(leading, &canon.Message{Role: canon.System, Authority: canon.AuthoritySystem, Blocks: []canon.Block{text}})
			}
		case "input":
			readInput(d, r)
		case "tools":
			readTools(d, r, "")
		case "tool_choice":
			r.Choice = readChoice(d)
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
	return r, nil
}

func readInput(d *jsonx.Decoder, r *canon.Request) {
	if d.Kind() == jsonx.String {
		text := &canon.TextBlock{Text: canon.ReadText(d)}
		r.Messages = append(r.Messages, &canon.Message{Role: canon.User, Blocks: []canon.Block{text}})
		return
	}
	for range d.Elements() {
		m := ReadItem(d)
		if o, ok := m.First().(*canon.OpaqueBlock); ok && o.Type == "additional_tools" {
			item := jsonx.NewDecoder(o.Raw)
			for name := range item.Members() {
				if string(name) == "tools" {
					readTools(item, r, "")
				}
			}
			continue
		}
		r.Messages = append(r.Messages, m)
	}
}

// readTools reads a list of tools; a namespace holds a list of its own.
func readTools(d *jsonx.Decoder, r *canon.Request, namespace string) {
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
				t.Description = optText(d)
			case "parameters":
				t.Schema = d.Raw()
			case "tools":
				inner = d.Raw()
			}
		}
		t.Raw = d.Slice(start)
		switch typ {
		case "namespace":
			readTools(jsonx.NewDecoder(inner), r, t.Name)
			continue
		case "function":
			t.Call = canon.CallFunction
		case "custom":
			t.Call = canon.CallCustom
		case NameLocalShell:
			t.Call = canon.CallShell
		default:
			t.Call = canon.CallProvider
		}
		r.Tools = append(r.Tools, t)
	}
}

func readChoice(d *jsonx.Decoder) (c canon.ToolChoice) {
	if d.Kind() == jsonx.String {
		switch d.Str() {
		case "auto":
			c.Mode = canon.ChoiceAuto
		case "required":
			c.Mode = canon.ChoiceAny
		case "none":
			c.Mode = canon.ChoiceNone
		}
		return c
	}
	if d.Kind() != jsonx.Object {
		d.Skip()
		return c
	}
	c.Mode = canon.ChoiceOneOf
	for name := range d.Members() {
		switch string(name) {
		case "name":
			c.Names = append(c.Names, d.OptStr())
		case "tools":
			for range d.Elements() {
				for member := range d.Members() {
					if string(member) == "name" {
						c.Names = append(c.Names, d.OptStr())
					}
				}
			}
		}
	}
	return c
}
