package claude

import (
	"errors"
	"fmt"
	"slices"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/canon"
)

// errUnknownBranch is the error for a branch that names no record.
var errUnknownBranch = errors.New("no record has this id")

// branch returns the records of the chosen view in the order in which the
// model sees them.
func (x *index) branch(leafID string, view agent.View, hash func(string) uint64, r *canon.Report) ([]int32, error) {
	w := &walk{x: x, view: view, report: r, on: make([]bool, x.n), sidechain: !x.facts.anyMain}
	leaf, err := w.leaf(leafID, hash)
	if err != nil || leaf < 0 {
		return nil, err
	}
	chain := w.up(leaf)
	chain = w.preserve(chain)
	w.countOther(leaf)
	return w.regroup(chain), nil
}

// walk is one walk through the tree.
type walk struct {
	x      *index
	view   agent.View
	report *canon.Report
	on     []bool // on the chain
	// sidechain says that the file is a subagent's session of its own.
	sidechain bool
}

func (w *walk) note(name string, n int) {
	if w.report != nil {
		w.report.Note(name, n)
	}
}

// main reports whether record i can be on a branch at all.
func (w *walk) main(i int32) bool {
	return w.sidechain || w.x.at(i).flags&flagSidechain == 0
}

// leaf finds the end of the branch as Claude Code 2.1.332 does: the last
// last-prompt that names a known record, extended to its last descendant in
// file order; else the last record of the file.
func (w *walk) leaf(id string, hash func(string) uint64) (int32, error) {
	if id != "" {
		i := w.x.find(hash(id))
		if i < 0 {
			return -1, fmt.Errorf("branch %q: %w", id, errUnknownBranch)
		}
		return w.extend(i), nil
	}
	last := int32(-1)
	for i := w.x.n - 1; i >= 0 && last < 0; i-- {
		if w.main(i) {
			last = i
		}
	}
	if w.x.facts.leaf == "" {
		return last, nil
	}
	i := w.x.find(hash(w.x.facts.leaf))
	if i < 0 || !w.main(i) {
		return last, nil
	}
	return w.extend(i), nil
}

// extend returns the last record in file order that descends from leaf, or
// leaf itself.
func (w *walk) extend(leaf int32) int32 {
	below := make([]bool, w.x.n)
	below[leaf] = true
	last := leaf
	for changed := true; changed; {
		changed = false
		for i := range w.x.n {
			if below[i] || !w.main(i) {
				continue
			}
			if p := w.x.find(w.x.at(i).parent); p >= 0 && below[p] {
				below[i], changed = true, true
				last = max(last, i)
			}
		}
	}
	return last
}

// up walks from the leaf to the root and returns the records in order.
func (w *walk) up(leaf int32) []int32 {
	var chain []int32
	dangling, loops := 0, 0
	earliest := leaf
	for i := leaf; i >= 0; {
		if w.on[i] {
			// A cycle: go on with what stands before all that was seen.
			loops++
			i = w.before(earliest)
			continue
		}
		w.on[i] = true
		earliest = min(earliest, i)
		chain = append(chain, i)
		next, broken := w.parent(i)
		if broken {
			dangling++
		}
		i = next
	}
	w.note("dangling-parents", dangling)
	w.note("parent-cycles", loops)
	slices.Reverse(chain)
	return chain
}

// parent returns the record that i follows, or -1; broken says that the parent
// that i names is missing, and the record before it in the file stands in.
func (w *walk) parent(i int32) (p int32, broken bool) {
	e := w.x.at(i)
	if e.typ == recBoundary {
		if w.view != agent.FullView {
			return -1, false
		}
		for _, uuid := range []uint64{e.group, e.parent} {
			if p := w.x.find(uuid); p >= 0 && p != i {
				return p, false
			}
		}
		return w.before(i), e.group != 0
	}
	if e.parent == 0 {
		// A file without any parent is an old or foreign one: a list.
		if !w.x.facts.anyParent && !w.sidechain {
			return w.before(i), false
		}
		return -1, false
	}
	if p := w.x.find(e.parent); p >= 0 {
		return p, false
	}
	return w.before(i), true
}

// before returns the nearest record before i in the file that can be on a
// branch and is not on the chain yet.
func (w *walk) before(i int32) int32 {
	for i--; i >= 0; i-- {
		if w.main(i) && !w.on[i] {
			return i
		}
	}
	return -1
}

// preserve puts the records that a compaction kept behind its summary, as the
// client does. In the full view they stand at their own place.
func (w *walk) preserve(chain []int32) []int32 {
	if w.view == agent.FullView {
		return chain
	}
	for at, i := range chain {
		p := w.x.preserved[i]
		if p == nil {
			continue
		}
		kept := w.kept(p)
		if len(kept) == 0 {
			return chain
		}
		after := at + 1
		if after < len(chain) && w.x.at(chain[after]).flags&flagSummary != 0 {
			after++
		}
		return slices.Insert(chain, after, kept...)
	}
	return chain
}

// kept returns the preserved records in order.
func (w *walk) kept(p *preserved) []int32 {
	var kept []int32
	for _, uuid := range p.uuids {
		if i := w.x.find(uuid); i >= 0 && !w.on[i] {
			w.on[i] = true
			kept = append(kept, i)
		}
	}
	if len(kept) > 0 {
		return kept
	}
	head := w.x.find(p.head)
	for i := w.x.find(p.tail); i >= 0 && head >= 0 && !w.on[i]; {
		w.on[i] = true
		kept = append(kept, i)
		if i == head {
			break
		}
		i = w.x.find(w.x.at(i).parent)
	}
	slices.Reverse(kept)
	return kept
}

// countOther counts the records that are on another branch.
func (w *walk) countOther(leaf int32) {
	other, later := 0, 0
	for i := range w.x.n {
		e := w.x.at(i)
		if w.on[i] || !w.main(i) || (e.typ != recUser && e.typ != recAssistant) {
			continue
		}
		other++
		if i > leaf {
			later++
		}
	}
	w.note("records-off-branch", other)
	w.note("later-records-off-branch", later)
}

// regroup adds the parallel calls and results that hang beside the chain, and
// puts each API message together with the results of its calls in call order,
// as the client does. (Claude Code 2.1.332: parallel calls are records of
// their own, and each result follows its own call.)
func (w *walk) regroup(chain []int32) []int32 {
	g := w.groups(chain)
	out := make([]int32, 0, len(chain)+len(g.extra))
	done := make([]bool, w.x.n)
	put := func(i int32) {
		if !done[i] {
			done[i] = true
			out = append(out, i)
		}
	}
	for _, i := range chain {
		if done[i] {
			continue
		}
		members := g.members[w.x.at(i).group]
		if w.x.at(i).typ != recAssistant || len(members) == 0 {
			put(i)
			continue
		}
		for _, m := range members {
			put(m)
		}
		for _, m := range members {
			for _, call := range w.x.callsOf(m) {
				for _, r := range g.results[call] {
					put(r)
				}
			}
		}
	}
	w.note("parallel-records-reattached", len(g.extra))
	return out
}

// groups holds the parts of the API messages on a chain.
type groups struct {
	members map[uint64][]int32 // of a message id, in file order
	results map[uint64][]int32 // of a call
	extra   []int32            // not on the chain
}

func (w *walk) groups(chain []int32) groups {
	g := groups{members: make(map[uint64][]int32), results: make(map[uint64][]int32)}
	for _, i := range chain {
		if e := w.x.at(i); e.typ == recAssistant && e.group != 0 {
			g.members[e.group] = nil
		}
	}
	calls := make(map[uint64]bool)
	for i := range w.x.n {
		e := w.x.at(i)
		if e.typ != recAssistant || !w.main(i) {
			continue
		}
		members, grouped := g.members[e.group]
		if !w.on[i] && (!grouped || e.group == 0) {
			continue
		}
		if grouped && e.group != 0 {
			g.members[e.group] = append(members, i)
		}
		if !w.on[i] {
			w.on[i] = true
			g.extra = append(g.extra, i)
		}
		for _, c := range w.x.callsOf(i) {
			calls[c] = true
		}
	}
	w.attachResults(&g, chain, calls)
	return g
}

// attachResults finds the results of the calls: those on the chain first, and
// for calls without one, those beside it.
func (w *walk) attachResults(g *groups, chain []int32, calls map[uint64]bool) {
	add := func(i int32) {
		for _, c := range w.x.callsOf(i) {
			if calls[c] {
				g.results[c] = append(g.results[c], i)
			}
		}
	}
	for _, i := range chain {
		if w.x.at(i).flags&flagResult != 0 {
			add(i)
		}
	}
	for i := range w.x.n {
		e := w.x.at(i)
		if e.flags&flagResult == 0 || w.on[i] || !w.main(i) {
			continue
		}
		for _, c := range w.x.callsOf(i) {
			if calls[c] && len(g.results[c]) == 0 {
				add(i)
				w.on[i] = true
				g.extra = append(g.extra, i)
				break
			}
		}
	}
}
