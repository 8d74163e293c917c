package gateway

import (
	"fmt"
	"slices"
	"strings"
)

// vendor is a model API that is used without a configuration if the environment
// holds its key.
type vendor struct {
	name, env, dialect, baseURL string
	// prefixes begin the names that the vendor publishes its models under.
	prefixes []string
}

// vendors lists the environment variables that the vendors' own programs read,
// their addresses, and the names of their models, from their API references.
// (2026-11.)
var vendors = [...]vendor{
	{"anthropic", "ANTHROPIC_API_KEY", "anthropic", "https://api.anthropic.com", []string{"claude-"}},
	{"openai", "OPENAI_API_KEY", "responses", "https://api.openai.com/v1", []string{"gpt-", "o1", "o3", "o4", "codex-", "chatgpt-"}},
	{"gemini", "GEMINI_API_KEY", "gemini", "https://generativelanguage.googleapis.com", []string{"gemini-", "gemma-"}},
	{"deepseek", "DEEPSEEK_API_KEY", "chat", "https://api.deepseek.com/v1", []string{"deepseek-"}},
	{"mistral", "MISTRAL_API_KEY", "chat", "https://api.mistral.ai/v1", []string{"mistral-", "codestral-", "devstral-", "magistral-"}},
	{"xai", "XAI_API_KEY", "chat", "https://api.x.ai/v1", []string{"grok-"}},
	{"qwen", "DASHSCOPE_API_KEY", "chat", "https://dashscope-intl.aliyuncs.com/compatible-mode/v1", []string{"qwen"}},
	{"moonshot", "MOONSHOT_API_KEY", "chat", "https://api.moonshot.ai/v1", []string{"kimi-", "moonshot-"}},
}

// FromEnvironment is the configuration of somebody who has none: an upstream for
// each vendor whose key is in the environment.
func FromEnvironment(getenv func(string) string) *Config {
	c := &Config{Upstreams: make(map[string]*Upstream)}
	for _, v := range vendors {
		if key := getenv(v.env); key != "" {
			c.Upstreams[v.name] = &Upstream{Name: v.name, Dialect: v.dialect, BaseURL: v.baseURL, Key: Secret(key)}
		}
	}
	return c
}

// NoRouteError says that nothing serves a model.
type NoRouteError struct {
	Model string
	// Vendor is that whose name the model carries, and Env the variable that its
	// key would stand in; empty if none is known.
	Vendor, Env string
	// Have are the upstreams that there are.
	Have []string
}

// Error implements error.
func (e *NoRouteError) Error() string {
	s := fmt.Sprintf("no upstream serves the model %q", e.Model)
	if len(e.Have) == 0 {
		s += ", and there is no upstream at all"
	} else {
		s += " (there are " + strings.Join(e.Have, ", ") + ")"
	}
	if e.Env != "" {
		return s + ": set " + e.Env + ", or route the model in the configuration"
	}
	return s + ": route it in the configuration"
}

// Route returns where requests for the model go, with the name that the upstream
// has for it in each target. Models that are not configured go, where nobody has
// configured "*", to the vendor whose published prefix they carry. The error is a
// [*NoRouteError].
func (c *Config) Route(model string) ([]Target, error) {
	r, ok := c.Models[model]
	if !ok {
		r, ok = c.Models["*"]
	}
	if ok {
		targets := slices.Clone(r.Try)
		for i := range targets {
			if targets[i].Model == "" {
				targets[i].Model = model
			}
		}
		return targets, nil
	}
	e := &NoRouteError{Model: model}
	for name := range c.Upstreams {
		e.Have = append(e.Have, name)
	}
	slices.Sort(e.Have)
	for _, v := range vendors {
		if !slices.ContainsFunc(v.prefixes, func(p string) bool { return strings.HasPrefix(model, p) }) {
			continue
		}
		if u := c.Upstreams[v.name]; u != nil && u.BaseURL == v.baseURL {
			return []Target{{Upstream: v.name, Model: model}}, nil
		}
		e.Vendor, e.Env = v.name, v.env
	}
	return nil, e
}
