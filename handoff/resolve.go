package handoff

import (
	"context"
	"errors"
	"slices"

	"github.com/crosswalk-agents/crosswalk/agent"
)

// Standing is how a session stands to the hand-over that made it.
type Standing struct {
	// Handoff is nil if none is known.
	Handoff *Handoff
	// Grown says that something was added since.
	Grown bool
}

// Back reports whether there is something to bring back.
func (s *Standing) Back() bool { return s.Handoff != nil && s.Handoff.Op == OpTo && s.Grown }

// Standings tells how each of the entries stands to the hand-over that made it.
func (d *Desk) Standings(ctx context.Context, entries []agent.Entry) ([]Standing, error) {
	m, err := d.handed(ctx)
	if err != nil {
		return nil, err
	}
	all := make([]Standing, len(entries))
	for i := range entries {
		st, err := m.standing(ctx, &entries[i])
		if err != nil {
			return nil, err
		}
		all[i] = Standing{Handoff: st.h, Grown: st.grown}
	}
	return all, nil
}

// ResolvePull finds the session to bring back from that arg names, as
// [Desk.Resolve] does. An original stands for what was made of it: the newest of
// its hand-overs that has grown.
func (d *Desk) ResolvePull(ctx context.Context, arg, dir string, all bool) (agent.Entry, error) {
	e, err := d.Resolve(ctx, arg, dir, "", all)
	var several *AmbiguousError
	matches := []agent.Entry{e}
	switch {
	case errors.As(err, &several):
		matches = several.Matches
	case err != nil:
		return e, err
	}
	meant, lookup := d.pullsOf(ctx, matches)
	switch {
	case lookup != nil:
		return e, lookup
	case len(meant) == 1:
		return meant[0], nil
	case len(meant) > 1:
		return e, &AmbiguousError{Wanted: arg, Matches: meant}
	}
	return e, err
}

// PullOf returns the session to bring back from if e is what a person means: e
// itself, or what was made of it.
func (d *Desk) PullOf(ctx context.Context, e agent.Entry) (agent.Entry, error) {
	meant, err := d.pullsOf(ctx, []agent.Entry{e})
	if len(meant) > 0 && err == nil {
		e = meant[0]
	}
	return e, err
}

// pullsOf returns what there is to bring back from the entries and what was made
// of them: of each what has grown, the newest. If that is nothing, and there is
// one entry, it is the newest that was made of it, to say why.
func (d *Desk) pullsOf(ctx context.Context, entries []agent.Entry) (meant []agent.Entry, err error) {
	m, err := d.handed(ctx)
	if err != nil {
		return nil, err
	}
	for i := range entries {
		for _, t := range append([]agent.Entry{entries[i]}, m.targets(ctx, &entries[i])...) {
			st, err := m.standing(ctx, &t)
			if err != nil {
				return nil, err
			}
			if st.h == nil || !st.grown || st.h.Op != OpTo {
				continue
			}
			if !slices.ContainsFunc(meant, func(x agent.Entry) bool { return keyOf(&x) == keyOf(&t) }) {
				meant = append(meant, t)
			}
			break
		}
	}
	if len(meant) > 0 || len(entries) != 1 || m.made[keyOf(&entries[0])] != nil {
		return meant, nil
	}
	targets := m.targets(ctx, &entries[0])
	return targets[:min(1, len(targets))], nil
}

// targets returns what the session e was handed over to, the newest first.
func (m *handed) targets(ctx context.Context, e *agent.Entry) (targets []agent.Entry) {
	seen := make(map[sessionKey]bool)
	for _, h := range m.live {
		if h.Op != OpTo || h.Source.key() != keyOf(e) || seen[h.Target.key()] {
			continue
		}
		seen[h.Target.key()] = true
		if t, err := m.d.entry(ctx, h.Target.Agent, h.Target.ID); err == nil && t != nil {
			targets = append(targets, *t)
		}
	}
	slices.SortStableFunc(targets, func(a, b agent.Entry) int { return b.Modified.Compare(a.Modified) })
	return targets
}
