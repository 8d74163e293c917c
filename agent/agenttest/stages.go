package agenttest

import "github.com/crosswalk-agents/crosswalk/canon"

// stages counts msgs as read, leaves out what never travels, as a hand-over
// does, and pairs calls with results.
func stages(msgs canon.Messages, calls *canon.CallIndex, r *canon.Report) canon.Messages {
	return canon.Heal(func(yield func(*canon.Message, error) bool) {
		for m, err := range msgs {
			if err == nil {
				if r.Ingest(m); !travels(m, r) {
					continue
				}
			}
			if !yield(m, err) {
				return
			}
		}
	}, calls, r)
}

// travels takes scaffolding and reasoning out of m and reports whether anything
// is left.
func travels(m *canon.Message, r *canon.Report) bool {
	counted := !m.IsScaffolding()
	kept := m.Blocks[:0]
	for _, b := range m.Blocks {
		if why := canon.StaysBehind(b); why != "" {
			r.DropBlock(m, b, why)
			continue
		}
		kept = append(kept, b)
	}
	if m.Blocks = kept; len(kept) > 0 {
		return true
	}
	if counted {
		r.Drop(m, "nothing is left of the message")
	}
	return false
}
