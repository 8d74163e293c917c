package codex

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/internal/osx"
	"github.com/crosswalk-agents/crosswalk/internal/tomledit"
)

const (
	providerField = "model_provider"
	// defaultProvider is the model provider of a client that is told of none.
	defaultProvider = "openai"
	configFile      = "config.toml"
	maxConfig       = 1 << 20
)

// settings is what is read of the client's config.toml.
type settings struct {
	ModelProvider string `toml:"model_provider"`
	Profile       string `toml:"profile"`
	Profiles      map[string]struct {
		ModelProvider string `toml:"model_provider"`
	} `toml:"profiles"`
}

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
	var c settings
	if tomledit.Decode(config, &c) != nil {
		return defaultProvider // the client does not start with it
	}
	return cmp.Or(c.Profiles[c.Profile].ModelProvider, c.ModelProvider, defaultProvider)
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
