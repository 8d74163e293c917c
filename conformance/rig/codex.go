package rig

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// Models with which Codex 0.171.0 behaves differently.
const (
	// CodexDirect has direct tools: exec_command, apply_patch and so on.
	CodexDirect = "gpt-5.5"
	// CodexCode works in code mode: one tool, exec, that takes JavaScript.
	CodexCode = "gpt-6-sol"
)

// Codex is a box that runs Codex. Its CODEX_HOME is the home's .codex.
type Codex struct {
	Box
	// Model is written to config.toml when that file is first made. Default:
	// [CodexDirect].
	Model string
	// Config is TOML to put in front of config.toml (keys without a table) and
	// ConfigEnd TOML to put at its end, when that file is first made.
	Config, ConfigEnd string
	// AskTrust leaves the question whether the work folder is trusted open.
	AskTrust bool
	// Daemon lets the terminal program start its background daemon, as it does
	// for a user. By default it may not: it first copies the whole client (424 MB
	// at 0.171.0) into the home.
	Daemon bool
}

// Codex returns a run of Codex with the given home and work folder.
func (b *Bench) Codex(home, work string, script ...Turn) Codex {
	return Codex{Box: Box{Bench: b, Home: home, Work: work, Script: scriptOf(script)}}
}

// CodexExec are the arguments of a headless turn that may run everything
// without asking; more arguments and the prompt follow.
func CodexExec(args ...string) []string {
	return append([]string{"exec", "--skip-git-repo-check", "--json", "--dangerously-bypass-approvals-and-sandbox"}, args...)
}

// Dir is CODEX_HOME.
func (c Codex) Dir() string { return filepath.Join(c.Home, ".codex") }

// Run runs the client to its end with the given arguments; see [CodexExec].
func (c Codex) Run(ctx context.Context, args ...string) (Result, error) {
	p, err := c.Start(ctx, args...)
	if err != nil {
		return Result{}, err
	}
	return p.Wait()
}

// Start begins a run.
func (c Codex) Start(ctx context.Context, args ...string) (*Process, error) {
	return c.start(ctx, Command{}, args)
}

func (c Codex) start(ctx context.Context, cmd Command, args []string) (*Process, error) {
	box, argv, err := c.command(ctx, args)
	if err != nil {
		return nil, fmt.Errorf("start codex: %w", err)
	}
	cmd.Argv = argv
	return box.Start(ctx, cmd)
}

// Host prepares the home and returns a box in which another program can run the
// client: it is in the PATH, and config.toml leads it to the scripted model.
func (c Codex) Host(ctx context.Context) (Box, error) {
	if err := errors.Join(c.settle(ctx), c.folders()); err != nil {
		return Box{}, err
	}
	program, err := c.Bench.Client("codex")
	if err != nil {
		return Box{}, err
	}
	if err := c.writeConfig(); err != nil {
		return Box{}, err
	}
	return c.withProgram(program, []string{"CODEX_HOME=" + c.Dir(), "RIG_KEY=" + dummyKey}), nil
}

func (c Codex) command(ctx context.Context, args []string) (Box, []string, error) {
	box, err := c.Host(ctx)
	if err != nil {
		return Box{}, nil, err
	}
	program, err := c.Bench.Client("codex")
	return box, append([]string{program}, args...), err
}

// writeConfig makes config.toml once. Later runs only correct the address, so
// that a test's own changes stay, and trust a new work folder.
func (c *Codex) writeConfig() error {
	name := filepath.Join(c.Dir(), "config.toml")
	data, err := os.ReadFile(name)
	config := string(data)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		config = c.newConfig()
	case err != nil:
		return err
	default:
		config = regexp.MustCompile(`http://127\.0\.0\.1:\d+`).ReplaceAllString(config, c.baseURL())
	}
	trust := fmt.Sprintf("[projects.%q]\n", c.Work)
	if !c.AskTrust && !strings.Contains(config, trust) {
		config += "\n" + trust + "trust_level = \"trusted\"\n"
	}
	if err := os.MkdirAll(c.Dir(), 0o700); err != nil {
		return err
	}
	return os.WriteFile(name, []byte(config), 0o600)
}

func (c *Codex) newConfig() string {
	model := c.Model
	if model == "" {
		model = CodexDirect
	}
	// The migration notice for this model is answered, otherwise the terminal
	// shows it before the prompt (0.171.0).
	return fmt.Sprintf(`%s
model = %q
model_provider = "lab"
check_for_update_on_startup = false

[model_providers.lab]
name = "lab"
base_url = "%s/v1"
wire_api = "responses"
env_key = "RIG_KEY"
request_max_retries = 0
stream_max_retries = 0

[analytics]
enabled = false

[notice.model_migrations]
%q = %q
%s`, c.Config, model, c.baseURL(), CodexDirect, CodexCode, c.ConfigEnd)
}
