package rig

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"time"
)

// Environment variables that [Open] reads.
const (
	// ClientsEnv names the folder that scripts/install-clients filled.
	ClientsEnv = "CROSSWALK_CLIENTS"
	// UnsealedEnv, when "1", permits runs without a box on machines that cannot
	// make one.
	UnsealedEnv = "CROSSWALK_UNSEALED"
)

// Options change what [Open] finds by itself.
type Options struct {
	// Clients is the folder of installed clients, seen from the module. Default:
	// $CROSSWALK_CLIENTS, else .cache/clients.
	Clients string
	// Unsealed permits runs without namespaces when the machine cannot make
	// them. Default: whether $CROSSWALK_UNSEALED is "1".
	Unsealed bool
	// Helpers is a folder that holds the built programs box and
	// scripted-upstream. Default: they are built.
	Helpers string
}

// A Bench holds what all runs of one test program share. It is safe for
// concurrent use.
type Bench struct {
	root     string // the module
	dir      string // our own temporary folder
	clients  string
	box      string
	upstream string
	sealed   bool
	runs     atomic.Int64
}

// Open finds the clients, builds the helper programs and checks that this
// machine can seal a box. The caller closes the bench.
func Open(ctx context.Context, opts Options) (*Bench, error) {
	root, err := moduleRoot()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "crosswalk-rig-")
	if err != nil {
		return nil, err
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, err
	}
	b := &Bench{root: root, dir: dir, clients: clientsDir(opts.Clients, root)}
	if err := b.prepare(ctx, opts); err != nil {
		return nil, errors.Join(err, b.Close())
	}
	return b, nil
}

func (b *Bench) prepare(ctx context.Context, opts Options) error {
	if err := os.Chmod(b.dir, 0o755); err != nil { // another user may have to pass
		return err
	}
	helpers := opts.Helpers
	if helpers == "" {
		helpers = filepath.Join(b.dir, "bin")
		if err := b.build(ctx, helpers); err != nil {
			return err
		}
	}
	b.box, b.upstream = filepath.Join(helpers, "box"), filepath.Join(helpers, "scripted-upstream")
	b.sealed = true
	err := b.probe(ctx)
	if err == nil {
		return nil
	}
	if !opts.Unsealed && os.Getenv(UnsealedEnv) != "1" {
		return fmt.Errorf("cannot seal a box on this machine (root or user namespaces are needed; "+
			"set %s=1 to run clients without one, with network access and your own processes): %w", UnsealedEnv, err)
	}
	b.sealed = false
	return nil
}

// Close removes the bench's temporary folder. Runs must have ended.
func (b *Bench) Close() error { return os.RemoveAll(b.dir) }

// Sealed reports whether runs are sealed.
func (b *Bench) Sealed() bool { return b.sealed }

// ScriptedUpstream is the path of the built scripted-upstream program, for tests
// that start one of their own.
func (b *Bench) ScriptedUpstream() string { return b.upstream }

// build compiles the helper programs. They are static, so that they run
// whatever a box hides.
func (b *Bench) build(ctx context.Context, dir string) error {
	const module = "github.com/crosswalk-agents/crosswalk"
	cmd := exec.CommandContext(ctx, "go", "build", "-o", dir+string(filepath.Separator),
		module+"/conformance/rig/cmd/box", module+"/internal/scripted/cmd/scripted-upstream")
	cmd.Dir = b.root
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build helper programs: %w\n%s", err, out)
	}
	return nil
}

// probe runs a box that does nothing.
func (b *Bench) probe(ctx context.Context) error {
	dir := filepath.Join(b.dir, "probe")
	box := Box{Bench: b, Home: filepath.Join(dir, "home"), Work: filepath.Join(dir, "work"), Timeout: 10 * time.Second}
	res, err := box.Run(ctx, Command{Argv: []string{"/bin/sh", "-c", "exit 0"}})
	if err == nil && res.ExitCode != 0 {
		err = fmt.Errorf("exit code %d", res.ExitCode)
	}
	return err
}

// moduleRoot finds the module from the working directory, which for a test is
// the folder of its package.
func moduleRoot() (string, error) {
	wd, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for dir := wd; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "conformance", "clients.json")); err == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("no conformance/clients.json above %q", wd)
		}
	}
}
