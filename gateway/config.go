package gateway

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"github.com/crosswalk-agents/crosswalk/internal/osx"
)

// maxConfig is how long a configuration or a key may be, in bytes.
const maxConfig = 1 << 20

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

// MarshalText implements [encoding.TextMarshaler].
func (Secret) MarshalText() ([]byte, error) { return []byte("(secret)"), nil }

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

// withoutSecrets returns a line of a configuration without the credentials that
// are written out in it.
func withoutSecrets(line string) string {
	written := regexp.MustCompile(`(\bkey\s*:\s*)("[^"]*"|'[^']*'|[^\s,}]+)|(://)[^/\s@"']+@`)
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
	text, err := osx.ReadFile(path, maxConfig)
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
	text, err := osx.ReadFile(path, maxConfig)
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
