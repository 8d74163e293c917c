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
)

// boundary finds the hand-over that made the session, or the last pull from it,
// by content: resume, migration, fork, compaction, archive and compression
// change ids, lines and files, and leave the chain of content as it is. It
// returns the session's whole chain, too.
func (d *Desk) boundary(ctx context.Context, e *agent.Entry, s agent.Session, line int) (*origin, []canon.Link, error) {
	links, err := chain(ctx, s)
	if err != nil {
		return nil, nil, err
	}
	all, err := d.Handoffs(ctx)
	if err != nil {
		return nil, nil, err
	}
	at := make(map[string]int, len(links))
	for i, l := range links {
		at[l.String()] = i + 1
	}
	var best *origin
	var named *Handoff // a hand-over of this very session, whatever its content
	for _, h := range all {
		if h.Undone {
			continue
		}
		o := h.known(e.Agent)
		if o == nil {
			continue
		}
		if h.Op == OpTo && (o.added.ID == e.ID || o.added.ID == s.Thread().ForkedFrom) {
			named = h
		}
		n, ok := at[o.added.Chain]
		if !ok || n != o.added.Blocks || best != nil && n < best.blocks {
			continue
		}
		// A copy that is gone cannot be added to; what it held is new again.
		if path, err := d.locate(ctx, &o.base); err != nil || path == "" && h.Op == OpPull {
			continue
		}
		best = o
		best.blocks = n
	}
	switch {
	case best != nil && line == 0:
		if best.blocks == len(links) {
			return nil, nil, nothingNew(e, best.h)
		}
		return best, links, nil
	case named != nil && line > 0:
		o := named.known(e.Agent)
		o.blocks = 0
		return o, links, nil
	case named != nil:
		return nil, nil, d.diverged(ctx, e, s, named, links)
	}
	return nil, nil, fmt.Errorf("pull from %q: %w", e.ID, ErrNotHandedOver)
}

// nothingNew is the error for a session that holds no more than what h tells of.
func nothingNew(e *agent.Entry, h *Handoff) error {
	if h.Op == OpPull {
		return fmt.Errorf("pull from %q, now in %s session %q: %w since it was brought back", e.ID, h.Target.Agent, h.Target.ID, ErrNothingNew)
	}
	return fmt.Errorf("pull from %q: %w since it was handed over", e.ID, ErrNothingNew)
}

// known returns where additions to the session that h concerns go, if it is one
// of agent id.
func (h *Handoff) known(id string) *origin {
	switch {
	case h.Op == OpTo && h.Target.Agent == id:
		return &origin{h: h, added: h.Target, base: h.Source}
	case h.Op == OpPull && h.Source.Agent == id:
		return &origin{h: h, added: h.Source, base: h.Target}
	}
	return nil
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

// diverged tells where the session differs from what was handed over.
func (d *Desk) diverged(ctx context.Context, e *agent.Entry, s agent.Session, h *Handoff, links []canon.Link) error {
	dv := &DivergedError{Path: e.Path, Handed: h.Target.Blocks}
	handed, err := osx.ReadFile(filepath.Join(d.handoffDir(h.ID), "links"), maxLinks)
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	size := len(canon.Link{})
	for dv.Same < len(links) && (dv.Same+1)*size <= len(handed) && canon.Link(handed[dv.Same*size:(dv.Same+1)*size]) == links[dv.Same] {
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
				dv.Line = m.Line
				for t := range m.Texts() {
					dv.Text = agent.TitleFrom(t)
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
// newest of dir, or with all of any directory, that was handed over and has grown.
func (d *Desk) ChoosePull(ctx context.Context, dir string, all bool) (*agent.Entry, error) {
	q := agent.Query{Dir: dir}
	if all {
		q.Dir = ""
	}
	entries, errs := d.List(ctx, q, "")
	hs, err := d.Handoffs(ctx)
	if err != nil {
		return nil, err
	}
	skipped := make(map[string]int)
	for _, e := range entries {
		a, _, err := d.Agent(e.Agent)
		if err != nil {
			return nil, err
		}
		var mine []*Handoff
		for _, h := range hs {
			if !h.Undone && h.known(e.Agent) != nil {
				mine = append(mine, h)
			}
		}
		if len(mine) == 0 || unchangedSince(mine, &e) {
			skipped["not handed over, or not continued"]++
			continue
		}
		s, err := a.Open(ctx, e.Path, agent.OpenOptions{View: agent.FullView, Home: d.Home})
		if err != nil {
			continue
		}
		_, _, err = d.boundary(ctx, &e, s, 0)
		if cerr := s.Close(); cerr != nil {
			return nil, cerr
		}
		if err == nil {
			return &e, nil
		}
		var dv *DivergedError
		if errors.As(err, &dv) {
			return nil, err
		}
		skipped[reason(err)]++
	}
	nf := &NotFoundError{Dir: dir, Searched: d.searched(), Skipped: skipped, Pull: true}
	return nil, errors.Join(append([]error{nf}, errs...)...)
}

// unchangedSince reports whether a hand-over wrote the file as it is.
func unchangedSince(hs []*Handoff, e *agent.Entry) bool {
	for _, h := range hs {
		if h.Target.Path == e.Path && h.Target.Size == e.Size {
			return true
		}
	}
	return false
}

func reason(err error) string {
	s := err.Error()
	if i := strings.LastIndex(s, ": "); i >= 0 {
		return s[i+2:]
	}
	return s
}
