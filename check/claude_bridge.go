package check

import (
	"cmp"
	"slices"
)

// bridgeMillis is how far back in time the client looks for a record to go on
// with where a parent is missing. (Claude Code 2.1.332.)
const bridgeMillis = 5000

// claudeBridges finds the record with which the client goes on where a parent is
// missing: the latest one by time of the same side, not seen on the walk.
type claudeBridges struct {
	x    *claudeIndex
	side [2]*bridgeSide
}

// bridgeSide holds the records of one side by time; of those of one time the
// later in the file comes first, as with the client.
type bridgeSide struct {
	order  []int32
	places backward
}

// find returns the record to go on with after record i, or -1.
func (b *claudeBridges) find(i int32, seen []bool) int32 {
	e := b.x.at(i)
	if e.millis == 0 {
		return -1
	}
	s := b.of(e.marks & markSidechain)
	at, _ := slices.BinarySearchFunc(s.order, e.millis+1, func(j int32, m int64) int { return cmp.Compare(b.x.at(j).millis, m) })
	k := s.places.last(int32(at)-1, func(k int32) bool { return seen[s.order[k]] })
	if k < 0 {
		return -1
	}
	j := s.order[k]
	if e.millis-b.x.at(j).millis > bridgeMillis {
		return -1
	}
	return j
}

func (b *claudeBridges) of(mark claudeMark) *bridgeSide {
	k := 0
	if mark != 0 {
		k = 1
	}
	if b.side[k] != nil {
		return b.side[k]
	}
	s := &bridgeSide{}
	x := b.x
	for i := range x.records.Len() {
		t := x.typ(i)
		if t == ccNone || t == ccOther || t == ccProgress || t == ccFileSnapshot || x.at(i).millis == 0 || x.at(i).marks&markSidechain != mark || !x.current(i) {
			continue
		}
		s.order = append(s.order, i)
	}
	slices.Reverse(s.order)
	slices.SortStableFunc(s.order, func(p, q int32) int { return cmp.Compare(x.at(p).millis, x.at(q).millis) })
	s.places = newBackward(len(s.order))
	b.side[k] = s
	return s
}
