package chunk_test

import (
	"testing"

	"github.com/crosswalk-agents/crosswalk/internal/chunk"
)

func TestValuesStayWhereTheyAre(t *testing.T) {
	var l chunk.List[int]
	var first *int
	for i := range int32(10_000) {
		if got := l.Add(int(i) * 3); got != i || l.Len() != i+1 {
			t.Fatalf("value %d got the index %d of %d", i, got, l.Len())
		}
		if i == 0 {
			first = l.At(0)
		}
	}
	for i := range l.Len() {
		if *l.At(i) != int(i)*3 {
			t.Fatalf("value %d is %d", i, *l.At(i))
		}
	}
	if *l.At(0) = 7; *first != 7 {
		t.Error("the first value was moved")
	}
}
