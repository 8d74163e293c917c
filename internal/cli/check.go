package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/check"
	"github.com/crosswalk-agents/crosswalk/handoff"
	"github.com/crosswalk-agents/crosswalk/internal/uuid"
)

// checkOptions are those of `crosswalk check`.
type checkOptions struct {
	*app
	session, repair string
	json, rules     bool
}

func newCheck(a *app) *cobra.Command {
	o := &checkOptions{app: a}
	cmd := &cobra.Command{
		Use:   "check SESSION|FILE",
		Short: "Tell whether a session will resume, and repair a copy of it",
		Long: `Check a session without starting its client: will it resume, does all of its
history reach the model, is it listed? Findings have stable rule ids; exit code 3
says that the session will not resume as it should. --repair writes a repaired
copy: the original is never touched, and nothing that can be read is lost. Name
the copy as its client does, under a new id: UUID.jsonl for Claude Code,
rollout-TIME-UUID.jsonl for Codex; where to put it is printed.`,
		Example: `  crosswalk check 3f1c0d52
  crosswalk check broken.jsonl --repair 8c1f6a52-0b3d-4e7a-9f24-5d6e7f8091a2.jsonl`,
		Args: arguments(0, "SESSION"),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case o.rules && (len(args) > 0 || o.repair != ""):
				return usagef("--rules lists the rules and checks nothing")
			case o.rules:
				return o.printRules()
			case o.json && o.repair == standardOutput:
				return usagef("--json and --repair - exclude each other: both print to standard output")
			case len(args) == 0:
				return usagef("SESSION or FILE is missing")
			}
			o.session = args[0]
			return o.run(cmd.Context())
		},
		ValidArgsFunction: a.completeSession,
	}
	f := cmd.Flags()
	f.StringVar(&o.repair, "repair", "", "write a repaired copy to `OUT` (- is standard output)")
	f.BoolVar(&o.json, "json", false, "print the findings as JSON")
	f.BoolVar(&o.rules, "rules", false, "list the rules")
	return cmd
}

func (o *checkOptions) run(ctx context.Context) error {
	if err := notAFolder("--repair", o.repair); err != nil {
		return err
	}
	path, err := o.path(ctx)
	if err != nil {
		return err
	}
	report, end := o.progress("checking")
	defer end()
	opts := check.Options{Progress: report, Fill: o.providerToName()}
	switch o.repair {
	case "":
	case standardOutput:
		return o.mendToOutput(ctx, path, opts, end)
	default:
		return o.mend(ctx, path, opts, end)
	}
	rep, err := check.Check(ctx, path, opts)
	end()
	switch {
	case err != nil:
		return err
	case o.json:
		err = printJSON(o.out, rep)
	default:
		o.print(rep)
	}
	return errors.Join(err, problems(rep))
}

// providerToName returns the model provider that sessions have to name here; "" if
// that is not known.
func (o *checkOptions) providerToName() string {
	for _, ag := range o.agents {
		if p, ok := ag.(interface{ Provider(home agent.Home) string }); ok {
			return p.Provider(o.home)
		}
	}
	return ""
}

// problems returns an error if the session will not resume as it should.
func problems(rep *check.Report) error {
	if rep.Count(check.Error) == 0 && rep.Resumes() == check.VerdictResumes {
		return nil
	}
	return errors.Join(errProblems, errSilent)
}

// path resolves a session to its file; a file that no agent can read is checked
// all the same.
func (o *checkOptions) path(ctx context.Context) (string, error) {
	if handoff.IsFile(o.session) {
		return filepath.Abs(o.session)
	}
	d, err := o.desk()
	if err != nil {
		return "", err
	}
	dir, err := o.workDir()
	if err != nil {
		return "", err
	}
	e, err := o.resolve(ctx, d, handoff.Wanted{Name: o.session, Dir: dir, All: true})
	if err != nil {
		return "", err
	}
	return e.Path, nil
}

// print tells the findings as compilers do, and the verdict.
func (o *checkOptions) print(rep *check.Report) {
	path := line(rep.Path)
	for _, f := range rep.Findings {
		o.printFinding(o.out, path, &f)
	}
	o.printOmitted(rep.Omitted)
	if !o.quiet {
		fmt.Fprintf(o.out, "%s: %s, %s: %s\n", path, o.name(rep.Agent), count(rep.Records, "record"), verdict(rep, rep.Resumes()))
	}
}

func (o *checkOptions) printFinding(w io.Writer, path string, f *check.Finding) {
	where := path
	if f.Line > 0 {
		where += fmt.Sprintf(":%d", f.Line)
	}
	fmt.Fprintf(w, "%s: %s: %s [%s]\n", where, f.Severity, line(f.Message), f.Rule)
	if f.Remedy != "" && !o.quiet {
		fmt.Fprintf(w, "    %s\n", line(f.Remedy))
	}
}

func (o *checkOptions) printOmitted(omitted map[string]int) {
	for _, rule := range slices.Sorted(maps.Keys(omitted)) {
		fmt.Fprintf(o.out, "… and %d more [%s]\n", omitted[rule], rule)
	}
}

// verdict answers "will it resume?" in words.
func verdict(rep *check.Report, v check.Verdict) string {
	switch v {
	case check.VerdictRefused:
		return "it will not resume"
	case check.VerdictLosesHistory:
		said := "it resumes without a part of its history"
		if r := rep.Reachable; r.Chain < r.All {
			said += fmt.Sprintf(" (%d of %d messages)", r.Chain, r.All)
		}
		return said
	case check.VerdictResumes:
	}
	return "it will resume"
}

func (o *checkOptions) mend(ctx context.Context, path string, opts check.Options, end func()) error {
	out, err := filepath.Abs(o.repair)
	if err != nil {
		return err
	}
	rep, err := check.Repair(ctx, path, out, opts)
	end()
	if err != nil {
		return err
	}
	left := o.sayRepair(rep)
	if o.json {
		return errors.Join(printJSON(o.out, rep), left)
	}
	if left == nil && !o.quiet {
		if err := o.sayNext(ctx, rep, out); err != nil {
			return err
		}
	}
	fmt.Fprintln(o.out, visible(out))
	return left
}

// mendToOutput prints the repaired copy. It is written to a folder of its own
// first, under the name of the original, and printed only once it has passed.
func (o *checkOptions) mendToOutput(ctx context.Context, path string, opts check.Options, end func()) (err error) {
	dir, err := os.MkdirTemp("", "crosswalk-repair-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	out := filepath.Join(dir, strings.TrimSuffix(filepath.Base(path), ".zst"))
	rep, err := check.Repair(ctx, path, out, opts)
	end()
	if err != nil {
		return err
	}
	left := o.sayRepair(rep)
	f, err := os.Open(out)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	w := o.out
	if o.outTTY {
		w = &unseenEscaper{w: w}
	}
	_, err = io.Copy(w, f)
	return errors.Join(err, left)
}

// sayRepair tells what was repaired. It returns an error if the copy will not
// resume as it should.
func (o *checkOptions) sayRepair(rep *check.RepairReport) (left error) {
	if rep.Resumes() != check.VerdictResumes {
		left = errors.Join(errProblems, errSilent)
	}
	if o.quiet || o.json {
		return left
	}
	for _, c := range rep.Changes {
		where := "end"
		if c.Line > 0 {
			where = fmt.Sprintf("line %d", c.Line)
		}
		fmt.Fprintf(o.err, "%s: %s [%s]\n", where, line(c.What), c.Rule)
	}
	if len(rep.Changes) == 0 {
		fmt.Fprintln(o.err, "nothing to repair")
	}
	fmt.Fprintf(o.err, "%s kept, %d left out; the copy: %s\n", count(rep.Blocks-rep.Removed, "piece")+" of content", rep.Removed, verdict(rep.After, rep.Resumes()))
	for _, f := range rep.After.Findings {
		if f.Severity == check.Error && f.Rule != rep.Agent+"-file-name" { // what is left says why
			o.printFinding(o.err, line(rep.Out), &f)
		}
	}
	return left
}

// sayNext tells how the repaired copy is resumed: in its agent's home, under an
// id that no other session has.
func (o *checkOptions) sayNext(ctx context.Context, rep *check.RepairReport, out string) error {
	ag, err := o.agent(rep.Agent)
	if err != nil {
		return err
	}
	m, err := ag.Manifest()
	if err != nil {
		return err
	}
	s, err := ag.Open(ctx, out, agent.OpenOptions{Home: o.home})
	if err != nil {
		return err
	}
	t := s.Thread()
	if err := s.Close(); err != nil {
		return err
	}
	if rep.Misnamed() {
		fmt.Fprintf(o.err, "%s takes no session by the name %s.\n", m.Name, line(filepath.Base(out)))
		return o.sayPlace(ag, m, &t, out, "")
	}
	for e, err := range ag.Sessions(ctx, o.home, agent.Query{ID: t.ID}) {
		switch {
		case err != nil:
		case e.Path != out:
			fmt.Fprintf(o.err, "A session with the id %s is there already.\n", shownID(t.ID))
			return o.sayPlace(ag, m, &t, out, "")
		default:
			argv, err := m.ResumeArgv(t.ID)
			if err != nil {
				return err
			}
			fmt.Fprintf(o.err, "Resume it:\n  %s\n", shellCommand(&handoff.Resume{Dir: t.Dir, Argv: argv}))
			return nil
		}
	}
	return o.sayPlace(ag, m, &t, out, t.ID)
}

// sayPlace tells where the client looks for the repaired copy: by the name that
// it has, or by that of a fresh id if id is empty.
func (o *checkOptions) sayPlace(ag agent.Agent, m *agent.Manifest, t *canon.Thread, out, id string) error {
	placer, ok := ag.(agent.Placer)
	if !ok {
		return nil
	}
	fresh := id == ""
	if fresh {
		id = uuid.New(o.now)
	}
	place, err := placer.Place(o.home, t.Dir, id, o.now)
	if err != nil {
		fmt.Fprintf(o.err, "note: %s\n", visible(err.Error()))
		return nil
	}
	argv, err := m.ResumeArgv(id)
	if err != nil {
		return err
	}
	folder, move, under := shellWord(filepath.Dir(place)), "mv "+shellWord(out)+" "+shellWord(filepath.Dir(place)), ""
	if fresh { // what is in the file has to change, too
		move, under = "crosswalk check "+shellWord(out)+" --repair "+shellWord(place), " as "+filepath.Base(place)
	}
	fmt.Fprintf(o.err, "Put the copy in its place%s and resume it:\n  mkdir -p %s && %s && %s\n",
		under, folder, move, shellCommand(&handoff.Resume{Dir: t.Dir, Argv: argv}))
	return nil
}

func (o *checkOptions) printRules() error {
	for _, r := range check.Rules() {
		if o.json {
			if err := printJSON(o.out, r); err != nil {
				return err
			}
			continue
		}
		fmt.Fprintf(o.out, "%-36s %-8s %s\n", r.ID, r.Severity, r.Summary)
	}
	return nil
}
