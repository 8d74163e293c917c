package claude

import (
	"cmp"
	"slices"
)

// regroup adds the parallel calls and results that hang beside the chain, and
// puts each API message together with the results of its calls in call order,
// as the client does. (Claude Code 2.1.332: parallel calls are records of
// their own, and each result follows its own call.)
func (w *walk) regroup(chain []int32) []int32 {
	g := newGrouping(w)
	g.segment(chain)
	g.addParallel()
	g.register()
	g.attach(chain)
	out := make([]int32, 0, len(chain)+g.extra)
	put := func(i int32) {
		if w.on[i] {
			w.on[i] = false
			out = append(out, i)
		}
	}
	for _, i := range chain {
		if s := g.seg[i]; s >= 0 {
			g.put(&g.segs[s], put)
		} else {
			put(i)
		}
	}
	for _, i := range out {
		w.on[i] = true
	}
	w.note("parallel-records-reattached", g.extra)
	return out
}

// segment is one API message as far as it was written without a prompt in
// between; some programs give all their messages the same id.
type segment struct {
	group       uint64
	first, last int32 // of its records
}

// call is one call in a record, with the records that answer it.
type call struct {
	id          uint64
	record      int32
	first, last int32
}

// grouping sorts the records of a chain into segments. Lists are links in one
// table: a record is in a segment or answers a call, never both.
type grouping struct {
	w       *walk
	seg     []int32 // the segment of an answer, or -1
	next    []int32 // the next record of a segment, or of those that answer a call
	segs    []segment
	byGroup []int32 // segments with an id, sorted by it and their place
	calls   []call  // sorted by id and record
	extra   int     // records that were not on the chain
}

func newGrouping(w *walk) *grouping {
	g := &grouping{w: w, seg: make([]int32, w.x.records.Len()), next: make([]int32, w.x.records.Len())}
	for i := range g.seg {
		g.seg[i], g.next[i] = -1, -1
	}
	return g
}

// segment finds the segments of the chain. An answer without a call and without
// an id needs none.
func (g *grouping) segment(chain []int32) {
	open, answered := false, false
	for _, i := range chain {
		e := g.w.x.at(i)
		if e.typ == recUser && e.flags&(flagMeta|flagResult) == 0 || e.typ == recBoundary {
			open = false
		}
		answered = answered || e.typ == recUser && e.flags&flagResult != 0 && e.flags&flagProvider == 0
		if e.typ != recAssistant || e.group == 0 && e.flags&flagCall == 0 {
			continue
		}
		s := int32(len(g.segs) - 1)
		// What is said after a result is another message; only calls may still come.
		goesOn := open && e.group != 0 && g.segs[s].group == e.group && (!answered || e.flags&flagCall != 0)
		if !goesOn {
			s++
			g.segs = append(g.segs, segment{group: e.group, first: i, last: i})
			open, answered = true, false
			if e.group != 0 {
				g.byGroup = append(g.byGroup, s)
			}
		} else {
			g.next[g.segs[s].last] = i
			g.segs[s].last = i
		}
		g.seg[i] = s
	}
	slices.SortFunc(g.byGroup, func(a, b int32) int { return g.segs[a].compare(g.segs[b]) })
}

// addParallel adds the answers that share an API message with one on the chain:
// behind their parent, where that is a part of the message too.
func (g *grouping) addParallel() {
	x := g.w.x
	for i := range x.records.Len() {
		e := x.at(i)
		if e.typ != recAssistant || e.group == 0 || g.w.on[i] || !g.w.main(i) {
			continue
		}
		s := g.nearest(e.group, i)
		if s < 0 {
			continue
		}
		at := g.segs[s].last
		if p := x.parent(i); p >= 0 && g.seg[p] == s && (g.next[p] < 0 || g.w.on[g.next[p]]) {
			at = p
		}
		g.seg[i] = s
		g.next[at], g.next[i] = i, g.next[at]
		if g.segs[s].last == at {
			g.segs[s].last = i
		}
		g.extra++
	}
	for i := range x.records.Len() {
		if g.seg[i] >= 0 {
			g.w.on[i] = true
		}
	}
}

// compare orders segments by id and place.
func (s segment) compare(t segment) int {
	return cmp.Or(cmp.Compare(s.group, t.group), cmp.Compare(s.first, t.first))
}

// nearest returns the last segment of the group that begins before record i,
// else its first, or -1.
func (g *grouping) nearest(group uint64, i int32) int32 {
	at, _ := slices.BinarySearchFunc(g.byGroup, segment{group: group, first: i}, func(s int32, want segment) int { return g.segs[s].compare(want) })
	if at > 0 && g.segs[g.byGroup[at-1]].group == group {
		return g.byGroup[at-1]
	}
	if at < len(g.byGroup) && g.segs[g.byGroup[at]].group == group {
		return g.byGroup[at]
	}
	return -1
}

// register lists the calls of all segments.
func (g *grouping) register() {
	for i, s := range g.seg {
		if s < 0 {
			continue
		}
		for _, id := range g.w.x.callsOf(int32(i)) {
			g.calls = append(g.calls, call{id: id, record: int32(i), first: -1, last: -1})
		}
	}
	slices.SortStableFunc(g.calls, func(a, b call) int {
		return cmp.Or(cmp.Compare(a.id, b.id), cmp.Compare(a.record, b.record))
	})
}

// attach gives each call its results: those on the chain first, then, to calls
// without any, those beside it.
func (g *grouping) attach(chain []int32) {
	x := g.w.x
	for _, i := range chain {
		if e := x.at(i); e.typ != recUser || e.flags&flagResult == 0 {
			continue
		}
		for _, id := range x.callsOf(i) {
			if c := g.answered(id, i); c != nil {
				g.link(c, i)
				break // one place is enough
			}
		}
	}
	for i := range x.records.Len() {
		if e := x.at(i); e.typ != recUser || e.flags&flagResult == 0 || g.w.on[i] || !g.w.main(i) {
			continue
		}
		for _, id := range x.callsOf(i) {
			if c := g.answered(id, i); c != nil && c.first < 0 {
				g.link(c, i)
				g.w.on[i] = true
				g.extra++
				break
			}
		}
	}
}

func (g *grouping) link(c *call, i int32) {
	if c.first < 0 {
		c.first = i
	} else {
		g.next[c.last] = i
	}
	c.last = i
}

// answered returns the call that a result in record i answers: of several with
// the same id the last one before it, else the first.
func (g *grouping) answered(id uint64, i int32) *call {
	at, _ := slices.BinarySearchFunc(g.calls, call{id: id, record: i}, func(a, b call) int {
		return cmp.Or(cmp.Compare(a.id, b.id), cmp.Compare(a.record, b.record))
	})
	if at > 0 && g.calls[at-1].id == id {
		return &g.calls[at-1]
	}
	if at < len(g.calls) && g.calls[at].id == id {
		return &g.calls[at]
	}
	return nil
}

// put hands out a segment's records and then the results of its calls. A tool
// that the provider ran answers within the message.
func (g *grouping) put(s *segment, put func(int32)) {
	for m := s.first; m >= 0; m = g.next[m] {
		put(m)
		if g.w.x.at(m).flags&flagProvider != 0 {
			g.putResults(m, put)
		}
	}
	for m := s.first; m >= 0; m = g.next[m] {
		g.putResults(m, put)
	}
	s.first = -1 // done
}

// putResults hands out the results of the calls in record m.
func (g *grouping) putResults(m int32, put func(int32)) {
	for _, id := range g.w.x.callsOf(m) {
		if c := g.answered(id, m+1); c != nil && c.record == m {
			for r := c.first; r >= 0; r = g.next[r] {
				put(r)
			}
		}
	}
}
