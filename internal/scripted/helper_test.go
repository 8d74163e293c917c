package scripted

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// asking is a generating request with tools, in one protocol.
type asking struct{ name, path, body string }

const toolBody = `"model":"m-1","tools":[{"type":"function","name":"Read"}]`

func streamed() []asking {
	return []asking{
		{"messages", "/v1/messages", `{` + toolBody + `,"stream":true}`},
		{"responses", "/v1/responses", `{` + toolBody + `,"stream":true,"include":["reasoning.encrypted_content"]}`},
		{"chat", "/v1/chat/completions", `{` + toolBody + `,"stream":true,"stream_options":{"include_usage":true}}`},
		{"gemini", "/v1beta/models/m-1:streamGenerateContent?alt=sse", `{` + toolBody + `}`},
		{"gemini array", "/v1beta/models/m-1:streamGenerateContent", `{` + toolBody + `}`},
	}
}

func plainAsked() []asking {
	return []asking{
		{"messages", "/v1/messages", `{` + toolBody + `}`},
		{"responses", "/v1/responses", `{` + toolBody + `,"include":["reasoning.encrypted_content"]}`},
		{"chat", "/v1/chat/completions", `{` + toolBody + `}`},
		{"gemini", "/v1beta/models/m-1:generateContent", `{` + toolBody + `}`},
	}
}

// respond runs one request without a network. It cannot show a cut connection.
func respond(t testing.TB, s *Server, method, target, body string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, target, strings.NewReader(body))
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

// over runs one request over a real connection and returns what arrived, and how
// the body ended: nil or an unexpected end.
func over(t testing.TB, s *Server, a asking) (status int, body []byte, ended error) {
	t.Helper()
	server := httptest.NewServer(s)
	defer server.Close()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+a.path, strings.NewReader(a.body))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := server.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, ended = io.ReadAll(resp.Body)
	return resp.StatusCode, body, ended
}

// event is one decoded SSE event, or one element of a JSON array.
type event struct {
	name string
	data string
}

// events splits a stream in the simplest way that is right for this server.
func events(t testing.TB, a asking, body []byte) []event {
	t.Helper()
	if strings.HasSuffix(a.name, "array") {
		var values []json.RawMessage
		if err := json.Unmarshal(body, &values); err != nil {
			t.Fatalf("%v in %s", err, body)
		}
		var out []event
		for _, v := range values {
			out = append(out, event{data: string(v)})
		}
		return out
	}
	var out []event
	var e event
	lines := bufio.NewScanner(bytes.NewReader(body))
	lines.Buffer(nil, 1<<26)
	for lines.Scan() {
		switch line := lines.Text(); {
		case line == "":
			out = append(out, e)
			e = event{}
		case strings.HasPrefix(line, "event: "):
			e.name = line[len("event: "):]
		case strings.HasPrefix(line, "data: "):
			e.data += line[len("data: "):]
		}
	}
	if e != (event{}) {
		t.Fatalf("the stream ends inside an event: %+v", e)
	}
	return out
}

// naps is an Options.Sleep that returns at once and remembers.
type naps struct {
	mu    sync.Mutex
	taken []time.Duration
}

func (n *naps) sleep(ctx context.Context, d time.Duration) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.taken = append(n.taken, d)
	return ctx.Err()
}

func decode[T any](t testing.TB, data []byte) T {
	t.Helper()
	var v T
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatalf("%v in %s", err, data)
	}
	return v
}

// captured runs one request through a handler.
func captured(t testing.TB, a asking, handler http.HandlerFunc) []byte {
	t.Helper()
	w := httptest.NewRecorder()
	handler(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, a.path, strings.NewReader(a.body)))
	return w.Body.Bytes()
}
