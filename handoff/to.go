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
	if o.Now.IsZero() {
		o.Now = time.Now()
	}
	o.Home = d.Home
	o.Handoff = o.handoffID(e.ID)
	if o.Lineage, err = d.LineageKey(ctx, e.ID); err != nil {
		return nil, err
	}
	res, err := Convert(ctx, src, e.Path, w, "", o)
	if err != nil {
		return nil, err
	}
	h := &Handoff{
		ID: o.Handoff, Op: OpTo, Request: request, Version: Version, Turns: res.Turns,
		Dir: res.Resume.Dir, Title: res.Thread.Title, Git: GitState(ctx, res.Resume.Dir), Folders: res.Written.Folders,
		Source: End{Agent: e.Agent, ID: res.Source.ID, Path: e.Path, Size: e.Size, Client: res.Thread.ClientVersion},
		Target: targetEnd(res),
	}
	return res, d.remember(ctx, h, res)
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

// remember writes the hand-over down. If that fails the target is removed
// again: a hand-over that nothing remembers could not be brought back.
func (d *Desk) remember(ctx context.Context, h *Handoff, res *Result) error {
	res.Handoff = h.ID
	err := d.keep(h, res.Written)
	if err == nil {
		err = d.record(ctx, h)
	}
	if err == nil {
		return nil
	}
	errs := []error{fmt.Errorf("write the hand-over down: %w", err), os.Remove(h.Target.Path), os.RemoveAll(d.handoffDir(h.ID))}
	if h.Side != "" {
		errs = append(errs, os.RemoveAll(h.Side))
	}
	removeEmpty(h.Folders)
	return errors.Join(errs...)
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
