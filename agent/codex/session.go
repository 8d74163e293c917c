package codex

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/jsonl"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// session is one open thread: its file, behind those it goes on from.
type session struct {
	files   []*index // oldest first
	refs    []ref
	history []canon.Raw // the items of the replacement history in refs
	thread  canon.Thread
	opts    agent.OpenOptions
	seed    maphash.Seed
	events  bool // the files tell what was typed
}

// maxBases is how many files a thread may go on from, one after the other.
const maxBases = 16

// Open implements [agent.Agent].
func (a *Agent) Open(ctx context.Context, path string, o agent.OpenOptions) (agent.Session, error) {
	s := &session{opts: o, seed: maphash.MakeSeed()}
	if err := s.open(ctx, path); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *session) open(ctx context.Context, path string) error {
	if o := s.opts.Branch; o != "" {
		return fmt.Errorf("open %q: a Codex rollout has no branches, so there is no branch %q", path, o)
	}
	return s.openAt(ctx, path, 0)
}

// openOwn reads the thread whose own file is f.
func (s *session) openOwn(ctx context.Context, f *jsonl.File, path string) error {
	if err := s.index(ctx, f, -1); err != nil {
		return err
	}
	if err := s.bases(ctx); err != nil {
		return err
	}
	return s.resolve(path)
}

// resolve chooses the items of the view once the files are read.
func (s *session) resolve(path string) error {
	own := s.files[len(s.files)-1]
	refs, err := view(s.files, s.opts.View, s.replacement, s.opts.Report)
	if err != nil {
		return fmt.Errorf("read %q: %w", path, err)
	}
	s.refs = refs
	for _, x := range s.files {
		s.events = s.events || len(x.facts.typed) > 0
	}
	s.thread = own.thread(path)
	return s.check(own, path)
}

// load reads one file in front of those read before.
func (s *session) load(ctx context.Context, path string, end int64) error {
	f, err := jsonl.Open(path, jsonl.Limits{})
	if err != nil {
		return fmt.Errorf("open session: %w", err)
	}
	return s.index(ctx, f, end)
}

// index reads f in front of the files read before.
func (s *session) index(ctx context.Context, f *jsonl.File, end int64) error {
	s.files = slices.Insert(s.files, 0, &index{file: f}) // Close finds it
	f.OnProgress(s.opts.Progress)
	x, err := buildAny(ctx, f, s.seed, end, s.opts.Report)
	if err != nil {
		return err
	}
	s.files[0] = x
	return nil
}

// bases reads the files that the thread goes on from. A paginated revert
// continues in a file of its own. (Codex source of 2026-08.)
func (s *session) bases(ctx context.Context) error {
	for n := 0; s.files[0].facts.meta.base.thread != ""; n++ {
		base := s.files[0].facts.meta.base
		path := s.findBase(ctx, base.thread)
		if path == "" || n == maxBases {
			if r := s.opts.Report; r != nil {
				r.Lose(canon.Loss{What: "history", Action: canon.Dropped,
					Why: fmt.Sprintf("the thread goes on from thread %q, whose file is not here", base.thread)})
			}
			return nil
		}
		if err := s.load(ctx, path, base.endOrdinal); err != nil {
			return err
		}
	}
	return nil
}

// findBase returns the oldest other file of the thread, beside the file or in
// the home.
func (s *session) findBase(ctx context.Context, thread string) string {
	own := s.files[0].file.Path()
	best := ""
	consider := func(path string) {
		if path != own && fileThread(path) == thread && (best == "" || filepath.Base(path) < filepath.Base(best)) {
			best = path
		}
	}
	near, err := filepath.Glob(filepath.Join(filepath.Dir(own), "rollout-*"))
	if err == nil {
		for _, p := range near {
			consider(p)
		}
	}
	if best == "" {
		for path := range rolloutFiles(ctx, s.opts.Home) {
			consider(path)
		}
	}
	return best
}

// check refuses a file of another agent and one without a conversation.
func (s *session) check(x *index, path string) error {
	if len(s.refs) > 0 {
		return nil
	}
	f := &x.facts
	got, err := agent.Identify(x.file)
	if err != nil {
		return err
	}
	switch {
	case got != "" && got != ID:
		return &agent.ForeignError{Path: path, Want: "Codex", Got: got}
	case x.file.Size() == 0:
		return fmt.Errorf("read %q: the file is empty: %w", path, agent.ErrNoConversation)
	case got == "":
		return fmt.Errorf("read %q: no line of it is a rollout record: %w", path, agent.ErrForeign)
	case x.n > 0:
		return fmt.Errorf("read %q: everything in it was rolled back: %w", path, agent.ErrNoConversation)
	}
	return fmt.Errorf("read %q: its %d records hold no message: %w", path, f.records, agent.ErrNoConversation)
}

func (x *index) thread(path string) canon.Thread {
	f := &x.facts
	m := &f.meta
	t := canon.Thread{
		ID: m.id, Agent: ID, Dir: strings.TrimPrefix(m.cwd, `\\?\`), Model: f.model, ClientVersion: m.version,
		Git: canon.Git{Branch: m.branch, Commit: m.commit}, Created: f.created, Updated: f.updated,
		Origin: m.marker.origin(), Title: f.listTitle(), ForkedFrom: m.forkedFrom,
	}
	if id := fileThread(path); id != "" {
		t.ID = id
	}
	return t
}

func (f *facts) listTitle() string {
	for _, t := range []string{f.name, f.firstPrompt, f.goal} {
		if t := agent.TitleFrom(t); t != "" {
			return t
		}
	}
	return ""
}

// replacement lists the items of the replacement history that record i carries.
func (s *session) replacement(x *index, i int32) ([]ref, error) {
	data, err := x.file.ReadAt(x.at(i).off, int(x.at(i).size))
	if err != nil {
		return nil, err
	}
	s.history = s.history[:0]
	d := jsonx.NewDecoder(data)
	for name := range d.Members() {
		if string(name) != "payload" || d.Kind() != jsonx.Object {
			continue
		}
		for member := range d.Members() {
			if string(member) != "replacement_history" || d.Kind() != jsonx.Array {
				continue
			}
			for range d.Elements() {
				s.history = append(s.history, d.Raw())
			}
		}
	}
	if err := d.Err(); err != nil {
		return nil, err
	}
	refs := make([]ref, 0, len(s.history))
	for n, raw := range s.history {
		m := readItem(jsonx.NewDecoder(raw))
		if m == nil {
			continue
		}
		classify(m, true, true, x.facts.meta.baseInstructions)
		refs = append(refs, ref{x: x, i: i, sub: int32(n), typed: m.Role == canon.User && m.Kind == canon.Typed && !hasResult(m)})
	}
	return refs, nil
}

func hasResult(m *canon.Message) bool {
	_, ok := m.First().(*canon.ToolResultBlock)
	return ok
}

// Thread implements [agent.Session].
func (s *session) Thread() canon.Thread {
	for _, x := range s.files {
		if r := s.opts.Report; r != nil {
			for _, typ := range slices.Sorted(maps.Keys(x.facts.unknown)) {
				r.Note("unknown-records-"+typ, x.facts.unknown[typ])
			}
			x.facts.unknown = nil // said once
		}
	}
	return s.thread
}

// Calls implements [agent.Session].
func (s *session) Calls() *canon.CallIndex {
	c := canon.NewCallIndex(s.seed)
	for _, r := range s.refs {
		if r.sub >= 0 {
			m := readItem(jsonx.NewDecoder(s.history[r.sub]))
			if res, ok := m.First().(*canon.ToolResultBlock); ok {
				c.AddResult(res.CallID)
			}
			continue
		}
		if e := r.x.at(r.i); e.typ == recOutput {
			c.AddHash(e.call)
		}
	}
	return c
}

// Close implements [agent.Session].
func (s *session) Close() error {
	var errs []error
	for _, x := range s.files {
		if x.file != nil {
			errs = append(errs, x.file.Close())
		}
	}
	return errors.Join(errs...)
}
