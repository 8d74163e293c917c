package gateway

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// Config says where requests go and what is done on the way.
type Config struct {
	// Upstreams by name.
	Upstreams map[string]*Upstream `yaml:"upstreams"`
	// Models are the names that callers may ask for; "*" is any other one.
	Models map[string]*Route `yaml:"models"`
	Tools  Tools             `yaml:"tools"`
	// Strict refuses a request that would lose something.
	Strict bool `yaml:"strict"`
	// Silence is how long nothing is sent to the caller, so that another upstream
	// may still be tried; [DefaultSilence] if zero.
	Silence string `yaml:"silence"`
	// AllowedHosts and AllowedOrigins are accepted beside loopback names.
	AllowedHosts   []string `yaml:"allowed_hosts"`
	AllowedOrigins []string `yaml:"allowed_origins"`
	// MaxBody is the most bytes of a request's body, decompressed;
	// [DefaultMaxBody] if zero.
	MaxBody int64 `yaml:"max_body"`

	silence time.Duration
}

// The defaults of a configuration.
const (
	DefaultSilence = 15 * time.Second
	DefaultMaxBody = 64 << 20
)

// Upstream is a model API.
type Upstream struct {
	// Name is its key in the configuration.
	Name string `yaml:"-"`
	// Dialect names the protocol that it speaks.
	Dialect string `yaml:"dialect"`
	// BaseURL is what comes before the protocol's own path, such as
	// https://api.openai.com/v1.
	BaseURL string `yaml:"base_url"`
	// Key is the credential; it is never shown.
	Key Secret `yaml:"key"`
	// Auth is "caller" if the caller's own credential is passed on.
	Auth string `yaml:"auth"`
	// Headers are added to each request.
	Headers map[string]string `yaml:"headers"`
}

// AuthCaller passes the caller's own credential on.
const AuthCaller = "caller"

// Route says where requests for a model go.
type Route struct {
	// Try are the targets, in order: the next one is for when one fails.
	Try []Target `yaml:"try"`
}

// Target is a model of an upstream.
type Target struct {
	Upstream string `yaml:"upstream"`
	// Model replaces the caller's name of it, if not empty.
	Model string `yaml:"model"`
	// Effort replaces the caller's, if not empty.
	Effort string `yaml:"effort"`
	// MaxOutput is the most tokens that the model answers with, if known.
	MaxOutput int64 `yaml:"max_output"`
	// ContextWindow is the model's, in tokens, if known.
	ContextWindow int64 `yaml:"context_window"`
}

// Tools says what is done about the names of tools.
type Tools struct {
	Mode ToolsMode `yaml:"mode"`
}

// ToolsMode is a mode of [Tools].
type ToolsMode string

// The modes of tools.
const (
	ToolsOff    ToolsMode = "off"
	ToolsReport ToolsMode = "report"
	ToolsRepair ToolsMode = "repair"
	ToolsAuto   ToolsMode = "auto"
)

// Secret is a credential. It does not show itself.
type Secret string

// String implements [fmt.Stringer].
func (Secret) String() string { return "(secret)" }

// GoString implements [fmt.GoStringer].
func (Secret) GoString() string { return "(secret)" }

// ConfigError is an error in a configuration file, with its place.
type ConfigError struct {
	Path         string
	Line, Column int
	// Source is the line that it stands in.
	Source  string
	Message string
}

// Error implements error.
func (e *ConfigError) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("read %q: %s", e.Path, e.Message)
	}
	return fmt.Sprintf("%s:%d:%d: %s\n\t%s", e.Path, e.Line, e.Column, e.Message, withoutSecrets(e.Source))
}

// written matches what is, in a line of a configuration, a credential itself.
var written = regexp.MustCompile(`(\bkey\s*:\s*)("[^"]*"|'[^']*'|[^\s,}]+)|(://)[^/\s@"']+@`)

// withoutSecrets returns a line of a configuration without the credentials that
// are written out in it.
func withoutSecrets(line string) string {
	return written.ReplaceAllStringFunc(strings.TrimSpace(line), func(m string) string {
		name, value, isKey := strings.Cut(m, ":")
		if isKey && !strings.HasPrefix(m, "://") {
			value = strings.Trim(strings.TrimSpace(value), `"'`)
			if strings.HasPrefix(value, "${") || strings.HasPrefix(value, fileKey) {
				return m
			}
			return name + ": …"
		}
		return "://…@"
	})
}

// Load reads a person's configuration. A value may refer to the environment as
// ${NAME}, and a key to a file as file:PATH. An error is a [*ConfigError], or
// several that are joined.
func Load(path string, getenv func(string) string) (*Config, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the gateway's configuration: %w", err)
	}
	return parse(path, text, getenv)
}

func parse(path string, text []byte, getenv func(string) string) (*Config, error) {
	c := new(Config)
	doc, err := decode(path, text, c)
	if err != nil {
		return nil, err
	}
	f := &file{path: path, text: text, doc: doc, getenv: getenv}
	f.check(c)
	if len(f.errs) > 0 {
		return nil, errors.Join(f.errs...)
	}
	return c, nil
}

// LoadProject adds a project's configuration to a person's: it may name models
// and set how tools are treated, and nothing else.
func LoadProject(path, person string, c *Config) (*Config, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the project's gateway configuration: %w", err)
	}
	var p struct {
		Models map[string]*Route `yaml:"models"`
		Tools  Tools             `yaml:"tools"`
	}
	f := &file{path: path, text: text}
	if f.doc, err = parseDocument(path, text); err != nil {
		return nil, err
	}
	for _, key := range f.keys() {
		if !slices.Contains([]string{"models", "tools"}, key) {
			f.fail("$."+key, "a project may not set %s; it belongs in %s", key, person)
		}
	}
	if len(f.errs) > 0 {
		return nil, errors.Join(f.errs...)
	}
	if _, err := decode(path, text, &p); err != nil {
		return nil, err
	}
	out := *c
	out.Models = make(map[string]*Route, len(c.Models)+len(p.Models))
	maps.Copy(out.Models, c.Models)
	maps.Copy(out.Models, p.Models)
	out.Tools.Mode = cmp.Or(p.Tools.Mode, c.Tools.Mode)
	if bytes.Contains(text, []byte("${")) {
		f.fail("$", "a project may not read the environment; ${…} belongs in %s", person)
	}
	f.checkModels(out.Upstreams, p.Models)
	f.checkTools(&p.Tools)
	return &out, errors.Join(f.errs...)
}

// decode reads text into v; an unknown key is an error.
func decode(path string, text []byte, v any) (*ast.File, error) {
	doc, err := parseDocument(path, text)
	if err != nil {
		return nil, err
	}
	if err := yaml.NewDecoder(bytes.NewReader(text), yaml.Strict()).Decode(v); err != nil && !errors.Is(err, io.EOF) {
		return nil, placed(path, text, err)
	}
	return doc, nil
}

func parseDocument(path string, text []byte) (*ast.File, error) {
	doc, err := parser.ParseBytes(text, 0)
	if err != nil {
		return nil, placed(path, text, err)
	}
	return doc, nil
}

// placed gives an error of the YAML library our form.
func placed(path string, text []byte, err error) error {
	e := &ConfigError{Path: path, Message: err.Error()}
	var y yaml.Error
	if errors.As(err, &y) {
		e.Message = y.GetMessage()
		if t := y.GetToken(); t != nil && t.Position != nil {
			e.Line, e.Column = t.Position.Line, t.Position.Column
			e.Source = lineOf(text, e.Line)
		}
	}
	return e
}

func lineOf(text []byte, n int) string {
	lines := bytes.Split(text, []byte("\n"))
	if n < 1 || n > len(lines) {
		return ""
	}
	return string(bytes.TrimRight(lines[n-1], "\r"))
}

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

var reference = regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)\}`)

// expand replaces ${NAME} by the environment's value.
func (f *file) expand(where, value string) string {
	return reference.ReplaceAllStringFunc(value, func(ref string) string {
		name := ref[2 : len(ref)-1]
		v := f.getenv(name)
		if v == "" {
			f.fail(where, "the environment has no %s", name)
		}
		return v
	})
}

// fileKey begins a key that stands in a file.
const fileKey = "file:"

func (f *file) secret(upstream string, key Secret) Secret {
	where := at("upstreams", upstream, "key")
	if path, ok := strings.CutPrefix(string(key), fileKey); ok {
		b, err := os.ReadFile(path)
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
