package scripted

import (
	"encoding/json"
	"net/http"
)

// asked is what the server needs to know of a request's body.
type asked struct {
	model        string
	stream       bool
	tools        bool   // it declares tools and is no structured side request
	includeUsage bool   // Chat: stream_options.include_usage
	sealed       bool   // Responses: include has reasoning.encrypted_content
	stopSequence string // Messages: the first one, if any
}

// requestBody names the members read, of any protocol.
type requestBody struct {
	Model         string            `json:"model"`
	Stream        bool              `json:"stream"`
	Tools         []json.RawMessage `json:"tools"`
	Input         json.RawMessage   `json:"input"`
	Include       []string          `json:"include"`
	StopSequences []string          `json:"stop_sequences"`
	StreamOptions struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
	Text         structured `json:"text"`
	OutputConfig structured `json:"output_config"`
}

type structured struct {
	Format *struct {
		Type string `json:"type"`
	} `json:"format"`
}

// asks is true for a schema; Responses' {"type":"text"} is the default format.
func (s structured) asks() bool { return s.Format != nil && s.Format.Type != "text" }

func inspect(body []byte, rt route) (asked, *apiError) {
	var b requestBody
	if err := json.Unmarshal(body, &b); err != nil {
		return asked{}, &apiError{status: http.StatusBadRequest, message: "read request body: " + err.Error()}
	}
	a := asked{
		model: b.Model, stream: b.Stream,
		tools:        (len(b.Tools) > 0 || bringsTools(b.Input)) && !b.Text.asks() && !b.OutputConfig.asks(),
		includeUsage: b.StreamOptions.IncludeUsage,
	}
	for _, name := range b.Include {
		a.sealed = a.sealed || name == "reasoning.encrypted_content"
	}
	if len(b.StopSequences) > 0 {
		a.stopSequence = b.StopSequences[0]
	}
	if _, ok := rt.protocol.(gemini); ok {
		a.model, a.stream = rt.model, rt.stream
	}
	return a, nil
}

// bringsTools finds an additional_tools item: Codex 0.171.0 in code mode declares
// its tools there and not at the top.
func bringsTools(input json.RawMessage) bool {
	var items []json.RawMessage
	if json.Unmarshal(input, &items) != nil { // a plain string
		return false
	}
	for _, raw := range items {
		var item struct {
			Type string `json:"type"`
		}
		if json.Unmarshal(raw, &item) == nil && item.Type == "additional_tools" {
			return true
		}
	}
	return false
}
