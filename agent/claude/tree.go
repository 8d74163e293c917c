package claude

import (
	"fmt"
	"slices"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/canon"
)

// branch returns the records of the chosen view in the order in which the
// model sees them, and the record at the branch's end, -1 if there is none.
func (x *index) branch(leafID string, view agent.View, hash func(string) uint64, r *canon.Report) (order []int32, leaf int32, err error) {
	w := &walk{x: x, view: view, report: r, on: make([]bool, x.records.Len()), sidechain: !x.facts.anyMain}
	leaf, err = w.leaf(leafID, hash)
	if err != nil || leaf < 0 {
		return nil, leaf, err
	}
	up := w.up(leaf)
	root := up[0]
	chain := w.withoutRepeats(up)
	chain = w.preserve(chain)
	chain = w.regroup(chain)
	w.countEarlier(root)
	w.countOther(leaf)
	return chain, leaf, nil
}

// walk is one walk through the tree.
type walk struct {
	x      *index
	view   agent.View
	report *canon.Report
	on     []bool // on the chain
	// sidechain says that the file is a subagent's session of its own.
	sidechain bool
	// skip[i] is a record at or before i below which before need not look at
	// any up to i; made when first needed.
	skip []int32
}

func (w *walk) note(name string, n int) {
	if w.report != nil {
		w.report.Note(name, n)
	}
}

// main reports whether record i can be on a branch at all: it is no part of a
// sidechain, and no later record has its uuid.
func (w *walk) main(i int32) bool {
	f := w.x.at(i).flags
	return f&flagReplaced == 0 && (w.sidechain || f&flagSidechain == 0)
}

// leaf finds the end of the branch as Claude Code 2.1.332 does: the last
// last-prompt that names a known record, extended to its last descendant in
// file order; else the last record of the file.
func (w *walk) leaf(id string, hash func(string) uint64) (int32, error) {
	if id != "" {
		i := w.x.find(hash(id))
		if i < 0 {
			return -1, fmt.Errorf("branch %q: %w", id, agent.ErrUnknownBranch)
		}
		return w.extend(i), nil
	}
	last := int32(-1)
	for i := w.x.records.Len() - 1; i >= 0 && last < 0; i-- {
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

// descent says what is known of a record: whether it descends from a leaf.
type descent uint8

const (
	descentUnknown descent = iota
	descentOpen            // on the way up that is being walked
	descentNo
	descentYes
)

// extend returns the last record in file order that descends from leaf, or
// leaf itself.
func (w *walk) extend(leaf int32) int32 {
	known := make([]descent, w.x.records.Len())
	known[leaf] = descentYes
	last := leaf
	var way []int32
	for i := range w.x.records.Len() {
		if !w.main(i) {
			continue
		}
		way = way[:0]
		p := i
		for p >= 0 && w.main(p) && known[p] == descentUnknown {
			known[p] = descentOpen
			way = append(way, p)
			p = w.x.parent(p)
		}
		answer := descentNo // at a root, or round a cycle
		if p >= 0 && known[p] == descentYes {
			answer = descentYes
		}
		for _, q := range way {
			known[q] = answer
		}
		if known[i] == descentYes {
			last = max(last, i)
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
		if !w.x.facts.anyParent {
			return w.before(i), false
		}
		return -1, false
	}
	if p := w.x.parent(i); p >= 0 {
		return p, false
	}
	return w.before(i), true
}

// before returns the nearest record before i in the file that can be on a
// branch and is not on the chain yet. What it passed over it does not look at
// again, so that a hostile tree costs no more than its length.
func (w *walk) before(i int32) int32 {
	if w.skip == nil {
		w.skip = make([]int32, w.x.records.Len()+1)
		for j := range w.skip {
			w.skip[j] = int32(j)
		}
	}
	j := w.root(i) // all from j to i-1 are passed over
	for j > 0 && (!w.main(j-1) || w.on[j-1]) {
		w.skip[j] = j - 1
		j = w.root(j - 1)
	}
	return j - 1
}

// root follows skip and shortens the way.
func (w *walk) root(i int32) int32 {
	for w.skip[i] != i {
		w.skip[i] = w.skip[w.skip[i]]
		i = w.skip[i]
	}
	return i
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
		i = w.x.parent(i)
	}
	slices.Reverse(kept)
	return kept
}

// withoutRepeats leaves out a beginning of the chain that stands in it twice: a
// client fed by another program writes the whole history down anew with every
// turn. Answers are known again by the id of their API message, so that equal
// words of two turns stay two.
func (w *walk) withoutRepeats(chain []int32) []int32 {
	said := chain[:0:0]
	for _, i := range chain {
		if e := w.x.at(i); e.typ == recUser || e.typ == recAssistant {
			said = append(said, i)
		}
	}
	from := 0                     // of said: what is before it is repeated from here on
	budget := 16*len(said) + 1000 // a hostile file must not cost more than its length
	for n := 1; from+2*n <= len(said) && budget > 0; n++ {
		if budget--; !w.same(said[from], said[from+n]) {
			continue
		}
		repeated, cost := w.repeats(said[from : from+2*n])
		if budget -= cost; repeated {
			from += n
			n = 0
		}
	}
	if from == 0 {
		return chain
	}
	w.note("repeated-records", from)
	for at, i := range chain {
		if i == said[from] {
			return chain[at:]
		}
	}
	return chain
}

// repeats reports whether the second half of said repeats the first, with an
// answer in it, and how many records it had to compare.
func (w *walk) repeats(said []int32) (yes bool, cost int) {
	n := len(said) / 2
	for j := range n {
		if !w.same(said[j], said[n+j]) {
			return false, j
		}
		yes = yes || w.x.at(said[j]).typ == recAssistant
	}
	return yes, n
}

// same reports whether two records say the same; answers have to be of one API
// message.
func (w *walk) same(i, j int32) bool {
	a, b := w.x.at(i), w.x.at(j)
	if a.typ != b.typ || a.content != b.content || a.content == 0 {
		return false
	}
	return a.typ != recAssistant || a.group != 0 && a.group == b.group
}

// countEarlier counts the records of the branch that a compaction has taken out
// of the model's view: what the full view has before root.
func (w *walk) countEarlier(root int32) {
	if w.report == nil || w.view == agent.FullView || w.x.at(root).typ != recBoundary {
		return
	}
	full := &walk{x: w.x, view: agent.FullView, on: make([]bool, w.x.records.Len()), sidechain: w.sidechain}
	earlier := 0
	for _, i := range full.regroup(full.up(root)) {
		if !w.on[i] && w.says(i) {
			w.on[i] = true
			earlier++
		}
	}
	w.report.Note(agent.NoteBeforeCompaction, earlier)
}

// says reports whether record i holds conversation, as far as its type tells.
func (w *walk) says(i int32) bool {
	e := w.x.at(i)
	return w.main(i) && (e.typ == recUser || e.typ == recAssistant || e.flags&flagUnknown != 0)
}

// countOther counts the records that are on another branch.
func (w *walk) countOther(leaf int32) {
	other, later := 0, 0
	for i := range w.x.records.Len() {
		if w.on[i] || !w.says(i) {
			continue
		}
		other++
		if i > leaf {
			later++
		}
	}
	w.note(agent.NoteOffBranch, other)
	w.note(agent.NoteLaterOffBranch, later)
}
