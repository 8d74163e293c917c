package codex

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/internal/osx"
)

const (
	providerField = "model_provider"
	// defaultProvider is the model provider of a client that is told of none.
	defaultProvider = "openai"
	configFile      = "config.toml"
	maxConfig       = 1 << 20
)

// provider returns the model provider that a thread written for o has to name:
// the one that the client of that home uses now; "" if it is to name none.
//
// A home that was used before takes a thread that names none for one of the
// provider “”, "which is no longer configured", and its terminal takes no prompt
// for it. A headless run refuses a thread that names another provider than the
// active one. The first start in a home takes what is there for its own.
// (Codex 0.171.0.)
func provider(o *agent.WriteOptions) string {
	if o.Elsewhere {
		return defaultProvider
	}
	m, err := New().Manifest()
	if err != nil {
		return ""
	}
	dir, err := o.Home.Path(m.Home)
	if err != nil || !started(dir) {
		return ""
	}
	config, err := osx.ReadFile(filepath.Join(dir, configFile), maxConfig)
	if err != nil {
		return defaultProvider
	}
	return cmp.Or(topLevel(string(config), providerField), defaultProvider)
}

// Provider returns the model provider that a thread has to name to be gone on with
// in home; "" if it need not name one.
func (*Agent) Provider(home agent.Home) string { return provider(&agent.WriteOptions{Home: home}) }

// started reports whether the client was started or configured in its home dir.
func started(dir string) bool {
	for _, name := range []string{configFile, "installation_id", "state_*.sqlite"} {
		if found, _ := fs.Glob(os.DirFS(dir), name); len(found) > 0 { // the patterns are good ones
			return true
		}
	}
	return false
}

// topLevel returns the string that a TOML document gives to the key before its
// first table; "" if there is none that stands on one line without escapes.
func topLevel(document, key string) string {
	within := "" // the end of a string that goes on over lines
	for line := range strings.Lines(document) {
		line = strings.TrimSpace(line)
		switch {
		case within != "":
			if strings.Contains(line, within) {
				within = ""
			}
			continue
		case strings.HasPrefix(line, "["):
			return ""
		}
		name, value, ok := strings.Cut(line, "=")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		value = strings.TrimSpace(value)
		for _, quotes := range []string{`"""`, `'''`} {
			if rest, ok := strings.CutPrefix(value, quotes); ok && !strings.Contains(rest, quotes) {
				within = quotes
			}
		}
		if strings.Trim(strings.TrimSpace(name), `"'`) == key {
			return unquoted(value)
		}
	}
	return ""
}

// unquoted returns what stands between the quotes that value begins with.
func unquoted(value string) string {
	if value == "" || value[0] != '"' && value[0] != '\'' {
		return ""
	}
	text, _, ok := strings.Cut(value[1:], value[:1])
	if !ok || strings.Contains(text, `\`) {
		return ""
	}
	return text
}
