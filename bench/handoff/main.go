package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/crosswalk-agents/crosswalk/bench/internal/measure"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bench/handoff:", err)
		stop()
		os.Exit(1)
	}
}

// errMissed is the failure of -check.
var errMissed = errors.New("a figure misses what must be")

// options are the flags.
type options struct {
	quick, write, check bool
	parts               string
	profile             string
}

func parse(args []string) (o options, err error) {
	f := flag.NewFlagSet("bench/handoff", flag.ContinueOnError)
	f.BoolVar(&o.quick, "quick", false, "measure small files, to see that it works")
	f.BoolVar(&o.write, "write", false, "write the table into docs/benchmarks.md")
	f.BoolVar(&o.check, "check", false, "exit 1 if a figure misses what must be")
	f.StringVar(&o.parts, "parts", partNames(), "measure only these `PARTS`")
	f.StringVar(&o.profile, "profile", "", "write profiles of conversions to `DIR` instead of measuring")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if f.NArg() > 0 {
		return o, fmt.Errorf("unexpected argument %q", f.Arg(0))
	}
	for _, name := range strings.Split(o.parts, ",") {
		if !slices.ContainsFunc(parts(), func(p part) bool { return p.name == name }) {
			return o, fmt.Errorf("-parts has %q, which is none of %s", name, partNames())
		}
	}
	if o.write && (o.quick || o.parts != partNames()) {
		return o, errors.New("-write is for full runs: not with -quick or -parts")
	}
	return o, nil
}

// part is a group of measures.
type part struct {
	name string
	rows func(context.Context, *rig) ([]measure.Row, error)
}

// parts lists the parts in the order in which they run: the big files of memory
// come last, since they stay in the caches of the system.
func parts() []part {
	return []part{{"convert", convertRows}, {"sessions", sessionRows}, {"memory", memoryRows}}
}

func partNames() string {
	var names []string
	for _, p := range parts() {
		names = append(names, p.name)
	}
	return strings.Join(names, ",")
}

func run(ctx context.Context, args []string) error {
	o, err := parse(args)
	if errors.Is(err, flag.ErrHelp) {
		return nil
	}
	if err != nil {
		return err
	}
	r, err := newRig(ctx, o.quick)
	if err != nil {
		return err
	}
	defer r.close()
	if o.profile != "" {
		return profile(ctx, r, o.profile)
	}
	if err := r.build(ctx); err != nil {
		return err
	}
	var rows []measure.Row
	wanted := strings.Split(o.parts, ",")
	for _, p := range parts() {
		if !slices.Contains(wanted, p.name) {
			continue
		}
		found, err := p.rows(ctx, r)
		if err != nil {
			return fmt.Errorf("measure %s: %w", p.name, err)
		}
		rows = append(rows, found...)
	}
	if err := measure.Print(os.Stdout, rows); err != nil {
		return err
	}
	if o.write {
		if err := writePage(ctx, r, rows); err != nil {
			return err
		}
	}
	if o.check && measure.Missed(rows) {
		return errMissed
	}
	return nil
}

// pageName is that of our part of docs/benchmarks.md.
const pageName = "bench/handoff"

// writePage writes the rows into the page that shows them.
func writePage(ctx context.Context, r *rig, rows []measure.Row) error {
	name := filepath.Join(r.root, "docs", "benchmarks.md")
	page, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	text := measure.Markdown(rows) + "\n" + r.date + " on " + measure.Machine(ctx, "jq", "find") + ".\n"
	if page, err = measure.Replace(page, pageName, text); err != nil {
		return fmt.Errorf("write %q: %w", name, err)
	}
	return os.WriteFile(name, page, 0o644)
}
