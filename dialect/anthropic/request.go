package anthropic

import (
	"fmt"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// DecodeRequest implements [dialect.Codec].
func (Codec) DecodeRequest(body []byte) (*canon.Request, error) { return DecodeRequest(body) }

// DecodeRequest reads the body of a POST /v1/messages request. The top-level
// system field becomes the leading system messages. The request shares body's
// memory. A member of an object within the body that canon does not model is kept
// as one of the body, under both names: "thinking.x".
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
		default:
			readParameter(d, r, name)
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

// readParameter reads a member that is neither content nor about tools.
func readParameter(d *jsonx.Decoder, r *canon.Request, name []byte) {
	switch string(name) {
	case "max_tokens":
		r.MaxOutput = d.OptInt()
	case "stream":
		r.Stream = d.OptBool()
	case "temperature":
		r.Sampling.Temperature = canon.ReadNumber(d)
	case "top_p":
		r.Sampling.TopP = canon.ReadNumber(d)
	case "top_k":
		r.Sampling.TopK = canon.ReadNumber(d)
	case "stop_sequences":
		r.Stop = canon.ReadTexts(d)
	case "thinking":
		r.Ext.ReadWithin(d, Name, name, func(member []byte) bool { return readThinking(d, r, member) })
	case "output_config":
		r.Ext.ReadWithin(d, Name, name, func(member []byte) bool {
			switch string(member) {
			case "effort":
				r.Reasoning.Effort = canon.Effort(d.OptStr())
			case "format":
				return readFormat(d, r)
			default:
				return false
			}
			return true
		})
	case "metadata":
		r.Ext.ReadWithin(d, Name, name, func(member []byte) bool {
			if string(member) != "user_id" {
				return false
			}
			r.User = canon.ReadOptText(d)
			return true
		})
	default:
		r.Ext.Read(d, Name, name)
	}
}

func readThinking(d *jsonx.Decoder, r *canon.Request, member []byte) bool {
	switch string(member) {
	case "type":
		switch d.OptStr() {
		case "enabled", "adaptive":
			r.Reasoning.Mode = canon.ReasoningOn
		case "disabled":
			r.Reasoning.Mode = canon.ReasoningOff
		}
	case "budget_tokens":
		r.Reasoning.Budget = d.OptInt()
	case "display":
		if r.Reasoning.Show = canon.ShowSummary; d.OptStr() == "omitted" {
			r.Reasoning.Show = canon.ShowNothing
		}
	default:
		return false
	}
	return true
}

// readFormat reads the format of the answer; one that canon does not model is
// left.
func readFormat(d *jsonx.Decoder, r *canon.Request) bool {
	if d.Kind() != jsonx.Object {
		return false
	}
	typ := ""
	for member := range d.Members() {
		switch string(member) {
		case "type":
			typ = d.OptStr()
		case "schema":
			r.Format.Schema = d.CleanRaw()
		}
	}
	if typ == "json_schema" && r.Format.Schema.Kind() == jsonx.Object {
		r.Format.Kind = canon.FormatSchema
	}
	return true
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
		case "strict":
			t.Strict = canon.FlagOf(d.OptBool())
		case "defer_loading":
			t.Deferred = d.OptBool()
		default:
			t.Ext.Read(d, Name, name)
		}
	}
	if typ != "" && typ != "custom" {
		raw, _ := jsonx.CleanValue(d.Slice(start))
		return canon.Tool{Name: t.Name, Call: canon.CallProvider, Dialect: Name, Raw: raw}
	}
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
			r.OneCall = d.OptBool()
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
