package check

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
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
	// file twice, and error messages that passed for answers.
	Blocks  int `json:"blocks"`
	Removed int `json:"removed"`
	// Before and After are the reports on both files.
	Before *Report `json:"before"`
	After  *Report `json:"after"`
}

// RemainingError says that a repair would leave defects; nothing was written.
type RemainingError struct {
	Path     string
	Findings []Finding
}

func (e *RemainingError) Error() string {
	var rules []string
	for _, f := range e.Findings {
		rules = append(rules, fmt.Sprintf("%s (line %d)", f.Rule, f.Line))
	}
	return fmt.Sprintf("repair %q: cannot be repaired: %s", e.Path, strings.Join(rules, ", "))
}

// LostError says that a repair would have lost readable content; nothing was
// written.
type LostError struct {
	Path string
	// Blocks is how many pieces were missing, Line where the first one stands.
	Blocks, Line int
}

func (e *LostError) Error() string {
	return fmt.Sprintf("repair %q: %d pieces of content would be lost, the first one of line %d", e.Path, e.Blocks, e.Line)
}

// Repair writes a copy of the session file at path to out, which must not exist,
// without the defects that can be repaired. Records without a defect are copied
// byte for byte. The copy is checked: if an error would remain, but for those of
// the file's place and name, or if anything readable would be lost, nothing is
// written.
func Repair(ctx context.Context, path, out string, o Options) (_ *RepairReport, err error) {
	f, err := open(path, o.Limits)
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
	if err := r.sow(); err != nil {
		return nil, err
	}
	if err := r.rounds(ctx); err != nil {
		return nil, err
	}
	if err := r.write(ctx); err != nil {
		return nil, err
	}
	return &r.report, nil
}

// maxRounds is how often the steps are taken: one may bring something to light
// that an earlier one repairs.
const maxRounds = 3

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
	if err := r.verify(ctx, again); err != nil {
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
		err = &RemainingError{Path: r.path, Findings: left}
	}
	if err == nil {
		err = r.prove(ctx, f)
	}
	return errors.Join(err, f.Close())
}

// prove compares the readable content of both files.
func (r *repairer) prove(ctx context.Context, copied *jsonl.File) error {
	left := make(map[unit]int32)
	n, err := eachUnit(ctx, r.orig, r.o.Agent, func(_ int, u unit) { left[u]++ })
	if err != nil {
		return err
	}
	r.report.Blocks = n
	if _, err := eachUnit(ctx, copied, r.o.Agent, func(_ int, u unit) { left[u]-- }); err != nil {
		return err
	}
	for u, n := range r.removed {
		left[u] -= n
		r.report.Removed += int(n)
	}
	lost := 0
	for _, n := range left {
		lost += max(0, int(n))
	}
	if lost == 0 {
		return nil
	}
	e := &LostError{Path: r.path, Blocks: lost}
	_, err = eachUnit(ctx, r.orig, r.o.Agent, func(line int, u unit) {
		if left[u] > 0 && e.Line == 0 {
			e.Line = line
		}
	})
	return errors.Join(e, err)
}

// eachUnit calls f for each readable piece of content that can be read, and
// returns how many there are.
func eachUnit(ctx context.Context, f *jsonl.File, agent string, visit func(line int, u unit)) (int, error) {
	n, line := 0, 0
	u := units{add: func(d unit) {
		n++
		visit(line, d)
	}}
	l := lines{rules: lineRules{agent: agent}, found: newCollector(0)}
	l.record = func(rec jsonl.Record, value []byte) error {
		line = rec.Line
		if !isRecord(agent, rec, value) {
			return errNoRecord
		}
		if agent == agentClaude {
			u.claude(value)
		} else {
			u.codex(value)
		}
		return nil
	}
	return n, l.read(ctx, f)
}
