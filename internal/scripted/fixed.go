package scripted

import "net/http"

// countedTokens is what every count_tokens request is told.
const countedTokens = 42

type modelList struct {
	Object  string      `json:"object,omitempty"`
	Data    []modelInfo `json:"data"`
	HasMore *bool       `json:"has_more,omitempty"`
	FirstID string      `json:"first_id,omitempty"`
	LastID  string      `json:"last_id,omitempty"`
	Models  *[]any      `json:"models,omitempty"`
}

type modelInfo struct {
	Type        string `json:"type,omitempty"`
	ID          string `json:"id"`
	DisplayName string `json:"display_name,omitempty"`
	CreatedAt   string `json:"created_at,omitempty"`
	Object      string `json:"object,omitempty"`
	Created     int64  `json:"created,omitempty"`
	OwnedBy     string `json:"owned_by,omitempty"`
}

// models lists three models in the shape of the asker: Messages with an
// anthropic-version header, else OpenAI, to which Codex's (client_version in the
// query) adds a member.
func models(r *http.Request) modelList {
	ids := []string{"claude-scripted", "gpt-scripted", "gemini-scripted"}
	if r.Header.Get("Anthropic-Version") != "" {
		l := modelList{HasMore: new(bool), FirstID: ids[0], LastID: ids[len(ids)-1]}
		for _, id := range ids {
			l.Data = append(l.Data, modelInfo{Type: "model", ID: id, DisplayName: id, CreatedAt: "2026-01-01T00:00:00Z"})
		}
		return l
	}
	l := modelList{Object: "list"}
	for _, id := range ids {
		l.Data = append(l.Data, modelInfo{ID: id, Object: "model", Created: 1767225600, OwnedBy: "scripted"})
	}
	if r.URL.Query().Has("client_version") {
		l.Models = &[]any{}
	}
	return l
}

type (
	messagesCount struct {
		Tokens int `json:"input_tokens"`
	}
	geminiCount struct {
		Tokens int `json:"totalTokens"`
	}
)

// fixed answers what the script has no part in.
func (o *output) fixed(a *reply, r *http.Request) {
	switch a.route.kind {
	case routeRefused:
		status := http.StatusUpgradeRequired
		if r.Method == http.MethodConnect {
			status = http.StatusForbidden
		}
		o.w.Header().Set("Connection", "close")
		o.w.Header().Set("Content-Length", "0")
		o.w.WriteHeader(status)
	case routeCount:
		var count any = messagesCount{countedTokens}
		if _, ok := a.route.protocol.(gemini); ok {
			count = geminiCount{countedTokens}
		}
		o.body(a, http.StatusOK, "application/json", encode(count))
	case routeModels:
		o.body(a, http.StatusOK, "application/json", encode(models(r)))
	case routeHello:
		o.w.WriteHeader(http.StatusOK)
	case routeUnknown, routeGenerate: // a generating route never comes here
		o.fail(a, apiError{status: http.StatusNotFound, message: "scripted: no such path: " + r.Method + " " + r.URL.Path})
	}
}
