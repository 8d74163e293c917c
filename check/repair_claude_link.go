package check

import (
	"context"
	"slices"

	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// claudeLinker finds a parent for every record of the history, so that it is
// one chain.
type claudeLinker struct {
	r *repairer
	c *claudeFile
	x *claudeIndex
	// parent is the number of the record that each one follows; noParent,
	// lostParent or whatever the record says.
	parent  []int32
	seen    []bool
	places  backward
	bridges claudeBridges
	// plan holds what becomes of records.
	plan map[int32]*linkPlan
	// fresh holds the new uuids of records that shared theirs.
	fresh map[int32]string
}

const (
	noParent   = -1
	lostParent = -2
	sideParent = -3 // a subagent's record
)

// linkPlan is what becomes of a record's links.
type linkPlan struct {
	rule   string
	parent int32 // number of the new parent, or noParent
	relink bool
	notice bool // a compaction boundary becomes a notice
	drop   bool
}

// claudeLinks makes one chain of the history.
func (r *repairer) claudeLinks(ctx context.Context) error {
	c, err := r.model(ctx)
	if err != nil || c.firstMain < 0 {
		return err
	}
	k := &claudeLinker{
		r: r, c: c, x: c.x, seen: make([]bool, c.x.records.Len()), bridges: claudeBridges{x: c.x},
		plan: make(map[int32]*linkPlan), fresh: make(map[int32]string),
	}
	k.resolve()
	leaf := k.leaf()
	k.chain(leaf)
	k.orphans()
	k.boundaries()
	ids, err := k.uuids(ctx, leaf)
	if err != nil {
		return err
	}
	if r.leaf = ids[leaf]; len(k.plan) == 0 {
		return nil
	}
	return r.step(func(s *stage) error {
		return r.indexed(ctx, func(line int, i int32, value []byte) error {
			p := k.plan[i]
			if i < 0 || p == nil {
				return s.put(line, value)
			}
			r.change(p.rule, line, "")
			if p.drop {
				r.remove(value)
				return nil
			}
			return s.put(line, k.rewrite(i, p, value, ids))
		})
	})
}

// rewrite applies a plan to a record.
func (k *claudeLinker) rewrite(i int32, p *linkPlan, value []byte, ids map[int32]string) jsonx.Raw {
	var members []member
	if p.notice {
		members = append(members, member{"subtype", text("informational")})
	}
	if id, ok := k.fresh[i]; ok {
		members = append(members, member{"uuid", text(id)})
	}
	if p.relink {
		parent := null()
		if p.parent >= 0 {
			parent = text(ids[p.parent])
		}
		members = append(members, member{"parentUuid", parent})
	}
	return set(value, members...)
}

// at returns the plan of record i, under the rule if it has none yet.
func (k *claudeLinker) at(i int32, rule string) *linkPlan {
	p := k.plan[i]
	if p == nil {
		p = &linkPlan{rule: rule, parent: lostParent}
		k.plan[i] = p
	}
	return p
}

// resolve finds the parents that records name. Of several records with one uuid
// all but the last get one of their own, and a parent is the nearest before the
// record that names it.
func (k *claudeLinker) resolve() {
	k.copies()
	k.parent = make([]int32, k.x.records.Len())
	for i := range k.x.records.Len() {
		e := k.x.at(i)
		if e.marks&markHasParent == 0 {
			k.parent[i] = noParent
			continue
		}
		k.parent[i] = lostParent
		if from, to := k.x.span(e.parent); from < to {
			// The nearest before i, or else the first.
			named := k.x.byUUID[from:to]
			at, _ := slices.BinarySearch(named, i)
			k.parent[i] = named[max(at-1, 0)]
		}
		if p := k.parent[i]; p >= 0 && k.x.at(p).marks&markSidechain != 0 && e.marks&markSidechain == 0 {
			k.parent[i] = sideParent
		} else if p >= 0 && k.fresh[p] != "" {
			k.relink(i, p, "claude-duplicate-uuid")
		}
	}
	k.siblings()
}

func (k *claudeLinker) relink(i, parent int32, rule string) {
	p := k.at(i, rule)
	p.relink, p.parent = true, parent
	k.parent[i] = parent
}

// copies plans what becomes of records that have one uuid.
func (k *claudeLinker) copies() {
	j := &claudeJudge{claudeFile: k.c}
	for at := 1; at < len(k.x.byUUID); at++ {
		a, b := k.x.byUUID[at-1], k.x.byUUID[at]
		if k.x.at(a).uuid != k.x.at(b).uuid {
			continue
		}
		if j.same(a, b) {
			k.at(b, "claude-duplicate-record").drop = true
			// The next one is compared with the one that stays.
			k.x.byUUID[at] = a
			continue
		}
		k.at(a, "claude-duplicate-uuid")
		k.fresh[a] = k.r.freshUUID()
	}
	k.x.sort()
	k.x.byUUID = slices.DeleteFunc(k.x.byUUID, k.dropped)
}

// siblings puts a record that shared its uuid with one of the same parent behind
// that one: only one of them would be on the chain.
func (k *claudeLinker) siblings() {
	named := slices.Clone(k.parent)
	for at := 1; at < len(k.x.byUUID); at++ {
		a, b := k.x.byUUID[at-1], k.x.byUUID[at]
		if k.x.at(a).uuid == k.x.at(b).uuid && k.fresh[a] != "" && k.x.message(a) && named[a] == named[b] {
			k.relink(b, a, "claude-duplicate-uuid")
		}
	}
}

// leaf returns the message that the chain ends with: the one that the client
// continues from, or, if that hides later ones, the last of those.
func (k *claudeLinker) leaf() int32 {
	w := k.c.walk()
	if w.leaf >= 0 {
		w.sequence()
	}
	for i := k.x.records.Len() - 1; i > w.leaf; i-- {
		if k.x.message(i) && !w.seen[i] && !k.dropped(i) && (w.leaf < 0 || k.x.at(i).marks&markContent != 0) {
			return i
		}
	}
	return w.leaf
}

// chain walks up from the leaf and links what does not hang together.
func (k *claudeLinker) chain(i int32) {
	k.places = newBackward(int(k.x.records.Len()))
	following := int32(-1) // the message last passed
	for i >= 0 {
		k.seen[i] = true
		if t := k.x.typ(i); (t == ccUser || t == ccAssistant) && k.x.at(i).marks&markContent != 0 {
			following = i
		}
		next := k.parent[i]
		if k.x.typ(i) == ccBoundary {
			if !k.lost(i, following) {
				return
			}
			p := k.at(i, "claude-boundary-without-summary")
			p.notice = true
			if next = k.before(i); next < 0 {
				next = k.x.find(k.x.at(i).group)
			}
			if next >= 0 && (k.seen[next] || k.dropped(next)) {
				next = noParent
			}
			k.relink(i, next, p.rule)
		}
		if next < 0 || k.seen[next] {
			next = k.mend(i, next)
		}
		i = next
	}
}

// mend finds a parent for a record that names none that can be it: the record
// before it in the file.
func (k *claudeLinker) mend(i, next int32) int32 {
	rule, bridged := k.broken(i, next)
	// What the client would go on with may lie anywhere; it gives the rule its
	// name.
	bridge := k.bridges.find(i, k.seen)
	if rule == "claude-missing-parent" || rule == "claude-second-root" {
		if !k.messageBefore(i) { // it is the beginning
			if rule == "claude-missing-parent" && i != k.c.firstMain {
				k.relink(i, noParent, rule)
			}
			return -1
		}
	} else if bridge >= 0 {
		rule = bridged
	}
	to := k.before(i)
	if k.r.follow && bridge >= 0 && rule == bridged && !k.dropped(bridge) {
		to = bridge
	}
	if to < 0 {
		if bridge < 0 && next == lostParent {
			return -1 // nothing stands before it: it is the beginning
		}
		rule = bridged
	}
	k.relink(i, max(to, noParent), rule)
	return to
}

// broken names the rule for what is wrong with the parent of record i, and the
// one for the case that the client gets over it.
func (k *claudeLinker) broken(i, next int32) (rule, bridged string) {
	switch {
	case next >= 0:
		return "claude-parent-cycle", "claude-bridged-cycle"
	case next == sideParent:
		return "claude-sidechain-in-chain", "claude-sidechain-in-chain"
	case next == noParent && k.x.at(i).marks&markNoParent != 0:
		return "claude-missing-parent", ""
	case next == noParent:
		return "claude-second-root", ""
	}
	if o := k.x.opaque(k.x.at(i).parent); o >= 0 && k.x.typ(o) == ccOther {
		return "claude-unknown-type", "claude-bridged-parent"
	}
	return "claude-dangling-parent", "claude-bridged-parent"
}

// orphans gives a parent to messages beside the chain that name none.
func (k *claudeLinker) orphans() {
	last := int32(noParent)
	for i := range k.x.records.Len() {
		e := k.x.at(i)
		if !k.x.message(i) || k.dropped(i) {
			continue
		}
		if e.marks&markNoParent != 0 && !k.seen[i] && i != k.c.firstMain && k.plan[i] == nil {
			k.relink(i, last, "claude-missing-parent")
		}
		last = i
	}
}

// messageBefore reports whether a message that is not on the chain stands before
// record i.
func (k *claudeLinker) messageBefore(i int32) bool {
	for i--; i >= 0; i-- {
		if k.x.message(i) && !k.seen[i] && k.x.at(i).marks&markContent != 0 && !k.dropped(i) {
			return true
		}
	}
	return false
}

func (k *claudeLinker) dropped(i int32) bool { return k.plan[i] != nil && k.plan[i].drop }

// before returns the nearest record of the main conversation before record i
// that is not on the chain, or -1.
func (k *claudeLinker) before(i int32) int32 {
	return k.places.last(i-1, func(j int32) bool {
		return k.seen[j] || k.dropped(j) || k.x.at(j).marks&markSidechain != 0 || !k.x.indexed(j) || k.x.typ(j) == ccProgress
	})
}

// lost reports whether the compaction at record boundary has no summary: the
// message that follows it on the chain is none, and something stands before it.
func (k *claudeLinker) lost(boundary, following int32) bool {
	if following < 0 || k.x.at(following).marks&markSummary != 0 {
		return false
	}
	return k.messageBefore(boundary) || k.x.find(k.x.at(boundary).group) >= 0 && k.messageBefore(k.x.records.Len())
}

// boundaries takes back the compactions behind the beginning of the chain that
// are not on it: in a large file the client discards what stands before the last
// one.
func (k *claudeLinker) boundaries() {
	if k.r.cur.Size() <= fastPath {
		return
	}
	first := int32(-1)
	for i := range k.x.records.Len() {
		if first < 0 && k.seen[i] && k.x.message(i) {
			first = i
		}
		if first >= 0 && !k.seen[i] && k.x.typ(i) == ccBoundary && k.x.at(i).marks&markSidechain == 0 {
			k.at(i, "claude-size-fast-path").notice = true
		}
	}
}

// uuids reads the ids of the leaf and of the records that become parents.
func (k *claudeLinker) uuids(ctx context.Context, leaf int32) (map[int32]string, error) {
	ids := map[int32]string{leaf: ""}
	for _, p := range k.plan {
		if p.relink && p.parent >= 0 {
			ids[p.parent] = ""
		}
	}
	err := k.r.indexed(ctx, func(_ int, i int32, value []byte) error {
		if _, ok := ids[i]; !ok {
			return nil
		}
		if ids[i] = k.fresh[i]; ids[i] == "" {
			ids[i] = getString(value, "uuid")
		}
		return nil
	})
	return ids, err
}
