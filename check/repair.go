package check

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/crosswalk-agents/crosswalk/internal/atomicfile"
	"github.com/crosswalk-agents/crosswalk/internal/jsonl"
)

// Change is one thing that a repair changed.
type Change struct {
	// Rule is the id of the rule that asked for it.
	Rule string `json:"rule"`
	// Line of the file that was repaired, from 1; 0 for what was added at the end.
	Line int    `json:"line,omitempty"`
	What string `json:"what"`
}

// RepairReport tells what [Repair] did.
type RepairReport struct {
	Agent string `json:"agent"`
	Path  string `json:"path"`
	Out   string `json:"out"`
	// Changes in the order of the repair's steps.
	Changes []Change `json:"changes"`
	// Omitted counts the changes for a rule that are not listed.
	Omitted map[string]int `json:"omitted,omitempty"`
	// Blocks counts the readable pieces of content of the original. All of them
	// are in the copy but for Removed, which went on purpose: what stood in the
	// file twice, error messages that passed for answers, and images that no client
	// takes.
	Blocks  int `json:"blocks"`
	Removed int `json:"removed"`
	// Before and After are the reports on both files.
	Before *Report `json:"before"`
	After  *Report `json:"after"`
}

// Resumes returns the verdict on what the copy holds. Its name and the place where
// it lies are left out: a copy is put elsewhere.
func (r *RepairReport) Resumes() Verdict {
	rules := newCatalog()
	content := Report{}
	for _, f := range r.After.Findings {
		if !rules[f.Rule].Place {
			content.Findings = append(content.Findings, f)
		}
	}
	return content.Resumes()
}

// Misnamed reports whether the agent does not know the copy by its name.
func (r *RepairReport) Misnamed() bool {
	return slices.ContainsFunc(r.After.Findings, func(f Finding) bool { return f.Rule == r.Agent+"-file-name" })
}

// RemainingError says that a repair would leave defects; nothing was written.
type RemainingError struct {
	Path     string
	Findings []Finding
}

func (e *RemainingError) Error() string {
	rules := newCatalog()
	var defects []string
	for _, f := range e.Findings {
		if len(defects) == mostDefects {
			defects = append(defects, fmt.Sprintf("and %d more", len(e.Findings)-mostDefects))
			break
		}
		defect := fmt.Sprintf("%s [%s]", f.Message, f.Rule)
		if f.Line > 0 {
			defect = fmt.Sprintf("line %d: %s", f.Line, defect)
		}
		if rules[f.Rule].Repair == "" { // else the remedy is the repair that failed
			defect += "; " + f.Remedy
		}
		defects = append(defects, defect)
	}
	return fmt.Sprintf("repair %q: nothing was written, since the copy would not resume: %s", e.Path, strings.Join(defects, "\n"))
}

// mostDefects is how many defects a [RemainingError] names.
const mostDefects = 3

// LostError says that a repair would have lost readable content, or put it out
// of the client's reach; nothing was written.
type LostError struct {
	Path string
	// Blocks is how many pieces were missing, Line where the first one stands.
	Blocks, Line int
	// Unreached says that they are in the file, but no longer sent.
	Unreached bool
}

func (e *LostError) Error() string {
	what := "be lost"
	if e.Unreached {
		what = "no longer be reached"
	}
	pieces := "1 piece"
	if e.Blocks != 1 {
		pieces = fmt.Sprintf("%d pieces", e.Blocks)
	}
	return fmt.Sprintf("repair %q: nothing was written, since %s of content would %s, the first of line %d", e.Path, pieces, what, e.Line)
}

// Repair writes a copy of the session file at path to out, which must not exist,
// without the defects that can be repaired. Records without a defect are copied
// byte for byte. The copy is checked: if an error would remain, but for those of
// the file's place and name, or if anything readable would be lost, nothing is
// written.
func Repair(ctx context.Context, path, out string, o Options) (_ *RepairReport, err error) {
	if err := errors.Join(jsonl.CheckName(out), atomicfile.Free(out)); err != nil {
		return nil, err
	}
	f, err := jsonl.Open(ctx, path, o.Limits)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	before, err := checkFile(ctx, f, path, &o)
	if err != nil {
		return nil, err
	}
	o.Agent = before.Agent
	r := newRepairer(f, path, out, o)
	defer func() { err = errors.Join(err, r.close()) }()
	r.report.Before = before
	if err := r.seedIDs(); err != nil {
		return nil, err
	}
	err = r.attempt(ctx)
	var lost *LostError
	if errors.As(err, &lost) && lost.Unreached {
		// The order of the file is not that of the conversation: follow the client's
		// own guesses instead, which reach what they reached before.
		r.follow = true
		err = errors.Join(r.restart(), r.attempt(ctx))
	}
	if err != nil {
		return nil, err
	}
	return &r.report, nil
}

func (r *repairer) attempt(ctx context.Context) error {
	if err := r.rounds(ctx); err != nil {
		return err
	}
	return r.write(ctx)
}

// maxRounds is how often the steps are taken: one may bring something to light
// that an earlier one repairs.
const maxRounds = 6

func (r *repairer) rounds(ctx context.Context) error {
	for range maxRounds {
		if err := r.steps(ctx); err != nil {
			return err
		}
		after, err := r.examine(ctx, r.cur.File)
		if err != nil {
			return err
		}
		if len(after) == 0 {
			return nil
		}
	}
	return nil
}

func (r *repairer) steps(ctx context.Context) error {
	if r.o.Agent == agentClaude {
		return r.claude(ctx)
	}
	return r.codex(ctx)
}

// examine returns the errors of f that a copy must not have.
func (r *repairer) examine(ctx context.Context, f *jsonl.File) ([]Finding, error) {
	report, err := checkFile(ctx, f, r.out, &r.o)
	if err != nil {
		return nil, err
	}
	r.report.After = report
	var left []Finding
	for _, x := range report.Findings {
		if x.Severity == Error && !r.rules[x.Rule].Place {
			left = append(left, x)
		}
	}
	return left, nil
}

// write publishes the result once it has passed every check.
func (r *repairer) write(ctx context.Context) (err error) {
	w, err := atomicfile.Create(r.out, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Abort()) }()
	if _, err := io.Copy(w, r.cur.reader()); err != nil {
		return err
	}
	again, err := w.Reopen()
	if err != nil {
		return err
	}
	if err := errors.Join(r.verify(ctx, again), r.orig.Unchanged()); err != nil {
		return err
	}
	return w.Commit()
}

// verify re-reads the written file; it closes it.
func (r *repairer) verify(ctx context.Context, again *os.File) error {
	f, err := jsonl.FromFile(again)
	if err != nil {
		return errors.Join(err, again.Close())
	}
	left, err := r.examine(ctx, f)
	if err == nil && len(left) > 0 {
		for i := range left { // the lines are those of the copy
			left[i].Line = r.cur.line(left[i].Line)
		}
		err = &RemainingError{Path: r.path, Findings: left}
	}
	if err == nil {
		err = r.prove(ctx, f)
	}
	return errors.Join(err, f.Close())
}
