package handoff

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/secret"
)

// gitTime bounds what a look at the repository may take.
const gitTime = 5 * time.Second

// GitState returns the state of the repository that dir is in: branch, commit,
// and a digest of the uncommitted changes. It is zero where there is none, or
// no git.
//
// A session names the directory, so the repository may be anybody's, and a
// repository's configuration can name programs: a file system monitor, filters,
// drivers that show differences, hooks, helpers that fetch. None of them runs.
// Git is asked in the repository itself only for names, which runs nothing, and
// for its changes through a git directory of our own, see quarantine.
func GitState(ctx context.Context, dir string) canon.Git {
	if !isLocal(dir) {
		return canon.Git{}
	}
	info, err := os.Stat(dir)
	if err != nil || !info.IsDir() {
		return canon.Git{}
	}
	ctx, cancel := context.WithTimeout(ctx, gitTime)
	defer cancel()
	g := gitCommand{ctx: ctx, args: []string{"-C", dir}}
	names, ok := g.lines("rev-parse", "HEAD", "--abbrev-ref", "HEAD")
	if !ok || len(names) != 2 {
		return canon.Git{}
	}
	state := canon.Git{Commit: names[0], Branch: secret.Conceal(names[1])} // it is remembered
	places, ok := g.lines("rev-parse", "--show-toplevel", "--git-path", "index", "--git-path", "objects", "--git-path", "info/exclude")
	if !ok || len(places) != 4 {
		return state // bare, or a path that is not one line
	}
	for i, p := range places {
		if !filepath.IsAbs(p) {
			places[i] = filepath.Join(dir, p)
		}
	}
	q := quarantine{top: places[0], index: places[1], objects: places[2], exclude: places[3], commit: state.Commit}
	state.Dirty = q.changes(g)
	return state
}

// gitCommand runs git without the environment's own ideas of the repository, and
// so that no configuration makes it run anything else.
type gitCommand struct {
	ctx  context.Context
	args []string // in front of the command
	env  []string
}

// harmless is in front of every command. What the configuration names for a
// terminal, an editor or a remote is not reached by the commands that are used.
func harmless() []string {
	return []string{
		"--no-pager", "--no-optional-locks", "--no-replace-objects",
		"-c", "core.fsmonitor=false", "-c", "core.hooksPath=" + os.DevNull, "-c", "core.untrackedCache=false",
		"-c", "submodule.recurse=false",
	}
}

// run returns what the command prints.
func (g gitCommand) run(args ...string) ([]byte, bool) {
	cmd := exec.CommandContext(g.ctx, "git", slices.Concat(harmless(), g.args, args)...)
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		if !strings.HasPrefix(name, "GIT_") || name == "GIT_EXEC_PATH" || name == "GIT_CEILING_DIRECTORIES" {
			cmd.Env = append(cmd.Env, v)
		}
	}
	// No transport is allowed, so nothing that is missing is fetched.
	cmd.Env = append(cmd.Env, "GIT_ALLOW_PROTOCOL=none", "GIT_NO_LAZY_FETCH=1", "GIT_TERMINAL_PROMPT=0")
	cmd.Env = append(cmd.Env, g.env...)
	var out bytes.Buffer
	cmd.Stdout = &out
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	return out.Bytes(), err == nil
}

func (g gitCommand) lines(args ...string) ([]string, bool) {
	out, ok := g.run(args...)
	return strings.Split(strings.TrimSuffix(string(out), "\n"), "\n"), ok
}
