package codex

import (
	"context"
	"strings"
	"time"

	"github.com/crosswalk-agents/crosswalk/canon"
)

// reportSubagents counts the threads that this one started: those that its
// events tell of, and those in its home that name it as the one that started
// them. (Codex 0.171.0.)
func (s *session) reportSubagents(ctx context.Context, path string) {
	r := s.opts.Report
	if r == nil {
		return
	}
	started := make(map[string]bool)
	for _, x := range s.files {
		for id := range x.facts.agents {
			started[id] = true
		}
	}
	s.startedIn(ctx, homeOf(path), started)
	own := &s.files[len(s.files)-1].facts.meta
	for _, id := range [...]string{"", s.thread.ID, own.id, own.parent} {
		delete(started, id)
	}
	r.DropUnread(canon.CountSidechain, len(started), "", "subagents are threads of their own and are not exported")
}

// startedIn adds the threads in a home that this one started. It looks at the
// first line of the rollouts of the days on which this one ran.
func (s *session) startedIn(ctx context.Context, home string, started map[string]bool) {
	if home == "" || s.thread.Created.IsZero() {
		return
	}
	const day = 24 * time.Hour // the names are in local time, maybe of another place
	first, last := s.thread.Created.Add(-day).Format(time.DateOnly), s.thread.Updated.Add(day).Format(time.DateOnly)
	p := newPeeker()
	for path := range rolloutFiles(ctx, homeAt(home)) {
		id := fileThread(path)
		name := rolloutName(path)
		if id == "" || id == s.thread.ID || len(name) < len(first) || strings.HasSuffix(path, ".json") {
			continue
		}
		if on := name[:len(first)]; on < first || on > last {
			continue
		}
		text, err := p.file.Peek(path, peekBytes, maxPeek)
		if err != nil {
			continue // what cannot be looked at is not counted
		}
		p.h.again()
		p.h.lines(text.Head)
		if p.h.facts.meta.parent == s.thread.ID {
			started[id] = true
		}
	}
}
