package codex

import (
	"cmp"
	"context"
	"hash/maphash"
	"math"
	"slices"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/chunk"
	"github.com/crosswalk-agents/crosswalk/internal/jsonl"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// entry is the index's memory of one record, 40 bytes.
type entry struct {
	off int64
	// key is the hash of the call id of a call or output, that of the text of a
	// user item or event, and how many turns a rollback takes back.
	key     uint64
	size    uint32
	line    uint32
	long    jsonx.Extent
	typ     recordType
	history bool // of a compaction
	bare    bool
	// scaffold says of a user item that a rollback does not count it.
	scaffold bool
	// answered says that events behind the record repeat the model's answer.
	answered bool
}

// index is what the first pass learns of one file.
type index struct {
	file    *jsonl.File
	records chunk.List[entry]
	parts   map[int32][]uint64 // hashes of the texts of a user item that are not its whole text
	facts   facts
	// ends and said are where the last record ends, and the last in which somebody
	// says something or takes it back.
	ends, said int64
	// models are those that answered, each from a record on.
	models []modelFrom
	read   canon.Extent
}

type modelFrom struct {
	i    int32
	name string
}

// model returns the model that answered in record i; empty if it is not said.
func (x *index) model(i int32) string {
	at, ok := slices.BinarySearchFunc(x.models, i, func(m modelFrom, i int32) int { return cmp.Compare(m.i, i) })
	if ok {
		return x.models[at].name
	}
	if at == 0 {
		return ""
	}
	return x.models[at-1].name
}

func (x *index) at(i int32) *entry { return x.records.At(i) }

// build reads the whole file once; records with an ordinal from end on are left
// out if end is not negative.
func build(ctx context.Context, f *jsonl.File, seed maphash.Seed, end int64, r *canon.Report) (*index, error) {
	x := &index{file: f, parts: make(map[int32][]uint64)}
	h := newHeadReader(seed)
	parse := func(rec jsonl.Record) (int, error) {
		h.saidBefore = h.facts.said
		n, err := h.read(rec)
		if err != nil {
			return 0, err
		}
		x.ends = rec.Off + int64(n)
		if h.says() {
			x.said = x.ends
		}
		if end < 0 || h.head.ordinal < end {
			x.record(&h.head, rec, n, &h.facts)
		}
		return n, nil
	}
	var err error
	if x.read, err = agent.Index(ctx, f, r, parse); err != nil {
		return nil, err
	}
	x.facts = h.facts
	return x, nil
}

// says reports whether somebody says something in the record that was read, or
// takes something back. In a rollout without items the events tell.
func (r *headReader) says() bool {
	switch r.head.typ {
	case recRollback:
		return true
	case recTyped, recAnswer:
		return r.facts.said == 0
	case recUserItem, recItem, recCall, recOutput:
		return r.facts.said > r.saidBefore
	case recNone, recCompact:
	}
	return false
}

// key returns what an entry keeps of a head beside its kind.
func (h *head) key() uint64 {
	switch h.typ {
	case recCall, recOutput:
		return h.call
	case recRollback:
		return uint64(min(max(h.turns, 0), math.MaxInt32))
	case recUserItem, recTyped, recAnswer:
		return h.text
	case recNone, recItem, recCompact:
	}
	return 0
}

func (x *index) record(h *head, rec jsonl.Record, n int, f *facts) {
	model := f.model
	if n := len(x.models); model != "" && (n == 0 || x.models[n-1].name != model) {
		x.models = append(x.models, modelFrom{i: x.records.Len(), name: model})
	}
	switch h.typ {
	case recNone:
		return
	case recTyped, recAnswer:
		// Once somebody says something, what repeats it is not read itself.
		if f.said > 0 && x.records.Len() > 0 {
			e := x.at(x.records.Len() - 1)
			e.answered = e.answered || h.typ == recAnswer
			return
		}
	case recItem, recUserItem, recCall, recOutput, recCompact, recRollback:
	}
	i := x.records.Add(entry{
		off: rec.Off, size: uint32(n), line: uint32(rec.Line), key: h.key(), long: h.long,
		typ: h.typ, history: h.history, bare: h.bare, scaffold: h.scaffold,
	})
	if h.typ == recUserItem && (len(h.parts) > 1 || len(h.parts) == 1 && h.parts[0] != h.text) {
		x.parts[i] = slices.Clone(h.parts)
	}
}

// typed reports whether the user item i is what a person typed, as far as the
// events tell.
func (x *index) typed(i int32, events map[uint64]bool) bool {
	if events[x.at(i).key] {
		return true
	}
	for _, p := range x.parts[i] {
		if events[p] {
			return true
		}
	}
	return false
}
