package gateway

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"

	"github.com/crosswalk-agents/crosswalk/internal/osx"
)

// file is a configuration that is checked.
type file struct {
	path   string
	text   []byte
	doc    *ast.File
	getenv func(string) string
	errs   []error
}

// keys lists the keys at the top.
func (f *file) keys() (keys []string) {
	for _, d := range f.doc.Docs {
		m, ok := d.Body.(ast.MapNode)
		if !ok {
			continue
		}
		for it := m.MapRange(); it.Next(); {
			keys = append(keys, it.Key().String())
		}
	}
	return keys
}

// fail adds an error about the value at a path such as $.upstreams.a.key, or
// about what it is missing from.
func (f *file) fail(at, format string, args ...any) {
	e := &ConfigError{Path: f.path, Message: fmt.Sprintf(format, args...)}
	for at != "" && at != "$" {
		if p, err := yaml.PathString(at); err == nil {
			if n, err := p.FilterFile(f.doc); err == nil && n != nil && n.GetToken() != nil {
				pos := n.GetToken().Position
				e.Line, e.Column, e.Source = pos.Line, pos.Column, lineOf(f.text, pos.Line)
				break
			}
		}
		at = at[:max(strings.LastIndexAny(at, ".["), 0)]
	}
	f.errs = append(f.errs, e)
}

// at makes a path of keys.
func at(keys ...string) string {
	var b strings.Builder
	b.WriteByte('$')
	for _, k := range keys {
		if strings.HasPrefix(k, "[") {
			b.WriteString(k)
			continue
		}
		b.WriteString(".'" + strings.ReplaceAll(k, "'", `\'`) + "'")
	}
	return b.String()
}

func (f *file) check(c *Config) {
	for _, name := range slices.Sorted(maps.Keys(c.Upstreams)) {
		u := c.Upstreams[name]
		if u == nil {
			f.fail(at("upstreams", name), "the upstream %q is empty: it needs dialect and base_url", name)
			continue
		}
		u.Name = name
		f.checkUpstream(name, u)
	}
	f.checkModels(c.Upstreams, c.Models)
	f.checkTools(&c.Tools)
	if c.Silence != "" {
		if d, err := time.ParseDuration(c.Silence); err != nil || d < 0 {
			f.fail(at("silence"), "%q is no duration: write it as 15s or 2m", c.Silence)
		}
	}
	if c.MaxBody < 0 {
		f.fail(at("max_body"), "max_body is %d: it counts bytes", c.MaxBody)
	}
}

var dialects = []string{"anthropic", "chat", "gemini", "responses"}

func (f *file) checkUpstream(name string, u *Upstream) {
	if !slices.Contains(dialects, u.Dialect) {
		f.fail(at("upstreams", name, "dialect"), "the dialect is %q: it is one of %s", u.Dialect, strings.Join(dialects, ", "))
	}
	u.BaseURL = f.expand(at("upstreams", name, "base_url"), u.BaseURL)
	base, err := url.Parse(u.BaseURL)
	switch {
	case err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https":
		f.fail(at("upstreams", name, "base_url"), "base_url is no address: write it as https://api.example.org/v1")
	case base.User != nil:
		f.fail(at("upstreams", name, "base_url"), "base_url may hold no user and password: put the credential into key")
	case base.RawQuery != "" || base.Fragment != "":
		f.fail(at("upstreams", name, "base_url"), "base_url may hold no query: put a credential into key")
	}
	u.BaseURL = strings.TrimRight(u.BaseURL, "/")
	u.Key = f.secret(name, u.Key)
	switch {
	case u.Auth != "" && u.Auth != AuthCaller:
		f.fail(at("upstreams", name, "auth"), "auth is %q: it is caller, or left out", u.Auth)
	case u.Auth == AuthCaller && u.Key != "":
		f.fail(at("upstreams", name, "key"), "an upstream with auth: caller has no key of its own")
	case u.Auth == AuthCaller && err == nil && base.Scheme != "https":
		f.fail(at("upstreams", name, "base_url"), "an upstream with auth: caller needs https")
	}
	for _, h := range slices.Sorted(maps.Keys(u.Headers)) {
		u.Headers[h] = f.expand(at("upstreams", name, "headers", h), u.Headers[h])
	}
}

// expand replaces ${NAME} by the environment's value.
func (f *file) expand(where, value string) string {
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(value, "${")
		out.WriteString(before)
		name, after, closed := strings.Cut(rest, "}")
		if !found {
			return out.String()
		}
		if !closed {
			f.fail(where, "${ without }")
			return out.String()
		}
		v := f.getenv(name)
		if v == "" {
			f.fail(where, "the environment has no %s", name)
		}
		out.WriteString(v)
		value = after
	}
}

// fileKey begins a key that stands in a file.
const fileKey = "file:"

func (f *file) secret(upstream string, key Secret) Secret {
	where := at("upstreams", upstream, "key")
	if path, ok := strings.CutPrefix(string(key), fileKey); ok {
		b, err := osx.ReadFile(path, maxConfig)
		if err != nil {
			f.fail(where, "%v", err)
		}
		return Secret(strings.TrimSpace(string(b)))
	}
	return Secret(f.expand(where, string(key)))
}

func (f *file) checkModels(upstreams map[string]*Upstream, models map[string]*Route) {
	for _, name := range slices.Sorted(maps.Keys(models)) {
		r := models[name]
		if r == nil || len(r.Try) == 0 {
			f.fail(at("models", name), "the model %q has nothing to try: write {try: [{upstream: NAME}]}", name)
			continue
		}
		for i, t := range r.Try {
			u, ok := upstreams[t.Upstream]
			if !ok {
				f.fail(at("models", name, "try", fmt.Sprintf("[%d]", i)), "there is no upstream %q", t.Upstream)
				continue
			}
			if u != nil && u.Auth == AuthCaller && len(r.Try) > 1 {
				f.fail(at("models", name, "try", fmt.Sprintf("[%d]", i)), "the upstream %q takes the caller's credential, so it has to be alone: no other may get that", t.Upstream)
			}
		}
	}
}

func (f *file) checkTools(t *Tools) {
	modes := []ToolsMode{"", ToolsOff, ToolsReport, ToolsRepair, ToolsAuto}
	if !slices.Contains(modes, t.Mode) {
		f.fail(at("tools", "mode"), "the mode is %q: it is off, report, repair or auto", t.Mode)
	}
}
