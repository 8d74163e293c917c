package claude

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"path/filepath"
	"strings"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/jsonl"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// Merge implements [agent.Merger]. The copy is made as the client's own
// --fork-session makes one, but keeps every record: see [relabel]. New records
// follow the active leaf, and a fresh last-prompt ends the file, since an older
// one would lead the client back to where it was.
func (a *Agent) Merge(ctx context.Context, path string, msgs canon.Messages, o agent.MergeOptions) (_ *agent.Written, err error) {
	m, err := a.Manifest()
	if err != nil {
		return nil, err
	}
	if err := o.Prepare(m); err != nil {
		return nil, err
	}
	f, err := jsonl.Open(ctx, path, jsonl.Limits{})
	if err != nil {
		return nil, fmt.Errorf("open session: %w", err)
	}
	if err := agent.Rewind(f, o.Size, 0); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	s, other, err := openBranch(ctx, f, path, &o)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if !s.x.facts.anyMain {
		return nil, fmt.Errorf("add to %q: it is a subagent's session, which Claude Code does not list or resume: %w", path, agent.ErrNotResumed)
	}
	if o.Path == "" {
		if o.Path, err = copyPath(s, path, &o); err != nil {
			return nil, err
		}
	}
	out, err := agent.CreateOutput(o.Path, o.Report, o.File...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, out.Abort()) }()
	if err := merge(ctx, m, s, msgs, out, &o); err != nil {
		return nil, err
	}
	side, err := copySide(s.dir, strings.TrimSuffix(o.Path, ".jsonl"))
	if err != nil {
		return nil, err
	}
	if side != nil {
		out.Side = side.Path()
	}
	w, err := out.Commit(ctx, &o.WriteOptions, func(ctx context.Context, f *jsonl.File) (agent.Session, error) {
		return open(ctx, f, o.Path, agent.OpenOptions{Home: o.Home, View: agent.FullView})
	})
	switch {
	case side == nil && err == nil:
		w.OtherBranch = other
		return w, nil
	case side == nil:
		return nil, err
	case err != nil:
		return nil, errors.Join(err, side.Abort())
	}
	w.OtherBranch = other
	// A mark that stays is removed by the next copy.
	_ = side.Finish()
	return w, nil
}

// openBranch opens the session on the branch that the additions follow: the
// active one, if it goes on from where the hand-over ended, else the one that
// does. other tells that it is not the active one.
func openBranch(ctx context.Context, f *jsonl.File, path string, o *agent.MergeOptions) (s *session, other bool, err error) {
	open := func(branch string) (*session, error) {
		return open(ctx, f, path, agent.OpenOptions{Home: o.Home, View: agent.FullView, Branch: branch})
	}
	if s, err = open(""); err != nil || o.Leaf == "" {
		return s, false, err
	}
	i := s.x.find(maphash.String(s.seed, o.Leaf))
	if i < 0 || s.x.goesOnFrom(s.leaf, i) {
		return s, false, nil
	}
	s, err = open(o.Leaf)
	return s, err == nil, err
}

// goesOnFrom reports whether the branch that ends at leaf holds the record i.
func (x *index) goesOnFrom(leaf, i int32) bool {
	w := &walk{x: x, view: agent.FullView, on: make([]bool, x.records.Len()), sidechain: !x.facts.anyMain}
	w.up(leaf)
	return w.on[i]
}

// copyPath puts the copy beside the original, if that is among the client's
// sessions.
func copyPath(s *session, path string, o *agent.MergeOptions) (string, error) {
	projects, err := projectsDir(o.Home)
	if err != nil {
		return "", err
	}
	dir := filepath.Dir(path)
	if filepath.Dir(dir) != projects {
		if dir, err = projectDir(o.Home, s.thread.Dir); err != nil {
			return "", err
		}
	}
	return filepath.Join(dir, o.ID+".jsonl"), nil
}

// merge writes the copy and what is added.
func merge(ctx context.Context, m *agent.Manifest, s *session, msgs canon.Messages, out *agent.Output, o *agent.MergeOptions) (err error) {
	var calls canon.CallIDs
	for m, err := range s.Messages(ctx) {
		if err != nil {
			return err
		}
		out.Expect(m)
		calls.Add(m)
	}
	w := newWriter(out, &o.WriteOptions, s.thread, m.Verified)
	w.stamp = s.thread.Updated
	if w.last, err = s.leafID(); err != nil {
		return err
	}
	r := relabel{session: s.x.facts.sessionID, id: o.ID, prompt: w.uuid("prompt", 0)}
	if s.x.read.Torn > 0 {
		// What breaks off is no record: its client is about to write it.
		s.file.Limit(s.x.read.Bytes)
		o.Report.Note("torn-line-of-the-original-left-out", 1)
	}
	newline := true
	err = s.file.Lines(func(line []byte) error {
		newline = line[len(line)-1] == '\n'
		return out.WriteRaw(r.line(line))
	})
	if err != nil {
		return err
	}
	if !newline {
		if err := out.WriteRaw([]byte{'\n'}); err != nil {
			return err
		}
	}
	fit := capacity()
	fit.UserFirst = false // it goes on from the original
	for m, err := range canon.InCallOrder(canon.Fit(msgs, fit, &calls, o.Report), o.Report) {
		if err != nil {
			return err
		}
		out.Emit(m)
		if err := w.message(m); err != nil {
			return err
		}
	}
	return w.finish()
}

// leafID returns the uuid of the record at the end of the active branch.
func (s *session) leafID() (string, error) {
	e := s.x.at(s.leaf)
	data, err := s.file.ReadAt(e.off, int(e.size))
	if err != nil {
		return "", err
	}
	d := jsonx.NewDecoder(data)
	id := ""
	for name := range d.Members() {
		if string(name) == "uuid" {
			id = d.OptStr()
		}
	}
	return id, d.Err()
}

// relabel gives the records of a copy the ids of their new session, as Claude
// Code 2.1.332 does with --fork-session: sessionId and session_id are the new
// session's, every promptId is that of the run that made the copy, and an
// assistant record says in requestSessionId which session it was asked in.
type relabel struct {
	session string // the session that is copied
	id      string
	prompt  string
}

// edit replaces text[from:to].
type edit struct {
	from, to int
	with     []byte
}

// line returns a line with its records relabelled. What cannot be parsed stays
// as it is.
func (r *relabel) line(line []byte) []byte {
	var edits []edit
	d := jsonx.NewDecoder(line)
	for d.More() && d.Kind() == jsonx.Object {
		found := r.record(d)
		if d.Err() != nil {
			break
		}
		edits = append(edits, found...)
	}
	if len(edits) == 0 {
		return line
	}
	out := make([]byte, 0, len(line)+128)
	at := 0
	for _, e := range edits {
		out = append(append(out, line[at:e.from]...), e.with...)
		at = e.to
	}
	return append(out, line[at:]...)
}

func (r *relabel) record(d *jsonx.Decoder) (edits []edit) {
	assistant, asked := false, false
	session := r.session
	for name := range d.Members() {
		with := ""
		switch string(name) {
		case "sessionId", "session_id":
			with = r.id
		case "promptId":
			with = r.prompt
		case "requestSessionId":
			asked = true
		case "type":
			assistant = d.Kind() == jsonx.String && d.Str() == "assistant"
		}
		if with == "" || d.Kind() != jsonx.String {
			continue
		}
		from := d.Next()
		if was := d.Str(); with == r.id {
			session = was
		}
		edits = append(edits, edit{from: from, to: d.Offset(), with: jsonx.AppendQuote(nil, with)})
	}
	if assistant && !asked && session != "" {
		at := d.Offset() - 1 // before the brace
		edits = append(edits, edit{from: at, to: at, with: jsonx.AppendQuote([]byte(`,"requestSessionId":`), session)})
	}
	return edits
}
