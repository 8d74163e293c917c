package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/crosswalk-agents/crosswalk/bench/internal/measure"
	"github.com/crosswalk-agents/crosswalk/bench/internal/session"
)

const mb = 1 << 20

// patience is how long a run may have taken for a race to be tried again.
const patience = 4 * time.Minute

// sizes say how big things are, in bytes, and how many sessions are listed.
type sizes struct {
	convert  int64
	memory   []bulk
	sessions int
}

// bulk is a file that is converted for the memory it takes.
type bulk struct{ size, longest int64 }

func fullSizes() sizes {
	return sizes{convert: 100 * mb, memory: []bulk{{1024 * mb, 2 * mb}, {128 * mb, 40 * mb}}, sessions: 5000}
}

func quickSizes() sizes {
	return sizes{convert: 10 * mb, memory: []bulk{{100 * mb, 1 * mb}, {40 * mb, 10 * mb}}, sessions: 500}
}

// rig is what all parts share: a temporary folder, the product built there, and
// how big things are.
type rig struct {
	root    string // the module
	dir     string // ours, temporary
	product string
	date    string
	began   time.Time
	sizes
}

func newRig(ctx context.Context, quick bool) (*rig, error) {
	out, err := exec.CommandContext(ctx, "go", "env", "GOMOD").Output()
	mod := strings.TrimSpace(string(out))
	if err != nil || filepath.Base(mod) != "go.mod" {
		return nil, errors.Join(errors.New("find the module: run this inside of it"), err)
	}
	dir, err := os.MkdirTemp("", "crosswalk-bench-")
	if err != nil {
		return nil, err
	}
	r := &rig{root: filepath.Dir(mod), dir: dir, began: time.Now(), date: time.Now().Format("2006-01-02"), sizes: fullSizes()}
	if quick {
		r.sizes = quickSizes()
	}
	return r, nil
}

func (r *rig) close() { _ = os.RemoveAll(r.dir) }

// build builds the product, as make build does.
func (r *rig) build(ctx context.Context) error {
	r.say("building crosswalk")
	r.product = filepath.Join(r.dir, "crosswalk")
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-o", r.product, "./cmd/crosswalk")
	cmd.Dir, cmd.Env = r.root, append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build crosswalk: %w\n%s", err, out)
	}
	return nil
}

// say tells what is going on.
func (r *rig) say(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "%4.0f s, load %s: %s\n", time.Since(r.began).Seconds(), measure.Load(), fmt.Sprintf(format, args...))
}

// hasTime reports whether the run is short enough for another try.
func (r *rig) hasTime() bool {
	again := time.Since(r.began) < patience
	if again {
		r.say("the unit was not steady, once more")
	}
	return again
}

// env is the environment of all measured programs: nothing of the person's own
// is read or changed.
func (r *rig) env(home string) []string {
	return []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "TMPDIR=" + r.dir, "TZ=UTC", "LC_ALL=C",
		"CROSSWALK_HOME=" + filepath.Join(r.dir, "crosswalk-home"), "NO_COLOR=1",
	}
}

// direction is a conversion from one agent's files to another's.
type direction struct {
	from, to string
	write    session.Func
}

func directions() []direction {
	return []direction{{"claude", "codex", session.WriteClaude}, {"codex", "claude", session.WriteCodex}}
}

func (d direction) String() string { return d.from + " → " + d.to }

// file makes a session to convert. The caller removes it.
func (r *rig) file(d direction, o session.Options) (string, session.Stats, error) {
	path := filepath.Join(r.dir, d.from+".jsonl")
	st, err := session.WriteFile(path, d.write, o)
	if err != nil {
		return "", st, fmt.Errorf("make a session: %w", err)
	}
	return path, st, nil
}

// command is the product's conversion of the file at path.
func (r *rig) command(d direction, path string) *measure.Command {
	out := filepath.Join(r.dir, "out.jsonl")
	return &measure.Command{
		Argv:   []string{r.product, "convert", path, "--to", d.to, "-o", out, "--quiet", "--no-input"},
		Env:    r.env(filepath.Join(r.dir, "home")),
		Dir:    r.dir,
		Before: func() error { return remove(out) },
	}
}

// verify runs the conversion once and looks at what it left, so that it is no
// failure that is measured.
func (r *rig) verify(ctx context.Context, c *measure.Command, st session.Stats) error {
	if _, err := c.Run(ctx); err != nil {
		return err
	}
	info, err := os.Stat(filepath.Join(r.dir, "out.jsonl"))
	if err != nil {
		return err
	}
	if info.Size() < st.Active/4 {
		return fmt.Errorf("the conversion left %d bytes of %d active ones", info.Size(), st.Active)
	}
	return nil
}

// remove removes a file that need not be there.
func remove(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}
