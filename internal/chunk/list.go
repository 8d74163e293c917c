package chunk

// size is how many values are allocated at once.
const size = 4096

// List is a list that grows without moving what it holds. The zero value is
// empty.
type List[T any] struct {
	pieces [][]T
	n      int32
}

// Len returns the number of values.
func (l *List[T]) Len() int32 { return l.n }

// At returns the place of value i, which stays where it is.
func (l *List[T]) At(i int32) *T { return &l.pieces[i/size][i%size] }

// Add appends v and returns its index.
func (l *List[T]) Add(v T) int32 {
	if l.n%size == 0 {
		l.pieces = append(l.pieces, make([]T, 0, size))
	}
	last := &l.pieces[len(l.pieces)-1]
	*last = append(*last, v)
	l.n++
	return l.n - 1
}
