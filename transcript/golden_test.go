package transcript

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/agent/canonical"
	"github.com/crosswalk-agents/crosswalk/internal/fixture"
)

var update = flag.Bool("update", false, "rewrite what testdata expects")

// Each file of testdata holds a session in the canonical form, and what is
// expected of it: "text" with options in the name, or "html", of which the body
// is compared.
func TestGolden(t *testing.T) {
	for file, a := range fixture.Archives(t, "testdata") {
		path := filepath.Join(t.TempDir(), "session.jsonl")
		changed := false
		for i := range a.Files {
			f := &a.Files[i]
			if f.Name == "session" {
				if err := os.WriteFile(path, f.Data, 0o600); err != nil {
					t.Fatal(err)
				}
				continue
			}
			t.Run(filepath.Base(file)+"/"+f.Name, func(t *testing.T) {
				got := render(t, canonical.New(), path, f.Name)
				if *update {
					changed = changed || !bytes.Equal(f.Data, got)
					f.Data = got
					return
				}
				if d := cmp.Diff(strings.Split(string(f.Data), "\n"), strings.Split(string(got), "\n")); d != "" {
					t.Errorf("(-want +got):\n%s", d)
				}
			})
		}
		if changed {
			if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// render renders the session at path as the words of how say.
func render(t *testing.T, a agent.Agent, path, how string) []byte {
	t.Helper()
	s, err := a.Open(t.Context(), path, agent.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	var b bytes.Buffer
	words := strings.Fields(how)
	if words[0] == "html" {
		if err := HTML(&b, s.Thread(), s.Messages(t.Context())); err != nil {
			t.Fatal(err)
		}
		_, body, _ := bytes.Cut(b.Bytes(), []byte("<body>\n"))
		return body
	}
	if err := Text(&b, s.Thread(), s.Messages(t.Context()), textOptions(t, words[1:])); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func textOptions(t *testing.T, words []string) TextOptions {
	t.Helper()
	o := TextOptions{Location: time.UTC}
	for _, w := range words {
		name, value, _ := strings.Cut(w, "=")
		n, err := strconv.Atoi(value)
		if value != "" && err != nil {
			t.Fatal(err)
		}
		switch name {
		case "width":
			o.Width = n
		case "tail":
			o.Tail = n
		case "lines":
			o.Lines = n
		case "full":
			o.Full = true
		case "scaffolding":
			o.Scaffolding = true
		case "skip-reasoning":
			o.SkipReasoning = true
		case "colour": // with escapes that can be read
			o.Style = Style{"<title>", "<user>", "<assistant>", "<system>", "<tool>", "<failed>", "<dim>", "</>"}
		default:
			t.Fatalf("unknown option %q", w)
		}
	}
	return o
}
