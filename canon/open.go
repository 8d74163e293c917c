package canon

import "iter"

// openCall is a call that has no result yet.
type openCall struct {
	id, original string
	call         CallKind
	closed       bool
}

// openCalls are the calls that have no result yet, in their order.
type openCalls struct {
	list []openCall
	// at holds the places in list of those with the same original id.
	at map[string][]int
	n  int
}

func (o *openCalls) add(c openCall) {
	if o.at == nil {
		o.at = make(map[string][]int)
	}
	o.at[c.original] = append(o.at[c.original], len(o.list))
	o.list = append(o.list, c)
	o.n++
}

// close takes out the first call with this original id.
func (o *openCalls) close(original string) (c openCall, ok bool) {
	at := o.at[original]
	if len(at) == 0 {
		return c, false
	}
	c = o.list[at[0]]
	o.list[at[0]].closed = true
	if o.at[original] = at[1:]; len(at) == 1 {
		delete(o.at, original)
	}
	if o.n--; o.n == 0 {
		o.list = o.list[:0]
	}
	return c, true
}

func (o *openCalls) all() iter.Seq[openCall] {
	return func(yield func(openCall) bool) {
		for _, c := range o.list {
			if !c.closed && !yield(c) {
				return
			}
		}
	}
}
