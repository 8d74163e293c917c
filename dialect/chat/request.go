package chat

import (
	"fmt"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// DecodeRequest implements [dialect.Codec].
func (Codec) DecodeRequest(body []byte) (*canon.Request, error) { return DecodeRequest(body) }

// DecodeRequest reads the body of a POST /v1/chat/completions request. The request
// shares body's memory. A member of an object within the body that canon does not
// model is kept as one of the body, under both names: "stream_options.x".
func DecodeRequest(body []byte) (*canon.Request, error) {
	r := requestReader{Request: new(canon.Request), d: jsonx.NewDecoder(body)}
	for name := range r.d.Members() {
		if !r.content(name) && !r.sampling(name) {
			r.parameter(name)
		}
		if r.err != nil {
			break
		}
	}
	if err := r.d.Err(); err != nil {
		return nil, fmt.Errorf("decode Chat Completions request: %w", err)
	}
	if r.err != nil {
		return nil, fmt.Errorf("decode Chat Completions request: %w", r.err)
	}
	if r.d.More() {
		return nil, fmt.Errorf("decode Chat Completions request: more text after the body at byte %d", r.d.Offset())
	}
	r.identify()
	return r.Request, nil
}

// requestReader reads one request.
type requestReader struct {
	*canon.Request
	d   *jsonx.Decoder
	err error
	// limit is max_tokens, newLimit its newer name; safety is that of user.
	limit, newLimit int64
	safety          canon.Text
}

// content reads a member that is content or about tools.
func (r *requestReader) content(name []byte) bool {
	d := r.d
	switch string(name) {
	case "model":
		r.Model = d.Str()
	case "messages":
		r.Messages = nil
		for range d.Elements() {
			m, err := readMessage(d)
			if err != nil {
				r.err = err
				break
			}
			if m != nil {
				r.Messages = append(r.Messages, m)
			}
		}
	case "tools":
		r.Tools = nil
		if d.Kind() == jsonx.Null {
			d.Skip()
			break
		}
		for range d.Elements() {
			r.Tools = append(r.Tools, readTool(d))
		}
	case "tool_choice":
		readChoice(d, r.Request)
	case "parallel_tool_calls":
		r.OneCall = d.Kind() == jsonx.False
		d.Skip()
	default:
		return false
	}
	return true
}

// sampling reads a number that is handed on as it is written.
func (r *requestReader) sampling(name []byte) bool {
	var to *canon.Raw
	switch string(name) {
	case "temperature":
		to = &r.Sampling.Temperature
	case "top_p":
		to = &r.Sampling.TopP
	case "top_k":
		to = &r.Sampling.TopK
	case "frequency_penalty":
		to = &r.Sampling.FrequencyPenalty
	case "presence_penalty":
		to = &r.Sampling.PresencePenalty
	case "seed":
		to = &r.Sampling.Seed
	default:
		return false
	}
	if *to = nil; r.d.Kind() == jsonx.Number {
		*to = r.d.Raw()
	} else {
		r.d.Skip()
	}
	return true
}

// parameter reads any other member.
func (r *requestReader) parameter(name []byte) {
	d := r.d
	switch string(name) {
	case "max_tokens":
		r.limit = d.OptInt()
	case "max_completion_tokens":
		r.newLimit = d.OptInt()
	case "stream":
		r.Stream = d.OptBool()
	case "stream_options":
		r.streamOptions(name)
	case "stop":
		r.Stop = nil
		switch d.Kind() {
		case jsonx.String:
			r.Stop = []canon.Text{canon.ReadText(d)}
		case jsonx.Array:
			for range d.Elements() {
				r.Stop = append(r.Stop, canon.ReadOptText(d))
			}
		default:
			d.Skip()
		}
	case "reasoning_effort":
		r.Reasoning = canon.Reasoning{}
		switch effort := canon.Effort(d.OptStr()); effort {
		case canon.EffortUnset:
		case canon.EffortNone:
			r.Reasoning.Mode = canon.ReasoningOff
		default:
			r.Reasoning = canon.Reasoning{Mode: canon.ReasoningOn, Effort: effort}
		}
	case "response_format":
		r.format(name)
	case "user":
		r.User = canon.ReadOptText(d)
	case "safety_identifier":
		r.safety = canon.ReadOptText(d)
	case "prompt_cache_key":
		r.CacheKey = canon.ReadOptText(d)
	default:
		if d.Kind() != jsonx.Null {
			r.Ext.Read(d, Name, name)
		}
	}
}

// identify settles what has two names.
func (r *requestReader) identify() {
	if r.MaxOutput = r.newLimit; r.MaxOutput <= 0 {
		r.MaxOutput = max(r.limit, 0)
	}
	switch {
	case r.User.IsEmpty():
		r.User = r.safety
	case !r.safety.IsEmpty() && !r.safety.Equal(r.User):
		add(&r.Ext, canon.Member{Name: "safety_identifier", Value: r.safety.AppendQuoted(nil)})
	}
}

func (r *requestReader) streamOptions(name []byte) {
	r.StreamUsage = false
	if r.d.Kind() != jsonx.Object {
		r.d.Skip()
		return
	}
	outer := string(name)
	for member := range r.d.Members() {
		if string(member) == "include_usage" {
			r.StreamUsage = r.d.OptBool()
		} else {
			readWithin(&r.Ext, r.d, outer, member)
		}
	}
}

// format reads the format of the answer. One that canon does not model stays as it
// is.
func (r *requestReader) format(name []byte) {
	r.Format = canon.Format{}
	if r.d.Kind() != jsonx.Object {
		r.d.Skip()
		return
	}
	outer := string(name)
	whole := r.d.CleanRaw()
	var f canon.Format
	var ext canon.Ext
	typ := ""
	d := jsonx.NewDecoder(whole)
	for member := range d.Members() {
		switch {
		case string(member) == "type":
			typ = d.OptStr()
		case string(member) == "json_schema" && d.Kind() == jsonx.Object:
			readSchema(d, &f, &ext)
		default:
			readWithin(&ext, d, outer, member)
		}
	}
	switch typ {
	case "text":
	case "json_object":
		r.Format.Kind = canon.FormatJSON
	case "json_schema":
		f.Kind = canon.FormatSchema
		r.Format = f
	default:
		add(&r.Ext, canon.Member{Name: outer, Value: whole})
		return
	}
	for _, m := range ext.Members {
		add(&r.Ext, m)
	}
}

func readSchema(d *jsonx.Decoder, f *canon.Format, ext *canon.Ext) {
	for member := range d.Members() {
		switch string(member) {
		case "name":
			f.Name = d.OptStr()
		case "description":
			f.Description = canon.ReadOptText(d)
		case "schema":
			if f.Schema = nil; d.Kind() == jsonx.Object {
				f.Schema = d.CleanRaw()
			}
		case "strict":
			f.Strict = readFlag(d)
		default:
			readWithin(ext, d, "response_format.json_schema", member)
		}
	}
}

// readFlag reads a boolean that may be left out.
func readFlag(d *jsonx.Decoder) canon.Flag {
	if k := d.Kind(); k != jsonx.True && k != jsonx.False {
		d.Skip()
		return canon.FlagUnset
	}
	return canon.FlagOf(d.Bool())
}
