package scripted

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// serving starts a server and returns its address, and what ends it and gives the
// result of Serve.
func serving(t *testing.T, s *Server) (addr string, stop func() error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ln, err := Listen(ctx, "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx, ln) }()
	t.Cleanup(cancel)
	return ln.Addr().String(), func() error {
		cancel()
		return <-served
	}
}

func TestListenOnLoopbackOnly(t *testing.T) {
	for _, addr := range []string{"0.0.0.0:0", ":0", "[::]:0", "192.0.2.1:0", "example.com:0", "127.0.0.1", "nonsense"} {
		if ln, err := Listen(t.Context(), addr); err == nil {
			_ = ln.Close()
			t.Errorf("%q was taken", addr)
		}
	}
	for _, addr := range []string{"127.0.0.1:0", "127.9.9.9:0", "localhost:0"} {
		ln, err := Listen(t.Context(), addr)
		if err != nil {
			if addr == "127.0.0.1:0" {
				t.Error(err)
			}
			continue // not every system has the others
		}
		_ = ln.Close()
	}
	open, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "0.0.0.0:0")
	if err != nil {
		t.Skip(err)
	}
	if err := newServer(t, `[]`, Options{}).Serve(t.Context(), open); err == nil || !strings.Contains(err.Error(), "not a loopback address") {
		t.Errorf("serve: %v", err)
	}
	if err := newServer(t, `[]`, Options{}).ListenAndServe(t.Context(), ":0"); err == nil {
		t.Error("listen and serve took every interface")
	}
}

func TestReadyFile(t *testing.T) {
	dir := t.TempDir()
	addr, stop := serving(t, newServer(t, `[]`, Options{Record: dir}))
	file := filepath.Join(dir, ".ready")
	var got []byte
	for deadline := time.Now().Add(5 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		if data, err := os.ReadFile(file); err == nil {
			got = data
			break
		}
	}
	if want := fmt.Sprintf("%d\n%s\n", os.Getpid(), addr); string(got) != want {
		t.Errorf("ready file %q, want %q", got, want)
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		t.Errorf("ready file after the end: %v", err)
	}
}

func get(t *testing.T, method, url string, headers ...string) (status int, body string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	resp, err := transport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(data)
}

// TestServeEndsGracefully: an answer that ends within the grace ends whole, a
// longer one is cut, and in both cases nothing is left when Serve returns.
func TestServeEndsGracefully(t *testing.T) {
	for name, tt := range map[string]struct {
		pause int // ms between two frames
		grace time.Duration
		whole bool
	}{"short": {20, time.Minute, true}, "long": {60_000, 50 * time.Millisecond, false}} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t, `[{"text":"ab","frame_delay_ms":`+itoa(tt.pause)+`}]`, Options{Grace: tt.grace})
			addr, stop := serving(t, s)
			a := streamed()[3]
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+addr+a.path, strings.NewReader(a.body))
			if err != nil {
				t.Fatal(err)
			}
			transport := &http.Transport{}
			defer transport.CloseIdleConnections()
			resp, err := transport.RoundTrip(req)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = resp.Body.Close() }()
			r := bufio.NewReader(resp.Body)
			if _, err := r.ReadString('\n'); err != nil {
				t.Fatal(err)
			}
			if err := stop(); err != nil {
				t.Error(err)
			}
			rest, err := io.ReadAll(r)
			if whole := err == nil && strings.Contains(string(rest), "STOP"); whole != tt.whole {
				t.Errorf("the answer ended with %v: %s", err, rest)
			}
		})
	}
}

func TestClientThatLeavesEndsItsAnswer(t *testing.T) {
	s := newServer(t, `[{"text":"a","delay_ms":60000}]`, Options{})
	addr, stop := serving(t, s)
	ctx, leave := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer leave()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+addr+"/v1/messages", strings.NewReader(`{"tools":[1]}`))
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	if resp, err := transport.RoundTrip(req); err == nil {
		_ = resp.Body.Close()
		t.Error("there was an answer")
	}
	s.active.wait()
	if err := stop(); err != nil {
		t.Error(err)
	}
}

func TestRefusedUpgradeAndConnect(t *testing.T) {
	s := newServer(t, `[{"text":"a"}]`, Options{})
	addr, stop := serving(t, s)
	status, body := get(t, http.MethodGet, "http://"+addr+"/v1/responses", "Connection", "Upgrade", "Upgrade", "websocket", "Openai-Beta", "responses_websockets=2026-02-06")
	if status != http.StatusUpgradeRequired || body != "" {
		t.Errorf("upgrade: %d %q", status, body)
	}
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if _, err := io.WriteString(conn, "CONNECT api.example.com:443 HTTP/1.1\r\nHost: api.example.com:443\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	answer, err := io.ReadAll(conn)
	if err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 403 ") {
		t.Errorf("connect: %v, %q", err, answer)
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
	all := s.Requests()
	if len(all) != 2 || all[0].Header("Upgrade") != "websocket" || all[0].Turn != NoTurn || all[1].URL != "api.example.com:443" || all[1].fileName() != "002-CONNECT-api.example.com_443.json" {
		t.Errorf("recorded %+v", all)
	}
	if s.Unused() != 1 {
		t.Error("a refused request spent a turn")
	}
}

func TestFixedAnswers(t *testing.T) {
	tests := []struct {
		name, method, target string
		headers              []string
		status               int
		body                 string // prefix
	}{
		{"probe", "HEAD", "/api/hello", nil, 200, ""},
		{"count", "POST", "/v1/messages/count_tokens?beta=true", nil, 200, `{"input_tokens":42}`},
		{"Gemini count", "POST", "/v1/models/m:countTokens", nil, 200, `{"totalTokens":42}`},
		{"models for OpenAI", "GET", "/v1/models", nil, 200, `{"object":"list","data":[{"id":"claude-scripted","object":"model","created":1767225600,"owned_by":"scripted"},`},
		{"models for Anthropic", "GET", "/v1/models?limit=1000", []string{"anthropic-version", "2023-06-01"}, 200, `{"data":[{"type":"model","id":"claude-scripted","display_name":"claude-scripted","created_at":"2026-01-01T00:00:00Z"},`},
		{"unknown", "GET", "/", nil, 404, `{"error":{"message":"scripted: no such path: GET /"`},
		{"method", "GET", "/v1/messages", nil, 404, `{"type":"error","error":{"type":"not_found_error"`},
		{"Gemini method", "POST", "/v1beta/models/m:embedContent", nil, 404, `{"error":{"code":404`},
		{"Gemini without model", "POST", "/v1beta/models/:generateContent", nil, 404, `{"error":{"code":404`},
		{"Gemini list", "GET", "/v1beta/models/m:generateContent", nil, 404, `{"error":{"code":404`},
		{"longer path", "POST", "/x/v1/messages", nil, 404, `{"error":`},
		{"as a proxy", "POST", "http://api.example.com/v1/messages", nil, 404, `{"type":"error"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newServer(t, `[{"text":"a"}]`, Options{})
			w := respond(t, s, tt.method, tt.target, "", tt.headers...)
			if w.Code != tt.status || !strings.HasPrefix(w.Body.String(), tt.body) {
				t.Errorf("%d %s", w.Code, w.Body)
			}
			if all := s.Requests(); len(all) != 1 || all[0].Turn != NoTurn || all[0].URL != tt.target {
				t.Errorf("recorded %+v", all)
			}
		})
	}
	s := newServer(t, `[]`, Options{})
	if body := respond(t, s, "GET", "/v1/models?client_version=0.171.0", "").Body.String(); !strings.HasSuffix(body, `"models":[]}`) {
		t.Errorf("models for Codex: %s", body)
	}
}
