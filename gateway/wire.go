package gateway

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// wire is what a dialect's codec does not know: addresses and headers.
type wire struct {
	// path returns what follows an upstream's base address.
	path func(base, model string, stream bool) string
	// credential is the header that carries the key, behind its prefix.
	credential, prefix string
	// also is another header that the vendor takes a credential in, if it does.
	also string
	// callers lists the dialects whose callers have a credential for this dialect's
	// vendor in these headers: what an OpenAI client sends as a bearer is no
	// credential of Anthropic's, and the reverse.
	callers []string
	// pass lists the headers of a caller that go to an upstream of its own dialect.
	pass []string
	// fixed are sent where the caller has none.
	fixed map[string]string
	// leadingSystem says that of what another dialect's callers send system text may
	// stand only before the conversation.
	leadingSystem bool
	// modelInPath says that the path names the model, and the body does not.
	modelInPath bool
}

// bearerPrefix is what stands before a credential in an Authorization header.
const bearerPrefix = "Bearer "

// wires by dialect. The paths and headers are those of the vendors' API
// references. (2026-11.)
var wires = map[string]*wire{
	"anthropic": {
		path:       func(base, _ string, _ bool) string { return versioned(base, "/v1") + "/messages" },
		credential: "X-Api-Key",
		also:       "Authorization", // of those who have logged in
		callers:    []string{"anthropic"},
		// Claude Code writes system text within the conversation for models that it
		// names a beta for, and text of the user for the others. (2.1.332.) The callers
		// of other dialects name none.
		leadingSystem: true,
		pass:          []string{"Anthropic-Version", "Anthropic-Beta"},
		fixed:         map[string]string{"Anthropic-Version": "2023-06-01"},
	},
	"chat": {
		path:       func(base, _ string, _ bool) string { return base + "/chat/completions" },
		credential: "Authorization", prefix: bearerPrefix,
		callers: []string{"chat", "responses"},
	},
	"responses": {
		path:       func(base, _ string, _ bool) string { return base + "/responses" },
		credential: "Authorization", prefix: bearerPrefix,
		callers: []string{"chat", "responses"},
		pass:    []string{"Openai-Beta", "Session-Id", "X-Client-Request-Id"},
	},
	"gemini": {
		path: func(base, model string, stream bool) string {
			method := ":generateContent"
			if stream {
				method = ":streamGenerateContent?alt=sse"
			}
			return versioned(base, "/v1beta") + "/models/" + url.PathEscape(model) + method
		},
		credential: "X-Goog-Api-Key", modelInPath: true,
		callers: []string{"gemini"},
	},
}

// versioned returns base with the version of the API, unless it ends in one.
func versioned(base, version string) string {
	last := base[strings.LastIndexByte(base, '/')+1:]
	if strings.HasPrefix(last, "v1") {
		return base
	}
	return base + version
}

// headers sets what a request to the upstream carries: the dialect's own headers
// of a caller who speaks it, the upstream's, and its credential.
func (w *wire) headers(out http.Header, u *Upstream, t *turn, same bool) {
	out.Set("Content-Type", "application/json")
	out.Set("Accept-Encoding", "identity")
	for name, value := range w.fixed {
		out.Set(name, value)
	}
	if same {
		for _, name := range w.pass {
			if v := t.r.Header.Values(name); len(v) > 0 {
				out[name] = v
			}
		}
	}
	for name, value := range u.Headers {
		out.Set(name, value)
	}
	switch {
	case u.Auth == AuthCaller && slices.Contains(w.callers, t.caller.Name()):
		for _, name := range []string{w.credential, w.also} {
			if v := t.visitor.own.Get(name); v != "" {
				out.Set(name, v)
				return
			}
		}
	case u.Auth != AuthCaller && u.Key != "":
		out.Set(w.credential, w.prefix+string(u.Key))
	}
}
