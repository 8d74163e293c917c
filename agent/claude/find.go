package claude

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
	"time"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/internal/jsonl"
	"github.com/crosswalk-agents/crosswalk/internal/uuid"
)

const (
	// peekBytes is how much of a file's beginning and end a listing reads; the
	// client's own lister reads as much.
	peekBytes = 64 << 10
	// maxPeek is how long the first line may be.
	maxPeek = 4 << 20
	// maxScan is how much of a file is read where no conversation is found in what
	// is read of others.
	maxScan = 64 << 20
)

// Sessions implements [agent.Agent]: the session files of all projects. Files
// in the folders of sessions, and files with another kind of name, are none.
func (a *Agent) Sessions(ctx context.Context, home agent.Home, q agent.Query) iter.Seq2[agent.Entry, error] {
	return func(yield func(agent.Entry, error) bool) {
		projects, err := projectsDir(home)
		if err != nil {
			yield(agent.Entry{}, err)
			return
		}
		dirs, err := os.ReadDir(projects)
		if err != nil && !os.IsNotExist(err) {
			yield(agent.Entry{}, fmt.Errorf("list sessions: %w", err))
			return
		}
		p := newPeeker()
		for _, d := range dirs {
			if !d.IsDir() && d.Type()&fs.ModeSymlink == 0 {
				continue
			}
			entries, errs := p.project(ctx, filepath.Join(projects, d.Name()), &q)
			for _, e := range entries {
				if q.Dir != "" && e.Dir != q.Dir {
					continue
				}
				if !yield(e, nil) {
					return
				}
			}
			for _, err := range errs {
				if !yield(agent.Entry{}, err) {
					return
				}
			}
			if err := ctx.Err(); err != nil {
				yield(agent.Entry{}, err)
				return
			}
		}
	}
}

// peeker makes listing entries.
type peeker struct {
	file jsonl.Peeker
	h    headReader
}

func newPeeker() *peeker { return &peeker{h: headReader{seed: maphash.MakeSeed(), listing: true}} }

// project lists the sessions in one project's folder, until ctx ends.
func (p *peeker) project(ctx context.Context, dir string, q *agent.Query) (entries []agent.Entry, errs []error) {
	files, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // it went meanwhile
	}
	if err != nil {
		if info, err := os.Stat(dir); err == nil && !info.IsDir() {
			return nil, nil // a link to something else
		}
		return nil, []error{fmt.Errorf("list sessions: %w", err)}
	}
	for _, f := range files {
		if ctx.Err() != nil {
			break
		}
		id, ok := strings.CutSuffix(f.Name(), ".jsonl")
		if !ok || !f.Type().IsRegular() || !isSessionName(id) || q.ID != "" && q.ID != id {
			continue
		}
		e, err := p.entry(ctx, filepath.Join(dir, f.Name()), id, f, q.Known)
		if errors.Is(err, fs.ErrNotExist) {
			continue // it went meanwhile
		}
		if err != nil {
			errs = append(errs, err)
			continue
		}
		entries = append(entries, e)
	}
	markContinued(entries)
	return entries, errs
}

// isSessionName reports whether the name of a file, without .jsonl, is that of
// a session: a UUID, or in older versions the name of a subagent.
func isSessionName(name string) bool {
	return uuid.Valid(name) || strings.HasPrefix(name, subagentPrefix) && len(name) > len(subagentPrefix)
}

// subagentPrefix begins the names of subagents' files.
const subagentPrefix = "agent-"

func (p *peeker) entry(ctx context.Context, path, id string, f fs.DirEntry, known agent.Known) (agent.Entry, error) {
	info, err := f.Info()
	if err != nil {
		return agent.Entry{}, fmt.Errorf("list sessions: %w", err)
	}
	if known != nil {
		if e, ok := known(path, info.Size(), info.ModTime()); ok {
			return e, nil
		}
	}
	return p.peek(ctx, path, id, info.ModTime())
}

// peek reads as much of a file as a listing needs.
func (p *peeker) peek(ctx context.Context, path, id string, modified time.Time) (agent.Entry, error) {
	e := agent.Entry{Agent: ID, ID: id, Path: path, Modified: modified}
	text, err := p.file.Peek(path, peekBytes, maxPeek)
	if err != nil {
		return e, fmt.Errorf("list sessions: %w", err)
	}
	e.Size = text.Size
	h := &p.h
	h.facts = facts{}
	for _, part := range [][]byte{text.Head, text.Tail} {
		for line := range bytes.Lines(part) {
			// A line that cannot be read does not concern a listing.
			if _, err := h.read(jsonl.Record{Data: bytes.TrimLeft(line, "\x00\ufeff")}); err == nil {
				h.listed(&e)
			}
		}
	}
	f := &h.facts
	if f.said == 0 && text.Size > int64(len(text.Head)+len(text.Tail)) {
		if err := h.scan(ctx, path); err != nil {
			return e, err
		}
	}
	e.Title, e.Dir, e.Origin, e.ForkedFrom = f.listTitle(), f.cwd, f.link.origin(), f.forkedFrom
	switch {
	case f.records > 0 && !f.anyMain && f.sidechainRecords > 0:
		e.Hidden = agent.HiddenSubagent
	case strings.HasPrefix(f.entrypoint, headlessEntrypoints):
		e.Hidden = agent.HiddenHeadless
	case f.said == 0:
		e.Hidden = agent.HiddenEmpty
	}
	return e, nil
}

// headlessEntrypoints begins what records of a run with -p, and of one that a
// program started, say: sdk-cli, sdk-py, sdk-ts. (Claude Code 2.1.332.)
const headlessEntrypoints = "sdk-"

// listed files what h read, as far as a listing is concerned.
func (h *headReader) listed(e *agent.Entry) {
	h.facts.records++
	h.facts.bookkeeping(&h.head, &h.side)
	if h.head.uuid == 0 && !h.side.isChainType {
		return
	}
	h.facts.envelope(&h.head, &h.side)
	e.First = firstOf(e.First, h.side.uuid)
	e.Last = firstOf(h.side.uuid, e.Last)
}

// scan reads a file of which the beginning and the end hold no conversation, up
// to where one begins, or to maxScan: a first line may be longer than what is
// read otherwise.
func (h *headReader) scan(parent context.Context, path string) error {
	f, err := jsonl.Open(parent, path, jsonl.Limits{})
	if err != nil {
		return fmt.Errorf("list sessions: %w", err)
	}
	f.Limit(maxScan)
	ctx, stop := context.WithCancel(parent)
	defer stop()
	var ignored agent.Entry
	err = f.Each(ctx, func(rec jsonl.Record) (int, error) {
		n, err := h.read(rec)
		if err == nil && ctx.Err() == nil {
			if h.listed(&ignored); h.facts.said > 0 {
				stop()
			}
		}
		return n, err
	}, func(jsonl.Damage) {})
	if ctx.Err() != nil {
		err = parent.Err() // else the conversation was found
	}
	return errors.Join(err, f.Close())
}
