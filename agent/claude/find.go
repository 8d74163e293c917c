package claude

import (
	"bytes"
	"context"
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
)

const (
	// peekBytes is how much of a file's beginning and end a listing reads; the
	// client's own lister reads as much.
	peekBytes = 64 << 10
	// maxPeek is how long the first line may be.
	maxPeek = 4 << 20
)

// Sessions implements [agent.Agent]: the session files of all projects. Files
// of subagents and what else lies below a project are not sessions.
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
			dir := filepath.Join(projects, d.Name())
			files, err := os.ReadDir(dir)
			if err != nil {
				if !d.IsDir() && d.Type()&fs.ModeSymlink == 0 {
					continue
				}
				if !yield(agent.Entry{}, fmt.Errorf("list sessions: %w", err)) {
					return
				}
				continue
			}
			for _, f := range files {
				if ctx.Err() != nil {
					yield(agent.Entry{}, ctx.Err())
					return
				}
				id, ok := strings.CutSuffix(f.Name(), ".jsonl")
				if !ok || !f.Type().IsRegular() || strings.HasPrefix(id, ".") || q.ID != "" && q.ID != id {
					continue
				}
				e, err := p.entry(filepath.Join(dir, f.Name()), id, f, q.Known)
				if err == nil && q.Dir != "" && e.Dir != q.Dir {
					continue
				}
				if !yield(e, err) {
					return
				}
			}
		}
	}
}

// peeker makes listing entries.
type peeker struct {
	seed maphash.Seed
}

func newPeeker() *peeker { return &peeker{seed: maphash.MakeSeed()} }

func (p *peeker) entry(path, id string, f fs.DirEntry, known agent.Known) (agent.Entry, error) {
	info, err := f.Info()
	if err != nil {
		return agent.Entry{}, fmt.Errorf("list sessions: %w", err)
	}
	if known != nil {
		if e, ok := known(path, info.Size(), info.ModTime()); ok {
			return e, nil
		}
	}
	return p.peek(path, id, info.ModTime())
}

// peek reads as much of a file as a listing needs.
func (p *peeker) peek(path, id string, modified time.Time) (agent.Entry, error) {
	e := agent.Entry{Agent: ID, ID: id, Path: path, Modified: modified}
	text, err := jsonl.Peek(path, peekBytes, maxPeek)
	if err != nil {
		return e, fmt.Errorf("list sessions: %w", err)
	}
	e.Size = text.Size
	h := &headReader{seed: p.seed}
	for _, part := range [][]byte{text.Head, text.Tail} {
		for line := range bytes.Lines(part) {
			if _, err := h.read(jsonl.Record{Data: line}); err == nil {
				h.listed()
			}
		}
	}
	f := &h.facts
	e.Title, e.Dir, e.Origin = f.listTitle(), f.cwd, f.link.origin()
	switch {
	case f.records > 0 && !f.anyMain && f.sidechainRecords > 0:
		e.Hidden = "subagent"
	case f.entrypoint == headlessEntrypoint:
		e.Hidden = "headless"
	case f.chain == 0:
		e.Hidden = "no conversation"
	}
	return e, nil
}

// headlessEntrypoint is what records of a run with -p say. (Claude Code
// 2.1.332.)
const headlessEntrypoint = "sdk-cli"

// listed files what h read, as far as a listing is concerned.
func (h *headReader) listed() {
	h.facts.records++
	h.facts.bookkeeping(&h.side)
	if h.head.uuid != 0 || h.side.isChainType {
		h.facts.envelope(&h.head, &h.side)
	}
}
