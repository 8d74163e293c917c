package scripted

import (
	"bytes"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/crosswalk-agents/crosswalk/internal/fixture"
)

var update = flag.Bool("update", false, "rewrite the responses in testdata")

// fixedNow is the clock of all tests.
func fixedNow() time.Time { return time.Unix(1_800_000_000, 0) }

func newServer(t testing.TB, script string, opt Options) *Server {
	t.Helper()
	parsed, err := Parse("script.json", []byte(script))
	if err != nil {
		t.Fatal(err)
	}
	opt.Now = fixedNow
	s, err := New(parsed, opt)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestTranscripts sends each file's request to a server with the file's script and
// compares the answer byte for byte.
func TestTranscripts(t *testing.T) {
	fixture.Transcripts(t, "testdata", *update, func(t *testing.T, a *txtar.Archive) []txtar.File {
		fixture.File(t, a, "response")
		s := newServer(t, string(fixture.File(t, a, "script.json")), Options{Work: "/w"})
		got := exchange(t, s, fixture.File(t, a, "request"))
		var files []txtar.File
		for _, f := range a.Files {
			if f.Name == "response" {
				f.Data = got
			}
			files = append(files, f)
		}
		return files
	})
}

// exchange writes an answer as status, sorted headers, and the body's bytes. A
// body without a last newline (its Content-Length tells) gets one.
func exchange(t *testing.T, s *Server, request []byte) []byte {
	t.Helper()
	head, body, _ := bytes.Cut(request, []byte("\n\n"))
	lines := strings.Split(string(head), "\n")
	method, target, _ := strings.Cut(lines[0], " ")
	r := httptest.NewRequestWithContext(t.Context(), method, target, bytes.NewReader(bytes.TrimSuffix(body, []byte("\n"))))
	for _, line := range lines[1:] {
		name, value, _ := strings.Cut(line, ": ")
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)

	var b bytes.Buffer
	fmt.Fprintf(&b, "HTTP/1.1 %d %s\n", w.Code, http.StatusText(w.Code))
	names := make([]string, 0, len(w.Header()))
	for name := range w.Header() {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		fmt.Fprintf(&b, "%s: %s\n", name, w.Header().Get(name))
	}
	b.WriteString("\n")
	b.Write(w.Body.Bytes())
	if !bytes.HasSuffix(b.Bytes(), []byte("\n")) {
		b.WriteString("\n")
	}
	return b.Bytes()
}
