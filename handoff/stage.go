package handoff

import (
	"slices"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/canon"
)

// ingest counts every message as read.
func ingest(msgs canon.Messages, r *canon.Report) canon.Messages {
	return each(msgs, func(m *canon.Message) *canon.Message {
		r.Ingest(m)
		return m
	})
}

// each returns msgs with f applied; f returns nil to leave a message out.
func each(msgs canon.Messages, f func(*canon.Message) *canon.Message) canon.Messages {
	return func(yield func(*canon.Message, error) bool) {
		for m, err := range msgs {
			if err == nil {
				if m = f(m); m == nil {
					continue
				}
			}
			if !yield(m, err) || err != nil {
				return
			}
		}
	}
}

// travel leaves out what must not or need not go to another agent: scaffolding
// that the other client puts in anew, reasoning that only its vendor can take
// back, and system text if the person says so.
func travel(msgs canon.Messages, follows bool, o *Options, r *canon.Report) canon.Messages {
	first := !follows
	return each(msgs, func(m *canon.Message) *canon.Message {
		hadMessage := !m.IsScaffolding()
		if m.Kind == canon.Summary && o.View == agent.FullView && !first {
			r.Drop(m, "summary of messages that are handed over themselves")
			return nil
		}
		kept := slices.DeleteFunc(m.Blocks, func(b canon.Block) bool {
			why := reasonToStay(m, b, o)
			if why != "" {
				r.DropBlock(m, b, why)
			}
			return why != ""
		})
		if len(kept) == 0 {
			if m.Blocks = nil; hadMessage {
				r.Drop(m, "nothing is left of the message")
			}
			return nil
		}
		first = false
		m.Blocks = kept
		return instructions(m, !hadMessage, r)
	})
}

// reasonToStay says why a block is left out; "" if it travels.
func reasonToStay(m *canon.Message, b canon.Block, o *Options) string {
	if b.Meta().Tag == agent.TagProjectInstructions && o.KeepInstructions {
		return ""
	}
	why := canon.StaysBehind(b)
	if why == "" && m.Role == canon.System && o.SkipSystem {
		why = "system text, left out as asked"
	}
	return why
}

// instructions makes system text of the project's own instructions, which the
// source client put in from a file. Of what m was, scaffolding tells whether it
// was that alone.
func instructions(m *canon.Message, scaffolding bool, r *canon.Report) *canon.Message {
	only := true
	for i, b := range m.Blocks {
		t, ok := b.(*canon.TextBlock)
		if !ok || t.Tag == "" {
			only = false
			continue
		}
		now := &canon.TextBlock{Text: t.Text}
		r.Replace(m, t, []canon.Block{now}, "project instructions, which the target does not read from a file, travel as text")
		m.Blocks[i] = now
	}
	if scaffolding {
		r.SynthesizeMessage(m)
		if only {
			m.Role, m.Authority, m.Kind = canon.System, canon.AuthorityDeveloper, canon.Injected
		}
	}
	return m
}

// lastTurns drops what comes before the last n of total turns.
func lastTurns(msgs canon.Messages, n, total int, r *canon.Report) canon.Messages {
	turn := 0
	return each(msgs, func(m *canon.Message) *canon.Message {
		if m.StartsTurn() {
			turn++
		}
		if turn > total-n {
			return m
		}
		r.Drop(m, "before the last turns that were asked for")
		return nil
	})
}
