package check

import (
	"cmp"
	"slices"

	"github.com/crosswalk-agents/crosswalk/internal/chunk"
)

// claudeEntry is the memory of one record that can be on a chain, 64 bytes.
type claudeEntry struct {
	off    int64
	uuid   uint64
	parent uint64
	group  uint64 // of an API message; of a boundary its logical parent
	call   uint64 // first call or answered call
	millis int64
	marks  claudeMark
	size   uint32
	line   uint32
}

func newClaudeIndex() *claudeIndex {
	return &claudeIndex{
		more: make(map[int32][]uint64), misplaced: make(map[int32][]uint64), derived: make(map[int32][]derivedID), kept: make(map[int32]claudeKept),
		unread: make(map[uint64]int32), nameless: -1,
	}
}

// claudeIndex remembers the records of a file in their order.
type claudeIndex struct {
	records chunk.List[claudeEntry]
	types   chunk.List[claudeType]
	byUUID  []int32 // by uuid, then by place
	more    map[int32][]uint64
	// misplaced are results in answers and calls in user messages.
	misplaced map[int32][]uint64
	derived   map[int32][]derivedID
	kept      map[int32]claudeKept
	// unread finds records that the client does not index.
	unread map[uint64]int32
	// nameless is the last record without uuid, or -1.
	nameless int32
}

func (x *claudeIndex) at(i int32) *claudeEntry { return x.records.At(i) }

func (x *claudeIndex) typ(i int32) claudeType { return *x.types.At(i) }

func (x *claudeIndex) add(typ claudeType, e claudeEntry) int32 {
	x.types.Add(typ)
	return x.records.Add(e)
}

// ids returns the hashes of the calls of a record, or of those it answers.
func (x *claudeIndex) ids(i int32) []uint64 {
	e := x.at(i)
	if e.marks&markMoreCalls != 0 {
		return x.more[i]
	}
	if e.call == 0 {
		return nil
	}
	return []uint64{e.call}
}

// indexed reports whether the client finds record i by its uuid.
func (x *claudeIndex) indexed(i int32) bool {
	t := x.typ(i)
	return t != ccNone && t != ccOther && x.at(i).uuid != 0
}

// message reports whether record i is a message of the main conversation.
func (x *claudeIndex) message(i int32) bool {
	t := x.typ(i)
	return (t == ccUser || t == ccAssistant) && x.at(i).marks&markSidechain == 0
}

// sort makes records findable by uuid. Of several with one uuid the client
// keeps the last, at the place of the first.
func (x *claudeIndex) sort() {
	x.byUUID = make([]int32, 0, x.records.Len())
	x.nameless = -1
	for i := range x.records.Len() {
		switch {
		case x.indexed(i):
			x.byUUID = append(x.byUUID, i)
		case x.at(i).uuid != 0:
			x.unread[x.at(i).uuid] = i
		case x.typ(i) != ccNone && x.typ(i) != ccOther:
			x.nameless = i
		}
	}
	slices.SortStableFunc(x.byUUID, func(a, b int32) int { return cmp.Compare(x.at(a).uuid, x.at(b).uuid) })
	x.passProgress()
}

// passProgress links records to what the progress records above them hang on:
// the client does not keep those. (Claude Code 2.1.332.)
func (x *claudeIndex) passProgress() {
	done := make([]bool, x.records.Len())
	var path []int32
	for i := range x.records.Len() {
		path = append(path[:0], i)
		for at := i; !done[at]; {
			done[at] = true
			if x.at(at).marks&markHasParent == 0 {
				break
			}
			p := x.find(x.at(at).parent)
			if p < 0 || x.typ(p) != ccProgress {
				break
			}
			path = append(path, p)
			at = p
		}
		end := x.at(path[len(path)-1])
		for _, j := range path {
			e := x.at(j)
			e.parent = end.parent
			e.marks = e.marks&^markHasParent | end.marks&markHasParent
		}
	}
}

// span returns the range of byUUID that has the uuid.
func (x *claudeIndex) span(uuid uint64) (from, to int) {
	from, _ = slices.BinarySearchFunc(x.byUUID, uuid, func(i int32, u uint64) int { return cmp.Compare(x.at(i).uuid, u) })
	to, _ = slices.BinarySearchFunc(x.byUUID, uuid, func(i int32, u uint64) int {
		if x.at(i).uuid <= u {
			return -1
		}
		return 1
	})
	return from, to
}

// find returns the record with the uuid that the client has, or -1.
func (x *claudeIndex) find(uuid uint64) int32 {
	if uuid == 0 {
		return -1
	}
	from, to := x.span(uuid)
	if from == to {
		return -1
	}
	return x.byUUID[to-1]
}

// opaque returns the record with the uuid that the client does not index, or
// -1.
func (x *claudeIndex) opaque(uuid uint64) int32 {
	if i, ok := x.unread[uuid]; ok && uuid != 0 {
		return i
	}
	return -1
}

// current reports whether the client still has record i, which a later one
// with its uuid has not replaced. Records without uuid replace one another too.
// (Claude Code 2.1.332.)
func (x *claudeIndex) current(i int32) bool {
	if uuid := x.at(i).uuid; uuid != 0 {
		return x.find(uuid) == i
	}
	return i == x.nameless
}

// first reports whether record i is the first with its uuid.
func (x *claudeIndex) first(i int32) bool {
	uuid := x.at(i).uuid
	if uuid == 0 {
		return true
	}
	from, to := x.span(uuid)
	return from == to || x.byUUID[from] == i
}
