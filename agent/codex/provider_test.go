package codex_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/agent/codex"
)

// homeWith returns a home of Codex that holds the files.
func homeWith(t *testing.T, files map[string]string) agent.Home {
	t.Helper()
	dir := t.TempDir()
	for name, data := range files {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(data), 0o600))
	}
	return agent.Home{Getenv: func(name string) string {
		if name == "CODEX_HOME" {
			return dir
		}
		return ""
	}}
}

// In a home that was used before, the terminal of Codex 0.171.0 takes no prompt
// for a thread that names no provider, and a headless run refuses one that names
// another than the active one.
func TestThreadNamesTheActiveProvider(t *testing.T) {
	for name, tt := range map[string]struct{ config, want string }{
		"no provider":             {"model = \"gpt-5.5\"\n", "openai"},
		"a provider":              {"model = \"gpt-5.5\"\nmodel_provider = \"azure\" # ours\n", "azure"},
		"between single quotes":   {"model_provider='azure'\n", "azure"},
		"a quoted key":            {"\"model_provider\" = \"azure\"\n", "azure"},
		"lines that end in CRLF":  {"model = \"m\"\r\nmodel_provider = \"azure\"\r\n", "azure"},
		"of a table":              {"[profiles.x]\nmodel_provider = \"azure\"\n", "openai"},
		"in a comment":            {"# model_provider = \"azure\"\n", "openai"},
		"in a text":               {"developer_instructions = \"\"\"\nmodel_provider = \"no\"\n\"\"\"\nmodel_provider = \"azure\"\n", "azure"},
		"after a text of a line":  {"developer_instructions = \"\"\"a\"\"\"\nmodel_provider = \"azure\"\n", "azure"},
		"a name that begins with": {"model_provider_x = \"no\"\n", "openai"},
		"no string":               {"model_provider = 5\n", "openai"},
		"a string without an end": {"model_provider = \"azure\n", "openai"},
		"a string with escapes":   {`model_provider = "a\u0062"` + "\n", "ab"},
		"of the profile in use":   {"profile = \"x\"\nmodel_provider = \"other\"\n[profiles.x]\nmodel_provider = \"azure\"\n", "azure"},
		"a profile without one":   {"profile = \"x\"\nmodel_provider = \"azure\"\n[profiles.x]\nmodel = \"m\"\n", "azure"},
	} {
		t.Run(name, func(t *testing.T) {
			f := writeFile(t, writeOptions(homeWith(t, map[string]string{"config.toml": tt.config})), thread(), typed(text("hi")), said(text("ok")))
			if p := f.records[0].Payload.ModelProvider; p == nil || *p != tt.want {
				t.Errorf("first line %s, want %q", f.lines[0], tt.want)
			}
		})
	}
}

func TestThreadNamesAProviderWhereCodexWasStarted(t *testing.T) {
	for name, tt := range map[string]struct {
		files map[string]string
		want  string
	}{
		"never":            {nil, ""},
		"not configured":   {map[string]string{"installation_id": "x"}, "openai"},
		"an index":         {map[string]string{"state_5.sqlite": "x"}, "openai"},
		"only configured":  {map[string]string{"config.toml": "model_provider = \"azure\"\n"}, "azure"},
		"files of another": {map[string]string{"notes": "x"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			f := writeFile(t, writeOptions(homeWith(t, tt.files)), thread(), typed(text("hi")), said(text("ok")))
			got := ""
			if p := f.records[0].Payload.ModelProvider; p != nil {
				got = *p
			}
			if got != tt.want {
				t.Errorf("first line %s, want %q", f.lines[0], tt.want)
			}
		})
	}
}

// What is made for another machine tells nothing of this one.
func TestFileForElsewhereNamesTheDefaultProvider(t *testing.T) {
	o := writeOptions(homeWith(t, map[string]string{"config.toml": "model_provider = \"azure\"\n"}))
	o.Elsewhere, o.Folder = true, t.TempDir()
	f := writeFile(t, o, thread(), typed(text("hi")), said(text("ok")))
	if p := f.records[0].Payload.ModelProvider; p == nil || *p != "openai" {
		t.Errorf("first line %s", f.lines[0])
	}
}

func TestCopyNamesAProvider(t *testing.T) {
	for name, tt := range map[string]struct{ old, want string }{
		"none":           {meta(threadID), `"model_provider":"azure"`},
		"an empty one":   {meta(threadID, `,"model_provider":""`), `"model_provider":"azure"`},
		"null":           {meta(threadID, `,"model_provider":null`), `"model_provider":"azure"`},
		"one of its own": {meta(threadID, `,"model_provider":"theirs"`), `"model_provider":"theirs"`},
	} {
		t.Run(name, func(t *testing.T) {
			o := agent.MergeOptions{WriteOptions: writeOptions(homeWith(t, map[string]string{"config.toml": "model_provider = \"azure\"\n"}))}
			w, err := codex.New().Merge(t.Context(), put(t, tt.old+prompt("go")+answer("begun")), stream(typed(text("new?")), said(text("new"))), o)
			must(t, err)
			b, err := os.ReadFile(w.Path)
			must(t, err)
			first, _, _ := strings.Cut(string(b), "\n")
			if strings.Count(first, `"model_provider"`) != 1 || !strings.Contains(first, tt.want) {
				t.Errorf("first line %s, want %s", first, tt.want)
			}
			if e := extent(t, w.Path, agent.OpenOptions{}); e.Marked != w.Lines {
				t.Errorf("marked up to line %d of %d", e.Marked, w.Lines)
			}
		})
	}
}
