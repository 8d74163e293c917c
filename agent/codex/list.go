package codex

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io/fs"
	"iter"
	"path/filepath"
	"strings"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/internal/jsonl"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
	"github.com/crosswalk-agents/crosswalk/internal/osx"
)

const (
	peekBytes = 64 << 10
	// peekMore is how much of the beginning is read if nothing was typed in less;
	// instructions can fill it.
	peekMore = 1 << 20
	// maxPeek is how long the first line may be; it holds the base instructions.
	maxPeek = 4 << 20
)

// Sessions implements [agent.Agent]: one entry per thread, for the newest of
// its files.
func (a *Agent) Sessions(ctx context.Context, home agent.Home, q agent.Query) iter.Seq2[agent.Entry, error] {
	return func(yield func(agent.Entry, error) bool) {
		live, _, err := roots(home)
		if err != nil {
			yield(agent.Entry{}, err)
			return
		}
		names, err := threadNames(filepath.Dir(live))
		if err != nil && !yield(agent.Entry{}, err) {
			return
		}
		p := newPeeker()
		for _, f := range newest(ctx, home, q) {
			if ctx.Err() != nil {
				break
			}
			e, err := p.entry(ctx, f, q.Known)
			if errors.Is(err, fs.ErrNotExist) {
				continue // it went meanwhile
			}
			if name := names[e.ID]; name != "" {
				e.Title = name
			}
			if err == nil && q.Dir != "" && e.Dir != q.Dir {
				continue
			}
			if !yield(e, err) {
				return
			}
		}
		if err := ctx.Err(); err != nil {
			yield(agent.Entry{}, err)
		}
	}
}

// found is a rollout file of a listing.
type found struct {
	path     string
	entry    fs.DirEntry
	thread   string
	archived bool
	oldest   string // the thread's first file
}

// newest returns the newest file of each thread, in the order of the folders.
func newest(ctx context.Context, home agent.Home, q agent.Query) []found {
	var out []found
	at := make(map[string]int)
	for path, e := range rolloutFiles(ctx, home) {
		f := found{path: path, entry: e, thread: fileThread(path), oldest: path}
		f.archived = strings.Contains(path, string(filepath.Separator)+archiveFolder+string(filepath.Separator))
		if q.ID != "" && f.thread != q.ID {
			continue
		}
		if i, ok := at[f.thread]; ok && f.thread != "" {
			if older(path, out[i].oldest) {
				out[i].oldest = path
			}
			if older(out[i].path, path) && !sameRollout(out[i].path, path) {
				f.oldest = out[i].oldest
				out[i] = f
			}
			continue
		}
		at[f.thread] = len(out)
		out = append(out, f)
	}
	return out
}

// sameRollout reports whether two files are one rollout, packed or not or in
// another folder.
func sameRollout(a, b string) bool { return rolloutName(a) == rolloutName(b) }

// peeker makes listing entries.
type peeker struct {
	file jsonl.Peeker
	h    *headReader
}

func newPeeker() *peeker { return &peeker{h: newHeadReader(maphash.MakeSeed())} }

func (p *peeker) entry(ctx context.Context, f found, known agent.Known) (agent.Entry, error) {
	info, err := f.entry.Info()
	if err != nil {
		return agent.Entry{}, fmt.Errorf("list sessions: %w", err)
	}
	if known != nil {
		if e, ok := known(f.path, info.Size(), info.ModTime()); ok {
			return e, nil
		}
	}
	e := agent.Entry{Agent: ID, ID: f.thread, Path: f.path, Modified: info.ModTime(), Size: info.Size()}
	if err := p.peek(ctx, f.path); err != nil {
		return e, err
	}
	describe(&e, p.h, f)
	if f.oldest != f.path && p.h.facts.name == "" {
		// A thread is called after what it began with, in whatever file.
		if err := p.peek(ctx, f.oldest); err == nil {
			e.Title = cmp.Or(p.h.facts.listTitle(), e.Title)
		}
	}
	return e, nil
}

// peek reads as much of a file as a listing needs: its beginning, more of it if
// nothing was typed in that, and its end.
func (p *peeker) peek(ctx context.Context, path string) error {
	h := p.h
	h.again()
	if strings.HasSuffix(path, ".json") {
		return h.document(ctx, path)
	}
	var text jsonl.Peeked
	for _, n := range [...]int{peekBytes, peekMore} {
		var err error
		if text, err = p.file.Peek(path, n, maxPeek); err != nil {
			return fmt.Errorf("list sessions: %w", err)
		}
		h.again()
		h.lines(text.Head)
		if h.facts.firstPrompt != "" || int64(len(text.Head)) == text.Size {
			break
		}
	}
	h.unread = len(text.Head) == 0 && text.Size > 0
	h.lines(text.Tail)
	return nil
}

// document reads a rollout that is one JSON document.
func (r *headReader) document(ctx context.Context, path string) error {
	f, err := jsonl.Open(ctx, path, jsonl.Limits{})
	if err != nil {
		return fmt.Errorf("list sessions: %w", err)
	}
	x, err := buildDocument(f, r.seed, nil)
	if err == nil {
		r.facts = x.facts
	}
	return errors.Join(err, f.Close())
}

// lines reads whole lines. One that cannot be read does not concern a listing.
func (r *headReader) lines(text []byte) {
	for line := range bytes.Lines(text) {
		_, _ = r.read(jsonl.Record{Data: bytes.TrimLeft(line, "\x00\ufeff")})
	}
}

func describe(e *agent.Entry, h *headReader, file found) {
	f := &h.facts
	m := &f.meta
	e.Title, e.Dir, e.Origin = f.listTitle(), strings.TrimPrefix(m.cwd, `\\?\`), m.marker.origin()
	e.ForkedFrom = m.forkedFrom
	if e.ID == "" {
		e.ID = m.id
	}
	switch {
	case file.archived:
		e.Hidden = agent.HiddenArchived
	case m.subagent || m.isInternal():
		e.Hidden = agent.HiddenSubagent
	case m.source == "exec" || m.source == "mcp" || m.threadSource == "automation":
		e.Hidden = agent.HiddenHeadless
	case f.said == 0 && len(f.typed) == 0 && m.base.thread == "" && !h.unread:
		e.Hidden = agent.HiddenEmpty
	}
}

// isInternal reports whether the client started the thread for itself.
func (m *meta) isInternal() bool {
	switch m.threadSource {
	case "subagent", "memory_consolidation", "guardian_review":
		return true
	}
	return m.source == "internal"
}

// maxNames is how many bytes of names are read.
const maxNames = 64 << 20

// threadNames reads the names that people gave their threads; the last line of
// a thread counts. (Codex source of 2026-08.)
func threadNames(home string) (map[string]string, error) {
	text, err := osx.ReadFile(filepath.Join(home, "session_index.jsonl"), maxNames)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read thread names: %w", err)
	}
	names := make(map[string]string)
	var d jsonx.Decoder
	for line := range bytes.Lines(text) {
		d.Reset(line)
		if d.Kind() != jsonx.Object {
			continue
		}
		var id, name string
		for member := range d.Members() {
			switch string(member) {
			case "id":
				id = d.OptStr()
			case "thread_name":
				name = d.OptStr()
			}
		}
		if id != "" && d.Err() == nil {
			names[id] = name
		}
	}
	return names, nil
}
