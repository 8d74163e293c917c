package check

import "slices"

// claudeWalk is what the client does to find the history that it sends: it
// chooses a leaf and goes from parent to parent. (Claude Code 2.1.332.)
type claudeWalk struct {
	x       *claudeIndex
	bridges claudeBridges
	// leaf is the message the client continues from, or -1; end is the record
	// that led to it.
	leaf, end int32
	// byPrompt says that a last-prompt record chose the leaf.
	byPrompt bool
	// hidden says that it named a subagent's message.
	hidden bool
	seen   []bool
	// chain holds the records from the root to the leaf that the model sees.
	chain []int32
	// root tells why the chain begins where it does.
	root rootKind
	// bridged are records whose parent is missing and was replaced; looped
	// those whose parent lies on the chain already.
	bridged, looped []int32
	// behind are the records before a compaction.
	behind []int32
	places backward
}

// rootKind is a reason for which a chain begins.
type rootKind uint8

const (
	rootNull     rootKind = iota // parentUuid is null
	rootAbsent                   // there is no parentUuid
	rootMissing                  // the parent is not in the file
	rootUnread                   // the client does not index the parent
	rootLoop                     // the parent lies on the chain
	rootBoundary                 // a compaction
)

// walk finds the history of the session; named is what the last last-prompt
// record names, or -1.
func (x *claudeIndex) walk(named int32) *claudeWalk {
	w := &claudeWalk{x: x, bridges: claudeBridges{x: x}, leaf: -1, end: -1, seen: make([]bool, x.records.Len())}
	w.choose(named)
	if w.leaf < 0 {
		return w
	}
	w.up(w.leaf)
	w.beyond()
	return w
}

// choose finds the leaf: the record that the last last-prompt names, unless the
// last record of the file descends from it; without one the last record. From
// there the nearest message upward.
func (w *claudeWalk) choose(named int32) {
	last := w.lastRow()
	w.end = last
	if named >= 0 && !w.descends(last, named) {
		w.end, w.byPrompt = named, true
		if w.hidden = w.x.at(named).marks&markSidechain != 0; w.hidden {
			return
		}
	}
	if w.end < 0 {
		return
	}
	if w.leaf = w.climb(w.end); w.leaf >= 0 {
		return
	}
	// The record leads to no message, as a compaction at the end: the last
	// message it is.
	for i := w.x.records.Len() - 1; i >= 0; i-- {
		if w.x.message(i) && w.x.current(i) {
			w.leaf = i
			return
		}
	}
}

// lastRow returns the last record of the main conversation, or -1. Where a uuid
// occurs again it is the place of the first that counts.
func (w *claudeWalk) lastRow() int32 {
	for i := w.x.records.Len() - 1; i >= 0; i-- {
		switch w.x.typ(i) {
		case ccUser, ccAssistant, ccAttachment, ccSystem, ccBoundary:
			if w.x.at(i).marks&markSidechain == 0 && w.x.first(i) {
				if now := w.x.find(w.x.at(i).uuid); now >= 0 {
					return now
				}
				return i
			}
		default:
		}
	}
	return -1
}

// descends reports whether record i is record of or comes after it by exact
// parents.
func (w *claudeWalk) descends(i, of int32) bool {
	for steps := int32(0); i >= 0 && steps <= w.x.records.Len(); steps++ {
		if i == of {
			return true
		}
		i = w.x.find(w.x.at(i).parent)
	}
	return false
}

// climb returns the nearest message at or above record i, or -1.
func (w *claudeWalk) climb(i int32) int32 {
	for steps := int32(0); i >= 0 && steps <= w.x.records.Len(); steps++ {
		if t := w.x.typ(i); t == ccUser || t == ccAssistant {
			return i
		}
		i = w.x.find(w.x.at(i).parent)
	}
	return -1
}

// up goes from the leaf to the root.
func (w *claudeWalk) up(i int32) {
	for i >= 0 {
		w.seen[i] = true
		w.chain = append(w.chain, i)
		if w.x.typ(i) == ccBoundary {
			w.root = rootBoundary
			break
		}
		i = w.parent(i)
	}
	slices.Reverse(w.chain)
}

// parent returns the record with which the client goes on, or -1.
func (w *claudeWalk) parent(i int32) int32 {
	e := w.x.at(i)
	if e.marks&markHasParent == 0 {
		w.root = rootNull
		if e.marks&markNoParent != 0 {
			w.root = rootAbsent
		}
		return -1
	}
	p := w.x.find(e.parent)
	if p >= 0 && !w.seen[p] {
		return p
	}
	b := w.bridges.find(i, w.seen)
	switch {
	case p >= 0:
		w.root = rootLoop
		w.looped = append(w.looped, i)
	case w.x.opaque(e.parent) >= 0:
		w.root = rootUnread
	default:
		w.root = rootMissing
	}
	if b >= 0 && p < 0 {
		w.bridged = append(w.bridged, i)
	}
	return b
}

// beyond goes on behind a compaction, for what its summary stands for.
func (w *claudeWalk) beyond() {
	if w.root != rootBoundary {
		return
	}
	for i := w.chain[0]; i >= 0; {
		e := w.x.at(i)
		next := w.x.find(e.parent)
		if w.x.typ(i) == ccBoundary && w.x.find(e.group) >= 0 {
			next = w.x.find(e.group)
		}
		if next < 0 || w.seen[next] {
			next = w.before(i)
		}
		if next >= 0 {
			w.seen[next] = true
			w.behind = append(w.behind, next)
		}
		i = next
	}
}

// before returns the nearest record of the main conversation before record i in
// the file that is not on the chain, or -1.
func (w *claudeWalk) before(i int32) int32 {
	if w.places.prev == nil {
		w.places = newBackward(int(w.x.records.Len()))
	}
	return w.places.last(i-1, func(j int32) bool {
		return w.seen[j] || w.x.at(j).marks&markSidechain != 0 || !w.x.indexed(j) || w.x.typ(j) == ccProgress
	})
}
