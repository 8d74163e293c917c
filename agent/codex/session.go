package codex

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"maps"
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
	// counted says that Messages has counted what it met.
	counted bool
}

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
	return s.openAt(ctx, path, 0, s.opts.Lines)
}

// openFile opens a rollout that is being written, and takes f over.
func openFile(ctx context.Context, f *jsonl.File, path string, o agent.OpenOptions) (agent.Session, error) {
	s := &session{opts: o, seed: maphash.MakeSeed()}
	if err := s.openOwn(ctx, f, path); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// openOwn reads the thread whose own file is f.
func (s *session) openOwn(ctx context.Context, f *jsonl.File, path string) error {
	if err := s.index(ctx, f, -1); err != nil {
		return err
	}
	if err := s.bases(ctx); err != nil {
		return err
	}
	return s.resolve(ctx, path)
}

// resolve chooses the items of the view once the files are read.
func (s *session) resolve(ctx context.Context, path string) error {
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
	if first := s.files[0]; own.facts.name == "" && first != own {
		// It is called after what it began with, in whatever file. (Codex 0.171.0.)
		s.thread.Title = cmp.Or(first.facts.listTitle(), s.thread.Title)
	}
	if name := s.threadName(path); name != "" {
		s.thread.Title = agent.TitleFrom(name)
	}
	if err := s.check(own, path); err != nil {
		return err
	}
	s.reportUnknown()
	s.reportSubagents(ctx, path)
	return nil
}

// threadName returns the name that the person gave the thread, if its file lies
// in a home of Codex.
func (s *session) threadName(path string) string {
	home := homeOf(path)
	if home == "" {
		return ""
	}
	names, err := threadNames(home)
	if err != nil {
		return "" // a name is not worth failing for
	}
	return names[s.thread.ID]
}

// reportUnknown counts the records whose type nobody knows.
func (s *session) reportUnknown() {
	r := s.opts.Report
	if r == nil {
		return
	}
	for _, x := range s.files {
		for _, typ := range slices.Sorted(maps.Keys(x.facts.unknown)) {
			r.Note(agent.NoteUnknown+typ, x.facts.unknown[typ])
		}
	}
}

// load reads one file in front of those read before.
func (s *session) load(ctx context.Context, path string, end int64) error {
	f, err := jsonl.Open(ctx, path, jsonl.Limits{})
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

// check refuses a file of another agent and one without a conversation.
func (s *session) check(x *index, path string) error {
	said := false
	for _, x := range s.files {
		said = said || x.facts.said > 0 || len(x.facts.typed) > 0
	}
	if said && len(s.refs) > 0 {
		return nil
	}
	f := &x.facts
	got, err := agent.Identify(x.file)
	if err != nil {
		return err
	}
	switch {
	case got != "" && got != ID:
		return &agent.ForeignError{Path: path, Want: ID, Got: got}
	case agent.IsBlank(x.file):
		return fmt.Errorf("read %q: the file is empty: %w", path, agent.ErrNoConversation)
	case got == "":
		return fmt.Errorf("read %q: no line of it is a rollout record: %w", path, agent.ErrForeign)
	case said:
		return fmt.Errorf("read %q: everything in it was rolled back: %w", path, agent.ErrNoConversation)
	}
	return agent.NobodySpeaks(path, f.records, f.unknown)
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
	for _, t := range []string{f.name, f.firstPrompt, f.goal, f.firstItem} {
		if t := agent.TitleFrom(t); t != "" {
			return t
		}
	}
	return ""
}

// replacement lists the items of the replacement history that record i carries.
func (s *session) replacement(file uint16, i int32) (refs []ref, why string, err error) {
	x := s.files[file]
	data, err := x.file.ReadAt(x.at(i).off, int(x.at(i).size))
	if err != nil {
		return nil, "", err
	}
	summary, err := s.readHistory(data)
	if err != nil {
		return nil, "", err
	}
	h := newHeadReader(s.seed)
	for n, raw := range s.history {
		if len(member(raw, "type")) == 0 {
			return nil, "the client passes over this compaction", nil
		}
		m := readItem(jsonx.NewDecoder(raw))
		if m == nil {
			continue
		}
		if c, ok := m.First().(*canon.CompactionBlock); ok && !c.Capsule.Sealed.IsEmpty() {
			return nil, "only the vendor can read this compaction", nil
		}
		h.head = head{}
		h.dec.Reset(raw)
		h.item(&h.dec)
		user := h.head.typ == recUserItem
		refs = append(refs, ref{
			file: file, i: i, sub: int32(n), typed: user && !h.head.scaffold, turn: user && !h.head.scaffold,
			summary: user && isSummary(m, summary),
		})
	}
	return refs, "", nil
}

// readHistory keeps the items of a compaction's replacement history, and
// returns its message: the summary.
func (s *session) readHistory(record []byte) (summary canon.Text, err error) {
	s.history = s.history[:0]
	d := jsonx.NewDecoder(record)
	for name := range d.Members() {
		if string(name) != "payload" || d.Kind() != jsonx.Object {
			continue
		}
		for member := range d.Members() {
			switch n := string(member); {
			case n == "message" && d.Kind() == jsonx.String:
				summary = canon.ReadText(d)
			case n == "replacement_history" && d.Kind() == jsonx.Array:
				for range d.Elements() {
					s.history = append(s.history, d.Raw())
				}
			}
		}
	}
	return summary, d.Err()
}

// summaryStart begins the summary that a compaction leaves in the history.
// (Codex 0.171.0.)
const summaryStart = "Another language model started to solve this problem"

func isSummary(m *canon.Message, summary canon.Text) bool {
	t, ok := m.First().(*canon.TextBlock)
	if !ok || len(m.Blocks) != 1 {
		return false
	}
	return !summary.IsEmpty() && t.Text.Equal(summary) || t.Text.HasPrefix(summaryStart)
}

func hasResult(m *canon.Message) bool {
	_, ok := m.First().(*canon.ToolResultBlock)
	return ok
}

// Thread implements [agent.Session].
func (s *session) Thread() canon.Thread { return s.thread }

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
		if e := s.files[r.file].at(r.i); e.typ == recOutput {
			c.AddHash(e.key)
		}
	}
	return c
}

// Extent tells how far the thread's own file goes.
func (s *session) Extent() agent.Extent {
	own := s.files[len(s.files)-1]
	return agent.Extent{Records: own.ends, Said: own.said, Marked: own.facts.meta.marker.lines}
}

// Close implements [agent.Session].
func (s *session) Close() error {
	var errs []error
	for _, x := range s.files {
		if x.file != nil {
			errs = append(errs, x.file.Close())
		}
	}
	s.files, s.refs, s.history = nil, nil, nil
	return errors.Join(errs...)
}
