package check

// backward finds the last place at or before another that is not gone. What is
// gone stays gone, so that any number of searches takes about one pass.
type backward struct{ prev []int32 }

func newBackward(n int) backward {
	b := backward{prev: make([]int32, n)}
	for i := range b.prev {
		b.prev[i] = int32(i)
	}
	return b
}

// last returns the last place at or before k that is not gone, or -1.
func (b backward) last(k int32, gone func(int32) bool) int32 {
	found := k
	for found >= 0 && gone(found) {
		if b.prev[found] == found {
			b.prev[found] = found - 1
		}
		found = b.prev[found]
	}
	for k > found {
		k, b.prev[k] = b.prev[k], found
	}
	return found
}
