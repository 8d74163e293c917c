package handoff

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/canon"
)

// PullOptions are the choices of Desk.Pull beside those of every hand-over.
type PullOptions struct {
	Options
	// OntoHandoff adds to the original as it was when it was handed over,
	// instead of as it is now.
	OntoHandoff bool
	// Review brings back the final answer of each added turn only.
	Review bool
	// Boundary is the line of the session after which it counts as new; 0 finds
	// it by content.
	Boundary int
}

// Errors of a pull.
var (
	// ErrNothingNew is matched by [NothingNewError].
	ErrNothingNew = errors.New("nothing was added")
	// ErrNotHandedOver says that no hand-over is known that made the session.
	ErrNotHandedOver = errors.New("no hand-over of this session is known")
	// ErrNoBoundary says that the session's marker tells where it came from, and
	// nothing tells how much of it was handed over.
	ErrNoBoundary = errors.New("nothing tells how much of it was handed over")
)

// LostBaseError says that the session that was handed over is gone, so that
// nothing can be added to a copy of it.
type LostBaseError struct{ Agent, ID, Path string }

func (e *LostBaseError) Error() string {
	if e.Path == "" {
		return fmt.Sprintf("the %s session that was handed over, %q, is not here", e.Agent, e.ID)
	}
	return fmt.Sprintf("the session that was handed over, %q, is gone: neither %q nor another file of it is there", e.ID, e.Path)
}

// DivergedError says that what was handed over is no longer the beginning of
// the session: it was edited, or rolled back further than what was added.
type DivergedError struct {
	Path string
	// Line and Text tell the first message that differs; Line is 0 if the
	// session ends before. File names the file that Line counts in, if it is one
	// that the session goes on from.
	Line int
	File string
	Text string
	// Same is how many content blocks agree, of Handed that were handed over.
	Same, Handed int
	// made is the hand-over that made the session.
	made *Handoff
}

func (e *DivergedError) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%q ends after %d of the %d blocks that were handed over: history before the hand-over was rolled back", e.Path, e.Same, e.Handed)
	}
	where := fmt.Sprintf("line %d", e.Line)
	if e.File != "" {
		where += " of " + e.File
	}
	return fmt.Sprintf("%q differs from what was handed over at %s (%s), after %d of %d blocks", e.Path, where, e.Text, e.Same, e.Handed)
}

// Is implements the match with [ErrRefused].
func (e *DivergedError) Is(target error) bool { return target == ErrRefused }

// origin is where what was added to a session goes.
type origin struct {
	// h is the hand-over that the session is known from: the one that made it, or
	// a later pull.
	h *Handoff
	// made is the hand-over that made the session.
	made *Handoff
	// blocks of the session's chain are known to the base.
	blocks int
	// base is the session to add to, as it was then.
	base End
}

// dir is the directory that the base works in, and so a copy of it.
func (o *origin) dir() string {
	if o.h.Op == OpPull {
		return o.h.Dir
	}
	return o.h.SourceDir()
}

// Pull brings what was added to the session e since it was handed over into a
// copy of the session that it came from. Both originals stay as they are.
//
// If one of them is written anew while it is read, both are read once more.
func (d *Desk) Pull(ctx context.Context, e *agent.Entry, o PullOptions) (*Result, error) {
	if o.Now.IsZero() {
		o.Now = time.Now()
	}
	return readTwice(func() (*Result, error) { return d.pull(ctx, e, o) })
}

func (d *Desk) pull(ctx context.Context, e *agent.Entry, o PullOptions) (_ *Result, err error) {
	src, _, err := d.Agent(e.Agent)
	if err != nil {
		return nil, fmt.Errorf("pull from %q: %w", e.ID, err)
	}
	o.Home, o.View = d.Home, agent.FullView
	o.Handoff = o.handoffID(e.ID)
	res := new(Result)
	s, err := src.Open(ctx, e.Path, agent.OpenOptions{View: agent.FullView, Home: d.Home, Progress: o.Progress, Report: &res.Report})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if o.Lineage, err = d.LineageKey(ctx, e.ID); err != nil {
		return nil, err
	}
	known, err := d.handed(ctx)
	if err != nil {
		return nil, err
	}
	from, links, err := known.origin(ctx, e, s, o.Boundary, &res.Report)
	if err != nil {
		return nil, err
	}
	merger, m, path, err := d.base(ctx, from, &o)
	if err != nil {
		return nil, err
	}
	if err := known.free(ctx, merger, &o.Options); err != nil {
		return nil, err
	}
	res.Source = Endpoint{Agent: e.Agent, ID: e.ID, Path: e.Path}
	res.Thread = s.Thread()
	res.Base = &Endpoint{Agent: from.base.Agent, ID: from.base.ID, Path: path}
	if err := d.drift(ctx, from, path, &o, res); err != nil {
		return nil, err
	}
	extent := agent.ExtentOf(s)
	d.remembering(ctx, &o.Options, func(*Result) *Handoff {
		w, dir, of := res.Written, from.dir(), from.made.Dir
		if of == dir {
			of = ""
		}
		return &Handoff{
			ID: o.Handoff, Op: OpPull, Base: from.base.ID, Partial: o.Review || o.Boundary > 0, Version: Version, Turns: res.Turns, Dir: dir, From: of, Title: from.h.Title,
			Git: GitState(ctx, dir), Folders: w.Folders, Side: w.Side,
			Source: End{
				Agent: e.Agent, ID: e.ID, Path: e.Path, Size: res.Report.Read.Size(), Extent: extent, Client: res.Thread.ClientVersion,
				Blocks: len(links), Chain: lastLink(links),
			},
			Target: targetEnd(res),
		}
	})
	if err := d.merge(ctx, e, s, from, merger, m, path, &o, res); err != nil {
		return nil, d.forget(ctx, res, err)
	}
	res.OtherBranch = res.Written.OtherBranch
	if o.Boundary > 0 {
		return res, nil
	}
	return res, d.unkeep(from.made) // its client has it
}

// origin is [handed.boundary] for a line that the file has, which r tells.
func (m *handed) origin(ctx context.Context, e *agent.Entry, s agent.Session, line int, r *canon.Report) (*origin, []canon.Link, error) {
	from, links, err := m.boundary(ctx, e, s, line)
	if n := r.Read.Lines; err == nil && line > n {
		err = fmt.Errorf("pull from %q: there is no line %d; the file has %d lines", e.Path, line, n)
	}
	return from, links, err
}

// merge writes the copy with what is new in s.
func (d *Desk) merge(ctx context.Context, e *agent.Entry, s agent.Session, from *origin, dst agent.Merger, m *agent.Manifest, path string, o *PullOptions, res *Result) error {
	msgs := after(s.Messages(ctx), from.blocks, o.Boundary)
	msgs = res.counting(ingest(msgs, &res.Report))
	if o.Review {
		msgs = finalAnswers(msgs, res.Thread.Agent, &res.Report)
	}
	msgs = travel(msgs, true, &o.Options, &res.Report)
	dirs := newMapper(o.Map)
	msgs = dirs.messages(msgs, &res.Report)
	msgs = canon.Heal(msgs, s.Calls(), &res.Report)
	g, err := newGuard(&o.Options, &res.Report)
	if err != nil {
		return err
	}
	msgs = g.protect(msgs)
	msgs = res.measure(msgs)
	mo := agent.MergeOptions{WriteOptions: agent.WriteOptions{
		Home: o.Home, Path: o.scratch(), ID: o.ID, Now: o.Now, Model: o.Model, Report: &res.Report, File: o.File,
		Marker: agent.Marker{SourceAgent: res.Thread.Agent, SourceID: name(res.Thread.ID), Handoff: o.Handoff, Version: Version},
		Confirm: func(w *agent.Written) error {
			if err := res.written(w, m, from.dir()); err != nil {
				return err
			}
			res.Unmapped = dirs.unused()
			if res.Report.Emitted[canon.CountMessage] == 0 {
				return &NothingNewError{Entry: *e, Handoff: from.h, made: from.made}
			}
			if err := res.Report.Balance(); err != nil {
				return fmt.Errorf("pull from %q: %w", res.Source.Path, err)
			}
			return o.confirm(res)
		},
	}}
	mo.Leaf = from.base.Leaf
	if o.OntoHandoff {
		mo.Size = from.base.Records
	}
	_, err = dst.Merge(ctx, path, msgs, mo)
	res.published = err == nil
	return err
}

// scratch is the path to write at; empty is where a session belongs.
func (o *Options) scratch() string {
	if o.Scratch == "" {
		return ""
	}
	return filepath.Join(o.Scratch, "session.jsonl")
}

// base finds the session that was handed over: where it was, or where it is
// now.
func (d *Desk) base(ctx context.Context, from *origin, o *PullOptions) (agent.Merger, *agent.Manifest, string, error) {
	if o.OntoHandoff && from.base.Records == 0 {
		return nil, nil, "", refusef("nothing tells what session %q was when it was handed over; add to it as it is now, without --onto", from.base.ID)
	}
	a, m, err := d.Agent(from.base.Agent)
	if err != nil {
		return nil, nil, "", err
	}
	merger, ok := a.(agent.Merger)
	if !ok {
		return nil, nil, "", fmt.Errorf("pull into %s: its sessions cannot be added to", from.base.Agent)
	}
	path, err := d.locate(ctx, &from.base)
	if err != nil {
		return nil, nil, "", err
	}
	if path == "" {
		return nil, nil, "", &LostBaseError{Agent: from.base.Agent, ID: from.base.ID, Path: from.base.Path}
	}
	return merger, m, path, nil
}

// locate returns where the file of a session is: where it was, or where its
// agent has it now; "" if it is gone.
func (d *Desk) locate(ctx context.Context, e *End) (string, error) {
	if _, err := os.Stat(e.Path); err == nil {
		return e.Path, nil
	}
	found, err := d.entry(ctx, e.Agent, e.ID)
	if found == nil || err != nil {
		return "", err
	}
	return found.Path, nil
}

// drift notes what changed since the hand-over: the original, and the tree.
func (d *Desk) drift(ctx context.Context, from *origin, path string, o *PullOptions, res *Result) error {
	var err error
	if res.MovedOn, err = d.movedOn(ctx, &from.base, path, o); err != nil {
		return err
	}
	if res.MovedOn {
		if o.OntoHandoff {
			res.Report.Note("original-moved-on-and-left-out", 1)
		} else {
			res.Report.Note("original-moved-on", 1)
		}
	}
	now := GitState(ctx, from.h.Dir)
	if from.h.Git.Commit != "" && now != from.h.Git {
		res.GitThen, res.GitNow = &from.h.Git, &now
	}
	return nil
}

// movedOn reports whether somebody said something in the session at path since
// it was as e says. Moving and compressing its file is nothing said, and neither
// is what a client notes when it opens it.
func (d *Desk) movedOn(ctx context.Context, e *End, path string, o *PullOptions) (bool, error) {
	if info, err := os.Stat(path); e.Said == 0 || err == nil && path == e.Path && info.Size() == e.Size {
		return false, nil
	}
	a, _, err := d.Agent(e.Agent)
	if err != nil {
		return false, err
	}
	s, err := a.Open(ctx, path, agent.OpenOptions{View: agent.FullView, Home: d.Home, Progress: o.Progress})
	if err != nil {
		return false, err
	}
	return agent.ExtentOf(s).Said != e.Said, s.Close()
}

// after returns the messages behind the first n links of the chain, or behind
// a line of the file.
func after(msgs canon.Messages, n, line int) canon.Messages {
	return each(msgs, func(m *canon.Message) *canon.Message {
		if line > 0 {
			// The file that the session goes on from has lines of its own.
			if m.File == "" && m.Line > line {
				return m
			}
			return nil
		}
		if n <= 0 {
			return m
		}
		kept := m.Blocks[:0:0]
		for _, b := range m.Blocks {
			if n > 0 {
				if canon.Chained(m, b) {
					n--
				}
				continue
			}
			kept = append(kept, b)
		}
		if len(kept) == 0 {
			return nil
		}
		m.Blocks = kept
		return m
	})
}

// finalAnswers keeps the last answer of each turn, as a quotation.
func finalAnswers(msgs canon.Messages, from string, r *canon.Report) canon.Messages {
	return func(yield func(*canon.Message, error) bool) {
		var answer *canon.Message
		leave := func(m *canon.Message) {
			if m != nil {
				r.Note("messages-left-out-of-the-review", 1)
				r.Drop(m, notTheVerdict)
			}
		}
		flush := func() bool {
			if answer == nil {
				return true
			}
			m := quote(answer, from, r)
			answer = nil
			return yield(m, nil)
		}
		for m, err := range msgs {
			switch {
			case err != nil:
				yield(nil, err)
				return
			case m.StartsTurn():
				if !flush() {
					return
				}
				leave(m)
			case m.Role == canon.Assistant && hasText(m):
				leave(answer)
				answer = m
			default:
				leave(m)
			}
		}
		flush()
	}
}

// notTheVerdict is why a review leaves something out.
const notTheVerdict = "a review brings back the final answer of each turn"

func hasText(m *canon.Message) bool {
	for _, b := range m.Blocks {
		if t, ok := b.(*canon.TextBlock); ok && t.Tag == "" && !t.Text.IsBlank() {
			return true
		}
	}
	return false
}

// quote makes a user message of an answer that another agent gave.
func quote(m *canon.Message, from string, r *canon.Report) *canon.Message {
	q := &canon.Message{Role: canon.User, Kind: canon.Injected, Time: m.Time, Line: m.Line, File: m.File}
	for _, b := range m.Blocks {
		t, ok := b.(*canon.TextBlock)
		if !ok || t.Tag != "" {
			r.DropBlock(m, b, notTheVerdict)
			continue
		}
		q.Blocks = append(q.Blocks, &canon.TextBlock{Text: canon.Join(canon.NewText("[Answer of "+from+", to which the session was handed over]\n\n"), t.Text)})
	}
	r.Lose(canon.Loss{Where: m.Where(), What: string(canon.CountMessage), Action: canon.Moved, Why: "an answer of the other agent becomes a quotation"})
	return q
}
