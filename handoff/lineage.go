package handoff

import (
	"context"
	"slices"

	"github.com/crosswalk-agents/crosswalk/agent"
)

// Step is one hand-over in a lineage.
type Step struct {
	Handoff *Handoff `json:"handoff"`
	// Depth counts the hand-overs before this one in its chain.
	Depth int `json:"depth"`
}

// Lineage returns the hand-overs that the session id has a part in, directly
// or through others, oldest first; all of them if id is empty.
func (d *Desk) Lineage(ctx context.Context, id string) ([]Step, error) {
	all, err := d.Handoffs(ctx)
	if err != nil {
		return nil, err
	}
	related := map[string]bool{id: true}
	for changed := id != ""; changed; {
		changed = false
		for _, h := range all {
			for _, end := range [...]string{h.Source.ID, h.Target.ID, h.Base} {
				if end == "" || !related[end] {
					continue
				}
				for _, other := range [...]string{h.Source.ID, h.Target.ID, h.Base} {
					if other != "" && !related[other] {
						related[other], changed = true, true
					}
				}
			}
		}
	}
	depth := make(map[string]int) // of the session a hand-over made
	var steps []Step
	for _, h := range all {
		if id != "" && !related[h.Source.ID] && !related[h.Target.ID] {
			continue
		}
		n := depth[h.Source.ID]
		depth[h.Target.ID] = n + 1
		steps = append(steps, Step{Handoff: h, Depth: n})
	}
	return slices.Clip(steps), nil
}

// kinship joins sessions that came of one another: each is the key of one that it
// came from, or has the same root as.
type kinship map[sessionKey]sessionKey

// kinship returns that of all sessions that a hand-over concerned, and of the
// entries, whose markers tell of hand-overs that the journal does not know.
func (m *handed) kinship(entries []agent.Entry) kinship {
	k := make(kinship)
	for _, h := range m.live {
		k.join(h.Source.key(), h.Target.key())
		if h.Base != "" {
			k.join(h.Target.key(), sessionKey{h.Target.Agent, h.Base})
		}
	}
	for i := range entries {
		if o := entries[i].Origin; o != nil && o.ID != "" {
			k.join(sessionKey{o.Agent, o.ID}, keyOf(&entries[i]))
		}
	}
	return k
}

func (k kinship) join(a, b sessionKey) {
	if a, b = k.root(a), k.root(b); a != b {
		k[b] = a
	}
}

// root returns the session that stands for all that came of one another.
func (k kinship) root(s sessionKey) sessionKey {
	for {
		up, ok := k[s]
		if !ok {
			return s
		}
		s = up
	}
}
