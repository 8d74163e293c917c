package canon

import "slices"

// results pairs the results of a message with open calls. Those without a call
// become text, and what is no result goes on behind the results of all calls.
func (h *healer) results(x waiting) {
	m := x.m
	paired, rest := h.split(m, func(r *ToolResultBlock) (bool, []Block) {
		h.index.take(r.CallID)
		if h.answer(r) {
			return true, nil
		}
		return false, h.orphan(m, r)
	})
	switch {
	case len(paired) == 0:
		m.Blocks = rest
		if h.stillMessage(m) {
			h.step(x)
		}
	case len(rest) == 0 || h.open.n == 0:
		m.Blocks = append(paired, rest...)
		h.emit(x)
	default:
		h.part(x, paired, rest)
	}
}

// pick takes the results of open calls out of a message that has to wait behind
// the held ones. Its other results may be those of calls that are held.
func (h *healer) pick(x waiting) {
	if x.m.Role == Assistant || !hasResult(x.m) {
		h.held = append(h.held, x)
		return
	}
	paired, rest := h.split(x.m, func(r *ToolResultBlock) (bool, []Block) {
		id := r.CallID
		if !h.comes(id) || !h.answer(r) {
			return false, []Block{r}
		}
		h.index.take(id)
		return true, nil
	})
	if len(paired) == 0 {
		h.held = append(h.held, x)
		return
	}
	for i := range h.held {
		h.held[i].moved = true
	}
	if len(rest) == 0 {
		h.emit(x)
		return
	}
	h.part(x, paired, rest)
}

// split parts the blocks of m into results that pair accepts and the rest, of
// which pair says what becomes of a result. Text before a result moves behind
// it.
func (h *healer) split(m *Message, pair func(*ToolResultBlock) (bool, []Block)) (paired, rest []Block) {
	crossed := false
	for _, b := range m.Blocks {
		r, ok := b.(*ToolResultBlock)
		if !ok {
			rest = append(rest, b)
			continue
		}
		is, left := pair(r)
		if is {
			crossed = crossed || len(rest) > 0
			paired = append(paired, b)
		}
		rest = append(rest, left...)
	}
	if crossed {
		h.report.Change(m, string(countKind(rest[0])), Moved, "stood before a tool result in its message")
	}
	return paired, rest
}

// answer closes the open call that r answers.
func (h *healer) answer(r *ToolResultBlock) bool {
	c, ok := h.open.close(r.CallID)
	if !ok {
		return false
	}
	r.CallID = c.id
	h.answered = true
	return true
}

// part emits the results of a message and sends the rest on as one of its own.
func (h *healer) part(x waiting, paired, rest []Block) {
	after := *x.m
	after.ID, after.Ext, after.Blocks = "", Ext{}, rest
	x.m.Blocks = paired
	if !after.IsScaffolding() {
		h.report.Synthesize(&Message{Line: after.Line}, "what stood beside a tool result becomes a message of its own")
	}
	h.emit(x)
	h.step(waiting{m: &after})
}

// withoutOrphans turns results in an answer that are none of own into text, and
// reports whether anything is left.
func (h *healer) withoutOrphans(m *Message, own []Block) bool {
	if !hasResult(m) {
		return true
	}
	var out []Block
	for _, b := range m.Blocks {
		if r, ok := b.(*ToolResultBlock); ok && !slices.Contains(own, b) {
			h.index.take(r.CallID)
			out = append(out, h.orphan(m, r)...)
			continue
		}
		out = append(out, b)
	}
	m.Blocks = out
	return h.stillMessage(m)
}

// stillMessage counts m as dropped if its blocks are gone, or are scaffolding
// alone. It reports whether any are left.
func (h *healer) stillMessage(m *Message) bool {
	if len(m.Blocks) == 0 || m.IsScaffolding() {
		h.report.Drop(&Message{Line: m.Line}, "nothing is left of the message")
	}
	return len(m.Blocks) > 0
}

// orphan turns a result without a call into marked text, or nothing.
func (h *healer) orphan(m *Message, r *ToolResultBlock) []Block {
	var out []Block
	for _, b := range r.Content {
		if t, ok := b.(*TextBlock); ok {
			if t.Text.IsBlank() {
				continue
			}
			if len(out) == 0 {
				b = &TextBlock{Text: Join(NewText(OrphanResultPrefix), t.Text)}
			}
		} else if len(out) == 0 {
			out = append(out, &TextBlock{Text: NewText(OrphanResultPrefix)})
		}
		out = append(out, b)
	}
	if len(out) == 0 {
		h.report.DropBlock(m, r, "result without its call, and empty")
		return nil
	}
	h.report.Replace(m, r, out, "result without its call, kept as text")
	return out
}

// resultOf returns the first result for the call id among blocks that is not
// taken, or nil.
func resultOf(id string, blocks, taken []Block) *ToolResultBlock {
	for _, b := range blocks {
		if r, ok := b.(*ToolResultBlock); ok && r.CallID == id && !slices.Contains(taken, b) {
			return r
		}
	}
	return nil
}

func hasResult(m *Message) bool {
	for _, b := range m.Blocks {
		if b.Kind() == KindToolResult {
			return true
		}
	}
	return false
}
