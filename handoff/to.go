package handoff

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/osx"
)

// To hands the session e over to the agent target and writes it down in the
// journal. A hand-over of the same session, unchanged since, with the same
// options is not repeated unless again is set: the earlier result is returned
// with Again set.
func (d *Desk) To(ctx context.Context, e *agent.Entry, target string, o Options, again bool) (*Result, error) {
	src, _, err := d.Agent(e.Agent)
	if err != nil {
		return nil, fmt.Errorf("hand over %q: %w", e.ID, err)
	}
	w, m, err := d.writer(target)
	if err != nil {
		return nil, fmt.Errorf("hand over %q: %w", e.ID, err)
	}
	request, asked, err := digests(e, target, &o)
	if err != nil {
		return nil, err
	}
	known, err := d.handed(ctx)
	if err != nil {
		return nil, err
	}
	if !again {
		// One with another id than was asked for is another one.
		known.live = slices.DeleteFunc(known.live, func(h *Handoff) bool { return o.ID != "" && h.Target.ID != o.ID })
		if res, err := known.earlier(ctx, m, func(h *Handoff) bool { return h.Request == request }); res != nil || err != nil {
			return res, err
		}
		o.Confirm = known.unlessSame(ctx, m, asked, o.Confirm)
	}
	if o.Now.IsZero() {
		o.Now = time.Now()
	}
	o.Home = d.Home
	o.Handoff = o.handoffID(e.ID)
	if o.Lineage, err = d.LineageKey(ctx, e.ID); err != nil {
		return nil, err
	}
	if err := known.free(ctx, w, &o); err != nil {
		if again {
			return nil, err
		}
		return known.sameAs(ctx, src, e, w, asked, o, err)
	}
	d.remembering(ctx, &o, func(res *Result) *Handoff {
		from := e.Dir
		if from == res.Resume.Dir {
			from = ""
		}
		return &Handoff{
			ID: o.Handoff, Op: OpTo, From: from, Request: request, Asked: asked, Version: Version, Turns: res.Turns,
			Dir: res.Resume.Dir, Title: res.Thread.Title, Git: GitState(ctx, res.Resume.Dir), Folders: res.Written.Folders,
			Source: End{Agent: e.Agent, ID: res.Source.ID, Path: e.Path, Size: res.Report.Read.Size(), Extent: res.extent, Client: res.Thread.ClientVersion},
			Target: targetEnd(res),
		}
	})
	res, err := Convert(ctx, src, e.Path, w, "", o)
	var same *sameError
	if errors.As(err, &same) {
		return same.res, nil
	}
	if err != nil {
		return nil, d.forget(ctx, res, err)
	}
	return res, nil
}

// writer returns the adapter with the given id, to write sessions of.
func (d *Desk) writer(id string) (agent.Writer, *agent.Manifest, error) {
	a, m, err := d.Agent(id)
	if err != nil {
		return nil, nil, err
	}
	w, ok := a.(agent.Writer)
	if !ok {
		return nil, nil, fmt.Errorf("sessions of %s can be read, not written", m.Name)
	}
	return w, m, nil
}

// free returns a [TakenError] if the new session is to have an id that one of the
// agent's sessions has, under whatever name: their client could no longer tell
// them apart.
func (m *handed) free(ctx context.Context, a agent.Agent, o *Options) error {
	if o.ID == "" || o.Scratch != "" {
		return nil
	}
	for e, err := range a.Sessions(ctx, m.d.Home, agent.Query{ID: o.ID}) {
		if err == nil && e.ID == o.ID {
			return &TakenError{ID: o.ID, Path: e.Path, Handoff: m.made[keyOf(&e)]}
		}
	}
	return ctx.Err()
}

// TakenError says that a session has the id that a new one is to get.
type TakenError struct {
	ID, Path string
	// Handoff made that session; nil if none is known.
	Handoff *Handoff
}

func (e *TakenError) Error() string {
	if h := e.Handoff; h != nil {
		return fmt.Sprintf("a session with the id %q is in %q, which exists already: another hand-over made it", e.ID, e.Path)
	}
	return fmt.Sprintf("a session with the id %q is in %q, which exists already", e.ID, e.Path)
}

// Is implements the match with [fs.ErrExist].
func (*TakenError) Is(target error) bool { return target == fs.ErrExist }

// sameAs returns the result of the hand-over that made the session whose id is
// taken, if it was the same, or else taken. What would be written tells: it is
// written elsewhere, and goes.
func (m *handed) sameAs(ctx context.Context, src agent.Agent, e *agent.Entry, dst agent.Writer, asked string, o Options, taken error) (_ *Result, err error) {
	if !slices.ContainsFunc(m.live, func(h *Handoff) bool { return h.Asked == asked && h.Target.ID == o.ID }) {
		return nil, taken
	}
	target, err := dst.Manifest()
	if err != nil {
		return nil, err
	}
	if o.Scratch, err = os.MkdirTemp("", "crosswalk-same-"); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(o.Scratch)) }()
	o.Confirm = m.unlessSame(ctx, target, asked, func(*Result) error { return taken })
	_, err = Convert(ctx, src, e.Path, dst, "", o)
	var same *sameError
	if errors.As(err, &same) {
		return same.res, nil
	}
	return nil, err
}

func targetEnd(res *Result) End {
	w := res.Written
	return End{
		Agent: res.Target.Agent, ID: w.ID, Path: w.Path, Size: w.Size, Extent: w.Extent, Blocks: len(w.Links), Chain: lastLink(w.Links),
	}
}

// lastLink returns the end of a chain; "" if it is empty.
func lastLink(links []canon.Link) string {
	if len(links) == 0 {
		return ""
	}
	return links[len(links)-1].String()
}

// sameError stops a hand-over that was made before.
type sameError struct{ res *Result }

func (*sameError) Error() string { return "the same was handed over before" }

// unlessSame returns a Confirm that stops the hand-over if what was asked for
// has been handed over before and holds the same: the source may have been
// moved, compressed or only opened since.
func (m *handed) unlessSame(ctx context.Context, target *agent.Manifest, asked string, confirm func(*Result) error) func(*Result) error {
	return func(res *Result) error {
		end := targetEnd(res)
		same, err := m.earlier(ctx, target, func(h *Handoff) bool {
			return h.Asked == asked && h.Target.Blocks == end.Blocks && h.Target.Chain == end.Chain
		})
		switch {
		case err != nil:
			return err
		case same != nil:
			return &sameError{same}
		case confirm == nil:
			return nil
		}
		return confirm(res)
	}
}

// earlier returns the result of the newest hand-over that fits, if its target is
// still there.
func (m *handed) earlier(ctx context.Context, target *agent.Manifest, fits func(*Handoff) bool) (*Result, error) {
	for i := len(m.live) - 1; i >= 0; i-- {
		h := m.live[i]
		if h.Op != OpTo || !fits(h) {
			continue
		}
		path, err := m.d.locate(ctx, &h.Target)
		if err != nil {
			return nil, err
		}
		if path == "" {
			continue
		}
		argv, err := target.ResumeArgv(h.Target.ID)
		if err != nil {
			return nil, err
		}
		res := &Result{
			Source: Endpoint{Agent: h.Source.Agent, ID: h.Source.ID, Path: h.Source.Path},
			Target: Endpoint{Agent: h.Target.Agent, ID: h.Target.ID, Path: path},
			Resume: &Resume{Dir: h.Dir, Argv: argv}, Handoff: h.ID, Again: true, Turns: h.Turns,
		}
		// Without it the result is as good.
		if text, err := osx.ReadFile(filepath.Join(m.d.handoffDir(h.ID), keptReport), maxKept); err == nil {
			_ = json.Unmarshal(text, &res.Report)
		}
		return res, nil
	}
	return nil, nil
}
