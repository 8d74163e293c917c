package handoff

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/canon"
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
	request, err := requestDigest(e, target, &o)
	if err != nil {
		return nil, err
	}
	if !again {
		if res, err := d.earlier(ctx, request, m); res != nil || err != nil {
			return res, err
		}
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
		return &Handoff{
			ID: o.Handoff, Op: OpTo, Request: request, Version: Version, Turns: res.Turns,
			Dir: res.Resume.Dir, Title: res.Thread.Title, Git: GitState(ctx, res.Resume.Dir), Folders: res.Written.Folders,
			Source: End{Agent: e.Agent, ID: res.Source.ID, Path: e.Path, Size: res.Report.Read.Size(), Client: res.Thread.ClientVersion},
			Target: targetEnd(res),
		}
	})
	res, err := Convert(ctx, src, e.Path, w, "", o)
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
	return End{Agent: res.Target.Agent, ID: w.ID, Path: w.Path, Size: w.Size, Blocks: len(w.Links), Chain: lastLink(w.Links)}
}

// lastLink returns the end of a chain; "" if it is empty.
func lastLink(links []canon.Link) string {
	if len(links) == 0 {
		return ""
	}
	return links[len(links)-1].String()
}

// earlier returns the result of the same hand-over, if its target is still
// there.
func (d *Desk) earlier(ctx context.Context, request string, m *agent.Manifest) (*Result, error) {
	all, err := d.Handoffs(ctx)
	if err != nil {
		return nil, err
	}
	for i := len(all) - 1; i >= 0; i-- {
		h := all[i]
		if h.Request != request || h.Undone {
			continue
		}
		if _, err := os.Lstat(h.Target.Path); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		argv, err := m.ResumeArgv(h.Target.ID)
		if err != nil {
			return nil, err
		}
		return &Result{
			Source: Endpoint{Agent: h.Source.Agent, ID: h.Source.ID, Path: h.Source.Path},
			Target: Endpoint{Agent: h.Target.Agent, ID: h.Target.ID, Path: h.Target.Path},
			Resume: &Resume{Dir: h.Dir, Argv: argv}, Handoff: h.ID, Again: true, Turns: h.Turns,
		}, nil
	}
	return nil, nil
}
