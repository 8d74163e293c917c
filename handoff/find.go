package handoff

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/internal/jsonl"
)

// Recognise returns the agent that wrote the file at path: by how it begins,
// and where that does not tell, by who can read it.
func (d *Desk) Recognise(ctx context.Context, path string) (agent.Agent, error) {
	all := slices.Concat(d.Agents, d.Readers)
	id, err := identify(ctx, path)
	if err != nil {
		return nil, err
	}
	for _, a := range all {
		if m, err := a.Manifest(); err == nil && m.ID == id {
			return a, nil
		}
	}
	if id != "" {
		return nil, &agent.ForeignError{Path: path, Got: id}
	}
	var first error
	for _, a := range all {
		s, err := a.Open(ctx, path, agent.OpenOptions{Home: d.Home})
		if err == nil {
			return a, s.Close()
		}
		// The agent whose file it is says best what is wrong with it.
		if first == nil || !errors.Is(err, agent.ErrForeign) {
			first = err
		}
		var foreign *agent.ForeignError
		if !errors.As(err, &foreign) && !errors.Is(err, agent.ErrForeign) && !errors.Is(err, agent.ErrNoConversation) {
			return nil, err
		}
	}
	if first == nil {
		return nil, errors.New("no agent is known")
	}
	return nil, first
}

// identify returns the id of the agent whose format the file begins with.
func identify(ctx context.Context, path string) (id string, err error) {
	f, err := jsonl.Open(ctx, path, jsonl.Limits{})
	if err != nil {
		return "", fmt.Errorf("open session: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return agent.Identify(f)
}

// MinPrefix is how much of an id names a session.
const MinPrefix = 4

// Wanted names a session.
type Wanted struct {
	// Name is a path, an id, the beginning of one, a title or a part of a title.
	Name string
	// Dir comes first: a session elsewhere is taken if none there fits, and one that
	// is named by its title only with All.
	Dir string
	All bool
	// Agent is the id of the one whose sessions count; empty is all.
	Agent string
	// Not is the id of an agent whose sessions are meant only if no other fits.
	Not string
}

// Resolve finds the session that is wanted. A title stands for the newest of the
// sessions that have it and came of one another. The error for several others
// is an [AmbiguousError], that for none a [NotFoundError].
func (d *Desk) Resolve(ctx context.Context, w Wanted) (*Choice, error) {
	found, byTitle, err := d.named(ctx, &w)
	if err != nil {
		return nil, err
	}
	return d.newest(ctx, &w, found, byTitle)
}

// named returns the sessions that w names, the newest first, and whether it does
// by their title.
func (d *Desk) named(ctx context.Context, w *Wanted) (found []agent.Entry, byTitle bool, err error) {
	if IsFile(w.Name) {
		e, err := d.fromPath(ctx, w.Name, w.Agent)
		return []agent.Entry{e}, false, err
	}
	entries, errs := d.List(ctx, agent.Query{}, w.Agent)
	lower := strings.ToLower(w.Name)
	here := func(e *agent.Entry) bool { return w.All || e.Dir == w.Dir }
	for i, fits := range []func(e *agent.Entry) bool{
		func(e *agent.Entry) bool { return w.Name != "" && strings.EqualFold(e.ID, w.Name) },
		func(e *agent.Entry) bool {
			return len(w.Name) >= MinPrefix && strings.HasPrefix(strings.ToLower(e.ID), lower)
		},
		func(e *agent.Entry) bool {
			return here(e) && (strings.ToLower(e.Title) == lower || strings.ToLower(e.OwnTitle()) == lower)
		},
		func(e *agent.Entry) bool { return here(e) && strings.Contains(strings.ToLower(e.Title), lower) },
	} {
		if found := match(entries, fits); len(found) > 0 {
			if i == 0 {
				found = found[:1]
			}
			return found, i > 1, nil
		}
	}
	if isPath(w.Name) { // titles of such sessions look the same, and there is none
		_, err := os.Stat(w.Name)
		if err == nil {
			_, err = d.fromPath(ctx, w.Name, w.Agent)
		}
		return nil, false, errors.Join(append([]error{fmt.Errorf("no session is called %q, and there is no such file: %w", w.Name, err)}, errs...)...)
	}
	nf := &NotFoundError{Wanted: w.Name, Dir: w.Dir, Searched: d.searched()}
	nf.Short = slices.ContainsFunc(entries, func(e agent.Entry) bool { return strings.HasPrefix(strings.ToLower(e.ID), lower) })
	if found := match(entries, func(e *agent.Entry) bool { return strings.Contains(strings.ToLower(e.Title), lower) }); len(found) > 0 {
		nf.Nearest = &found[0]
	}
	return nil, false, errors.Join(append([]error{nf}, errs...)...)
}

// newest returns the one of the sessions found that w names.
func (d *Desk) newest(ctx context.Context, w *Wanted, found []agent.Entry, byTitle bool) (*Choice, error) {
	if others := match(found, func(e *agent.Entry) bool { return e.Agent != w.Not }); len(others) > 0 {
		found = others
	}
	if !byTitle || len(found) == 1 {
		if len(found) > 1 {
			return nil, &AmbiguousError{Wanted: w.Name, Matches: found}
		}
		return &Choice{Entry: found[0]}, nil
	}
	known, err := d.handed(ctx)
	if err != nil {
		return nil, err
	}
	type namesake struct {
		root  sessionKey
		title string
	}
	var c Choice
	var first []agent.Entry
	of := known.kinship(found)
	seen := make(map[namesake]bool)
	for _, e := range found {
		n := namesake{of.root(keyOf(&e)), strings.ToLower(e.OwnTitle())}
		if seen[n] {
			c.Older = append(c.Older, e)
			continue
		}
		seen[n] = true
		first = append(first, e)
	}
	if len(first) > 1 {
		return nil, &AmbiguousError{Wanted: w.Name, Matches: first}
	}
	c.Entry = first[0]
	return &c, nil
}

func match(entries []agent.Entry, fits func(*agent.Entry) bool) []agent.Entry {
	var out []agent.Entry
	for i := range entries {
		if fits(&entries[i]) {
			out = append(out, entries[i])
		}
	}
	return out
}

// fromPath makes an entry of a file that was named.
func (d *Desk) fromPath(ctx context.Context, path, only string) (agent.Entry, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return agent.Entry{}, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return agent.Entry{}, fmt.Errorf("open session: %w", err)
	}
	var a agent.Agent
	if only != "" {
		a, _, err = d.Agent(only)
	} else {
		a, err = d.Recognise(ctx, path)
	}
	if err != nil {
		return agent.Entry{}, err
	}
	s, err := a.Open(ctx, path, agent.OpenOptions{Home: d.Home})
	if err != nil {
		return agent.Entry{}, err
	}
	m, err := a.Manifest()
	if err != nil {
		return agent.Entry{}, errors.Join(err, s.Close())
	}
	t := s.Thread()
	e := agent.Entry{Agent: m.ID, ID: t.ID, Path: path, Title: t.Title, Dir: realDir(t.Dir), Modified: info.ModTime(), Size: info.Size(), Origin: t.Origin, ForkedFrom: t.ForkedFrom}
	return d.presentable(&e), s.Close()
}

// Choice is a session that was chosen: without being named, or of several that
// have the name.
type Choice struct {
	agent.Entry
	// Why tells how one was chosen that was not named.
	Why string
	// Skipped counts newer sessions in which nobody typed, by reason.
	Skipped map[string]int
	// Passed are newer sessions that hand-overs wrote, and that hold nothing new:
	// whether the choice is what is meant, a person has to say.
	Passed []*NothingNewError
	// Older are the sessions that have the same title and are of the same lineage.
	Older []agent.Entry
}

// Choose returns the session to hand over to the agent target when none is
// named: the one this shell runs in, else the newest typed one of dir of any
// other agent. If from is not empty, only that agent's count. A copy that a pull
// made is a session like any other; a hand-over that holds nothing new is passed
// over.
func (d *Desk) Choose(ctx context.Context, dir, target, from string, all bool) (*Choice, error) {
	made, err := d.handed(ctx)
	if err != nil {
		return nil, err
	}
	if c, err := d.current(ctx, target, from); c != nil || err != nil {
		if err != nil {
			return c, err
		}
		st, err := made.standing(ctx, &c.Entry)
		if err == nil && st.comesFrom(target) {
			return nil, &ComesFromError{Entry: c.Entry, Handoff: st.h}
		}
		return c, err
	}
	q := agent.Query{Dir: dir}
	if all {
		q.Dir = ""
	}
	entries, errs := d.List(ctx, q, from)
	skipped := make(map[string]int)
	var passed []*NothingNewError
	for _, e := range entries {
		if e.Agent == target {
			continue
		}
		if e.Hidden != "" {
			skipped[string(e.Hidden)]++
			continue
		}
		st, err := made.standing(ctx, &e)
		switch {
		case err != nil:
			return nil, err
		case st.comesFrom(target):
			return nil, &ComesFromError{Entry: e, Handoff: st.h}
		case st.nothing != nil:
			passed = append(passed, st.nothing)
			continue
		}
		return &Choice{Entry: e, Why: "the newest session here", Skipped: skipped, Passed: passed}, nil
	}
	for _, n := range passed {
		skipped[n.why()]++
	}
	nf := d.Missing(ctx, dir, target, from, all)
	for why, n := range skipped {
		nf.Skipped[why] += n
	}
	return nil, errors.Join(append([]error{nf}, errs...)...)
}

// Missing returns the error that says that no session of dir can be handed over
// to target, and what is there instead.
func (d *Desk) Missing(ctx context.Context, dir, target, from string, all bool) *NotFoundError {
	nf := &NotFoundError{Dir: dir, Searched: d.searched(), Skipped: make(map[string]int)}
	if all {
		nf.Dir = ""
	}
	everywhere, errs := d.List(ctx, agent.Query{}, "")
	nf.Empty = len(everywhere) == 0 && len(errs) == 0
	for i := range everywhere {
		e := &everywhere[i]
		switch {
		case !all && e.Dir != dir:
			if e.Agent != target && e.Hidden == "" && (from == "" || from == e.Agent) && (nf.Nearest == nil || above(e.Dir, dir) > above(nf.Nearest.Dir, dir)) {
				nf.Nearest = e
			}
		case target != "" && e.Agent == target:
			nf.Skipped["the target's own"]++
		}
	}
	return nf
}

// above tells how near the directory up is above dir; 0 if it is not.
func above(up, dir string) int {
	if rest, ok := strings.CutPrefix(dir, up); !ok || rest == "" || rest[0] != filepath.Separator && up != string(filepath.Separator) {
		return 0
	}
	return len(up)
}

// ComesFromError says that the newest session is itself a hand-over of a
// session of the target: bringing back what was added is what is wanted.
type ComesFromError struct {
	Entry   agent.Entry
	Handoff *Handoff
}

func (e *ComesFromError) Error() string {
	return fmt.Sprintf("the newest session here, %q, was itself handed over from %s session %q and has grown since",
		e.Entry.ID, e.Handoff.Source.Agent, e.Handoff.Source.ID)
}

// Is implements the match with [ErrRefused].
func (e *ComesFromError) Is(target error) bool { return target == ErrRefused }

// current returns the session that this shell runs in, or nil.
func (d *Desk) current(ctx context.Context, target, from string) (*Choice, error) {
	for _, a := range d.Agents {
		m, err := a.Manifest()
		if err != nil {
			return nil, err
		}
		if m.ID == target || from != "" && from != m.ID {
			continue
		}
		for _, name := range m.SessionEnv {
			id := d.Home.Env(name)
			if id == "" || m.CheckID(id) != nil {
				continue
			}
			for e, err := range a.Sessions(ctx, d.Home, agent.Query{ID: id}) {
				if err == nil && e.ID == id {
					return &Choice{Entry: d.presentable(&e), Why: "the session this shell runs in (" + name + ")"}, nil
				}
			}
		}
	}
	return nil, nil
}
