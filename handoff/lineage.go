package handoff

import (
	"context"
	"slices"
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
