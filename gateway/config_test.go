package gateway_test

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/crosswalk-agents/crosswalk/gateway"
	"github.com/crosswalk-agents/crosswalk/internal/fixture"
)

var update = flag.Bool("update", false, "rewrite the expectations of transcripts")

func environment(name string) string {
	return map[string]string{"OPENAI_API_KEY": "sk-secret", "HOST": "api.example.org"}[name]
}

// show lists a configuration without its secrets.
func show(c *gateway.Config) string {
	var b strings.Builder
	for _, name := range sorted(c.Upstreams) {
		u := c.Upstreams[name]
		fmt.Fprintf(&b, "upstream %s: %s at %s, key %d bytes%s\n", u.Name, u.Dialect, u.BaseURL, len(u.Key), map[string]string{"caller": ", the caller's credential"}[u.Auth])
	}
	for _, name := range sorted(c.Models) {
		fmt.Fprintf(&b, "model %s:", name)
		for _, t := range c.Models[name].Try {
			fmt.Fprintf(&b, " %s %s %s", t.Upstream, t.Model, t.Effort)
		}
		b.WriteString("\n")
	}
	if c.Tools.Mode != "" {
		fmt.Fprintf(&b, "tools %s\n", c.Tools.Mode)
	}
	if c.Strict {
		b.WriteString("strict\n")
	}
	return b.String()
}

func sorted[T any](m map[string]T) (keys []string) {
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

// TestConfig reads the files gateway.yaml and, if there is one, project.yaml of
// each transcript, and compares what they say, or the errors.
func TestConfig(t *testing.T) {
	fixture.Transcripts(t, "testdata/config", *update, func(t *testing.T, a *txtar.Archive) []txtar.File {
		dir := t.TempDir()
		paths := make(map[string]string)
		var out []txtar.File
		for _, f := range a.Files {
			if !strings.HasSuffix(f.Name, ".yaml") {
				continue
			}
			out = append(out, f)
			paths[f.Name] = filepath.Join(dir, f.Name)
			if err := os.WriteFile(paths[f.Name], f.Data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		person := paths["gateway.yaml"]
		c, err := gateway.Load(person, environment)
		if project := paths["project.yaml"]; err == nil && project != "" {
			c, err = gateway.LoadProject(project, person, c)
		}
		if err != nil {
			return append(out, txtar.File{Name: "error", Data: []byte(strings.ReplaceAll(err.Error(), dir+"/", "") + "\n")})
		}
		return append(out, txtar.File{Name: "config", Data: []byte(show(c))})
	})
}

func TestSecretsDoNotShowThemselves(t *testing.T) {
	c := gateway.FromEnvironment(environment)
	marshalled, err := json.Marshal(c.Upstreams["openai"])
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{string(marshalled), fmt.Sprint(c.Upstreams["openai"]), fmt.Sprintf("%+v", *c.Upstreams["openai"]), fmt.Sprintf("%#v", *c.Upstreams["openai"])} {
		if strings.Contains(s, "sk-secret") {
			t.Error(s)
		}
	}
}

func TestModelsFindTheirVendorWithoutAConfiguration(t *testing.T) {
	c := gateway.FromEnvironment(environment)
	for model, want := range map[string]string{
		"gpt-5.5": "openai gpt-5.5", "o3": "openai o3",
		"claude-opus-5-5": `no upstream serves the model "claude-opus-5-5" (there are openai): set ANTHROPIC_API_KEY, or route the model in the configuration`,
		"llama":           `no upstream serves the model "llama" (there are openai): route it in the configuration`,
	} {
		targets, err := c.Route(model)
		got := ""
		var none *gateway.NoRouteError
		if errors.As(err, &none) {
			got = err.Error()
		}
		for _, x := range targets {
			got += x.Upstream + " " + x.Model
		}
		if got != want {
			t.Errorf("%s: %s, want %s", model, got, want)
		}
	}
}

func TestRoutesOfAConfiguration(t *testing.T) {
	c := &gateway.Config{Models: map[string]*gateway.Route{
		"a": {Try: []gateway.Target{{Upstream: "x", Model: "m"}, {Upstream: "y"}}},
		"*": {Try: []gateway.Target{{Upstream: "z"}}},
	}}
	for model, want := range map[string][]gateway.Target{
		"a": {{Upstream: "x", Model: "m"}, {Upstream: "y", Model: "a"}}, "b": {{Upstream: "z", Model: "b"}},
	} {
		got, err := c.Route(model)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %s, %v", model, cmp.Diff(want, got), err)
		}
	}
	if c.Models["*"].Try[0].Model != "" {
		t.Error("a route changes the configuration")
	}
}
