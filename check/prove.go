package check

import (
	"context"
	"errors"

	"github.com/crosswalk-agents/crosswalk/internal/jsonl"
)

// prove compares the readable content of the original and the copy: all of it,
// and that which the client reaches.
func (r *repairer) prove(ctx context.Context, copied *jsonl.File) error {
	all := func(f *jsonl.File) unitSource {
		return func(visit func(int, unit)) (int, error) { return eachUnit(ctx, f, r.o.Agent, visit) }
	}
	n, err := r.compare(all(r.orig), all(copied), false)
	if err != nil {
		return err
	}
	r.report.Blocks = n
	for _, n := range r.removed {
		r.report.Removed += int(n)
	}
	if r.o.Agent != agentClaude || r.turned() {
		return nil
	}
	reached := func(f *jsonl.File) unitSource {
		return func(visit func(int, unit)) (int, error) { return eachReached(ctx, f, visit) }
	}
	_, err = r.compare(reached(r.orig), reached(copied), true)
	return err
}

// turned reports whether the repair lets the client continue from another branch
// than before, on purpose.
func (r *repairer) turned() bool {
	for _, f := range r.report.Before.Findings {
		switch f.Rule {
		case "claude-stale-last-prompt", "claude-side-leaf", "claude-sidechain-leaf", "claude-sidechain-in-chain",
			"claude-missing-type", "claude-missing-uuid": // what was not read before may be the latest message now
			return true
		}
	}
	return false
}

// unitSource calls visit for pieces of content with their line and returns how
// many there are.
type unitSource func(visit func(line int, u unit)) (int, error)

// compare demands that every piece of one source is in the other, but for those
// that were removed on purpose.
func (r *repairer) compare(before, after unitSource, unreached bool) (int, error) {
	left := make(map[unit]int32)
	n, err := before(func(_ int, u unit) { left[u]++ })
	if err != nil {
		return 0, err
	}
	if _, err := after(func(_ int, u unit) { left[u]-- }); err != nil {
		return 0, err
	}
	for u, n := range r.removed {
		left[u] -= n
	}
	e := &LostError{Path: r.path, Unreached: unreached}
	for _, n := range left {
		e.Blocks += max(0, int(n))
	}
	if e.Blocks == 0 {
		return n, nil
	}
	_, err = before(func(line int, u unit) {
		if left[u] > 0 && e.Line == 0 {
			e.Line = line
		}
	})
	return 0, errors.Join(e, err)
}

// eachUnit visits each piece of content of a file that can be read.
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

// eachReached visits each piece of content of the messages that the client
// reaches, or that a summary stands for.
func eachReached(ctx context.Context, f *jsonl.File, visit func(line int, u unit)) (int, error) {
	c := newClaudeFile(newCollector(0), f, "")
	if _, err := c.scan(ctx); err != nil || c.firstMain < 0 {
		return 0, err
	}
	w := c.walk()
	if w.leaf < 0 {
		return 0, nil
	}
	w.sequence()
	n := 0
	for i := range c.x.records.Len() {
		if !w.seen[i] || !c.x.message(i) {
			continue
		}
		e := c.x.at(i)
		value, err := f.ReadAt(e.off, int(e.size))
		if err != nil {
			return n, err
		}
		u := units{add: func(d unit) {
			n++
			visit(int(e.line), d)
		}}
		u.claude(value)
	}
	return n, nil
}
