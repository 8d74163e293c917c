package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"time"

	"github.com/crosswalk-agents/crosswalk/internal/house"
)

func main() {
	budget := flag.Duration("budget", 2*time.Minute, "time for all targets together")
	each := flag.Duration("each", 0, "time for every target, instead of -budget")
	flag.Parse()
	root := "."
	if flag.NArg() > 0 {
		root = flag.Arg(0)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, root, *budget, *each); err != nil {
		fmt.Fprintln(os.Stderr, "fuzz:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, root string, budget, each time.Duration) error {
	tree, err := house.Read(root)
	if err != nil {
		return err
	}
	targets := house.FuzzTargets(tree)
	if len(targets) == 0 {
		return errors.New("no fuzz target in the module")
	}
	deadline := time.Now().Add(budget)
	var start time.Duration // what the last target took beside fuzzing
	failed := []string{}
	for i, t := range targets {
		span := each
		if span == 0 {
			span = share(time.Until(deadline), start, len(targets)-i)
		}
		began := time.Now()
		err := fuzz(ctx, root, t, span)
		took := time.Since(began)
		start = max(0, took-span)
		fmt.Printf("%s %s %s: %v fuzzed, %v in all\n", verdict(err), t.Package, t.Name, span.Round(time.Second/10), took.Round(time.Second/10))
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			failed = append(failed, t.Package+" "+t.Name)
		}
	}
	fmt.Printf("%d targets, %d failed\n", len(targets), len(failed))
	if len(failed) > 0 {
		return errors.New("failed: " + strings.Join(failed, ", "))
	}
	return nil
}

// share is the fuzzing time of the next of n targets.
func share(left, start time.Duration, n int) time.Duration {
	return max(time.Second, left/time.Duration(n)-start).Truncate(time.Second / 10)
}

func verdict(err error) string {
	if err != nil {
		return "FAIL"
	}
	return "ok  "
}

// fuzz runs one target and shows its output when it fails.
func fuzz(ctx context.Context, root string, t house.FuzzTarget, span time.Duration) error {
	out, err := goFuzz(ctx, root, t, span)
	if err != nil && cutOff(out) {
		// The fuzzing engine itself may lose the race at the end of its time and call that a failure.
		out, err = goFuzz(ctx, root, t, span)
	}
	if err != nil {
		_, _ = io.WriteString(os.Stdout, out)
	}
	return err
}

func goFuzz(ctx context.Context, root string, t house.FuzzTarget, span time.Duration) (string, error) {
	cmd := exec.CommandContext(ctx, "go", "test", "-run=^$", "-fuzz=^"+t.Name+"$", "-fuzztime="+span.String(), "./"+t.Package)
	cmd.Dir = root
	out, err := cmd.CombinedOutput()
	if err == nil && !ran(string(out)) {
		err = errors.New("go test found no such target")
	}
	return string(out), err
}

// ran reports whether fuzzing began: go test is content without a target, as behind a build tag.
func ran(out string) bool { return strings.Contains(out, "fuzz: elapsed:") }

// cutOff reports whether a target failed by its time-out alone, without a failing input.
func cutOff(out string) bool {
	return strings.Contains(out, "context deadline exceeded") && !strings.Contains(out, "Failing input written")
}
