package claude

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
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
	f, err := jsonl.Open(path, jsonl.Limits{})
	if err != nil {
		return nil, fmt.Errorf("open session: %w", err)
	}
	if o.Size > 0 {
		f.Limit(o.Size)
	}
	s, err := open(ctx, f, path, agent.OpenOptions{Home: o.Home})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
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
	side := strings.TrimSuffix(o.Path, ".jsonl")
	made, err := copySide(s.dir, side)
	if !made {
		side = ""
	}
	defer func() {
		if err != nil && made {
			err = errors.Join(err, os.RemoveAll(side))
		}
	}()
	if err != nil {
		return nil, err
	}
	w, err := out.Commit(ctx, &o.WriteOptions, func(ctx context.Context, f *jsonl.File) (agent.Session, error) {
		return open(ctx, f, o.Path, agent.OpenOptions{Home: o.Home})
	})
	if err != nil {
		return nil, err
	}
	w.Side = side
	return w, nil
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
	for m, err := range s.Messages(ctx) {
		if err != nil {
			return err
		}
		out.Expect(m)
	}
	w := &writer{out: out, o: o.WriteOptions, thread: s.thread, stamp: s.thread.Updated, version: m.Verified, calls: make(map[string]string)}
	if w.last, err = s.leafID(); err != nil {
		return err
	}
	r := relabel{session: s.x.facts.sessionID, id: o.ID, prompt: w.uuid("prompt", 0)}
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
	for m, err := range inCallOrder(agent.Fit(msgs, fit, o.Report), o.Report) {
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

// copySide copies the folder of files that belong to a session: subagents and
// large tool outputs. Only regular files and folders are copied. made tells
// whether there is a copy.
func copySide(from, to string) (made bool, err error) {
	info, err := os.Lstat(from)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !info.IsDir() {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	root, err := os.OpenRoot(from)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	if err := os.Mkdir(to, 0o700); err != nil {
		return false, err
	}
	err = fs.WalkDir(root.FS(), ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name == ".":
			return nil
		case e.IsDir():
			return os.Mkdir(filepath.Join(to, filepath.FromSlash(name)), 0o700)
		case e.Type().IsRegular():
			return copyRegular(root, name, filepath.Join(to, filepath.FromSlash(name)))
		}
		return nil
	})
	if err != nil {
		return false, errors.Join(fmt.Errorf("copy %q: %w", from, err), os.RemoveAll(to))
	}
	return true, nil
}

func copyRegular(root *os.Root, name, to string) (err error) {
	in, err := root.Open(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
