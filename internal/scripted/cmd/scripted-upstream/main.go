package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/crosswalk-agents/crosswalk/internal/scripted"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run returns the exit code: 0 done, 1 failed, 2 usage.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("scripted-upstream", flag.ContinueOnError)
	flags.SetOutput(stderr)
	listen := flags.String("listen", "127.0.0.1:0", "loopback `address`; port 0 picks one")
	script := flags.String("script", "", "script `file`, a JSON list of turns (required)")
	record := flags.String("record", "", "`folder` for the recorded requests")
	work := flags.String("work", "", "`folder` that $WORK in the script stands for (default .)")
	seed := flags.String("seed", "", "part of every minted id (default cw)")
	all := flags.Bool("all-requests", false, "spend a turn on every generating request")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return 0
		}
		return 2
	}
	if *script == "" || flags.NArg() > 0 {
		_, _ = fmt.Fprintln(stderr, "scripted-upstream: want --script FILE and no other arguments")
		flags.Usage()
		return 2
	}
	opt := scripted.Options{Work: *work, Record: *record, Seed: *seed, AllRequests: *all}
	if err := serve(ctx, *listen, *script, opt, stdout); err != nil {
		_, _ = fmt.Fprintln(stderr, "scripted-upstream:", err)
		return 1
	}
	return 0
}

func serve(ctx context.Context, listen, file string, opt scripted.Options, stdout io.Writer) error {
	script, err := scripted.Load(file)
	if err != nil {
		return err
	}
	server, err := scripted.New(script, opt)
	if err != nil {
		return err
	}
	ln, err := scripted.Listen(ctx, listen)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(stdout, ln.Addr()); err != nil {
		return errors.Join(fmt.Errorf("print address: %w", err), ln.Close())
	}
	return server.Serve(ctx, ln)
}
