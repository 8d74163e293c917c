package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/agent/canonical"
	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/handoff"
	"github.com/crosswalk-agents/crosswalk/internal/atomicfile"
	"github.com/crosswalk-agents/crosswalk/transcript"
)

// showOptions are those of `crosswalk show`.
type showOptions struct {
	*app
	session, from, view, branch, html string
	tail                              int
	tailed                            bool // --tail was given
	json, full, all, pick, noPager    bool
	branches                          bool
}

func newShow(a *app) *cobra.Command {
	o := &showOptions{app: a}
	cmd := &cobra.Command{
		Use:   "show SESSION",
		Short: "Show a session as a readable transcript",
		Long: `Show a session: as a transcript on the terminal, as one self-contained page with
--html, or in the canonical form with --json, which "convert" reads. SESSION is
an id, the beginning of one, a path or a title.`,
		Args: arguments(0, "SESSION"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.tailed = cmd.Flags().Changed("tail")
			switch {
			case len(args) == 0 && !o.pick:
				return usagef("name a session, or choose one with -i")
			case len(args) > 0 && o.pick:
				return usagef("SESSION and -i exclude each other")
			case len(args) > 0:
				o.session = args[0]
			}
			return o.show(cmd.Context())
		},
		ValidArgsFunction: a.completeSession,
	}
	f := cmd.Flags()
	f.IntVar(&o.tail, "tail", 0, "show the last `N` turns only")
	f.StringVar(&o.html, "html", "", "write one self-contained page to `FILE` (- is standard output)")
	f.BoolVar(&o.json, "json", false, "print the canonical form")
	f.BoolVar(&o.full, "full", false, "show tool results and inputs whole")
	registerView(cmd, &o.view)
	f.StringVar(&o.branch, "branch", "", "show the branch with this `RECORD`")
	f.BoolVar(&o.branches, "branches", false, "list the session's branches, the one that is read first")
	f.StringVar(&o.from, "from", "", "take a session of this `AGENT`")
	f.BoolVar(&o.all, "all", false, "look beyond this directory")
	f.BoolVar(&o.noPager, "no-pager", false, "do not start a pager")
	registerPick(f, &o.pick)
	a.completeAgents(cmd, "from")
	return cmd
}

func (o *showOptions) show(ctx context.Context) (err error) {
	if err := errors.Join(o.conflicts(), notAFolder("--html", o.html)); err != nil {
		return err
	}
	if o.view != string(agent.ModelView) && o.view != string(agent.FullView) {
		return usagef("--view is model or full, not %q", o.view)
	}
	if o.tailed && o.tail < 1 {
		return usagef("--tail must be 1 or more, not %d; leave it out to show all turns", o.tail)
	}
	var r canon.Report
	s, err := o.open(ctx, &r)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if o.branches {
		return o.listBranches(ctx, s)
	}
	if !o.quiet {
		for _, l := range asideLines(&r) {
			fmt.Fprintln(o.err, visible(l))
		}
	}
	msgs := s.Messages(ctx)
	if o.tail > 0 && (o.json || o.html != "") {
		if msgs, err = lastTurns(ctx, s, o.tail); err != nil {
			return err
		}
	}
	switch {
	case o.json:
		return o.printCanonical(s.Thread(), msgs)
	case o.html == standardOutput:
		return transcript.HTML(o.out, s.Thread(), msgs)
	case o.html != "":
		return o.writePage(s.Thread(), msgs)
	}
	return o.page(ctx, func(w io.Writer) error {
		opts := transcript.TextOptions{Width: o.width, Tail: o.tail, Full: o.full}
		if o.outTTY && o.color {
			opts.Style = transcript.ANSI()
		}
		return transcript.Text(w, s.Thread(), msgs, opts)
	})
}

// conflicts refuses flags that say nothing to each other.
func (o *showOptions) conflicts() error {
	given := map[string]bool{"--json": o.json, "--html": o.html != "", "--full": o.full, "--branches": o.branches, "--tail": o.tailed, "--branch": o.branch != ""}
	return errors.Join(
		exclusive(given, "--json", "--html"),
		exclusive(given, "--json", "--full"), exclusive(given, "--html", "--full"), // these are whole
		exclusive(given, "--branches", "--html"), exclusive(given, "--branches", "--full"),
		exclusive(given, "--branches", "--tail"), exclusive(given, "--branches", "--branch"),
	)
}

func (o *showOptions) open(ctx context.Context, r *canon.Report) (agent.Session, error) {
	d, err := o.desk()
	if err != nil {
		return nil, err
	}
	e, err := o.find(ctx, d)
	if err != nil {
		return nil, err
	}
	a, err := o.reader(e.Agent)
	if err != nil {
		return nil, err
	}
	report, end := o.progress("reading")
	defer end()
	return a.Open(ctx, e.Path, agent.OpenOptions{View: agent.View(o.view), Branch: o.branch, Home: o.home, Report: r, Progress: report})
}

func (o *showOptions) find(ctx context.Context, d *handoff.Desk) (*agent.Entry, error) {
	dir, err := o.workDir()
	if err != nil {
		return nil, err
	}
	if o.session == "" {
		return o.pickSession(ctx, d, dir, o.from, "", o.all, nil)
	}
	return o.resolve(ctx, d, handoff.Wanted{Name: o.session, Dir: dir, Agent: o.from, All: o.all})
}

// reader returns the agent that reads sessions of the given id; the canonical
// form is read like one.
func (a *app) reader(id string) (agent.Agent, error) {
	if id == canonical.ID {
		return canonical.New(), nil
	}
	return a.agent(id)
}

func (o *showOptions) printCanonical(t canon.Thread, msgs canon.Messages) error {
	w := bufio.NewWriter(&unseenEscaper{w: o.out})
	e := canonical.NewEncoder(w, t)
	for m, err := range msgs {
		if err != nil {
			return err
		}
		if err := e.Message(m); err != nil {
			return err
		}
	}
	return w.Flush()
}

// writePage writes the page to a file, complete or not at all.
func (o *showOptions) writePage(t canon.Thread, msgs canon.Messages) (err error) {
	w, err := atomicfile.Create(o.html, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Abort()) }()
	if err := transcript.HTML(w, t, msgs); err != nil {
		return err
	}
	if err := w.Commit(); err != nil {
		return err
	}
	if !o.quiet {
		fmt.Fprintln(o.err, "wrote", visible(w.Path()))
	}
	return nil
}

// page sends what write prints through the person's pager, if standard output
// is a terminal.
func (o *showOptions) page(ctx context.Context, write func(io.Writer) error) error {
	pager := o.pager()
	if !o.outTTY || o.noPager || pager == "" {
		w := bufio.NewWriter(o.out)
		if err := write(w); err != nil {
			return err
		}
		return w.Flush()
	}
	cmd := pagerCommand(context.WithoutCancel(ctx), pager)
	cmd.Stdout, cmd.Stderr = os.Stdout, o.err // it has the terminal itself
	if cmd.Env = os.Environ(); o.home.Env("LESS") == "" {
		cmd.Env = append(cmd.Env, "LESS=FRX")
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	// The pager has the terminal, and ends when the person says so.
	defer o.interrupts.lend()()
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start the pager %q: %w", pager, err)
	}
	w := bufio.NewWriter(in)
	// A pager that was left early closes its end; that is no failure.
	werr := errors.Join(write(w), w.Flush())
	if errors.Is(werr, os.ErrClosed) || isBrokenPipe(werr) {
		werr = nil
	}
	err = errors.Join(werr, in.Close())
	if werr := cmd.Wait(); werr != nil {
		err = errors.Join(err, fmt.Errorf("show it in the pager %q: %w", pager, werr))
	}
	return err
}

// pagerCommand runs the pager itself where no shell is needed, since a shell
// would not survive Ctrl-C.
func pagerCommand(ctx context.Context, pager string) *exec.Cmd {
	words := strings.Fields(pager)
	if strings.ContainsAny(pager, "|&;<>()$`\\\"'*?[#~=%!{}") || len(words) == 0 {
		return exec.CommandContext(ctx, "sh", "-c", pager)
	}
	return exec.CommandContext(ctx, words[0], words[1:]...)
}

// pager is the command that shows long text; "" shows it directly.
func (o *showOptions) pager() string {
	for _, name := range []string{"CROSSWALK_PAGER", "PAGER"} {
		if v := o.home.Env(name); v != "" {
			if v == "cat" {
				return ""
			}
			return v
		}
	}
	if _, err := exec.LookPath("less"); err == nil {
		return "less"
	}
	return ""
}

func isBrokenPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }
