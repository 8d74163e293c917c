package handoff

import (
	"context"
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

// ResolvePull finds the session to bring back from that is wanted, as
// [Desk.Resolve] does. An original stands for what was made of it: the newest of
// its hand-overs that has grown.
func (d *Desk) ResolvePull(ctx context.Context, w Wanted) (*Choice, error) {
	found, byTitle, err := d.named(ctx, &w)
	if err != nil {
		return nil, err
	}
	meant, err := d.pullsOf(ctx, found)
	if err != nil {
		return nil, err
	}
	if len(meant) == 0 {
		meant = found
	}
	return d.newest(ctx, &w, meant, byTitle)
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
// of them: of each what has grown, the newest. If that is nothing, it is all that
// was handed over, to say why: of each what was made of it, the newest.
func (d *Desk) pullsOf(ctx context.Context, entries []agent.Entry) (meant []agent.Entry, err error) {
	m, err := d.handed(ctx)
	if err != nil {
		return nil, err
	}
	var still []agent.Entry
	add := func(to *[]agent.Entry, t agent.Entry) {
		if !slices.ContainsFunc(*to, func(x agent.Entry) bool { return keyOf(&x) == keyOf(&t) }) {
			*to = append(*to, t)
		}
	}
	for i := range entries {
		first := true
		for _, t := range append([]agent.Entry{entries[i]}, m.targets(ctx, &entries[i])...) {
			st, err := m.standing(ctx, &t)
			if err != nil {
				return nil, err
			}
			if st.h == nil || st.h.Op != OpTo {
				continue
			}
			if st.grown {
				add(&meant, t)
				break
			}
			if first {
				add(&still, t)
				first = false
			}
		}
	}
	if len(meant) == 0 {
		meant = still
	}
	slices.SortStableFunc(meant, func(a, b agent.Entry) int { return b.Modified.Compare(a.Modified) })
	return meant, nil
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
