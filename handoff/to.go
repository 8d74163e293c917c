package handoff

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
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
	dst, m, err := d.Agent(target)
	if err != nil {
		return nil, fmt.Errorf("hand over %q: %w", e.ID, err)
	}
	w, ok := dst.(agent.Writer)
	if !ok {
		return nil, fmt.Errorf("hand over to %s: its sessions can be read, not written", m.Name)
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
	if err := d.free(ctx, w, &o); err != nil {
		return nil, err
	}
	if o.Now.IsZero() {
		o.Now = time.Now()
	}
	o.Home = d.Home
	o.Handoff = o.handoffID(e.ID)
	if o.Lineage, err = d.LineageKey(ctx, e.ID); err != nil {
		return nil, err
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

// free returns an error if the new session is to have an id that one of the
// agent's sessions has, under whatever name: their client could no longer tell
// them apart.
func (d *Desk) free(ctx context.Context, a agent.Agent, o *Options) error {
	if o.ID == "" || o.Scratch != "" {
		return nil
	}
	for e, err := range a.Sessions(ctx, d.Home, agent.Query{ID: o.ID}) {
		if err == nil && e.ID == o.ID {
			return fmt.Errorf("session %q exists already, as %q: %w; choose another id", o.ID, e.Path, fs.ErrExist)
		}
	}
	return ctx.Err()
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
