package handoff

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/canon"
)

// sessionKey names a session whatever its file is called by now: clients move
// and compress files, and the id stays.
type sessionKey struct{ agent, id string }

func (e *End) key() sessionKey { return sessionKey{e.Agent, e.ID} }

func keyOf(e *agent.Entry) sessionKey { return sessionKey{e.Agent, e.ID} }

// handed are the hand-overs that were not undone.
type handed struct {
	d    *Desk
	live []*Handoff // oldest first
	// made are the newest hand-overs that wrote each session.
	made map[sessionKey]*Handoff
}

func (d *Desk) handed(ctx context.Context) (*handed, error) {
	all, err := d.Handoffs(ctx)
	if err != nil {
		return nil, err
	}
	m := &handed{d: d, made: make(map[sessionKey]*Handoff)}
	for _, h := range all {
		if !h.Undone {
			m.live = append(m.live, h)
			m.made[h.Target.key()] = h
		}
	}
	return m, nil
}

// known reports whether additions to a session of agent id could go anywhere.
func (m *handed) known(id string) bool {
	for _, h := range m.live {
		if h.known(id) != nil {
			return true
		}
	}
	return false
}

// maxForks bounds how many forks of forks are followed.
const maxForks = 16

// ancestors returns the session e and those that it is a fork of, the nearest
// first.
func (m *handed) ancestors(ctx context.Context, e *agent.Entry, forkedFrom string) []sessionKey {
	keys := []sessionKey{keyOf(e)}
	if forkedFrom == "" {
		forkedFrom = e.ForkedFrom
	}
	seen := map[string]bool{e.ID: true}
	for forkedFrom != "" && !seen[forkedFrom] && len(keys) < maxForks {
		seen[forkedFrom] = true
		keys = append(keys, sessionKey{e.Agent, forkedFrom})
		if m.made[keys[len(keys)-1]] != nil {
			break
		}
		parent, err := m.d.entry(ctx, e.Agent, forkedFrom)
		if err != nil || parent == nil {
			break
		}
		forkedFrom = parent.ForkedFrom
	}
	return keys
}

// family returns the hand-overs that the session e, or one that it is a fork
// of, was made by, and the pulls that brought back what was added to these: no
// other may say what of the session is new. If the journal knows none that made
// it, marked is the one that its marker tells of. It is empty if no hand-over
// made the session.
func (m *handed) family(ctx context.Context, e *agent.Entry, forkedFrom string, marked func() (*Handoff, error)) ([]*Handoff, error) {
	own := make(map[sessionKey]bool)
	for _, k := range m.ancestors(ctx, e, forkedFrom) {
		own[k] = true
	}
	var family []*Handoff
	for _, h := range m.live {
		if h.Op == OpTo && own[h.Target.key()] {
			family = append(family, h)
		}
	}
	if len(family) == 0 {
		h, err := marked()
		if h == nil || err != nil {
			return nil, err
		}
		family = append(family, h)
	}
	bases := make(map[sessionKey]bool)
	for _, h := range family {
		bases[h.Source.key()] = true
	}
	for _, h := range m.live {
		if h.Op == OpPull && h.Source.Agent == e.Agent && (own[h.Source.key()] || bases[sessionKey{h.Target.Agent, h.Base}]) {
			bases[h.Target.key()] = true
			family = append(family, h)
		}
	}
	return family, nil
}

// entry finds a session by its id; nil if it is gone.
func (d *Desk) entry(ctx context.Context, agentID, id string) (*agent.Entry, error) {
	a, _, err := d.Agent(agentID)
	var unknown *UnknownAgentError
	switch {
	case errors.As(err, &unknown):
		return nil, nil
	case err != nil:
		return nil, err
	}
	for e, err := range a.Sessions(ctx, d.Home, agent.Query{ID: id}) {
		if err == nil && e.ID == id {
			e = d.presentable(&e)
			return &e, nil
		}
	}
	return nil, ctx.Err()
}

// standing is how a session stands to the hand-over that made it.
type standing struct {
	// h made the session; nil if none is known.
	h *Handoff
	// grown says that something was added to it, or that it was changed; continued
	// that all that was handed over is still there.
	grown, continued bool
	// nothing says that it holds nothing but what was handed over, or brought back
	// since; nil of a copy that a pull made, which is a person's own session.
	nothing *NothingNewError
}

// comesFrom reports whether the session was handed over from agent and has
// grown since. A copy that a pull made is a person's own session.
func (s *standing) comesFrom(agent string) bool {
	return s.h != nil && s.grown && s.h.Op == OpTo && s.h.Source.Agent == agent
}

// Reasons to pass over a session that has nothing new.
const (
	notContinued = "handed over and not continued"
	broughtBack  = "brought back already"
)

// untouched is the standing of e, the target of h as it was written.
func (h *Handoff) untouched(e *agent.Entry) standing {
	if h.Op == OpPull {
		return standing{h: h}
	}
	return standing{h: h, nothing: &NothingNewError{Entry: *e, Handoff: h, made: h}}
}

// standing tells how e stands to the hand-over that made it. What a client
// notes when it only opens a session is no growth: the content tells.
func (m *handed) standing(ctx context.Context, e *agent.Entry) (standing, error) {
	h := m.made[keyOf(e)]
	switch {
	case h == nil && e.ForkedFrom == "" && e.Origin == nil:
		return standing{}, nil
	case h != nil && h.Target.Path == e.Path && h.Target.Size == e.Size:
		return h.untouched(e), nil
	}
	a, _, err := m.d.Agent(e.Agent)
	if err != nil {
		return standing{}, err
	}
	s, err := a.Open(ctx, e.Path, agent.OpenOptions{View: agent.FullView, Home: m.d.Home})
	if err != nil {
		return standing{h: h, grown: h != nil}, ctx.Err() // it says so itself when it is read
	}
	st, err := m.compare(ctx, e, s, h)
	if st.continued && h != nil && h.Op == OpPull {
		// Its client has it. Of a hand-over the pull says so.
		err = errors.Join(err, m.d.unkeep(h))
	}
	return st, errors.Join(err, s.Close())
}

// compare is standing for a session of which the file does not tell.
func (m *handed) compare(ctx context.Context, e *agent.Entry, s agent.Session, h *Handoff) (standing, error) {
	if h != nil && h.Op == OpPull {
		links, err := chain(ctx, s)
		if err != nil {
			return standing{}, err
		}
		if h.Target.Blocks == len(links) && h.Target.Chain == lastLink(links) {
			return h.untouched(e), nil
		}
		n := h.Target.Blocks
		return standing{h: h, grown: true, continued: n > 0 && n < len(links) && links[n-1].String() == h.Target.Chain}, nil
	}
	from, _, err := m.boundary(ctx, e, s, 0)
	var nothing *NothingNewError
	var dv *DivergedError
	switch {
	case err == nil:
		return standing{h: from.made, grown: true, continued: true}, nil
	case errors.As(err, &nothing):
		return standing{h: nothing.made, nothing: nothing}, nil
	case errors.As(err, &dv):
		return standing{h: dv.made, grown: true}, nil
	}
	return standing{}, ctx.Err()
}

// NothingNewError says that a session holds nothing beyond what the session that
// it came from, or a copy of that, knows. It matches [ErrNothingNew].
type NothingNewError struct {
	// Entry is the session that was looked at.
	Entry agent.Entry
	// Handoff made it, or brought back all that was added. Its time is zero if only
	// the session's marker tells of it.
	Handoff *Handoff
	// Nearest is a session elsewhere that has something new, if one was looked for.
	Nearest *agent.Entry
	// Unlisted are errors of the listing in which the session was chosen.
	Unlisted []error
	// made is the hand-over that made the session.
	made *Handoff
}

func (e *NothingNewError) Error() string {
	if next := e.Next(); e.Pulled() {
		return fmt.Sprintf("nothing new in %s session %q: everything is in %s session %q", e.Entry.Agent, e.Entry.ID, next.Agent, next.ID)
	}
	return fmt.Sprintf("nothing new in %s session %q", e.Entry.Agent, e.Entry.ID)
}

// Is implements the match with [ErrNothingNew].
func (e *NothingNewError) Is(target error) bool { return target == ErrNothingNew }

// Pulled reports whether something was added, and a pull has brought it back.
func (e *NothingNewError) Pulled() bool { return e.Handoff.Op == OpPull }

// Next is the session to go on in: the one that was looked at, or the copy that
// holds what was brought back from it.
func (e *NothingNewError) Next() Endpoint {
	if t := &e.Handoff.Target; e.Pulled() {
		return Endpoint{Agent: t.Agent, ID: t.ID, Path: t.Path}
	}
	return Endpoint{Agent: e.Entry.Agent, ID: e.Entry.ID, Path: e.Entry.Path}
}

func (e *NothingNewError) why() string {
	if e.Pulled() {
		return broughtBack
	}
	return notContinued
}

// marked returns the hand-over that the session's own marker tells of, for one
// that the journal does not know: made on another machine, or before the
// journal was lost. It is nil if the session has no marker. Where its marker
// says how much was handed over, links is the chain of that.
func (d *Desk) marked(ctx context.Context, e *agent.Entry, s agent.Session) (h *Handoff, links []canon.Link, err error) {
	t := s.Thread()
	if t.Origin == nil || t.Origin.ID == "" {
		return nil, nil, nil
	}
	var unknown *UnknownAgentError
	if _, _, err := d.Agent(t.Origin.Agent); errors.As(err, &unknown) {
		return nil, nil, nil
	}
	h = &Handoff{
		Op: OpTo, Dir: t.Dir, Title: t.Title,
		Source: End{Agent: t.Origin.Agent, ID: t.Origin.ID},
		Target: End{Agent: e.Agent, ID: e.ID, Path: e.Path},
	}
	from, err := d.entry(ctx, t.Origin.Agent, t.Origin.ID)
	if err != nil {
		return nil, nil, err
	}
	if from != nil {
		h.Source.Path = from.Path
		if from.Dir != h.Dir {
			h.From = from.Dir
		}
	}
	lines := agent.ExtentOf(s).Marked
	if lines == 0 {
		return h, nil, nil
	}
	a, _, err := d.Agent(e.Agent)
	if err != nil {
		return nil, nil, err
	}
	then, err := a.Open(ctx, e.Path, agent.OpenOptions{View: agent.FullView, Home: d.Home, Lines: lines})
	if err != nil {
		return h, nil, ctx.Err() // the lines that it names are no session
	}
	links, err = chain(ctx, then)
	h.Target.Blocks, h.Target.Chain = len(links), lastLink(links)
	return h, links, errors.Join(err, then.Close())
}

// unkeep removes the bytes of a target that were kept until its client had
// continued it.
func (d *Desk) unkeep(h *Handoff) error {
	if h.ID == "" {
		return nil
	}
	err := os.Remove(filepath.Join(d.handoffDir(h.ID), keptTarget))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
