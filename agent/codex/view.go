package codex

import (
	"fmt"
	"slices"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/canon"
)

// ref is one item of a view, 16 bytes: record i of a file, or item sub of the
// replacement history that record i carries.
type ref struct {
	i    int32
	sub  int32 // -1 for the record itself
	file uint16
	// typed says that a person typed the item.
	typed bool
	// turn says that a rollback counts the item as the start of a turn: every
	// user item but the client's own, and a summary.
	turn bool
	// summary says of an item of a replacement history that it is the summary.
	summary bool
	// promptsOnly says of a compaction that a later one without a history has
	// left only the prompts of its own.
	promptsOnly bool
}

// isHistory reports whether r is a compaction that carries a history.
func (b *viewBuilder) isHistory(r *ref) bool {
	e := b.entry(r)
	return r.sub < 0 && e.typ == recCompact && e.history
}

// history lists the items of the replacement history that a record carries; why
// says what keeps it from taking the place of what it replaces, if anything does.
type history func(file uint16, i int32) (refs []ref, why string, err error)

// view lists the items of a view over the files of a thread, in order.
func view(files []*index, v agent.View, hist history, r *canon.Report) ([]ref, error) {
	b := viewBuilder{v: v, files: files, events: make(map[uint64]bool), fromEvents: true, report: r}
	for _, x := range files {
		for h := range x.facts.typed {
			b.events[h] = true
		}
		b.fromEvents = b.fromEvents && x.facts.said == 0
	}
	n := int32(0)
	for _, x := range files {
		n += x.records.Len()
	}
	b.refs = make([]ref, 0, n)
	for n, x := range files {
		for i := range x.records.Len() {
			b.add(uint16(n), x, i)
		}
	}
	if v == agent.FullView {
		return b.refs, nil
	}
	return b.compacted(hist)
}

// viewBuilder replays a thread as Codex 0.171.0 does when it resumes one. The
// histories themselves are not read for that: they can make up most of a file.
type viewBuilder struct {
	v          agent.View
	files      []*index
	events     map[uint64]bool
	fromEvents bool // the files hold no items, only events
	report     *canon.Report
	refs       []ref
	turns      []int // where in refs turns start
	left       int   // refs before it are what a compaction without a history left
}

func (b *viewBuilder) entry(r *ref) *entry { return b.files[r.file].at(r.i) }

func (b *viewBuilder) push(r ref) {
	if r.turn {
		b.turns = append(b.turns, len(b.refs))
	}
	b.refs = append(b.refs, r)
}

func (b *viewBuilder) add(file uint16, x *index, i int32) {
	e := x.at(i)
	switch e.typ {
	case recUserItem:
		typed := len(b.events) == 0 || x.typed(i, b.events)
		b.push(ref{file: file, i: i, sub: -1, typed: typed, turn: !e.scaffold})
	case recItem, recCall, recOutput:
		b.push(ref{file: file, i: i, sub: -1})
	case recTyped, recAnswer:
		if b.fromEvents {
			b.push(ref{file: file, i: i, sub: -1, typed: e.typ == recTyped, turn: e.typ == recTyped})
		}
	case recRollback:
		b.rollback(int(e.key))
	case recCompact:
		b.note("compactions", 1)
		switch {
		case b.v == agent.FullView:
			b.markSummary(file, i)
		case !e.history:
			b.keepPrompts()
		}
		b.push(ref{file: file, i: i, sub: -1, turn: !e.history})
	case recNone:
	}
}

// markSummary marks the answer before the compaction at i as the summary that
// it is, if no event shows it: the client stores the model's summary like an
// answer, and shows it to nobody. (Codex 0.171.0.)
func (b *viewBuilder) markSummary(file uint16, i int32) {
	n := len(b.refs)
	if n == 0 || b.fromEvents || len(b.events) == 0 {
		return
	}
	x := b.files[file]
	last := &b.refs[n-1]
	if last.file != file || last.sub >= 0 || x.at(last.i).typ != recItem {
		return
	}
	for j := i - 1; j >= 0 && (j >= last.i || x.at(j).typ == recAnswer); j-- {
		if e := x.at(j); e.typ == recAnswer || e.answered {
			return
		}
	}
	if last.i > 0 && x.at(last.i-1).answered {
		return
	}
	last.summary = true
}

// rollback takes back the last n turns, with the compactions among them; what
// stands before the first turn stays. (Codex 0.171.0.)
func (b *viewBuilder) rollback(n int) {
	if n == 0 || len(b.turns) == 0 {
		return
	}
	first := max(0, len(b.turns)-n)
	at := b.turns[first]
	b.note("rolled-back-items", len(b.refs)-at)
	b.refs, b.turns = b.refs[:at], b.turns[:first]
	b.left = min(b.left, at)
}

// keepPrompts applies a compaction without a history: earlier prompts stay, and
// those in the history of an earlier compaction. (Codex 0.171.0.)
func (b *viewBuilder) keepPrompts() {
	kept, gone := b.refs[:b.left], b.messages(b.refs[b.left:])
	for len(b.turns) > 0 && b.turns[len(b.turns)-1] >= b.left {
		b.turns = b.turns[:len(b.turns)-1]
	}
	for _, r := range b.refs[b.left:] {
		r.promptsOnly = b.isHistory(&r)
		if r.turn {
			b.turns = append(b.turns, len(kept))
		}
		if r.turn || r.promptsOnly {
			kept = append(kept, r)
		}
	}
	gone -= b.messages(kept[b.left:])
	b.refs, b.left = kept, len(kept)
	b.note(agent.NoteBeforeCompaction, gone)
}

// messages counts the refs that are no compaction.
func (b *viewBuilder) messages(refs []ref) (n int) {
	for i := range refs {
		if refs[i].sub >= 0 || b.entry(&refs[i]).typ != recCompact {
			n++
		}
	}
	return n
}

// compacted lets the last history take the place of all before it. For one that
// cannot be read the visible items before it stand in.
func (b *viewBuilder) compacted(hist history) ([]ref, error) {
	for at := len(b.refs) - 1; at >= 0; at-- {
		r := &b.refs[at]
		if !b.isHistory(r) {
			continue
		}
		refs, why, err := hist(r.file, r.i)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", b.entry(r).line, err)
		}
		if why != "" {
			b.unreadable(r, why)
			continue
		}
		if r.promptsOnly {
			refs = slices.DeleteFunc(refs, func(r ref) bool { return !r.turn })
		}
		b.note(agent.NoteBeforeCompaction, b.messages(b.refs[:at]))
		return append(refs, b.refs[at+1:]...), nil
	}
	return b.refs, nil
}

func (b *viewBuilder) unreadable(r *ref, why string) {
	if b.report == nil {
		return
	}
	b.report.Lose(canon.Loss{
		Where: canon.Place(int(b.entry(r).line)), What: string(canon.KindCompaction), Action: canon.Downgraded,
		Why: why + "; the messages before it stand in",
	})
}

func (b *viewBuilder) note(name string, n int) {
	if b.report != nil {
		b.report.Note(name, n)
	}
}
