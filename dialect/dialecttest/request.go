package dialecttest

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/crosswalk-agents/crosswalk/canon"
)

// DecodeFunc decodes the body of a request.
type DecodeFunc func(body []byte) (*canon.Request, error)

// AnyOrder demands that a request says the same in whatever order its members
// stand.
func AnyOrder(t *testing.T, members []string, decode DecodeFunc) {
	t.Helper()
	says := func(t rapid.TB, body string) string {
		r, err := decode([]byte(body))
		if err != nil {
			t.Fatalf("%s: %v", body, err)
		}
		return Format(r)
	}
	want := says(t, "{"+strings.Join(members, ",")+"}")
	rapid.Check(t, func(t *rapid.T) {
		body := "{" + strings.Join(rapid.Permutation(members).Draw(t, "members"), ", ") + "}"
		if got := says(t, body); got != want {
			t.Fatalf("%s\nsays\n%swant\n%s", body, got, want)
		}
	})
}

// Whole demands that a request that breaks off anywhere is an error.
func Whole(t *testing.T, members []string, decode DecodeFunc) {
	t.Helper()
	body := "{" + strings.Join(members, ",") + "}"
	for n := range len(body) {
		if r, err := decode([]byte(body[:n])); err == nil {
			t.Fatalf("%s was read as\n%s", body[:n], Format(r))
		}
	}
}

// Valid demands what holds for any body that is accepted: it is JSON, and so is
// what the request keeps as it stood, and what write makes of its messages.
func Valid(t *testing.T, body []byte, decode DecodeFunc, write func(*canon.Message) ([]byte, error)) {
	t.Helper()
	r, err := decode(body)
	if err != nil {
		return
	}
	if !json.Valid(body) {
		t.Fatalf("%q was accepted", body)
	}
	for _, m := range r.Messages {
		if out, err := write(m); err == nil && !json.Valid(out) {
			t.Fatalf("%q is written as %q", body, out)
		}
	}
	for i := range r.Tools {
		if tool := &r.Tools[i]; tool.Raw != nil && !tool.Raw.Valid() || tool.Schema != nil && !tool.Schema.Valid() {
			t.Fatalf("%q has the tool %q", body, tool.Raw)
		}
	}
	for _, m := range r.Ext.Members {
		if !m.Value.Valid() {
			t.Fatalf("%q has %s: %q", body, m.Name, m.Value)
		}
	}
}
