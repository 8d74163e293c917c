package rig

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// dummyKey is the key that clients present to the scripted model.
const dummyKey = "sk-test"

// Claude is a box that runs Claude Code.
type Claude struct {
	Box
	// Model is passed as --model when it is set.
	Model string
	// Settings, when set, is written to the home's .claude/settings.json.
	Settings json.RawMessage
	// SideTraffic leaves on what the client sends beside the conversation, such
	// as title requests.
	SideTraffic bool
	// AskTrust leaves the question whether the work folder is trusted open.
	AskTrust bool
}

// Claude returns a run of Claude Code with the given home and work folder.
func (b *Bench) Claude(home, work string, script ...Turn) Claude {
	return Claude{Box: Box{Bench: b, Home: home, Work: work, Script: scriptOf(script)}}
}

func scriptOf(turns []Turn) []Turn {
	if turns == nil {
		return []Turn{}
	}
	return turns
}

// Run runs the client headless to its end.
func (c Claude) Run(ctx context.Context, args ...string) (Result, error) {
	return c.RunInput(ctx, nil, args...)
}

// RunInput is [Claude.Run] with a standard input.
func (c Claude) RunInput(ctx context.Context, stdin io.Reader, args ...string) (Result, error) {
	p, err := c.start(ctx, Command{Stdin: stdin}, args)
	if err != nil {
		return Result{}, err
	}
	return p.Wait()
}

func (c Claude) start(ctx context.Context, cmd Command, args []string) (*Process, error) {
	box, argv, err := c.command(ctx, args)
	if err != nil {
		return nil, fmt.Errorf("start claude: %w", err)
	}
	cmd.Argv = argv
	return box.Start(ctx, cmd)
}

// Host prepares the home and returns a box in which another program can run the
// client: it is in the PATH, and the environment leads it to the scripted model.
func (c Claude) Host(ctx context.Context) (Box, error) {
	if err := errors.Join(c.settle(ctx), c.folders()); err != nil {
		return Box{}, err
	}
	program, err := c.Bench.Client("claude")
	if err != nil {
		return Box{}, err
	}
	if err := errors.Join(c.answerQuestions(), c.writeSettings()); err != nil {
		return Box{}, err
	}
	env := []string{
		"ANTHROPIC_BASE_URL=" + c.baseURL(), "ANTHROPIC_API_KEY=" + dummyKey, "DISABLE_AUTOUPDATER=1",
		"DISABLE_TELEMETRY=1", "DISABLE_ERROR_REPORTING=1",
		"IS_SANDBOX=1", // otherwise root may not skip permissions (2.1.332)
	}
	if !c.SideTraffic {
		env = append(env, "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1")
	}
	return c.withProgram(program, env), nil
}

func (c Claude) command(ctx context.Context, args []string) (Box, []string, error) {
	box, err := c.Host(ctx)
	if err != nil {
		return Box{}, nil, err
	}
	program, err := c.Bench.Client("claude")
	argv := []string{program}
	if c.Model != "" {
		argv = append(argv, "--model", c.Model)
	}
	return box, append(argv, args...), err
}

// answerQuestions answers in .claude.json what an interactive start would ask:
// onboarding, the key from the environment, trust in the work folder (2.1.332).
func (c *Claude) answerQuestions() error {
	name := filepath.Join(c.Home, ".claude.json")
	state := map[string]any{}
	data, err := os.ReadFile(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	default:
		if err := json.Unmarshal(data, &state); err != nil {
			return fmt.Errorf("read %q: %w", name, err)
		}
	}
	state["hasCompletedOnboarding"] = true
	state["theme"] = "dark"
	state["bypassPermissionsModeAccepted"] = true
	state["customApiKeyResponses"] = Args{"approved": []string{dummyKey}, "rejected": []string{}}
	projects, _ := state["projects"].(map[string]any)
	if projects == nil {
		projects = map[string]any{}
	}
	project, _ := projects[c.Work].(map[string]any)
	if project == nil {
		project = map[string]any{"allowedTools": []string{}}
	}
	project["hasTrustDialogAccepted"] = !c.AskTrust
	project["hasCompletedProjectOnboarding"] = true
	projects[c.Work] = project
	state["projects"] = projects
	if data, err = json.Marshal(state); err != nil {
		return err
	}
	return os.WriteFile(name, data, 0o600)
}

func (c *Claude) writeSettings() error {
	if c.Settings == nil {
		return nil
	}
	dir := filepath.Join(c.Home, ".claude")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "settings.json"), c.Settings, 0o600)
}
