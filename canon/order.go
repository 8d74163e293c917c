package canon

import (
	"slices"
)

// InCallOrder returns msgs, which [Heal] has paired, with the results of parallel
// calls in the order of the calls: the vendors' APIs take them in any, but their
// prompt caches do not, and Claude Code puts its own into that order when it
// sends a session. (2.1.332.)
func InCallOrder(msgs Messages, r *Report) Messages {
	return func(yield func(*Message, error) bool) {
		o := orderer{report: r}
		for m, err := range msgs {
			if err != nil {
				yield(nil, err)
				return
			}
			for _, m := range o.message(m) {
				if !yield(m, nil) {
					return
				}
			}
		}
		for _, m := range o.flush() {
			if !yield(m, nil) {
				return
			}
		}
	}
}

type orderer struct {
	report *Report
	calls  []string // of the answer that waits for results
	next   int      // how many of them were answered in order
	held   []*Message
}

// message takes m and returns what can go on.
func (o *orderer) message(m *Message) []*Message {
	results := resultIDs(m)
	switch {
	case m.Role == Assistant || len(results) == 0:
		out := append(o.flush(), m)
		if m.Role == Assistant {
			o.register(m)
		} else {
			o.calls, o.next = nil, 0
		}
		return out
	case len(o.held) == 0 && o.inOrder(results):
		o.next += len(results)
		return []*Message{m}
	}
	o.held = append(o.held, m)
	return nil
}

// register notes the calls of an answer that are to be answered after it.
func (o *orderer) register(m *Message) {
	if o.next >= len(o.calls) {
		o.calls, o.next = nil, 0
	}
	for _, b := range m.Blocks {
		if c, ok := b.(*ToolCallBlock); ok && c.Call != CallProvider {
			o.calls = append(o.calls, c.CallID)
		}
	}
}

func (o *orderer) inOrder(results []string) bool {
	rest := o.calls[min(o.next, len(o.calls)):]
	return len(results) <= len(rest) && slices.Equal(results, rest[:len(results)])
}

// flush returns the held results in the order of their calls, each in a message
// of its own, and then what else stood in their messages.
func (o *orderer) flush() []*Message {
	if len(o.held) == 0 {
		return nil
	}
	var answers, rest []*Message
	for _, m := range o.held {
		after := *m
		after.Blocks = nil
		for _, b := range m.Blocks {
			if b.Kind() != KindToolResult {
				after.Blocks = append(after.Blocks, b)
				continue
			}
			part := *m
			part.Blocks = []Block{b}
			answers = append(answers, &part)
		}
		if len(after.Blocks) > 0 {
			rest = append(rest, &after)
		}
	}
	slices.SortStableFunc(answers, func(a, b *Message) int { return o.place(a) - o.place(b) })
	for range len(answers) + len(rest) - len(o.held) {
		o.report.Synthesize(&Message{Line: o.held[0].Line}, "results of parallel calls stand apart, in the order of the calls")
	}
	o.held, o.calls, o.next = nil, nil, 0
	return append(answers, rest...)
}

// place returns the place of the call that m answers.
func (o *orderer) place(m *Message) int {
	r, ok := m.First().(*ToolResultBlock)
	if !ok {
		return len(o.calls)
	}
	if i := slices.Index(o.calls, r.CallID); i >= 0 {
		return i
	}
	return len(o.calls)
}

// resultIDs returns the ids of the calls that a user message answers.
func resultIDs(m *Message) (ids []string) {
	for _, b := range m.Blocks {
		if r, ok := b.(*ToolResultBlock); ok {
			ids = append(ids, r.CallID)
		}
	}
	return ids
}
