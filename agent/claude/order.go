package claude

import (
	"slices"

	"github.com/crosswalk-agents/crosswalk/canon"
)

// inCallOrder returns msgs with the results of parallel calls in the order of
// the calls, which is how the client sends them whatever the file's order.
// (Claude Code 2.1.332.) Between a call and its result canon.Heal leaves nothing
// but other calls and results.
func inCallOrder(msgs canon.Messages, r *canon.Report) canon.Messages {
	return func(yield func(*canon.Message, error) bool) {
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
	report *canon.Report
	calls  []string // of the answer that waits for results
	next   int      // how many of them were answered in order
	held   []*canon.Message
}

// message takes m and returns what can go on.
func (o *orderer) message(m *canon.Message) []*canon.Message {
	results := resultIDs(m)
	switch {
	case m.Role == canon.Assistant || len(results) == 0:
		out := append(o.flush(), m)
		if m.Role == canon.Assistant {
			o.register(m)
		} else {
			o.calls, o.next = nil, 0
		}
		return out
	case len(o.held) == 0 && o.inOrder(results):
		o.next += len(results)
		return []*canon.Message{m}
	}
	o.held = append(o.held, m)
	return nil
}

// register notes the calls of an answer that are to be answered after it.
func (o *orderer) register(m *canon.Message) {
	if o.next >= len(o.calls) {
		o.calls, o.next = nil, 0
	}
	for _, b := range m.Blocks {
		if c, ok := b.(*canon.ToolCallBlock); ok && c.Call != canon.CallProvider {
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
func (o *orderer) flush() []*canon.Message {
	if len(o.held) == 0 {
		return nil
	}
	var answers, rest []*canon.Message
	for _, m := range o.held {
		after := *m
		after.Blocks = nil
		for _, b := range m.Blocks {
			if b.Kind() != canon.KindToolResult {
				after.Blocks = append(after.Blocks, b)
				continue
			}
			part := *m
			part.Blocks = []canon.Block{b}
			answers = append(answers, &part)
		}
		if len(after.Blocks) > 0 {
			rest = append(rest, &after)
		}
	}
	slices.SortStableFunc(answers, func(a, b *canon.Message) int { return o.place(a) - o.place(b) })
	for range len(answers) + len(rest) - len(o.held) {
		o.report.Synthesize(&canon.Message{Line: o.held[0].Line}, "results of parallel calls stand apart, in the order of the calls")
	}
	o.held, o.calls, o.next = nil, nil, 0
	return append(answers, rest...)
}

// place returns the place of the call that m answers.
func (o *orderer) place(m *canon.Message) int {
	r, ok := m.First().(*canon.ToolResultBlock)
	if !ok {
		return len(o.calls)
	}
	if i := slices.Index(o.calls, r.CallID); i >= 0 {
		return i
	}
	return len(o.calls)
}

// resultIDs returns the ids of the calls that a user message answers.
func resultIDs(m *canon.Message) (ids []string) {
	for _, b := range m.Blocks {
		if r, ok := b.(*canon.ToolResultBlock); ok {
			ids = append(ids, r.CallID)
		}
	}
	return ids
}
