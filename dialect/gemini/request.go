package gemini

import (
	"fmt"
	"strings"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// Members of a request that are objects. What canon does not model of one is kept
// as a member of the request under both names: "generationConfig.x".
const (
	configMember   = "generationConfig"
	thinkingMember = "generationConfig.thinkingConfig"
	toolMember     = "toolConfig"
	callingMember  = "toolConfig.functionCallingConfig"
	systemMember   = "systemInstruction"
)

// DecodeRequest implements [dialect.Codec].
func (Codec) DecodeRequest(body []byte) (*canon.Request, error) { return DecodeRequest(body) }

// DecodeRequest reads the body of a generateContent request. The system
// instruction becomes the leading system messages, one for each of its parts. The
// request shares body's memory.
func DecodeRequest(body []byte) (*canon.Request, error) {
	r := new(canon.Request)
	var system []*canon.Message
	d := jsonx.NewDecoder(body)
	for name := range d.Members() {
		switch string(camel(name)) {
		case "contents":
			r.Messages = readContents(d)
		case "systemInstruction":
			system = readSystem(d, r)
		case "tools":
			r.Tools = readTools(d)
		case toolMember:
			r.Choice = canon.ToolChoice{}
			r.Ext.ReadWithin(d, Name, []byte(toolMember), func(member []byte) bool { return readToolConfig(d, r, member) })
		case configMember:
			r.Ext.ReadWithin(d, Name, []byte(configMember), func(member []byte) bool { return readConfig(d, r, member) })
			settleFormat(r)
		default:
			r.Ext.Read(d, Name, name)
		}
	}
	if err := d.Err(); err != nil {
		return nil, fmt.Errorf("decode Gemini request: %w", err)
	}
	if d.More() {
		return nil, fmt.Errorf("decode Gemini request: more text after the body at byte %d", d.Offset())
	}
	r.Messages = append(system, r.Messages...)
	return r, nil
}

// readSystem reads the system instruction. Its role means nothing; Gemini CLI
// writes "user" (0.61.0).
func readSystem(d *jsonx.Decoder, r *canon.Request) (out []*canon.Message) {
	var l list
	switch d.Kind() {
	case jsonx.String:
		l.text(canon.ReadText(d), canon.Ext{})
	case jsonx.Object:
		r.Ext.ReadWithin(d, Name, []byte(systemMember), func(member []byte) bool {
			switch string(member) {
			case "parts":
				l = list{}
				readParts(d, &l)
			case "role":
			default:
				return false
			}
			return true
		})
	default:
		d.Skip()
	}
	for _, b := range l.blocks {
		out = append(out, &canon.Message{Role: canon.System, Authority: canon.AuthoritySystem, Blocks: []canon.Block{b}})
	}
	return out
}

// readContents reads the conversation. The vendor's libraries take a single
// content, and a text, for a list of them.
func readContents(d *jsonx.Decoder) (out []*canon.Message) {
	p := new(pairing)
	switch d.Kind() {
	case jsonx.Array:
		for range d.Elements() {
			out = append(out, readContent(d, p))
		}
	case jsonx.Null:
		d.Skip()
	default:
		out = append(out, readContent(d, p))
	}
	return out
}

func readContent(d *jsonx.Decoder, p *pairing) *canon.Message {
	m := &canon.Message{Role: canon.User}
	l := list{called: p.call, answered: p.result}
	if d.Kind() == jsonx.String {
		l.text(canon.ReadText(d), canon.Ext{})
		m.Blocks = l.blocks
		return m
	}
	for name := range d.Members() {
		switch string(name) {
		case "role":
			// The API knows two roles; older clients have a third for results.
			if r := d.OptStr(); r == "model" || r == "assistant" {
				m.Role = canon.Assistant
			}
		case "parts":
			l.blocks = nil
			readParts(d, &l)
		default:
			m.Ext.Read(d, Name, name)
		}
	}
	m.Blocks = l.blocks
	return m
}

// readConfig reads a member of the generation config.
func readConfig(d *jsonx.Decoder, r *canon.Request, member []byte) bool {
	switch string(camel(member)) {
	case "temperature":
		r.Sampling.Temperature = canon.ReadNumber(d)
	case "topP":
		r.Sampling.TopP = canon.ReadNumber(d)
	case "topK":
		r.Sampling.TopK = canon.ReadNumber(d)
	case "seed":
		r.Sampling.Seed = canon.ReadNumber(d)
	case "frequencyPenalty":
		r.Sampling.FrequencyPenalty = canon.ReadNumber(d)
	case "presencePenalty":
		r.Sampling.PresencePenalty = canon.ReadNumber(d)
	case "maxOutputTokens":
		r.MaxOutput = max(d.OptInt(), 0)
	case "stopSequences":
		r.Stop = canon.ReadTexts(d)
	case "thinkingConfig":
		r.Reasoning = canon.Reasoning{}
		r.Ext.ReadWithin(d, Name, []byte(thinkingMember), func(member []byte) bool { return readThinking(d, r, member) })
	case "responseMimeType":
		return readFormatType(d, r)
	case "responseJsonSchema":
		if d.Kind() != jsonx.Object {
			return d.Kind() == jsonx.Null
		}
		r.Format.Schema = d.CleanRaw()
	case "responseSchema":
		if d.Kind() != jsonx.Object {
			return d.Kind() == jsonx.Null
		}
		r.Format.Schema = jsonSchema(d.CleanRaw())
	default:
		return false
	}
	return true
}

const jsonType = "application/json"

// readFormatType reads the media type of the answer. One that canon does not
// model is left.
func readFormatType(d *jsonx.Decoder, r *canon.Request) bool {
	start := d.Next()
	switch typ := d.OptStr(); typ {
	case jsonType:
		r.Format.Kind = canon.FormatJSON
	case plainText, "":
		r.Format.Kind = canon.FormatText
	default:
		raw, _ := jsonx.CleanValue(d.Slice(start))
		addMember(r, configMember+".responseMimeType", raw)
	}
	return true
}

// settleFormat makes one format of a media type and a schema.
func settleFormat(r *canon.Request) {
	if r.Format.Schema != nil {
		r.Format.Kind = canon.FormatSchema
	}
}

func readThinking(d *jsonx.Decoder, r *canon.Request, member []byte) bool {
	switch string(camel(member)) {
	case "includeThoughts":
		if kind := d.Kind(); kind != jsonx.True && kind != jsonx.False {
			d.Skip()
			return true
		}
		if r.Reasoning.Show = canon.ShowNothing; d.OptBool() {
			r.Reasoning.Show = canon.ShowSummary
		}
	case "thinkingLevel":
		level := strings.ToLower(d.OptStr())
		if level == "" || level == "thinking_level_unspecified" {
			return true
		}
		r.Reasoning.Effort = canon.Effort(level)
		r.Reasoning.Mode = canon.ReasoningOn
	case "thinkingBudget":
		if d.Kind() != jsonx.Number {
			d.Skip()
			return true
		}
		n := d.OptInt()
		r.Reasoning.Budget = max(n, 0) // -1 leaves it to the model
		if r.Reasoning.Mode = canon.ReasoningOn; n == 0 {
			r.Reasoning.Mode = canon.ReasoningOff
		}
	default:
		return false
	}
	return true
}

func addMember(r *canon.Request, name string, value canon.Raw) {
	r.Ext.Dialect = Name
	r.Ext.Members = append(r.Ext.Members, canon.Member{Name: name, Value: value})
}
