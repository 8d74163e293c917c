package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"time"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/agent/all"
	"github.com/crosswalk-agents/crosswalk/bench/internal/session"
	"github.com/crosswalk-agents/crosswalk/handoff"
)

// profiled is how long a piece of work is repeated for its profile.
const profiled = 8 * time.Second

// profile writes processor and allocation profiles of conversions and listings
// in this process to the folder dir, and prints the functions that took the most
// time. What the commands do beside that, such as recognising a file, is not in
// them.
func profile(ctx context.Context, r *rig, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, s := range shapes() {
		for _, d := range directions() {
			if err := profileConvert(ctx, r, s, d, dir); err != nil {
				return fmt.Errorf("profile %s: %w", d, err)
			}
		}
	}
	if err := profileSessions(ctx, r, dir); err != nil {
		return fmt.Errorf("profile sessions: %w", err)
	}
	return nil
}

func profileConvert(ctx context.Context, r *rig, s shape, d direction, dir string) error {
	path, st, err := r.file(d, session.Options{Seed: 1, Size: r.convert, Shape: s.shape, Long: int(r.convert / 100)})
	if err != nil {
		return err
	}
	defer func() { _ = remove(path) }()
	src, dst, err := adapters(d)
	if err != nil {
		return err
	}
	out, home := filepath.Join(r.dir, "out.jsonl"), agent.IsolatedHome(filepath.Join(r.dir, "home"))
	w := work{name: fmt.Sprintf("%s, %.0f %% active", d, 100*st.Share()), bytes: st.Bytes, do: func() error {
		if err := remove(out); err != nil {
			return err
		}
		_, err := handoff.Convert(ctx, src, path, dst, out, handoff.Options{Home: home})
		return err
	}}
	return w.profile(ctx, filepath.Join(dir, d.from+"-"+d.to+"-"+s.file))
}

// adapters returns the two agents of a direction.
func adapters(d direction) (src agent.Agent, dst agent.Writer, err error) {
	for _, a := range all.Agents() {
		m, err := a.Manifest()
		if err != nil {
			return nil, nil, err
		}
		if m.ID == d.from {
			src = a
		}
		if w, ok := a.(agent.Writer); ok && m.ID == d.to {
			dst = w
		}
	}
	if src == nil || dst == nil {
		return nil, nil, fmt.Errorf("no agents for %s", d)
	}
	return src, dst, nil
}

func profileSessions(ctx context.Context, r *rig, dir string) error {
	home, state := filepath.Join(r.dir, "sessions-home"), filepath.Join(r.dir, "state")
	if err := session.WriteHome(home, r.sessions, 1); err != nil {
		return err
	}
	desk := handoff.Desk{Agents: all.Agents(), Home: agent.IsolatedHome(home), State: state}
	list := func() error {
		entries, errs := desk.List(ctx, agent.Query{}, "")
		if len(errs) == 0 && len(entries) != r.sessions {
			return fmt.Errorf("%d sessions are listed, not %d", len(entries), r.sessions)
		}
		return errors.Join(errs...)
	}
	first := work{name: "sessions, first run", do: func() error {
		if err := os.RemoveAll(state); err != nil {
			return err
		}
		return list()
	}}
	cached := work{name: "sessions, with our cache", do: list}
	return errors.Join(first.profile(ctx, filepath.Join(dir, "sessions-first")), cached.profile(ctx, filepath.Join(dir, "sessions-cached")))
}

// work is what is done over and over for a profile.
type work struct {
	name  string
	bytes int64 // that it reads; 0 if it does not matter
	do    func() error
}

// profile writes the profiles of w to files whose names begin with name. The one
// of allocations counts from the program's start: the one before is its base.
func (w work) profile(ctx context.Context, name string) (err error) {
	f, err := os.Create(name + ".cpu.pprof")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if err := pprof.StartCPUProfile(f); err != nil {
		return err
	}
	n, took, err := w.repeat()
	pprof.StopCPUProfile()
	if err != nil {
		return err
	}
	runtime.ReadMemStats(&after)
	fmt.Printf("\n%s: %d times, %.1f ms, %d allocations and %.1f MB each", w.name, n, took.Seconds()*1000/float64(n),
		(after.Mallocs-before.Mallocs)/uint64(n), float64(after.TotalAlloc-before.TotalAlloc)/float64(n)/mb)
	if w.bytes > 0 {
		fmt.Printf(", %.0f MB/s", float64(w.bytes)*float64(n)/mb/took.Seconds())
	}
	fmt.Println()
	if err := writeAllocs(name + ".allocs.pprof"); err != nil {
		return err
	}
	return printTop(ctx, name+".cpu.pprof")
}

// repeat does the work for a while.
func (w work) repeat() (n int, took time.Duration, err error) {
	for began := time.Now(); took < profiled; took = time.Since(began) {
		if err := w.do(); err != nil {
			return 0, 0, err
		}
		n++
	}
	return n, took, nil
}

func writeAllocs(name string) (err error) {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return pprof.Lookup("allocs").WriteTo(f, 0)
}

// printTop prints the functions in which the most time was spent.
func printTop(ctx context.Context, name string) error {
	cmd := exec.CommandContext(ctx, "go", "tool", "pprof", "-top", "-nodecount=25", name)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	return cmd.Run()
}
