package claude

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/jsonl"
	"github.com/crosswalk-agents/crosswalk/internal/uuid"
)

// session is one open file.
type session struct {
	file   *jsonl.File
	x      *index
	order  []int32 // the records of the view
	leaf   int32   // the end of the branch
	thread canon.Thread
	seed   maphash.Seed // of the index's hashes
	opts   agent.OpenOptions
	// dir is the folder of files that belong to the session.
	dir string
	// counted says that Messages has counted what it met.
	counted bool
}

// Open implements [agent.Agent].
func (a *Agent) Open(ctx context.Context, path string, o agent.OpenOptions) (agent.Session, error) {
	f, err := jsonl.Open(ctx, path, jsonl.Limits{})
	if err != nil {
		return nil, fmt.Errorf("open session: %w", err)
	}
	if err := agent.Rewind(f, 0, o.Lines); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	s, err := open(ctx, f, path, o)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// open takes f over, also when it fails.
func open(ctx context.Context, f *jsonl.File, path string, o agent.OpenOptions) (_ *session, err error) {
	defer func() {
		if err != nil {
			err = errors.Join(err, f.Close())
		}
	}()
	f.OnProgress(o.Progress)
	x, h, err := build(ctx, f, o.Report)
	if err != nil {
		return nil, err
	}
	if err := x.check(f, path); err != nil {
		return nil, err
	}
	order, leaf, err := x.branch(o.Branch, o.View, h.hashString, o.Report)
	if err != nil {
		return nil, fmt.Errorf("read %q: %w", path, err)
	}
	s := &session{file: f, x: x, order: order, leaf: leaf, seed: h.seed, opts: o, thread: x.thread(path)}
	s.dir = sideFolder(path, x.facts.sessionID)
	s.reportUnread()
	return s, nil
}

// check refuses a file of another agent and one without a conversation.
func (x *index) check(f *jsonl.File, path string) error {
	conversation := x.facts.said > 0
	if conversation && x.facts.parts*2 < x.facts.said {
		return nil
	}
	got, err := agent.Identify(f)
	if err != nil {
		return err
	}
	if got != "" && got != ID {
		return &agent.ForeignError{Path: path, Want: ID, Got: got}
	}
	if conversation {
		return nil
	}
	if agent.IsBlank(f) {
		return fmt.Errorf("read %q: the file is empty: %w", path, agent.ErrNoConversation)
	}
	if x.facts.records == 0 {
		return fmt.Errorf("read %q: no line of it is a session record: %w", path, agent.ErrForeign)
	}
	if x.facts.chain > 0 || got == ID || len(x.facts.unknown) == 0 {
		return agent.NobodySpeaks(path, x.facts.records, x.facts.unknown)
	}
	return fmt.Errorf("read %q: none of its %d records is one of Claude Code: %w", path, x.facts.records, agent.ErrForeign)
}

func (x *index) thread(path string) canon.Thread {
	f := &x.facts
	t := canon.Thread{
		Agent: ID, Dir: f.cwd, Model: f.model, ClientVersion: f.version,
		Git: canon.Git{Branch: f.branch}, Created: f.created, Updated: f.updated, Origin: f.link.origin(),
		ForkedFrom: f.forkedFrom,
	}
	t.ID = strings.TrimSuffix(filepath.Base(path), ".jsonl")
	if f.sessionID != "" && !uuid.Valid(t.ID) && !strings.HasPrefix(t.ID, subagentPrefix) {
		t.ID = f.sessionID // the file was given another name
	}
	t.Title = f.listTitle()
	return t
}

// listTitle is the title that the client's own listing shows.
func (f *facts) listTitle() string {
	task := f.task
	if f.anyMain {
		task = "" // of a subagent
	}
	for _, t := range []string{f.title, f.aiTitle, f.firstPrompt, f.summary, task} {
		if t := agent.TitleFrom(t); t != "" {
			return t
		}
	}
	return ""
}

// sideFolder returns the folder of files that belong to the session at path. A
// subagent shares its session's, above its own file or, in older versions, beside
// it under the id that the records give.
func sideFolder(path, sessionID string) string {
	dir, name := filepath.Split(filepath.Clean(path))
	name = strings.TrimSuffix(name, ".jsonl")
	if !strings.HasPrefix(name, subagentPrefix) {
		return filepath.Join(dir, name)
	}
	for up := filepath.Clean(dir); filepath.Dir(up) != up; up = filepath.Dir(up) {
		if filepath.Base(up) == subagentFolder {
			return filepath.Dir(up)
		}
	}
	if uuid.Valid(sessionID) {
		return filepath.Join(dir, sessionID)
	}
	return filepath.Join(dir, name)
}

// reportUnread counts what the file holds beside the view.
func (s *session) reportUnread() {
	r := s.opts.Report
	if r == nil {
		return
	}
	f := &s.x.facts
	if f.anyMain {
		r.DropUnread(canon.CountSidechain, max(len(f.sidechains), min(f.sidechainRecords, 1)), "", "subagent threads inside the file are not exported")
	}
	if n := s.subagents(); n > 0 {
		r.DropUnread(canon.CountSidechain, n, "", "subagent sessions are files of their own and are not exported")
	}
	for _, typ := range slices.Sorted(maps.Keys(f.unknown)) {
		r.Note(agent.NoteUnknown+typ, f.unknown[typ])
	}
	r.Note("records-of-another-session", f.otherSession)
}

// subagentFolder is where a session's folder holds the files of its subagents.
const subagentFolder = "subagents"

// subagents counts the files of the session's subagents, those of workflows
// included.
func (s *session) subagents() (n int) {
	if strings.HasPrefix(filepath.Base(s.file.Path()), subagentPrefix) {
		return 0 // one itself
	}
	// What cannot be looked at is not counted.
	_ = filepath.WalkDir(filepath.Join(s.dir, subagentFolder), func(path string, d fs.DirEntry, err error) error {
		name := filepath.Base(path)
		if err == nil && d.Type().IsRegular() && strings.HasPrefix(name, subagentPrefix) && strings.HasSuffix(name, ".jsonl") {
			n++
		}
		return nil
	})
	return n
}

// Thread implements [agent.Session].
func (s *session) Thread() canon.Thread { return s.thread }

// Calls implements [agent.Session].
func (s *session) Calls() *canon.CallIndex {
	c := canon.NewCallIndex(s.seed)
	for _, i := range s.order {
		if s.x.at(i).flags&flagResult == 0 {
			continue
		}
		for _, id := range s.x.callsOf(i) {
			c.AddHash(id)
		}
	}
	return c
}

// Extent tells how far the session goes.
func (s *session) Extent() agent.Extent {
	e := agent.Extent{Records: s.x.ends, Said: s.x.said, Marked: s.x.facts.linkLine}
	if s.leaf >= 0 {
		// A record that cannot be read once more ends no branch.
		e.Leaf, _ = s.leafID()
	}
	return e
}

// Close implements [agent.Session].
func (s *session) Close() error {
	s.x, s.order = nil, nil
	return s.file.Close()
}

// Messages implements [agent.Session].
func (s *session) Messages(ctx context.Context) canon.Messages {
	return func(yield func(*canon.Message, error) bool) {
		rd := reader{s: s, window: s.file.Window(), report: s.opts.Report}
		if s.counted {
			rd.report = nil // what the file holds is counted once
		}
		s.counted = true
		for _, i := range s.order {
			if err := ctx.Err(); err != nil {
				yield(nil, err)
				return
			}
			m, err := rd.message(i)
			if err != nil {
				yield(nil, err)
				return
			}
			for _, m := range rd.join(m) {
				if !yield(m, nil) {
					return
				}
			}
		}
		if m := rd.held; m != nil && !yield(m, nil) {
			return
		}
		if err := s.file.Unchanged(); err != nil {
			yield(nil, err)
		}
	}
}
