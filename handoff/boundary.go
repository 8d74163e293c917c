package handoff

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/osx"
	"github.com/crosswalk-agents/crosswalk/internal/secret"
)

// boundary finds the hand-over that made the session, or the last pull from it,
// by content: resume, migration, fork, compaction, archive and compression
// change ids, lines and files, and leave the chain of content as it is. It
// returns the session's whole chain, too. With a line, what follows that line of
// the session's own file is new.
func (m *handed) boundary(ctx context.Context, e *agent.Entry, s agent.Session, line int) (*origin, []canon.Link, error) {
	links, err := chain(ctx, s)
	if err != nil {
		return nil, nil, err
	}
	var handed []canon.Link
	family, err := m.family(ctx, e, s.Thread().ForkedFrom, func() (h *Handoff, err error) {
		h, handed, err = m.d.marked(ctx, e, s)
		return h, err
	})
	if err != nil {
		return nil, nil, err
	}
	candidates, made := family, newestTo(family)
	if made == nil {
		candidates = m.live
	}
	best, err := m.best(ctx, e.Agent, candidates, links)
	switch {
	case err != nil:
		return nil, nil, err
	case best == nil && made == nil:
		return nil, nil, fmt.Errorf("pull from %q: %w", e.ID, ErrNotHandedOver)
	case made == nil:
		if made = best.h; made.Op == OpPull && m.made[made.Source.key()] != nil {
			made = m.made[made.Source.key()]
		}
	case line > 0:
		best = made.known(e.Agent)
	case best == nil && made.Target.Chain == "":
		return nil, nil, fmt.Errorf("pull from %q: %w", e.ID, ErrNoBoundary)
	case best == nil:
		return nil, nil, m.d.diverged(ctx, e, s, made, links, handed)
	}
	best.made = made
	if line == 0 && best.blocks == len(links) {
		return nil, nil, &NothingNewError{Entry: *e, Handoff: best.h, made: made}
	}
	return best, links, nil
}

// best returns the candidate that knows most of the chain; nil if none does.
func (m *handed) best(ctx context.Context, agentID string, candidates []*Handoff, links []canon.Link) (best *origin, err error) {
	at := make(map[string]int, len(links))
	for i, l := range links {
		at[l.String()] = i + 1
	}
	for _, h := range candidates {
		o := h.known(agentID)
		if o == nil {
			continue
		}
		end := h.end()
		n, ok := at[end.Chain]
		if !ok || n != end.Blocks || best != nil && n < best.blocks {
			continue
		}
		// A copy that is gone cannot be added to; what it held is new again.
		if h.Op == OpPull {
			path, err := m.d.locate(ctx, &o.base)
			if err != nil {
				return nil, err
			}
			if path == "" {
				continue
			}
		}
		best = o
		best.blocks = n
	}
	return best, nil
}

// newestTo returns the newest hand-over that is no pull; nil if there is none.
func newestTo(hs []*Handoff) (h *Handoff) {
	for _, x := range hs {
		if x.Op == OpTo {
			h = x
		}
	}
	return h
}

// known returns where additions to the session that h concerns go, if it is one
// of agent id.
func (h *Handoff) known(id string) *origin {
	switch {
	case h.Op == OpTo && h.Target.Agent == id:
		return &origin{h: h, base: h.Source}
	case h.Op == OpPull && h.Source.Agent == id:
		return &origin{h: h, base: h.Target}
	}
	return nil
}

// end is the side of h that may be added to.
func (h *Handoff) end() *End {
	if h.Op == OpPull {
		return &h.Source
	}
	return &h.Target
}

// chain returns the digest chain of a session.
func chain(ctx context.Context, s agent.Session) ([]canon.Link, error) {
	var d canon.Digester
	var link canon.Link
	var links []canon.Link
	for m, err := range s.Messages(ctx) {
		if err != nil {
			return nil, err
		}
		for _, b := range m.Blocks {
			if canon.Chained(m, b) {
				link = d.Extend(link, d.Block(m, b))
				links = append(links, link)
			}
		}
	}
	return links, nil
}

// maxQuoted is how much of a text is looked at for what a message quotes of it,
// in bytes.
const maxQuoted = 4 << 10

// diverged tells where the session differs from what was handed over; handed is
// the chain of that, if it is not to be taken from what was kept.
func (d *Desk) diverged(ctx context.Context, e *agent.Entry, s agent.Session, h *Handoff, links, handed []canon.Link) error {
	dv := &DivergedError{Path: e.Path, Handed: h.Target.Blocks, made: h}
	if handed == nil {
		kept, err := osx.ReadFile(filepath.Join(d.handoffDir(h.ID), keptLinks), maxKept)
		if err != nil && !os.IsNotExist(err) {
			return err
		}
		for size := len(canon.Link{}); len(kept) >= size; kept = kept[size:] {
			handed = append(handed, canon.Link(kept[:size]))
		}
	}
	for dv.Same < min(len(links), len(handed)) && handed[dv.Same] == links[dv.Same] {
		dv.Same++
	}
	n := 0
	for m, err := range s.Messages(ctx) {
		if err != nil {
			return err
		}
		for _, b := range m.Blocks {
			if !canon.Chained(m, b) {
				continue
			}
			if n == dv.Same {
				dv.Line, dv.File = m.Line, m.File
				for t := range m.Texts() {
					dv.Text = agent.TitleFrom(secret.Conceal(t[:min(len(t), maxQuoted)]))
					break
				}
				return dv
			}
			n++
		}
	}
	return dv
}

// ChoosePull returns the session to bring back from when none is named: the
// newest of dir that was handed over and has grown. If none has, the error is a
// [NothingNewError] for the newest hand-over, or a [NotFoundError]. With boundary a person says
// what of it is new, whatever its content. The session that an error is about is
// returned with it.
func (d *Desk) ChoosePull(ctx context.Context, dir string, all, boundary bool) (*agent.Entry, error) {
	entries, errs := d.List(ctx, agent.Query{}, "")
	m, err := d.handed(ctx)
	if err != nil {
		return nil, err
	}
	skipped := make(map[string]int)
	var last *NothingNewError
	var elsewhere []*agent.Entry
	for i := range entries {
		e := &entries[i]
		if !all && e.Dir != dir {
			elsewhere = append(elsewhere, e)
			continue
		}
		why, nothing, err := m.pullable(ctx, e)
		var dv *DivergedError
		switch {
		case errors.As(err, &dv) && !boundary:
			return e, err
		case errors.Is(err, ErrNoBoundary) && !boundary:
			why = reason(err)
		case err != nil && dv == nil && !errors.Is(err, ErrNoBoundary):
			return nil, err
		}
		if why == "" {
			return e, nil
		}
		skipped[why]++
		if nothing != nil && (last == nil || nothing.Handoff.Time.After(last.Handoff.Time)) {
			last = nothing
		}
	}
	nf := &NotFoundError{Dir: dir, Searched: d.searched(), Skipped: skipped, Pull: true}
	if all {
		nf.Dir = ""
	}
	for _, e := range elsewhere {
		st, err := m.standing(ctx, e)
		if err != nil {
			return nil, err
		}
		if st.h != nil && st.grown && st.h.Op == OpTo {
			nf.Nearest = e
			break
		}
	}
	if last != nil {
		last.Nearest, last.Unlisted = nf.Nearest, errs
		return nil, last
	}
	return nil, errors.Join(append([]error{nf}, errs...)...)
}

// pullable returns why there is nothing to bring back from e, "" if there is;
// and nothing if all of it is known.
func (m *handed) pullable(ctx context.Context, e *agent.Entry) (why string, nothing *NothingNewError, err error) {
	h := m.made[keyOf(e)]
	switch {
	case h != nil && h.Op == OpPull, e.Origin == nil && !m.known(e.Agent):
		return "not handed over", nil, nil
	case h != nil && h.Target.Path == e.Path && h.Target.Size == e.Size:
		return notContinued, &NothingNewError{Entry: *e, Handoff: h, made: h}, nil
	}
	a, _, err := m.d.Agent(e.Agent)
	if err != nil {
		return "", nil, err
	}
	s, err := a.Open(ctx, e.Path, agent.OpenOptions{View: agent.FullView, Home: m.d.Home})
	if err != nil {
		return "not readable", nil, ctx.Err()
	}
	_, _, err = m.boundary(ctx, e, s, 0)
	if cerr := s.Close(); cerr != nil {
		return "", nil, cerr
	}
	var dv *DivergedError
	switch {
	case err == nil:
		return "", nil, nil
	case errors.As(err, &nothing):
		return nothing.why(), nothing, nil
	case errors.As(err, &dv), errors.Is(err, ErrNoBoundary), ctx.Err() != nil:
		return "", nil, err
	case errors.Is(err, ErrNotHandedOver):
		return "not handed over", nil, nil
	}
	return reason(err), nil, nil
}

func reason(err error) string {
	s := err.Error()
	if i := strings.LastIndex(s, ": "); i >= 0 {
		return s[i+2:]
	}
	return s
}
