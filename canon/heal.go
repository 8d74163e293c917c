package canon

import (
	"hash/maphash"
	"maps"
	"slices"
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

// AddMessage records the results in m that a call before m may wait for: not
// those that a provider gives to a tool of its own within its answer.
func (x *CallIndex) AddMessage(m *Message) {
	var own []string
	for _, b := range m.Blocks {
		switch b := b.(type) {
		case *ToolCallBlock:
			if m.Role == Assistant && b.Call == CallProvider {
				own = append(own, b.CallID)
			}
		case *ToolResultBlock:
			if i := slices.Index(own, b.CallID); i >= 0 {
				own = slices.Delete(own, i, i+1)
			} else {
				x.AddResult(b.CallID)
			}
		}
	}
}

// Clone returns an index of its own with what x holds.
func (x *CallIndex) Clone() *CallIndex {
	return &CallIndex{seed: x.seed, results: maps.Clone(x.results)}
}

// take counts down the results that are still to come for the call id.
func (x *CallIndex) take(id string) {
	if h := maphash.String(x.seed, id); x.results[h] > 0 {
		x.results[h]--
	}
}

// toCome returns how many results for the call id are still to come.
func (x *CallIndex) toCome(id string) int {
	return int(x.results[maphash.String(x.seed, id)])
}

// InterruptedResult is the text of a result that [Heal] makes for a call that
// was never answered.
const InterruptedResult = "[no result: the session was interrupted before this tool call finished]"

// IsInterrupted reports whether b says what [Heal] says for a call that was
// never answered, and nothing else.
func (b *ToolResultBlock) IsInterrupted() bool {
	if len(b.Content) != 1 {
		return false
	}
	t, ok := b.Content[0].(*TextBlock)
	return ok && t.Text.Equal(NewText(InterruptedResult))
}

// OrphanResultPrefix begins the text that [Heal] makes of a result whose call
// is missing.
const OrphanResultPrefix = "[tool result without its call] "

// maxHeld is how many messages Heal keeps back while it waits for results.
const maxHeld = 256

// Heal returns msgs with calls and results paired as every vendor's API wants
// them: each call answered once, before the next user text and the next answer
// of the model; no id twice; no result without a call. A tool that the provider
// runs needs no answer, and has one only in the message of its call. All other
// content keeps its order; what stood between a call and its result goes on
// behind the result. What Heal does is counted in r. Call ids that are open are
// all it remembers of the stream, beside the hashes of ids seen and the
// messages that stand between a call and its result.
func Heal(msgs Messages, index *CallIndex, r *Report) Messages {
	return func(yield func(*Message, error) bool) {
		h := &healer{index: index, report: r, seed: maphash.MakeSeed(), seen: make(map[uint64]int), yield: yield}
		for m, err := range msgs {
			if err != nil {
				yield(nil, err)
				return
			}
			h.step(waiting{m: m})
			for len(h.held) > 0 && !h.waits() {
				h.flush()
			}
			if h.stopped {
				return
			}
		}
		for h.open.n+len(h.held) > 0 && !h.stopped {
			h.flush()
		}
	}
}

// waiting is a message that may have to wait for results from behind it.
type waiting struct {
	m     *Message
	moved bool // a result from behind it went ahead
}

type healer struct {
	index    *CallIndex
	report   *Report
	seed     maphash.Seed
	seen     map[uint64]int // how often an id was called
	open     openCalls
	answered bool // a result came since the oldest open call
	held     []waiting
	last     *Message
	yield    func(*Message, error) bool
	stopped  bool
}

// step takes the next message. While messages are held all others wait behind
// them, but for results of open calls.
func (h *healer) step(x waiting) {
	switch m := x.m; {
	case h.stopped:
	case m.IsScaffolding():
		// Scaffolding is left out by the writer, wherever it stands.
		h.emit(x)
	case len(h.held) > 0:
		h.pick(x)
	case m.Role == Assistant && (h.open.n == 0 || !h.answered):
		h.assistant(x)
	case m.Role != Assistant && hasResult(m):
		h.results(x)
	case h.open.n == 0:
		h.emit(x)
	case h.waits():
		h.held = append(h.held, x)
	default:
		h.settle()
		h.step(x)
	}
}

// waits reports whether a held message has to wait on: an open call is answered
// later, and that answer is not one to a later call of the same id.
func (h *healer) waits() bool {
	if len(h.held) >= maxHeld {
		return false
	}
	for c := range h.open.all() {
		if h.comes(c.original) {
			return true
		}
	}
	return false
}

// comes reports whether more results for the id are to come than held messages
// call it.
func (h *healer) comes(id string) bool {
	n := h.index.toCome(id)
	for i := 0; i < len(h.held) && n > 0; i++ {
		for _, b := range h.held[i].m.Blocks {
			if c, ok := b.(*ToolCallBlock); ok && c.CallID == id {
				n--
			}
		}
	}
	return n > 0
}

// flush answers the open calls and takes the held messages anew. At least the
// first of them gets through.
func (h *healer) flush() {
	h.settle()
	queue := h.held
	h.held = nil
	for _, x := range queue {
		h.step(x)
	}
}

// settle answers every open call.
func (h *healer) settle() {
	open := h.open
	h.open = openCalls{}
	for c := range open.all() {
		m := &Message{Role: User, Blocks: []Block{&ToolResultBlock{
			BlockMeta: BlockMeta{Synthesized: true}, CallID: c.id, Call: c.call, IsError: true,
			Content: []Block{&TextBlock{Text: NewText(InterruptedResult)}},
		}}}
		if h.last != nil {
			m.Line, m.Time, m.Turn = h.last.Line, h.last.Time, h.last.Turn
		}
		h.report.Synthesize(m, "tool call was never answered")
		h.report.Note("settled-tool-calls", 1)
		h.emit(waiting{m: m})
	}
}

func (h *healer) emit(x waiting) {
	if h.stopped {
		return
	}
	if x.moved {
		h.report.Change(x.m, string(headline(x.m)), Moved, "stood between a tool call and its result")
	}
	h.last = x.m
	h.stopped = !h.yield(x.m, nil)
}

// assistant registers the calls of a message of the model.
func (h *healer) assistant(x waiting) {
	m := x.m
	if h.open.n == 0 {
		h.answered = false
	}
	var own []Block // results of the provider's tools
	for i, b := range m.Blocks {
		c, ok := b.(*ToolCallBlock)
		if !ok {
			continue
		}
		original := c.CallID
		h.unique(m, c)
		if c.Call != CallProvider {
			h.open.add(openCall{id: c.CallID, original: original, call: c.Call})
		} else if r := resultOf(original, m.Blocks[i+1:], own); r != nil {
			r.CallID = c.CallID
			own = append(own, r)
		}
	}
	if h.withoutOrphans(m, own) {
		h.emit(x)
	}
}

// unique gives the call an id of its own.
func (h *healer) unique(m *Message, c *ToolCallBlock) {
	key := maphash.String(h.seed, c.CallID)
	h.seen[key]++
	n := h.seen[key]
	switch {
	case c.CallID == "":
		c.CallID = h.fresh("call", n)
		h.report.Change(m, "tool_call id", Synthesized, "the call has no id")
	case n > 1:
		c.CallID = h.fresh(c.CallID, n)
		h.report.Change(m, "tool_call id", Renamed, "the id occurs twice")
	}
}

// fresh returns an id for the n-th call named id that no call has had. Claude
// Code takes an id with _ and digits behind it for a part of the call with the
// id itself (2.1.332), so the alias is none.
func (h *healer) fresh(id string, n int) string {
	for ; ; n++ {
		alias := id + "_x" + strconv.Itoa(n)
		key := maphash.String(h.seed, alias)
		if h.seen[key] == 0 {
			h.seen[key] = 1
			return alias
		}
	}
}
