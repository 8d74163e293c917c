package responses

import (
	"fmt"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// DecodeRequest implements [dialect.Codec].
func (Codec) DecodeRequest(body []byte) (*canon.Request, error) { return DecodeRequest(body) }

// DecodeRequest reads the body of a POST /v1/responses request. The top-level
// instructions become the leading system message; the tools of
// additional_tools items (Codex's code mode) are declared like the others. The
// request shares body's memory. A member of an object within the body that canon
// does not model is kept as one of the body, under both names: "text.verbosity".
func DecodeRequest(body []byte) (*canon.Request, error) {
	r := &canon.Request{Ext: canon.Ext{Dialect: Name}}
	var in input
	var leading []*canon.Message
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
			in = readInput(d)
		case "tools":
			r.Tools = nil
			if d.Kind() != jsonx.Null {
				r.Tools = readTools(d, nil, "")
			}
		case "tool_choice":
			readChoice(d, r)
		default:
			readParameter(d, r, name)
		}
	}
	if err := d.Err(); err != nil {
		return nil, fmt.Errorf("decode Responses request: %w", err)
	}
	if d.More() {
		return nil, fmt.Errorf("decode Responses request: more text after the body at byte %d", d.Offset())
	}
	r.Messages = append(leading, in.msgs...)
	for _, t := range in.tools {
		r.Tools = declare(r.Tools, t)
	}
	r.Ext.Members = append(r.Ext.Members, in.ext...)
	return r, nil
}

// input is what the input holds: items that declare tools are no messages.
type input struct {
	msgs  []*canon.Message
	tools []canon.Tool
	ext   []canon.Member
}

// additionalTools is the type of items that declare tools.
const additionalTools = "additional_tools"

// readInput reads a string or a list of items.
func readInput(d *jsonx.Decoder) (in input) {
	if d.Kind() == jsonx.String {
		text := &canon.TextBlock{Text: canon.ReadText(d)}
		in.msgs = []*canon.Message{{Role: canon.User, Blocks: []canon.Block{text}}}
		return in
	}
	for range d.Elements() {
		m := ReadItem(d)
		if o, ok := m.First().(*canon.OpaqueBlock); ok && o.Type == additionalTools && in.declaration(o.Raw) {
			continue
		}
		in.msgs = append(in.msgs, m)
	}
	return in
}

// declaration reads an item that declares tools, and reports whether it can be
// read. Its id and role say nothing of them.
func (in *input) declaration(item canon.Raw) bool {
	var tools []canon.Tool
	var ext []canon.Member
	d := jsonx.NewDecoder(item)
	for name := range d.Members() {
		switch string(name) {
		case "type", "id", "role":
		case "tools":
			tools = nil
			if d.Kind() == jsonx.Array {
				tools = readTools(d, nil, "")
			}
		default:
			ext = append(ext, canon.Member{Name: additionalTools + "." + string(name), Value: d.CleanRaw()})
		}
	}
	if d.Err() != nil {
		return false
	}
	in.tools, in.ext = append(in.tools, tools...), append(in.ext, ext...)
	return true
}

// readParameter reads a member that is neither content nor about tools.
func readParameter(d *jsonx.Decoder, r *canon.Request, name []byte) {
	switch string(name) {
	case "max_output_tokens":
		r.MaxOutput = d.OptInt()
	case "stream":
		r.Stream = d.OptBool()
	case "parallel_tool_calls":
		r.OneCall = readFlag(d) == canon.FlagOff
	case "temperature":
		r.Sampling.Temperature = canon.ReadNumber(d)
	case "top_p":
		r.Sampling.TopP = canon.ReadNumber(d)
	case "reasoning":
		r.Ext.ReadWithin(d, Name, name, func(member []byte) bool { return readReasoning(d, r, member) })
	case "text":
		r.Ext.ReadWithin(d, Name, name, func(member []byte) bool {
			return string(member) == "format" && readFormat(d, r)
		})
	case "prompt_cache_key":
		r.CacheKey = canon.ReadOptText(d)
	case "safety_identifier", "user": // the newer one counts, wherever it stands
		t := canon.ReadOptText(d)
		switch {
		case string(name) == "user" && !r.User.IsEmpty():
			keep(&r.Ext, "user", t.AppendQuoted(nil))
		case !r.User.IsEmpty():
			keep(&r.Ext, "user", r.User.AppendQuoted(nil))
			r.User = t
		default:
			r.User = t
		}
	default:
		r.Ext.Read(d, Name, name)
	}
}

// readReasoning reads how much the model is to think. A summary of another kind
// than the usual one stays as it is, too.
func readReasoning(d *jsonx.Decoder, r *canon.Request, member []byte) bool {
	q := &r.Reasoning
	switch string(member) {
	case "effort":
		q.Mode, q.Effort = canon.ReasoningOn, canon.Effort(d.OptStr())
		if q.Effort == canon.EffortUnset {
			q.Mode = canon.ReasoningUnset
		} else if q.Effort == canon.EffortNone {
			q.Mode, q.Effort = canon.ReasoningOff, canon.EffortUnset
		}
	case "summary":
		if d.Kind() != jsonx.String {
			d.Skip()
			return true
		}
		q.Show = canon.ShowSummary
		if raw := d.CleanRaw(); string(raw) != summaryAuto {
			keep(&r.Ext, summaryName, raw)
		}
	default:
		return false
	}
	return true
}

const (
	summaryAuto = `"auto"`
	summaryName = "reasoning.summary"
)

// readFormat reads the format of the answer; one that canon does not model is
// left.
func readFormat(d *jsonx.Decoder, r *canon.Request) bool {
	if d.Kind() != jsonx.Object {
		return false
	}
	var f canon.Format
	var typ string
	from := d.Next()
	for member := range d.Members() {
		switch string(member) {
		case "type":
			typ = d.OptStr()
		case "name":
			f.Name = d.OptStr()
		case "description":
			f.Description = canon.ReadOptText(d)
		case "schema":
			f.Schema = readRaw(d)
		case "strict":
			f.Strict = readFlag(d)
		}
	}
	switch {
	case typ == "json_schema" && f.Schema != nil:
		f.Kind = canon.FormatSchema
		r.Format = f
	case typ == "json_object":
		r.Format = canon.Format{Kind: canon.FormatJSON}
	case typ == "text":
		r.Format = canon.Format{}
	default:
		raw, _ := jsonx.CleanValue(d.Slice(from))
		keep(&r.Ext, "text.format", raw)
	}
	return true
}
