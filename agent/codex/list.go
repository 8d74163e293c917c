package codex

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/internal/jsonl"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

const (
	peekBytes = 64 << 10
	// maxPeek is how long the first line may be; it holds the base instructions.
	maxPeek = 4 << 20
)

// Sessions implements [agent.Agent]: one entry per thread, for the newest of
// its files.
func (a *Agent) Sessions(ctx context.Context, home agent.Home, q agent.Query) iter.Seq2[agent.Entry, error] {
	return func(yield func(agent.Entry, error) bool) {
		names, err := threadNames(home)
		if err != nil && !yield(agent.Entry{}, err) {
			return
		}
		for _, f := range newest(ctx, home, q) {
			if ctx.Err() != nil {
				yield(agent.Entry{}, ctx.Err())
				return
			}
			e, err := listEntry(f, q.Known)
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
	}
}

// found is a rollout file of a listing.
type found struct {
	path     string
	entry    fs.DirEntry
	thread   string
	archived bool
}

// newest returns the newest file of each thread, in the order of the folders.
func newest(ctx context.Context, home agent.Home, q agent.Query) []found {
	var out []found
	at := make(map[string]int)
	for path, e := range rolloutFiles(ctx, home) {
		f := found{path: path, entry: e, thread: fileThread(path)}
		f.archived = strings.Contains(path, string(filepath.Separator)+"archived_sessions"+string(filepath.Separator))
		if q.ID != "" && f.thread != q.ID {
			continue
		}
		if i, ok := at[f.thread]; ok && f.thread != "" {
			if filepath.Base(out[i].path) < filepath.Base(path) {
				out[i] = f
			}
			continue
		}
		at[f.thread] = len(out)
		out = append(out, f)
	}
	return out
}

func listEntry(f found, known agent.Known) (agent.Entry, error) {
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
	text, err := jsonl.Peek(f.path, peekBytes, maxPeek)
	if err != nil {
		return e, fmt.Errorf("list sessions: %w", err)
	}
	h := newHeadReader(maphash.MakeSeed())
	for _, part := range [][]byte{text.Head, text.Tail} {
		for line := range bytes.Lines(part) {
			// A line that cannot be read does not concern a listing.
			_, _ = h.read(jsonl.Record{Data: line})
		}
	}
	describe(&e, &h.facts, f)
	return e, nil
}

func describe(e *agent.Entry, f *facts, file found) {
	m := &f.meta
	e.Title, e.Dir, e.Origin = f.listTitle(), strings.TrimPrefix(m.cwd, `\\?\`), m.marker.origin()
	if e.ID == "" {
		e.ID = m.id
	}
	switch {
	case file.archived:
		e.Hidden = "archived"
	case m.subagent:
		e.Hidden = "subagent"
	case m.source == "exec" || m.source == "mcp":
		e.Hidden = "headless"
	case f.items == 0 && len(f.typed) == 0:
		e.Hidden = "no conversation"
	}
}

// threadNames reads the names that people gave their threads; the last line of
// a thread counts. (Codex source of 2026-08.)
func threadNames(home agent.Home) (map[string]string, error) {
	live, _, err := roots(home)
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(filepath.Dir(live), "session_index.jsonl"))
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
