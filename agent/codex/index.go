package codex

import (
	"context"
	"fmt"
	"hash/maphash"
	"slices"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/jsonl"
)

// entry is the index's memory of one record, 40 bytes.
type entry struct {
	off     int64
	call    uint64 // of a call or output
	text    uint64 // of a user item or event
	size    uint32
	line    uint32
	turns   uint32 // of a rollback
	typ     recordType
	history bool // of a compaction
	bare    bool
}

const entryChunk = 4096

// index is what the first pass learns of one file.
type index struct {
	file   *jsonl.File
	chunks [][]entry
	n      int32
	parts  map[int32][]uint64 // hashes of the texts of a user item with several
	facts  facts
}

func (x *index) at(i int32) *entry { return &x.chunks[i/entryChunk][i%entryChunk] }

func (x *index) add(e entry) int32 {
	if x.n%entryChunk == 0 {
		x.chunks = append(x.chunks, make([]entry, 0, entryChunk))
	}
	last := len(x.chunks) - 1
	x.chunks[last] = append(x.chunks[last], e)
	x.n++
	return x.n - 1
}

// build reads the whole file once; records with an ordinal from end on are left
// out if end is not negative.
func build(ctx context.Context, f *jsonl.File, seed maphash.Seed, end int64, r *canon.Report) (*index, error) {
	x := &index{file: f, parts: make(map[int32][]uint64)}
	h := newHeadReader(seed)
	parse := func(rec jsonl.Record) (int, error) {
		n, err := h.read(rec)
		if err != nil {
			return 0, err
		}
		if end < 0 || h.head.ordinal < end {
			x.record(&h.head, rec, n)
		}
		return n, nil
	}
	if err := f.Each(ctx, parse, func(d jsonl.Damage) { agent.NoteDamage(r, d) }); err != nil {
		return nil, err
	}
	x.facts = h.facts
	return x, nil
}

func (x *index) record(h *head, rec jsonl.Record, n int) {
	if h.typ == recNone {
		return
	}
	i := x.add(entry{
		off: rec.Off, size: uint32(n), line: uint32(rec.Line), call: h.call, text: h.text,
		turns: uint32(max(h.turns, 0)), typ: h.typ, history: h.history, bare: h.bare,
	})
	if len(h.parts) > 1 && h.typ == recUserItem {
		x.parts[i] = slices.Clone(h.parts)
	}
	if h.typ == recTyped && h.text != 0 {
		x.facts.addTyped(h.text)
	}
}

// typed reports whether the user item i is what a person typed, as far as the
// events tell.
func (x *index) typed(i int32, events map[uint64]bool) bool {
	if events[x.at(i).text] {
		return true
	}
	for _, p := range x.parts[i] {
		if events[p] {
			return true
		}
	}
	return false
}

// ref is one item of a view: record i of a file, or item sub of the replacement
// history that record i carries.
type ref struct {
	x   *index
	i   int32
	sub int32 // -1 for the record itself
	// typed says that a rollback counts the item as the start of a turn.
	typed bool
}

// view lists the items of a view over the files of a thread, in order.
func view(files []*index, v agent.View, hist func(x *index, i int32) ([]ref, error), r *canon.Report) ([]ref, error) {
	events := make(map[uint64]bool)
	items := 0
	for _, x := range files {
		for h := range x.facts.typed {
			events[h] = true
		}
		items += x.facts.items
	}
	b := viewBuilder{v: v, events: events, fromEvents: items == 0, hist: hist, report: r}
	first, from := b.start(files)
	for _, x := range files[first:] {
		for i := from; i < x.n; i++ {
			if err := b.add(x, i); err != nil {
				return nil, err
			}
		}
		from = 0
	}
	return b.refs, nil
}

// start returns the file and record at which the view begins: the model sees
// nothing before the last replacement history, so earlier ones, which can make
// up most of a file, are not read again.
func (b *viewBuilder) start(files []*index) (file int, record int32) {
	if b.v == agent.FullView {
		return 0, 0
	}
	for file := len(files) - 1; file >= 0; file-- {
		for i := files[file].n - 1; i >= 0; i-- {
			if e := files[file].at(i); e.typ == recCompact && e.history {
				return file, i
			}
		}
	}
	return 0, 0
}

type viewBuilder struct {
	v          agent.View
	events     map[uint64]bool
	fromEvents bool // the files hold no items, only events
	hist       func(x *index, i int32) ([]ref, error)
	report     *canon.Report
	refs       []ref
}

func (b *viewBuilder) add(x *index, i int32) error {
	e := x.at(i)
	switch e.typ {
	case recUserItem:
		typed := len(b.events) == 0 || x.typed(i, b.events)
		b.refs = append(b.refs, ref{x: x, i: i, sub: -1, typed: typed})
	case recItem, recCall, recOutput:
		b.refs = append(b.refs, ref{x: x, i: i, sub: -1})
	case recTyped, recAnswer:
		if b.fromEvents {
			b.refs = append(b.refs, ref{x: x, i: i, sub: -1, typed: e.typ == recTyped})
		}
	case recRollback:
		b.rollback(int(e.turns))
	case recCompact:
		return b.compact(x, i)
	case recNone:
	}
	return nil
}

// rollback takes back the last n turns. (Codex 0.171.0: the last n user turns
// disappear, later ones follow.)
func (b *viewBuilder) rollback(n int) {
	at := len(b.refs)
	for at > 0 && n > 0 {
		at--
		if b.refs[at].typed {
			n--
		}
	}
	b.note("rolled-back-items", len(b.refs)-at)
	b.refs = b.refs[:at]
}

// compact applies a compaction to the model's view: its replacement history
// takes the place of all before it; without one, earlier user messages stay.
// In the full view it is a mark.
func (b *viewBuilder) compact(x *index, i int32) error {
	b.note("compactions", 1)
	if b.v == agent.FullView {
		b.refs = append(b.refs, ref{x: x, i: i, sub: -1})
		return nil
	}
	if !x.at(i).history {
		kept := b.refs[:0]
		for _, r := range b.refs {
			if r.typed {
				kept = append(kept, r)
			}
		}
		b.refs = append(kept, ref{x: x, i: i, sub: -1})
		return nil
	}
	refs, err := b.hist(x, i)
	if err != nil {
		return fmt.Errorf("line %d: %w", x.at(i).line, err)
	}
	b.refs = append(b.refs[:0], refs...)
	return nil
}

func (b *viewBuilder) note(name string, n int) {
	if b.report != nil {
		b.report.Note(name, n)
	}
}
