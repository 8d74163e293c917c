package canon

import (
	"hash/maphash"
	"strconv"
)

// CallIndex looks ahead in a stream of messages: it knows how many results for
// a call are still to come. A reader fills it in the pass that it makes over
// the file anyway, and it serves one [Heal].
type CallIndex struct {
	seed    maphash.Seed
	results map[uint64]int32
}

// NewCallIndex returns an empty index whose hashes are those of seed.
func NewCallIndex(seed maphash.Seed) *CallIndex {
	return &CallIndex{seed: seed, results: make(map[uint64]int32)}
}

// AddHash records that a result occurs for the call whose id, decoded, has the
// hash h by [maphash.String].
func (x *CallIndex) AddHash(h uint64) { x.results[h]++ }

// AddResult records that a result for the call id occurs.
func (x *CallIndex) AddResult(id string) { x.AddHash(maphash.String(x.seed, id)) }

// take counts down the results that are still to come for the call id.
func (x *CallIndex) take(id string) {
	x.results[maphash.String(x.seed, id)]--
}

// toCome reports whether a result for the call id is still to come.
func (x *CallIndex) toCome(id string) bool {
	return x.results[maphash.String(x.seed, id)] > 0
}

// InterruptedResult is the text of a result that [Heal] makes for a call that
// was never answered.
const InterruptedResult = "[no result: the session was interrupted before this tool call finished]"

// OrphanResultPrefix begins the text that [Heal] makes of a result whose call
// is missing.
const OrphanResultPrefix = "[tool result without its call] "

// maxHeld is how many messages Heal keeps back while it waits for results.
const maxHeld = 256

// Heal returns msgs with calls and results paired as every vendor's API wants
// them: each call answered once, before the next user text and the next answer
// of the model; no id twice; no result without a call. What it does is counted
// in r. Call ids that are open are all it remembers of the stream, beside the
// hashes of ids seen and the messages that stand between a call and its result.
func Heal(msgs Messages, index *CallIndex, r *Report) Messages {
	return func(yield func(*Message, error) bool) {
		h := &healer{index: index, report: r, seed: maphash.MakeSeed(), seen: make(map[uint64]int), yield: yield}
		for m, err := range msgs {
			if err != nil {
				yield(nil, err)
				return
			}
			if !h.message(m) {
				return
			}
		}
		h.settle()
	}
}

type openCall struct {
	id, original string
	call         CallKind
}

type healer struct {
	index    *CallIndex
	report   *Report
	seed     maphash.Seed
	seen     map[uint64]int // how often an id was called
	open     []openCall
	answered bool // a result came since the oldest open call
	held     []*Message
	last     *Message
	yield    func(*Message, error) bool
	stopped  bool
}

func (h *healer) message(m *Message) bool {
	switch {
	case m.IsScaffolding():
		// Scaffolding is left out by the writer, wherever it stands.
		h.emit(m)
	case m.Role == Assistant:
		if len(h.open) > 0 && h.answered {
			h.settleUnlessLater(m)
		} else {
			h.assistant(m)
		}
	case hasResult(m):
		h.results(m)
	case len(h.open) > 0:
		h.settleUnlessLater(m)
	default:
		h.emit(m)
	}
	return !h.stopped
}

// settleUnlessLater keeps m back if an open call is answered later; otherwise
// the open calls are settled and m follows.
func (h *healer) settleUnlessLater(m *Message) {
	for _, c := range h.open {
		if h.index.toCome(c.original) && len(h.held) < maxHeld {
			h.held = append(h.held, m)
			return
		}
	}
	h.settle()
	h.message(m)
}

// assistant registers the calls of m.
func (h *healer) assistant(m *Message) {
	for _, b := range m.Blocks {
		c, ok := b.(*ToolCallBlock)
		if !ok {
			continue
		}
		original := c.CallID
		h.unique(m, c)
		if c.Call == CallProvider {
			// The provider answers its own tools in the same message.
			renameResults(m, original, c.CallID)
			continue
		}
		if len(h.open) == 0 {
			h.answered = false
		}
		h.open = append(h.open, openCall{id: c.CallID, original: original, call: c.Call})
	}
	h.emit(m)
}

// unique gives the call an id of its own.
func (h *healer) unique(m *Message, c *ToolCallBlock) {
	key := maphash.String(h.seed, c.CallID)
	h.seen[key]++
	n := h.seen[key]
	switch {
	case c.CallID == "":
		c.CallID = h.fresh(c.CallID, n)
		h.report.Lose(Loss{Where: m.Where(), What: "tool_call id", Action: Synthesized, Why: "the call has no id"})
	case n > 1:
		c.CallID = h.fresh(c.CallID, n)
		h.report.Lose(Loss{Where: m.Where(), What: "tool_call id", Action: Renamed, Why: "the id occurs twice"})
	}
}

func renameResults(m *Message, from, to string) {
	for _, b := range m.Blocks {
		if r, ok := b.(*ToolResultBlock); ok && r.CallID == from {
			r.CallID = to
		}
	}
}

// fresh returns an id for the n-th call named id that no call has had.
func (h *healer) fresh(id string, n int) string {
	if id == "" {
		id = "call"
	}
	for ; ; n++ {
		alias := id + "_" + strconv.Itoa(n)
		key := maphash.String(h.seed, alias)
		if h.seen[key] == 0 {
			h.seen[key] = 1
			return alias
		}
	}
}

// results pairs the results of m with open calls; what is left of m, text and
// orphans, is held until the open calls are answered.
func (h *healer) results(m *Message) {
	var paired, rest []Block
	for _, b := range m.Blocks {
		r, ok := b.(*ToolResultBlock)
		switch {
		case !ok:
			rest = append(rest, b)
		case h.take(r):
			paired = append(paired, b)
		default:
			rest = append(rest, h.orphan(m, r)...)
		}
	}
	if len(rest) == 0 && len(paired) == 0 {
		m.Blocks = nil
		h.report.Drop(m, "nothing is left of the message")
		return
	}
	if len(paired) == 0 || len(rest) == 0 || len(h.open) == 0 {
		m.Blocks = append(paired, rest...)
		if len(paired) > 0 {
			h.answered = true
			h.emit(m)
			h.release()
			return
		}
		h.message(m)
		return
	}
	// Text beside a result goes on after the results that are still to come.
	after := *m
	m.Blocks, after.Blocks = paired, rest
	h.answered = true
	h.report.Synthesize(&Message{Line: m.Line}, "text between tool results moved after them")
	h.emit(m)
	h.settleUnlessLater(&after)
}

// take removes the open call that r answers.
func (h *healer) take(r *ToolResultBlock) bool {
	h.index.take(r.CallID)
	for i, c := range h.open {
		if c.original == r.CallID {
			r.CallID = c.id
			h.open = append(h.open[:i:i], h.open[i+1:]...)
			return true
		}
	}
	return false
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

// settle answers every open call and lets go what was held.
func (h *healer) settle() {
	for _, c := range h.open {
		line := 0
		if h.last != nil {
			line = h.last.Line
		}
		m := &Message{Role: User, Line: line, Blocks: []Block{&ToolResultBlock{
			BlockMeta: BlockMeta{Synthesized: true}, CallID: c.id, Call: c.call, IsError: true,
			Content: []Block{&TextBlock{Text: NewText(InterruptedResult)}},
		}}}
		if h.last != nil {
			m.Time, m.Turn = h.last.Time, h.last.Turn
		}
		h.report.Synthesize(m, "tool call was never answered")
		h.report.Note("settled-tool-calls", 1)
		h.emit(m)
	}
	h.open = nil
	h.release()
}

// release lets go the held messages once no call is open.
func (h *healer) release() {
	if len(h.open) > 0 || len(h.held) == 0 {
		return
	}
	held := h.held
	h.held = nil
	for _, m := range held {
		if h.stopped {
			return
		}
		h.report.Lose(Loss{Where: m.Where(), What: string(headline(m)), Action: Moved, Why: "stood between a tool call and its result"})
		h.message(m)
	}
}

func (h *healer) emit(m *Message) {
	if h.stopped {
		return
	}
	h.last = m
	h.stopped = !h.yield(m, nil)
}

func hasResult(m *Message) bool {
	for _, b := range m.Blocks {
		if b.Kind() == KindToolResult {
			return true
		}
	}
	return false
}
