package handoff

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/jsonl"
)

// Convert writes the session at path, which src reads, as a session of dst: at
// out, or where dst keeps its sessions if out is empty, or as o.Folder or
// o.Scratch say. The source is never modified, and nothing is left behind when
// it fails.
//
// A session that is written anew while it is read is read once more.
func Convert(ctx context.Context, src agent.Agent, path string, dst agent.Writer, out string, o Options) (*Result, error) {
	if o.Now.IsZero() {
		o.Now = time.Now()
	}
	return readTwice(func() (*Result, error) { return convert(ctx, src, path, dst, out, o) })
}

// readTwice does what reads sessions once more, if one of them was written anew
// meanwhile. do leaves nothing behind when it fails, and has options of its own.
func readTwice(do func() (*Result, error)) (*Result, error) {
	res, err := do()
	if errors.Is(err, jsonl.ErrChanged) {
		res, err = do()
	}
	return res, err
}

func convert(ctx context.Context, src agent.Agent, path string, dst agent.Writer, out string, o Options) (_ *Result, err error) {
	res := new(Result)
	s, err := src.Open(ctx, path, agent.OpenOptions{View: o.View, Branch: o.Branch, Report: &res.Report, Home: o.Home, Progress: o.Progress})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	res.extent = agent.ExtentOf(s)
	msgs, err := selectTurns(ctx, s, &o, res)
	if err != nil {
		return nil, err
	}
	sm, err := src.Manifest()
	if err != nil {
		return nil, err
	}
	return res, write(ctx, s, closing(msgs, s), path, sm, dst, out, &o, res)
}

// closing returns msgs, and closes their session after the last of them: what is
// known of a large one is not kept while the target is read back.
func closing(msgs canon.Messages, s agent.Session) canon.Messages {
	return func(yield func(*canon.Message, error) bool) {
		for m, err := range msgs {
			if !yield(m, err) || err != nil {
				return
			}
		}
		if err := s.Close(); err != nil {
			yield(nil, err)
		}
	}
}

// selectTurns returns the messages of the turns that were asked for.
func selectTurns(ctx context.Context, s agent.Session, o *Options, res *Result) (canon.Messages, error) {
	msgs := ingest(s.Messages(ctx), &res.Report)
	if o.Turns <= 0 {
		return res.counting(msgs), nil
	}
	total, err := canon.CountTurns(s.Messages(ctx))
	if err != nil {
		return nil, err
	}
	res.Turns = min(o.Turns, total)
	return lastTurns(msgs, o.Turns, total, &res.Report), nil
}

// counting counts the turns that pass by.
func (res *Result) counting(msgs canon.Messages) canon.Messages {
	return each(msgs, func(m *canon.Message) *canon.Message {
		if m.StartsTurn() {
			res.Turns++
		}
		return m
	})
}

// write sends the messages through the stages and into the target.
func write(ctx context.Context, s agent.Session, msgs canon.Messages, path string, sm *agent.Manifest, dst agent.Writer, out string, o *Options, res *Result) error {
	srcThread := s.Thread()
	res.Thread = srcThread
	res.Source = Endpoint{Agent: srcThread.Agent, ID: name(srcThread.ID), Path: path}
	m, err := dst.Manifest()
	if err != nil {
		return err
	}
	t := srcThread
	if !isAbs(t.Dir) {
		t.Dir = ""
	}
	if t.Dir == "" && o.HereDir != "" {
		t.Dir = o.HereDir
		res.Report.Lose(canon.Loss{What: "cwd", Action: canon.Synthesized, Why: "the session does not say in which directory it worked"})
	}
	dirs := newMapper(o.Map)
	t.Dir, _ = dirs.path(t.Dir)
	t.Dir = realDir(t.Dir)
	if o.Dir != "" {
		t.Dir = o.Dir
	}
	o.KeepInstructions = o.KeepInstructions && !sharesRules(t.Dir, sm.Rules, m.Rules)
	msgs = travel(msgs, false, o, &res.Report)
	msgs = dirs.messages(msgs, &res.Report)
	msgs = canon.Heal(msgs, s.Calls(), &res.Report)
	g, err := newGuard(o, &res.Report)
	if err != nil {
		return err
	}
	t = g.thread(t)
	msgs = g.protect(msgs)
	msgs = res.measure(msgs)
	_, err = dst.Write(ctx, t, msgs, agent.WriteOptions{
		Home: o.Home, Path: cmp.Or(o.scratch(), out), Folder: o.Folder, ID: o.ID, Now: o.Now, Model: o.Model, Report: &res.Report, File: o.File,
		Elsewhere: out != "" || o.Folder != "",
		Marker:    agent.Marker{SourceAgent: srcThread.Agent, SourceID: res.Source.ID, Handoff: o.Handoff, Version: Version},
		Confirm: func(w *agent.Written) error {
			if err := res.written(w, m, t.Dir); err != nil {
				return err
			}
			res.Unmapped = dirs.unused()
			if err := res.Report.Balance(); err != nil {
				return fmt.Errorf("hand over %q: %w", path, err)
			}
			return o.confirm(res)
		},
	})
	res.published = err == nil
	return err
}

// written fills in what is known once the target is written, before it has its
// name.
func (res *Result) written(w *agent.Written, m *agent.Manifest, dir string) error {
	argv, err := m.ResumeArgv(w.ID)
	if err != nil {
		return err
	}
	res.Written = w
	res.Target = Endpoint{Agent: m.ID, ID: w.ID, Path: w.Path}
	res.Resume = &Resume{Dir: dir, Argv: argv}
	return nil
}

// measure estimates the tokens of what is handed over.
func (res *Result) measure(msgs canon.Messages) canon.Messages {
	return each(msgs, func(m *canon.Message) *canon.Message {
		for _, b := range m.Blocks {
			res.Report.Tokens += canon.EstimateTokens(b)
		}
		return m
	})
}
