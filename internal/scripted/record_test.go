package scripted

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
)

// recorded is a record's file.
type recorded struct {
	T       time.Time       `json:"t"`
	Method  string          `json:"method"`
	URL     string          `json:"url"`
	Headers [][2]string     `json:"headers"`
	Turn    any             `json:"turn"`
	Body    json.RawMessage `json:"body"`
}

func TestRecordFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "made", "rec")
	s := newServer(t, `[{"text":"a"}]`, Options{Record: dir})
	const body = "{ \"tools\" : [1.50],\n\t\"é\":\"\\u00e9 <\" , \"model\":\"m\"}"
	respond(t, s, http.MethodPost, "/v1/messages?beta=true", body, "X-B", "2", "X-A", "1")
	respond(t, s, http.MethodPost, "/v1/messages", `{}`)
	respond(t, s, http.MethodPost, "/v1beta/models/m-1:generateContent", body)
	respond(t, s, http.MethodPut, "/no/../such", "plain \xff text")
	respond(t, s, http.MethodGet, "/v1/models", "")

	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	var files []recorded
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, e.Name())
		files = append(files, decode[recorded](t, data))
	}
	want := []string{
		"001-POST-v1_messages.json", "002-POST-v1_messages.json", "003-POST-v1beta_models_m-1_generateContent.json",
		"004-PUT-no_.._such.json", "005-GET-v1_models.json",
	}
	if !slices.Equal(names, want) {
		t.Fatalf("files %q", names)
	}
	first := files[0]
	if string(first.Body) != body || first.URL != "/v1/messages?beta=true" || first.Method != "POST" || !first.T.Equal(fixedNow()) {
		t.Errorf("first record %+v, body %s", first, first.Body)
	}
	if !slices.Equal(first.Headers, [][2]string{{"Host", "example.com"}, {"X-A", "1"}, {"X-B", "2"}}) {
		t.Errorf("headers %q", first.Headers)
	}
	turns := []any{files[0].Turn, files[1].Turn, files[2].Turn, files[3].Turn}
	if !slices.Equal(turns, []any{0.0, "side", "done", nil}) {
		t.Errorf("turns %v", turns)
	}
	if string(files[3].Body) != `"plain \ufffd text"` || string(files[4].Body) != "null" {
		t.Errorf("other bodies %s, %s", files[3].Body, files[4].Body)
	}
	if all := s.Requests(); len(all) != 5 || string(all[0].Body) != body || all[0].Header("x-b") != "2" || all[3].Turn != NoTurn {
		t.Errorf("in memory: %+v", all)
	}
}

func TestRecordFolderIsContinued(t *testing.T) {
	dir := t.TempDir()
	for range 2 {
		respond(t, newServer(t, `[]`, Options{Record: dir}), http.MethodHead, "/api/hello", "")
	}
	for _, name := range []string{"001-HEAD-api_hello.json", "002-HEAD-api_hello.json"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
}

func TestRecordFailureIsAnswered(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "rec")
	s := newServer(t, `[{"text":"a"}]`, Options{Record: dir})
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	if w := respond(t, s, http.MethodPost, "/v1/messages", `{}`); w.Code != 500 || !strings.Contains(w.Body.String(), "write record") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if _, err := New(nil, Options{Record: filepath.Join(os.Args[0], "sub")}); err == nil {
		t.Error("a record folder inside a file was taken")
	}
}

func TestSecretsAreNotRecorded(t *testing.T) {
	const secret = "sk-SECRET"
	dir := t.TempDir()
	s := newServer(t, `[]`, Options{Record: dir})
	respond(t, s, http.MethodPost, "/v1beta/models/m:generateContent?key="+secret+"&alt=sse&k%65y="+secret+"&api_key="+secret, `{}`,
		"Authorization", "Bearer "+secret, "Proxy-Authorization", "basic "+secret, "X-Api-Key", secret, "X-Goog-Api-Key", secret,
		"Api-Key", secret, "Cookie", "a="+secret, "Sec-WebSocket-Protocol", "openai-insecure-api-key."+secret, "Referer", "http://x/?key="+secret)
	respond(t, s, http.MethodPost, "/v1/messages", `{}`, "Authorization", secret+" x")
	respond(t, s, http.MethodGet, "http://user:"+secret+"@example.com/v1/models", "")
	files, err := filepath.Glob(dir + "/*.json")
	if err != nil || len(files) != 3 {
		t.Fatalf("%v, %q", err, files)
	}
	for _, file := range files {
		if data, err := os.ReadFile(file); err != nil || bytes.Contains(data, []byte(secret)) {
			t.Errorf("%s: %v, %s", file, err, data)
		}
	}
	all := s.Requests()
	if got := all[0].URL; got != "/v1beta/models/m:generateContent?key=<dropped>&alt=sse&k%65y=<dropped>&api_key=<dropped>" {
		t.Errorf("url %s", got)
	}
	if a, p, k := all[0].Header("Authorization"), all[0].Header("Proxy-Authorization"), all[0].Header("X-Api-Key"); a != "<dropped Bearer>" || p != "<dropped Basic>" || k != "<dropped>" {
		t.Errorf("headers %q, %q, %q", a, p, k)
	}
	if got := all[1].Header("Authorization"); got != "<dropped>" {
		t.Errorf("no known scheme: %q", got)
	}
	if got := all[2].URL; got != "http://<dropped>@example.com/v1/models" {
		t.Errorf("url %s", got)
	}
}

func gzipped(t *testing.T, s string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(s)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func zstded(t *testing.T, s string) string {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = w.Close() }()
	return string(w.EncodeAll([]byte(s), nil))
}

func TestCompressedBodies(t *testing.T) {
	const body = `{"tools":[{"name":"a"}]}`
	tests := []struct {
		name, encoding, body string
		status               int
	}{
		{"plain", "", body, 200},
		{"identity", "identity", body, 200},
		{"gzip", "gzip", gzipped(t, body), 200},
		{"zstd", "ZSTD", zstded(t, body), 200},
		{"both", "gzip, zstd", zstded(t, gzipped(t, body)), 200},
		{"gzip unsaid", "", gzipped(t, body), 200},
		{"zstd unsaid", "", zstded(t, body), 200},
		{"unknown", "br", body, 415},
		{"false gzip", "gzip", body, 400},
		{"false zstd", "zstd", body, 400},
		{"torn zstd", "zstd", zstded(t, body)[:12], 400},
		{"no JSON", "", "hello", 400},
		{"too long", "", `{"a":"` + strings.Repeat("a", 2000) + `"}`, 413},
		{"gzip bomb", "gzip", gzipped(t, strings.Repeat(" ", 1<<20)), 413},
		{"zstd bomb", "zstd", zstded(t, strings.Repeat(" ", 1<<20)), 413},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newServer(t, `[{"text":"a"}]`, Options{MaxBody: 1500, Record: t.TempDir()})
			w := respond(t, s, http.MethodPost, "/v1/messages", tt.body, "Content-Encoding", tt.encoding)
			rec := s.Requests()[0]
			if w.Code != tt.status {
				t.Fatalf("status %d, want %d: %s", w.Code, tt.status, w.Body)
			}
			if good := tt.status == 200; good && string(rec.Body) != body || good != (rec.Turn == 0) {
				t.Errorf("turn %d, body %q", rec.Turn, rec.Body)
			}
			if tt.status != 200 && !strings.HasPrefix(w.Body.String(), `{"type":"error","error":{"type":"`) {
				t.Errorf("error body %s", w.Body)
			}
		})
	}
}
