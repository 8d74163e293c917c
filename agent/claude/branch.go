package claude

import (
	"context"
	"slices"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// Branches implements [agent.Brancher].
func (s *session) Branches(ctx context.Context) ([]agent.Branch, error) {
	if s.leaf < 0 {
		return nil, nil
	}
	w := &walk{x: s.x, view: agent.FullView, on: make([]bool, s.x.records.Len()), sidechain: !s.x.facts.anyMain}
	active := w.regroup(w.up(s.leaf))
	rd := reader{s: s, window: s.file.Window()}
	first, err := rd.describe(active, s.leaf)
	if err != nil {
		return nil, err
	}
	first.Active = true
	branches := []agent.Branch{first}
	for _, leaf := range w.leaves() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		own := w.own(leaf)
		if !slices.ContainsFunc(own, func(i int32) bool { return w.says(i) && w.x.at(i).flags&flagResult == 0 }) {
			continue // a parallel result, or what the client notes
		}
		b, err := rd.describe(own, leaf)
		if err != nil {
			return nil, err
		}
		branches = append(branches, b)
	}
	return branches, nil
}

// leaves returns the ends of branches that are not on the walk, the latest
// first.
func (w *walk) leaves() (leaves []int32) {
	parent := make([]bool, w.x.records.Len())
	for i := range w.x.records.Len() {
		e := w.x.at(i)
		named := []uint64{e.parent}
		if e.typ == recBoundary {
			named = append(named, e.group)
		}
		for _, uuid := range named {
			if p := w.x.find(uuid); p >= 0 && p != i && w.main(i) {
				parent[p] = true
			}
		}
	}
	for i := w.x.records.Len() - 1; i >= 0; i-- {
		if !parent[i] && !w.on[i] && w.main(i) {
			leaves = append(leaves, i)
		}
	}
	return leaves
}

// own returns the records from leaf up to what was walked before, in order, and
// counts them as walked.
func (w *walk) own(leaf int32) (own []int32) {
	for i := leaf; i >= 0 && !w.on[i]; {
		w.on[i] = true
		own = append(own, i)
		i, _ = w.parent(i)
	}
	slices.Reverse(own)
	return own
}

// describe tells what a person needs to know of a branch whose records are own.
func (rd *reader) describe(own []int32, leaf int32) (b agent.Branch, err error) {
	for n := len(own) - 1; n >= 0; n-- {
		e := rd.s.x.at(own[n])
		if e.typ == recUser || e.typ == recAssistant {
			b.Messages++
		}
		if b.Prompt != "" || e.typ != recUser || e.flags&(flagResult|flagMeta|flagSummary) != 0 {
			continue
		}
		m, err := rd.message(own[n])
		if err != nil {
			return b, err
		}
		b.Prompt = promptOf(m)
	}
	e := rd.s.x.at(leaf)
	data, err := rd.window.Read(e.off, int(e.size))
	if err != nil {
		return b, err
	}
	d := jsonx.NewDecoder(data)
	for name := range d.Members() {
		switch string(name) {
		case "uuid":
			b.Leaf = d.OptStr()
		case "timestamp":
			b.Time = d.OptTime()
		}
	}
	return b, nil
}

// promptOf returns the beginning of what a person typed; "" if nobody did.
func promptOf(m *canon.Message) string {
	if m == nil {
		return ""
	}
	for _, b := range m.Blocks {
		if t, ok := b.(*canon.TextBlock); ok && t.Tag == "" {
			if title := agent.TitleFrom(t.Text.Head(titleBytes)); title != "" {
				return title
			}
		}
	}
	return ""
}
