package handoff

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/atomicfile"
)

// remembering makes writing the hand-over down the last part of confirming it.
// The target gets its name after that: whenever this process may be killed, a
// target that is there is remembered, and one that is not is nothing but a line
// of the journal.
func (d *Desk) remembering(ctx context.Context, o *Options, of func(*Result) *Handoff) {
	asked := o.Confirm
	o.Confirm = func(res *Result) error {
		if asked != nil {
			if err := asked(res); err != nil {
				return err
			}
		}
		h := of(res)
		h.Title = d.conceal(h.Title)
		err := d.keep(ctx, h, res)
		if err == nil {
			err = d.record(ctx, kindHandoff, h)
		}
		if err != nil {
			return errors.Join(fmt.Errorf("write the hand-over down: %w", err), os.RemoveAll(d.handoffDir(h.ID)))
		}
		res.Handoff = h.ID
		return nil
	}
}

// forget takes back what was written down if err kept the target from its name.
func (d *Desk) forget(ctx context.Context, res *Result, err error) error {
	if res == nil || res.Handoff == "" || res.published {
		return err
	}
	gone := d.record(context.WithoutCancel(ctx), kindFailed, mention{Handoff: res.Handoff})
	return errors.Join(err, gone, os.RemoveAll(d.handoffDir(res.Handoff)))
}

// handoffDir is where what belongs to one hand-over is kept.
func (d *Desk) handoffDir(id string) string { return filepath.Join(d.State, "handoff", id) }

// What is kept of a hand-over: the bytes of its target, until the target was
// continued; their digest chain; what was put beside it; and the report.
const (
	keptTarget = "target.jsonl"
	keptLinks  = "links"
	keptSide   = "side"
	keptReport = "report.json"
)

// maxKept bounds what is read of one of these files, in bytes.
const maxKept = 256 << 20

// keep stores what is kept of a hand-over, so that what the target's client may
// lose is not lost. What a killed hand-over of the same id has left is replaced.
func (d *Desk) keep(ctx context.Context, h *Handoff, res *Result) error {
	d.sweep(ctx)
	dir, w := d.handoffDir(h.ID), res.Written
	if h.Side != "" {
		list, err := sideList(h.Side)
		if err != nil {
			return err
		}
		text, err := json.Marshal(list)
		if err != nil {
			return err
		}
		if err := atomicfile.ReplaceFile(filepath.Join(dir, keptSide), text, 0o600); err != nil {
			return err
		}
	}
	report, err := json.Marshal(&res.Report)
	if err != nil {
		return err
	}
	if err := atomicfile.ReplaceFile(filepath.Join(dir, keptReport), report, 0o600); err != nil {
		return err
	}
	links := make([]byte, 0, len(w.Links)*len(canon.Link{}))
	for _, l := range w.Links {
		links = append(links, l[:]...)
	}
	if err := atomicfile.ReplaceFile(filepath.Join(dir, keptLinks), links, 0o600); err != nil {
		return err
	}
	return keepTarget(w, filepath.Join(dir, keptTarget))
}

func keepTarget(w *agent.Written, to string) (err error) {
	in, err := w.Reopen()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	out, err := atomicfile.Replace(to, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Abort()) }()
	if _, err := io.Copy(out, in); err != nil {
		return err
	}
	return out.Commit()
}

// keptAge is how old a folder of kept files must be to count as left over: one
// that is in the making is written down in a moment.
const keptAge = time.Hour

// sweep removes what is kept of hand-overs that were undone, or never written
// down because the process was killed. What cannot be removed now waits.
func (d *Desk) sweep(ctx context.Context) {
	dirs, err := os.ReadDir(filepath.Dir(d.handoffDir("id")))
	if err != nil || len(dirs) == 0 {
		return
	}
	all, damage, err := d.read(ctx)
	if err != nil {
		return
	}
	known := make(map[string]*Handoff, len(all))
	for _, h := range all {
		known[h.ID] = h
	}
	for _, dir := range dirs {
		info, err := dir.Info()
		if err != nil || time.Since(info.ModTime()) < keptAge {
			continue
		}
		h := known[dir.Name()]
		left := h == nil && len(damage) == 0 // a damaged line may be about it
		if h != nil && h.Undone {
			_, err := os.Lstat(h.Target.Path)
			left = !d.begun(h) || errors.Is(err, fs.ErrNotExist)
		}
		if left {
			_ = os.RemoveAll(d.handoffDir(dir.Name()))
		}
	}
}

// record writes a record to the journal.
func (d *Desk) record(ctx context.Context, kind string, payload any) error {
	j, err := d.ledger()
	if err != nil {
		return err
	}
	return j.Append(ctx, kind, payload)
}
