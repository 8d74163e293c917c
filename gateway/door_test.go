package gateway_test

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"

	"github.com/crosswalk-agents/crosswalk/gateway"
	"github.com/crosswalk-agents/crosswalk/internal/scripted"
)

const hello = `{"model":"m","max_tokens":10,"messages":[{"role":"user","content":"Hello."}]}`

// post sends a Messages request that change has changed.
func post(t *testing.T, url string, body []byte, change func(*http.Request)) (status int, text string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/v1/messages", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(r)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(b)
}

func TestOnlyCallersWithAKeyAndFromHereAreLetIn(t *testing.T) {
	_, url := upstream(t, scripted.Script{{Text: "in"}})
	config := to("anthropic", url)
	config.AllowedHosts, config.AllowedOrigins = []string{"gateway.example"}, []string{"https://app.example"}
	gw := serve(t, config, gateway.Options{Keys: []string{"right-key", "second-key"}})
	key := func(r *http.Request) { r.Header.Set("X-Api-Key", "right-key") }
	for name, tt := range map[string]struct {
		change func(*http.Request)
		status int
	}{
		"no key":            {nil, 401},
		"another key":       {func(r *http.Request) { r.Header.Set("X-Api-Key", "wrong") }, 401},
		"a part of the key": {func(r *http.Request) { r.Header.Set("X-Api-Key", "right-ke") }, 401},
		"the key":           {key, 200},
		"the second key":    {func(r *http.Request) { r.Header.Set("X-Api-Key", "second-key") }, 200},
		"as a bearer":       {func(r *http.Request) { r.Header.Set("Authorization", "Bearer right-key") }, 200},
		"as Google's":       {func(r *http.Request) { r.Header.Set("X-Goog-Api-Key", "right-key") }, 200},
		"in the query":      {func(r *http.Request) { r.URL.RawQuery = "key=right-key" }, 200},
		"beside another": {func(r *http.Request) {
			r.Header.Set("X-Crosswalk-Key", "right-key")
			r.Header.Set("X-Api-Key", "vendor")
		}, 200},
		"a host of another":    {func(r *http.Request) { key(r); r.Host = "evil.example" }, 403},
		"a host with a port":   {func(r *http.Request) { key(r); r.Host = "evil.example:80" }, 403},
		"an address elsewhere": {func(r *http.Request) { key(r); r.Host = "192.0.2.1" }, 403},
		"localhost":            {func(r *http.Request) { key(r); r.Host = "localhost:7878" }, 200},
		"IPv6":                 {func(r *http.Request) { key(r); r.Host = "[::1]:7878" }, 200},
		"an allowed host":      {func(r *http.Request) { key(r); r.Host = "gateway.example" }, 200},
		"another site's page":  {func(r *http.Request) { key(r); r.Header.Set("Origin", "https://evil.example") }, 403},
		"no site":              {func(r *http.Request) { key(r); r.Header.Set("Origin", "null") }, 403},
		"an allowed site":      {func(r *http.Request) { key(r); r.Header.Set("Origin", "https://app.example") }, 200},
		"a cross-site fetch":   {func(r *http.Request) { key(r); r.Header.Set("Sec-Fetch-Site", "cross-site") }, 403},
		"a fetch of its own":   {func(r *http.Request) { key(r); r.Header.Set("Sec-Fetch-Site", "same-origin") }, 200},
		"a preflight":          {func(r *http.Request) { key(r); r.Method = http.MethodOptions }, 405},
	} {
		t.Run(name, func(t *testing.T) {
			_, url := upstream(t, scripted.Script{{Text: "in"}})
			_ = url
			status, text := post(t, gw, []byte(hello), tt.change)
			if status != tt.status {
				t.Errorf("%d, want %d: %s", status, tt.status, text)
			}
		})
	}
}

// What a caller shows, and an upstream's key, is in no log, no answer and no
// record of the turn, and what the caller showed goes to no upstream.
func TestCredentialsStayWhereTheyBelong(t *testing.T) {
	var got http.Header
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r.Header.Clone()
		http.Error(w, `{"error":{"message":"the key upstream-key may not use it"}}`, http.StatusNotFound)
	}))
	defer up.Close()
	var log bytes.Buffer
	gw := serve(t, to("chat", up.URL), gateway.Options{Keys: []string{"caller-secret"}, Log: slog.New(slog.NewTextHandler(&log, nil))})
	status, text := post(t, gw, []byte(hello), func(r *http.Request) {
		r.Header.Set("X-Api-Key", "caller-secret")
		r.Header.Set("Cookie", "session=caller-secret")
		r.URL.RawQuery = "key=caller-secret"
	})
	if status != http.StatusNotFound || got.Get("Authorization") != "Bearer upstream-key" {
		t.Errorf("%d, the upstream gets %v", status, got)
	}
	for name, values := range got {
		if strings.Contains(strings.Join(values, " "), "caller-secret") {
			t.Errorf("the upstream gets the caller's key in %s", name)
		}
	}
	for _, secret := range []string{"caller-secret", "upstream-key"} {
		if strings.Contains(log.String(), secret) || strings.Contains(text, secret) {
			t.Errorf("%s stands in the log or the answer:\n%s\n%s", secret, log.String(), text)
		}
	}
	if !strings.Contains(log.String(), "status=404") {
		t.Errorf("log: %s", log.String())
	}
}

// gateway M4: bodies are decompressed, by their header and by what they begin
// with, and never beyond the limit.
func TestCompressedBodies(t *testing.T) {
	pack := func(b []byte, w func(io.Writer) io.WriteCloser) []byte {
		var out bytes.Buffer
		c := w(&out)
		if _, err := c.Write(b); err != nil {
			t.Fatal(err)
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	}
	zst := func(w io.Writer) io.WriteCloser {
		z, err := zstd.NewWriter(w)
		if err != nil {
			t.Fatal(err)
		}
		return z
	}
	gz := func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) }
	long := []byte(`{"model":"m","x":"` + strings.Repeat("a", 4<<20) + `"}`)
	for name, tt := range map[string]struct {
		encoding string
		body     []byte
		status   int
	}{
		"gateway M4: zstd":                   {"zstd", pack([]byte(hello), zst), 200},
		"gateway M4: zstd that says nothing": {"", pack([]byte(hello), zst), 200},
		"gateway M4: gzip":                   {"gzip", pack([]byte(hello), gz), 200},
		"gateway M4: br":                     {"br", pack([]byte(hello), func(w io.Writer) io.WriteCloser { return brotli.NewWriter(w) }), 200},
		"gateway M4: deflate":                {"deflate", pack([]byte(hello), func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) }), 200},
		"twice":                              {"gzip, zstd", pack(pack([]byte(hello), gz), zst), 200},
		"no gzip":                            {"gzip", []byte(hello), 400},
		"broken off":                         {"gzip", pack([]byte(hello), gz)[:20], 400},
		"unknown":                            {"lzma", []byte(hello), 415},
		"a bomb":                             {"gzip", pack(long, gz), 413},
		"a zstd bomb":                        {"zstd", pack(long, zst), 413},
		"too large":                          {"", long, 413},
	} {
		t.Run(name, func(t *testing.T) {
			_, url := upstream(t, scripted.Script{{Text: "ok"}})
			config := to("anthropic", url)
			config.MaxBody = 2 << 20
			status, text := post(t, serve(t, config, gateway.Options{}), tt.body, func(r *http.Request) {
				if tt.encoding != "" {
					r.Header.Set("Content-Encoding", tt.encoding)
				}
			})
			if status != tt.status {
				t.Errorf("%d, want %d: %s", status, tt.status, text)
			}
		})
	}
}

// gateway M5: clients fall back to HTTP at once.
func TestAnUpgradeIsAnswered426(t *testing.T) {
	gw := serve(t, to("responses", "http://127.0.0.1:1"), gateway.Options{})
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, gw+"/v1/responses", nil)
	r.RequestURI = ""
	r.Header.Set("Connection", "Upgrade")
	r.Header.Set("Upgrade", "websocket")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	if _ = resp.Body.Close(); resp.StatusCode != http.StatusUpgradeRequired {
		t.Errorf("gateway M5: %d", resp.StatusCode)
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	hit := false
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { hit = true }))
	defer elsewhere.Close()
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
	}))
	defer up.Close()
	status, text := post(t, serve(t, to("anthropic", up.URL), gateway.Options{}), []byte(hello), nil)
	if hit || status != http.StatusBadGateway || !strings.Contains(text, "redirect") {
		t.Errorf("%v %d %s", hit, status, text)
	}
}

func TestStrictRefusesWhatWouldBeLost(t *testing.T) {
	_, url := upstream(t, scripted.Script{{Text: "ok"}, {Text: "ok"}})
	config := to("chat", url)
	config.Strict = true
	gw := serve(t, config, gateway.Options{})
	if status, text := post(t, gw, []byte(`{"model":"m","max_tokens":5,"top_k":3,"messages":[{"role":"user","content":"x"}]}`), nil); status != http.StatusUnprocessableEntity || !strings.Contains(text, "top_k=1") {
		t.Errorf("%d %s", status, text)
	}
	if status, text := post(t, gw, []byte(hello), nil); status != http.StatusOK {
		t.Errorf("%d %s", status, text)
	}
}

// A list of keys that turned out empty, as of an empty file, is no open door.
func TestOnlyNoListOfKeysLetsEverybodyIn(t *testing.T) {
	_, url := upstream(t, scripted.Script{{Text: "in"}})
	for name, tt := range map[string]struct {
		keys   []string
		status int
	}{
		"none":            {nil, 200},
		"an empty list":   {[]string{}, 401},
		"an empty key":    {[]string{""}, 401},
		"one key, empty ": {[]string{"", "right"}, 401},
	} {
		t.Run(name, func(t *testing.T) {
			gw := serve(t, to("anthropic", url), gateway.Options{Keys: tt.keys})
			for _, change := range []func(*http.Request){nil, func(r *http.Request) { r.Header.Set("X-Api-Key", "") }, func(r *http.Request) { r.URL.RawQuery = "key=" }} {
				if status, text := post(t, gw, []byte(hello), change); status != tt.status {
					t.Errorf("%d %s", status, text)
				}
			}
		})
	}
}
