package rig

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/crosswalk-agents/crosswalk/conformance/rig/internal/seal"
)

// A Box is one sealed run: a command, and beside it the scripted model.
type Box struct {
	Bench *Bench
	// Home becomes HOME and Work the working directory. Both are created when
	// they are missing; a home of an earlier run can be used again.
	Home, Work string
	// Script holds the answers of the model, in order. An empty script answers
	// "done" to everything.
	Script []Turn
	// AllRequests spends an answer of the script on every request; by default
	// requests without tools (titles, routing) get a fixed short answer.
	AllRequests bool
	// Seed is part of every id that the model mints (calls, messages), so that
	// the runs of one session do not repeat ids. Default: the number of the run.
	Seed string
	// Env adds NAME=VALUE words to the environment, which holds nothing else of
	// the caller's.
	Env []string
	// Path names folders in front of the command's PATH.
	Path []string
	// Keep names more files and folders to stay visible where the caller's home
	// or temporary folder is hidden. The command's program stays visible by
	// itself, a sidecar's does not.
	Keep []string
	// User runs the command as another user, who then owns Home and Work. Needs
	// root.
	User *User
	// Sidecar is started between the model and the command.
	Sidecar *Sidecar
	// Timeout ends the run. Default: two minutes.
	Timeout time.Duration

	upstreamAddr, sidecarAddr string
}

// A User is the numeric owner of a process.
type User = seal.User

// A Sidecar is a program under test that stands between client and model, such
// as a gateway. In Argv and Env, $UPSTREAM stands for the model's URL and
// $LISTEN for the address (host:port) where the client will call.
type Sidecar struct {
	Argv, Env []string
	Dir       string
}

// A Command is what a box runs. Env is added to the box's own environment.
type Command struct {
	Argv, Env []string
	// Stdin is read to the end; nil is an empty input.
	Stdin io.Reader
	// Stdout additionally receives the output while the command runs.
	Stdout io.Writer
}

// A Result is what a run left.
type Result struct {
	ExitCode int
	Stdout   string
	Stderr   string
	// Requests are what the model was asked, in order of arrival.
	Requests []Request
	Duration time.Duration
}

// Run runs cmd to its end. An exit code other than zero is no error; a box that
// could not be made, a script that could not be served and a timeout are.
func (b Box) Run(ctx context.Context, cmd Command) (Result, error) {
	p, err := b.Start(ctx, cmd)
	if err != nil {
		return Result{}, err
	}
	return p.Wait()
}

// baseURL is where a client in this box finds its model, once that is settled.
func (b *Box) baseURL() string {
	if b.Sidecar != nil {
		return "http://" + b.sidecarAddr
	}
	return "http://" + b.upstreamAddr
}

// settle chooses the addresses. A sealed box has a network of its own and
// always uses the same ones.
func (b *Box) settle(ctx context.Context) error {
	if b.upstreamAddr != "" {
		return nil
	}
	if b.Bench == nil {
		return errors.New("box has no bench")
	}
	if b.Bench.sealed {
		b.upstreamAddr, b.sidecarAddr = "127.0.0.1:8099", "127.0.0.1:8500"
		return nil
	}
	var err error
	if b.upstreamAddr, err = freeAddr(ctx); err != nil {
		return err
	}
	b.sidecarAddr, err = freeAddr(ctx)
	return err
}

func freeAddr(ctx context.Context) (string, error) {
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// folders creates Home and Work and makes their names physical.
func (b *Box) folders() error {
	for _, dir := range []*string{&b.Home, &b.Work} {
		if *dir == "" {
			return errors.New("box needs a home and a work folder")
		}
		if err := os.MkdirAll(*dir, 0o700); err != nil {
			return err
		}
		abs, err := filepath.Abs(*dir)
		if err != nil {
			return err
		}
		if *dir, err = filepath.EvalSymlinks(abs); err != nil {
			return err
		}
	}
	return nil
}

// spec writes down the run for the inside of the box. run is a folder of this
// run alone.
func (b *Box) spec(run string, cmd Command, tty bool) (seal.Spec, error) {
	s := seal.Spec{
		Sealed: b.Bench.sealed,
		Argv:   cmd.Argv,
		Env:    b.environ(cmd.Env),
		Dir:    b.Work,
		User:   b.User,
		TTY:    tty,
	}
	if b.Script != nil {
		up, err := b.upstream(run)
		if err != nil {
			return s, err
		}
		s.Services = append(s.Services, up)
	}
	if b.Sidecar != nil {
		s.Services = append(s.Services, b.sidecar(run))
	}
	s.Hide = hidden()
	keep := append([]string{b.Home, b.Work, run, b.Bench.box, b.Bench.upstream, b.Bench.clients}, b.Path...)
	if filepath.IsAbs(cmd.Argv[0]) {
		keep = append(keep, cmd.Argv[0])
	}
	for _, path := range append(keep, b.Keep...) {
		real, err := filepath.EvalSymlinks(path)
		if errors.Is(err, os.ErrNotExist) && path == b.Bench.clients {
			continue
		}
		if err != nil {
			return s, err
		}
		if slices.Contains(s.Hide, real) {
			return s, fmt.Errorf("%q is to stay visible but must be hidden", real)
		}
		s.Keep = append(s.Keep, real)
	}
	return s, nil
}

// withProgram returns the box with a client in its PATH and environment.
func (b Box) withProgram(program string, env []string) Box {
	b.Path = append(slices.Clone(b.Path), filepath.Dir(program))
	b.Env = append(env, b.Env...)
	return b
}

// hidden names the folders that no client may see: the caller's home and the
// folder for temporary files.
func hidden() []string {
	var dirs []string
	add := func(dir string) {
		real, err := filepath.EvalSymlinks(dir)
		if err != nil || real == "/" || slices.Contains(dirs, real) {
			return
		}
		if fi, err := os.Stat(real); err == nil && fi.IsDir() {
			dirs = append(dirs, real)
		}
	}
	add(os.Getenv("HOME"))
	if u, err := user.Current(); err == nil {
		add(u.HomeDir)
	}
	add(os.TempDir())
	return dirs
}

func (b *Box) environ(more []string) []string {
	path := strings.Join(append(slices.Clone(b.Path), "/usr/local/bin", "/usr/bin", "/bin"), ":")
	env := []string{"HOME=" + b.Home, "PATH=" + path, "SHELL=/bin/bash", "TERM=xterm-256color", "LANG=C.UTF-8"}
	return append(append(env, more...), b.Env...)
}

func (b *Box) upstream(run string) (seal.Service, error) {
	script, err := json.Marshal(b.Script)
	if err != nil {
		return seal.Service{}, fmt.Errorf("write script: %w", err)
	}
	name := filepath.Join(run, "script.json")
	if err := os.WriteFile(name, script, 0o600); err != nil {
		return seal.Service{}, err
	}
	seed := b.Seed
	if seed == "" {
		seed = strings.ReplaceAll(filepath.Base(run), "-", "")
	}
	argv := []string{
		b.Bench.upstream, "--listen", b.upstreamAddr, "--script", name,
		"--record", filepath.Join(run, recordDir), "--work", b.Work, "--seed", seed,
	}
	if b.AllRequests {
		argv = append(argv, "--all-requests")
	}
	return seal.Service{
		Name: "scripted upstream", Argv: argv, Dir: run, Addr: b.upstreamAddr,
		Env: []string{"PATH=/usr/local/bin:/usr/bin:/bin"}, Log: filepath.Join(run, "upstream.log"),
	}, nil
}

func (b *Box) sidecar(run string) seal.Service {
	words := strings.NewReplacer("$UPSTREAM", "http://"+b.upstreamAddr, "$LISTEN", b.sidecarAddr)
	fill := func(list []string) []string {
		out := make([]string, len(list))
		for i, s := range list {
			out[i] = words.Replace(s)
		}
		return out
	}
	dir := b.Sidecar.Dir
	if dir == "" {
		dir = b.Work
	}
	env := append([]string{"HOME=" + b.Home, "PATH=/usr/local/bin:/usr/bin:/bin"}, fill(b.Sidecar.Env)...)
	return seal.Service{
		Name: "sidecar", Argv: fill(b.Sidecar.Argv), Env: env, Dir: dir,
		Addr: b.sidecarAddr, Log: filepath.Join(run, "sidecar.log"),
	}
}

// newRun makes the folder of one run.
func (b *Bench) newRun() (string, error) {
	run := filepath.Join(b.dir, "run-"+strconv.FormatInt(b.runs.Add(1), 10))
	return run, os.MkdirAll(filepath.Join(run, recordDir), 0o755)
}
