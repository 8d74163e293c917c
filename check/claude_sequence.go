package check

// sequence returns the records that the model sees, in order: the chain, with
// the other records of its API messages and the results of their calls put back
// where they belong. Parallel calls are records of their own, and each result
// hangs under its call, so that the chain passes only one of them. (Claude Code
// 2.1.332.)
func (w *claudeWalk) sequence() []int32 {
	members, results := w.besides()
	out := make([]int32, 0, len(w.chain))
	done := make([]bool, w.x.records.Len())
	put := func(i int32) {
		if !done[i] {
			done[i] = true
			w.seen[i] = true
			out = append(out, i)
		}
	}
	for _, i := range w.chain {
		if done[i] {
			continue
		}
		group := w.x.at(i).group
		if w.x.typ(i) != ccAssistant || group == 0 {
			put(i)
			continue
		}
		for _, m := range members[group] {
			put(m)
		}
		for _, r := range results[group] {
			put(r)
		}
	}
	return out
}

// besides finds, for each API message on the chain, its records and the results
// of its calls that hang under one of them beside the chain.
func (w *claudeWalk) besides() (members, results map[uint64][]int32) {
	members, results = make(map[uint64][]int32), make(map[uint64][]int32)
	on := make([]bool, w.x.records.Len())
	for _, i := range w.chain {
		on[i] = true
		if w.x.typ(i) == ccAssistant && w.x.at(i).group != 0 {
			members[w.x.at(i).group] = nil
		}
	}
	called := make(map[uint64]uint64) // message id by call
	for i := range w.x.records.Len() {
		group := w.x.at(i).group
		if list, ok := members[group]; ok && w.x.typ(i) == ccAssistant && group != 0 && (on[i] || w.x.current(i)) {
			members[group] = append(list, i)
			for _, id := range w.x.ids(i) {
				called[id] = group
			}
		}
	}
	for i := range w.x.records.Len() {
		e := w.x.at(i)
		if on[i] || w.x.typ(i) != ccUser || e.marks&markResults == 0 || !w.x.current(i) {
			continue
		}
		p := w.x.find(e.parent)
		if p < 0 || w.x.typ(p) != ccAssistant || w.x.at(p).group == 0 {
			continue
		}
		for _, id := range w.x.ids(i) {
			if group := w.x.at(p).group; called[id] == group {
				results[group] = append(results[group], i)
				break
			}
		}
	}
	return members, results
}
