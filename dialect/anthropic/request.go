package anthropic

import (
	"fmt"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// DecodeRequest reads the body of a POST /v1/messages request. The top-level
// system field becomes the leading system messages. The request shares body's
// memory.
func DecodeRequest(body []byte) (*canon.Request, error) {
	r := new(canon.Request)
	var system []*canon.Message
	d := jsonx.NewDecoder(body)
	for name := range d.Members() {
		switch string(name) {
		case "model":
			r.Model = d.Str()
		case "messages":
			r.Messages = nil
			for range d.Elements() {
				r.Messages = append(r.Messages, readMessage(d))
			}
		case "system":
			system = readSystem(d)
		case "tools":
			r.Tools = nil
			if d.Kind() == jsonx.Null {
				continue
			}
			for range d.Elements() {
				r.Tools = append(r.Tools, readTool(d))
			}
		case "tool_choice":
			readChoice(d, r)
		case "max_tokens":
			r.MaxOutput = d.OptInt()
		case "stream":
			r.Stream = d.OptBool()
		default:
			r.Ext.Read(d, Name, name)
		}
	}
	if err := d.Err(); err != nil {
		return nil, fmt.Errorf("decode Anthropic request: %w", err)
	}
	if d.More() {
		return nil, fmt.Errorf("decode Anthropic request: more text after the body at byte %d", d.Offset())
	}
	r.Messages = append(system, r.Messages...)
	return r, nil
}

// readSystem reads the system field, one message per block.
func readSystem(d *jsonx.Decoder) []*canon.Message {
	var out []*canon.Message
	for _, b := range ReadContent(d) {
		out = append(out, &canon.Message{Role: canon.System, Authority: canon.AuthoritySystem, Blocks: []canon.Block{b}})
	}
	return out
}

func readMessage(d *jsonx.Decoder) *canon.Message {
	m := new(canon.Message)
	for name := range d.Members() {
		switch string(name) {
		case "role":
			m.Role = canon.Role(d.Str())
		case "content":
			m.Blocks = ReadContent(d)
		default:
			m.Ext.Read(d, Name, name)
		}
	}
	if m.Role == canon.System {
		m.Authority = canon.AuthoritySystem
	}
	return m
}

func readTool(d *jsonx.Decoder) canon.Tool {
	t := canon.Tool{Call: canon.CallFunction}
	start := d.Next()
	typ := ""
	for name := range d.Members() {
		switch string(name) {
		case "type":
			typ = d.OptStr()
		case "name":
			t.Name = d.OptStr()
		case "description":
			t.Description = canon.ReadOptText(d)
		case "input_schema":
			t.Schema = d.CleanRaw()
		}
	}
	if typ != "" && typ != "custom" {
		t.Call = canon.CallProvider
	}
	t.Raw, _ = jsonx.CleanValue(d.Slice(start))
	return t
}

// readChoice reads a tool choice. A form that canon does not model stays as it
// is.
func readChoice(d *jsonx.Decoder, r *canon.Request) {
	r.Choice = canon.ToolChoice{}
	start := d.Next()
	if d.Kind() != jsonx.Object {
		keepChoice(r, d.CleanRaw())
		return
	}
	var typ, tool string
	for name := range d.Members() {
		switch string(name) {
		case "type":
			typ = d.OptStr()
		case "name":
			tool = d.OptStr()
		case "disable_parallel_tool_use":
			r.Ext.Read(d, Name, name)
		}
	}
	switch typ {
	case "auto":
		r.Choice.Mode = canon.ChoiceAuto
	case "any":
		r.Choice.Mode = canon.ChoiceAny
	case "none":
		r.Choice.Mode = canon.ChoiceNone
	case "tool":
		r.Choice = canon.ToolChoice{Mode: canon.ChoiceOneOf, Names: []canon.ToolName{{Name: tool}}}
	default:
		raw, _ := jsonx.CleanValue(d.Slice(start))
		keepChoice(r, raw)
	}
}

func keepChoice(r *canon.Request, raw canon.Raw) {
	if raw.Kind() != jsonx.Null && raw != nil {
		r.Ext.Dialect = Name
		r.Ext.Members = append(r.Ext.Members, canon.Member{Name: "tool_choice", Value: raw})
	}
}
