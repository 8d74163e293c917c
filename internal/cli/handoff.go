package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/handoff"
	"github.com/crosswalk-agents/crosswalk/internal/secret"
)

// handoffFlags are those of the commands that write a session.
type handoffFlags struct {
	*app
	view, system, now string
	maps              []string
	allowSecrets      bool
	json, dryRun      bool
	part              *cobra.Command // has the flags of registerPart
	o                 handoff.Options
}

// register adds the flags that all of them have.
func (h *handoffFlags) register(cmd *cobra.Command) {
	h.view = string(agent.ModelView)
	f := cmd.Flags()
	f.BoolVar(&h.json, "json", false, "print the result as JSON on standard output")
	f.BoolVar(&h.dryRun, "dry-run", false, "do everything but write the session")
	f.StringVar(&h.system, "system", "keep", "`keep|skip`: carry system and developer text, or leave it out")
	f.BoolVar(&h.o.Redact, "redact", false, "mask likely secrets")
	f.BoolVar(&h.allowSecrets, "allow-secrets", false, "hand over likely secrets unmasked")
	f.StringArrayVar(&h.maps, "map", nil, "replace directory OLD by NEW in the session's directory and in tool inputs (`OLD=NEW`, repeatable)")
	f.StringVar(&h.o.Model, "model", "", "name this `MODEL` as the one that answered, where the target's sessions name one")
	f.StringVar(&h.o.ID, "id", "", "the new session's `ID` (for reproducible output)")
	f.StringVar(&h.now, "now", "", "the `TIME` of the hand-over, RFC 3339 (for reproducible output)")
	completeWords(cmd, "system", "keep", "skip")
}

// registerPart adds the flags that say which part of a session is meant.
func (h *handoffFlags) registerPart(cmd *cobra.Command) {
	f := cmd.Flags()
	h.part = cmd
	f.IntVar(&h.o.Turns, "turns", 0, "hand over the last `N` turns only")
	f.StringVar(&h.o.Branch, "branch", "", "hand over the branch with this `RECORD` instead of the active one")
	registerView(cmd, &h.view)
}

// registerView adds --view.
func registerView(cmd *cobra.Command, view *string) {
	cmd.Flags().StringVar(view, "view", string(agent.ModelView), "`model|full`: what the model last saw, or what was before compactions, too")
	completeWords(cmd, "view", string(agent.ModelView), string(agent.FullView))
}

// The years that names of folders and clients' times can hold, in any time zone.
const (
	firstYear = 1970
	lastYear  = 9998
)

// options checks the flags and returns the options they stand for.
func (h *handoffFlags) options(dst *agent.Manifest) (handoff.Options, error) {
	o := h.o
	switch h.view {
	case string(agent.ModelView), string(agent.FullView):
		o.View = agent.View(h.view)
	default:
		return o, usagef("--view is model or full, not %q", h.view)
	}
	switch h.system {
	case "keep":
	case "skip":
		o.SkipSystem = true
	default:
		return o, usagef("--system is keep or skip, not %q", h.system)
	}
	if h.part != nil && h.part.Flags().Changed("turns") && o.Turns < 1 {
		return o, usagef("--turns must be 1 or more, not %d; leave it out to hand over all of them", o.Turns)
	}
	if o.Redact && h.allowSecrets {
		return o, usagef("--redact and --allow-secrets exclude each other")
	}
	for _, s := range h.maps {
		m, err := handoff.ParseMapping(s)
		if err != nil {
			return o, usageError{err}
		}
		o.Map = append(o.Map, m)
	}
	var err error
	if o.Now, err = h.at(); err != nil {
		return o, err
	}
	if o.ID != "" {
		if err := dst.CheckID(o.ID); err != nil {
			return o, usageError{err}
		}
	}
	o.Home = h.home
	return o, nil
}

// at returns the time of the hand-over.
func (h *handoffFlags) at() (time.Time, error) {
	if h.now == "" {
		return h.app.now, nil
	}
	t, err := time.Parse(time.RFC3339, h.now)
	if err != nil {
		return t, usagef("--now %q is not a time such as 2006-01-02T15:04:05Z", h.now)
	}
	if y := t.UTC().Year(); y < firstYear || y > lastYear {
		return t, usagef("--now %q is not between the years %d and %d", h.now, firstYear, lastYear)
	}
	return t, nil
}

// checkModel refuses a model for a target whose sessions name none.
func (h *handoffFlags) checkModel(dst *agent.Manifest) error {
	if h.o.Model != "" && !dst.NamesModel {
		return usagef("--model %q: the sessions of %s do not name a model", h.o.Model, dst.Name)
	}
	return nil
}

// errDryRun stops a hand-over before its file gets a name.
var errDryRun = errors.New("dry run")

// errMask says that the person chose to mask secrets.
var errMask = errors.New("mask the secrets")

// attempt hands over with do, and once more with masked secrets if the person
// chooses so. gate is asked before the session is written. The result of a dry
// run has no path: it was never there.
func (h *handoffFlags) attempt(opts *handoff.Options, gate func(*handoff.Result) error, do func() (*handoff.Result, error)) (_ *handoff.Result, err error) {
	if opts.DeepSecrets = h.dryRun; h.dryRun {
		if opts.Scratch, err = os.MkdirTemp("", "crosswalk-dry-run-"); err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(opts.Scratch)) }()
	}
	for {
		var seen *handoff.Result
		report, end := h.progress("reading")
		opts.Progress = report
		opts.Confirm = func(res *handoff.Result) error {
			end()
			seen = res
			return gate(res)
		}
		res, err := do()
		end()
		switch {
		case errors.Is(err, errMask):
			opts.Redact = true
			continue
		case errors.Is(err, errDryRun):
			seen.Target.Path, seen.Resume = "", nil // nothing is there
			return seen, nil
		}
		return res, err
	}
}

// gate says what goes where, and what of it looks like a secret.
func (h *handoffFlags) gate(ctx context.Context, src, dst *agent.Manifest, redact bool, res *handoff.Result) error {
	if !h.quiet {
		h.summary(h.err, res, src, dst, redact)
	}
	if h.dryRun {
		return errDryRun
	}
	if secretCount(res) == 0 || redact || h.allowSecrets {
		return nil
	}
	if !h.canAsk() {
		return hinted{
			secretsError(secretCount(res)),
			"mask them with --redact, or hand them over with --allow-secrets",
		}
	}
	switch h.choose(ctx, "Likely secrets would go to another vendor.", []string{"mask", "send", "stop"}) {
	case "mask":
		return errMask
	case "send":
		return nil
	}
	return errCancelled
}

// secretsError is the refusal to hand over that many likely secrets.
type secretsError int

func (n secretsError) Error() string {
	return fmt.Sprintf("the session holds %s", count(int(n), "likely secret"))
}

// warnTokens is the size past which a hand-over suggests to send less.
const warnTokens = 60_000

// summary tells a person what is handed over.
func (h *handoffFlags) summary(w io.Writer, res *handoff.Result, src, dst *agent.Manifest, redact bool) {
	t := res.Thread
	title := secret.Conceal(t.Title)
	if title == "" {
		title = "(no title)"
	}
	dir := t.Dir
	if res.Resume != nil { // where it goes on
		dir = res.Resume.Dir
	}
	fmt.Fprintf(w, "%s → %s: %s\n", src.Name, dst.Name, line(title))
	fmt.Fprintf(w, "  %s, last changed %s, %s, about %s tokens\n", line(dir), age(h.app.now, t.Updated), count(res.Turns, "turn"), thousands(res.Report.Tokens))
	if read := res.Report.Read; read.Torn > 0 {
		fmt.Fprintf(w, "  read up to line %d: what follows is not complete yet\n", read.Lines)
	}
	for _, m := range res.Unmapped {
		fmt.Fprintf(w, "  --map %s=%s replaced nothing\n", line(m.Old), line(m.New))
	}
	if lost := lossLine(res); lost != "" {
		fmt.Fprintf(w, "  left out: %s\n", lost)
	}
	for _, l := range asideLines(&res.Report) {
		fmt.Fprintf(w, "  %s\n", visible(l))
	}
	for _, kind := range slices.Sorted(maps.Keys(res.Report.Notes)) {
		if h.verbose {
			fmt.Fprintf(w, "  note: %s: %d\n", visible(kind), res.Report.Notes[kind])
		}
	}
	if n := secretCount(res); n == 0 && title != t.Title && !redact && !h.allowSecrets {
		fmt.Fprintln(w, "  only the title above is masked: --redact masks the session, too")
	}
	if n := secretCount(res); n > 0 {
		verb := "holds"
		if redact {
			verb = "masked:"
		}
		fmt.Fprintf(w, "  %s %s: %s\n", verb, count(n, "likely secret"), visible(secretLine(res)))
	}
	if res.Report.Tokens > warnTokens {
		fmt.Fprintf(w, "  that is a lot of context for a new session: --turns N hands over the last N turns only\n")
	}
	if h.verbose {
		for _, l := range lossLines(&res.Report) {
			fmt.Fprintf(w, "  %s\n", visible(l))
		}
	}
}

// noteDir says that the directory to go on in is not here, and what can be done
// beside making it.
func (h *handoffFlags) noteDir(res *handoff.Result, or string) {
	if !h.quiet && res.Resume != nil && !isDir(res.Resume.Dir) {
		fmt.Fprintf(h.err, "note: %s does not exist here: make it%s\n", line(res.Resume.Dir), or)
	}
}

// sayDryRun says that there is no result.
func (h *handoffFlags) sayDryRun() {
	if !h.quiet {
		fmt.Fprintln(h.err, "Nothing was written: this was a dry run.")
	}
}
