package agenttest

import (
	"fmt"
	"hash/maphash"
	"slices"
	"strings"

	"github.com/crosswalk-agents/crosswalk/canon"
)

func seed() maphash.Seed { return maphash.MakeSeed() }

// said is one block of a session, with all that a hand-over has to keep of it.
type said struct {
	where string // the message's place in the source
	line  string // as in Line
	time  string
	block canon.Block
}

// flatten lists the blocks of msgs, with the results between two answers in the
// order of their calls: agents differ in how they file parallel ones.
func flatten(msgs []*canon.Message) []said {
	var out []said
	order := make(map[string]int)
	for _, m := range msgs {
		for _, b := range m.Blocks {
			s := said{where: m.Where(), line: Line(m, plain(b)), block: plain(b)}
			if !m.Time.IsZero() {
				s.time = m.Time.UTC().Format("15:04:05.000")
			}
			if c, ok := b.(*canon.ToolCallBlock); ok {
				order[c.CallID] = len(order)
			}
			out = append(out, s)
		}
	}
	for i := 0; i < len(out); {
		j := i
		for j < len(out) && isResult(out[j].block) {
			j++
		}
		slices.SortStableFunc(out[i:j], func(a, b said) int {
			return order[a.block.(*canon.ToolResultBlock).CallID] - order[b.block.(*canon.ToolResultBlock).CallID]
		})
		i = max(j, i+1)
	}
	return out
}

func isResult(b canon.Block) bool {
	_, ok := b.(*canon.ToolResultBlock)
	return ok
}

// plain gives a block the form in which what is one on the wire is one: JSON
// input and text that holds the same JSON, a result without content and one that
// is an empty text.
func plain(b canon.Block) canon.Block {
	switch b := b.(type) {
	case *canon.ToolCallBlock:
		if b.Input.JSON != nil {
			c := *b
			c.Input = canon.Input{Text: canon.NewText(string(b.Input.JSON))}
			return &c
		}
	case *canon.ToolResultBlock:
		r := *b
		r.Content = slices.DeleteFunc(slices.Clone(b.Content), func(c canon.Block) bool {
			t, ok := c.(*canon.TextBlock)
			return ok && t.Text.IsEmpty()
		})
		// One that was made says so in words, whoever says them.
		r.IsError = b.IsError && !r.IsInterrupted()
		return &r
	}
	return b
}

// lost says what a report lists of a place in the source.
type lost struct {
	changed bool // something was dropped or stands in another form
	renamed bool // ids or names are others
}

// lostOf sorts the losses of r by place. What was moved has to come back as it
// was.
func lostOf(r *canon.Report) map[string]lost {
	out := make(map[string]lost)
	for _, l := range r.Losses {
		at := out[l.Where]
		switch l.Action {
		case canon.Dropped, canon.Downgraded, canon.Synthesized:
			at.changed = true
		case canon.Renamed:
			at.renamed = true
		case canon.Moved:
		}
		out[l.Where] = at
	}
	return out
}

// missing compares what went into a writer with what its file holds and says
// what is not there though the report does not list it, or is there though
// nobody said it. Messages that the report lists as changed may leave as many
// blocks as they had, and one that explains.
func missing(in, out []said, r *canon.Report) error {
	losses := lostOf(r)
	at, unknown, allowed := 0, 0, 0
	if losses[""].changed {
		allowed++
	}
	for _, s := range in {
		l := losses[s.where]
		if l.changed {
			allowed += 2
			continue
		}
		next := slices.IndexFunc(out[at:], func(o said) bool { return s.same(o, l) })
		if next < 0 {
			return fmt.Errorf("%s is gone, and no loss tells of it: %s\nthe file goes on with: %s", s.where, s.line, lineAt(out, at))
		}
		if unknown += next; unknown > allowed {
			return fmt.Errorf("before %s stands what nobody said: %s", s.where, lineAt(out, at))
		}
		at += next + 1
	}
	if unknown += len(out) - at; unknown > allowed {
		return fmt.Errorf("at the end stands what nobody said: %s", lineAt(out, at))
	}
	return nil
}

func lineAt(out []said, i int) string {
	if i >= len(out) {
		return "(nothing)"
	}
	return out[i].line
}

// same reports whether o is s as it comes back.
func (s said) same(o said, l lost) bool {
	if s.time != "" && s.time != o.time && !isResult(s.block) {
		return false
	}
	a, b := s.line, o.line
	if l.renamed || isResult(s.block) { // whose result it is, paired checks
		a, b = withoutNames(s.block, a), withoutNames(o.block, b)
	}
	return strings.TrimSuffix(a, " (synthesized)") == strings.TrimSuffix(b, " (synthesized)")
}

// paired wants every call in msgs to be answered once, later, and every result to
// answer a call.
func paired(msgs []*canon.Message) error {
	state := make(map[string]int) // 1 is open, 2 answered
	for _, m := range msgs {
		for _, b := range m.Blocks {
			switch b := b.(type) {
			case *canon.ToolCallBlock:
				if b.Call == canon.CallProvider {
					continue // its answer, if any, is a part of it
				}
				if state[b.CallID] != 0 {
					return fmt.Errorf("two calls have the id %q", b.CallID)
				}
				state[b.CallID] = 1
			case *canon.ToolResultBlock:
				if b.Call == canon.CallProvider {
					continue
				}
				if state[b.CallID] != 1 {
					return fmt.Errorf("the result %q answers no open call", b.CallID)
				}
				state[b.CallID] = 2
			}
		}
	}
	for id, s := range state {
		if s == 1 {
			return fmt.Errorf("the call %q has no result", id)
		}
	}
	return nil
}

// withoutNames takes the words out of a line that a renaming may change.
func withoutNames(b canon.Block, line string) string {
	switch b := b.(type) {
	case *canon.ToolCallBlock:
		return fmt.Sprintf("call %s %s", b.Call, quoted(b.Input.Text.String()))
	case *canon.ToolResultBlock:
		return "result " + strings.TrimPrefix(blockLine(&canon.ToolResultBlock{IsError: b.IsError, Content: b.Content}), "result ")
	}
	return line
}
