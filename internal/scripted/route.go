package scripted

import (
	"net/http"
	"strings"
)

type routeKind int

const (
	routeUnknown  routeKind = iota // 404
	routeRefused                   // CONNECT, WebSocket upgrade
	routeGenerate                  // an answer of the model
	routeCount
	routeModels
	routeHello
)

// route is what a request's head asks for.
type route struct {
	kind     routeKind
	protocol protocol
	model    string // Gemini has it in the path
	stream   bool   // Gemini says it in the path
	array    bool   // Gemini: a stream without alt=sse is a JSON array
}

func routeOf(r *http.Request) route {
	if r.Method == http.MethodConnect || isWebSocket(r) {
		return route{kind: routeRefused, protocol: guessProtocol(r)}
	}
	if r.URL.IsAbs() { // asked as a proxy
		return route{protocol: guessProtocol(r)}
	}
	switch r.Method + " " + r.URL.Path {
	case "POST /v1/messages":
		return route{kind: routeGenerate, protocol: messages{}}
	case "POST /v1/messages/count_tokens":
		return route{kind: routeCount, protocol: messages{}}
	case "POST /v1/responses":
		return route{kind: routeGenerate, protocol: responses{}}
	case "POST /v1/chat/completions":
		return route{kind: routeGenerate, protocol: chat{}}
	case "GET /v1/models":
		return route{kind: routeModels, protocol: guessProtocol(r)}
	case "HEAD /api/hello":
		return route{kind: routeHello, protocol: messages{}}
	}
	if rt, ok := geminiRoute(r); ok {
		return rt
	}
	return route{protocol: guessProtocol(r)}
}

func geminiRoute(r *http.Request) (route, bool) {
	path, ok := strings.CutPrefix(r.URL.Path, "/v1beta/models/")
	if !ok {
		path, ok = strings.CutPrefix(r.URL.Path, "/v1/models/")
	}
	colon := strings.LastIndexByte(path, ':')
	if !ok || r.Method != http.MethodPost || colon < 1 || strings.Contains(path, "/") {
		return route{}, false
	}
	rt := route{kind: routeGenerate, protocol: gemini{}, model: path[:colon]}
	switch path[colon+1:] {
	case "generateContent":
	case "streamGenerateContent":
		rt.stream = true
		rt.array = r.URL.Query().Get("alt") != "sse"
	case "countTokens":
		rt.kind = routeCount
	default:
		return route{}, false
	}
	return rt, true
}

// guessProtocol picks whose error body a request outside the known paths gets.
func guessProtocol(r *http.Request) protocol {
	switch {
	case r.Header.Get("Anthropic-Version") != "" || strings.HasPrefix(r.URL.Path, "/v1/messages"):
		return messages{}
	case r.Header.Get("X-Goog-Api-Key") != "" || strings.HasPrefix(r.URL.Path, "/v1beta/"):
		return gemini{}
	default:
		return chat{}
	}
}

func isWebSocket(r *http.Request) bool {
	return strings.EqualFold(r.Header.Get("Upgrade"), "websocket")
}
