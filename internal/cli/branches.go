package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/canon"
)

// lastTurns returns the messages of the last n turns.
func lastTurns(ctx context.Context, s agent.Session, n int) (canon.Messages, error) {
	total, err := canon.CountTurns(s.Messages(ctx))
	if err != nil {
		return nil, err
	}
	return func(yield func(*canon.Message, error) bool) {
		turn := 0
		for m, err := range s.Messages(ctx) {
			if err == nil && m.StartsTurn() {
				turn++
			}
			if (err != nil || turn > total-n) && !yield(m, err) {
				return
			}
		}
	}, nil
}

// listBranches prints the branches of a session.
func (o *showOptions) listBranches(ctx context.Context, s agent.Session) error {
	b, ok := s.(agent.Brancher)
	if !ok {
		return usagef("--branches: the sessions of %s have no branches", o.name(s.Thread().Agent))
	}
	branches, err := b.Branches(ctx)
	if err != nil {
		return err
	}
	for _, b := range branches {
		if o.json {
			if err := printJSON(o.out, b); err != nil {
				return err
			}
			continue
		}
		state := ""
		if b.Active {
			state = "active"
		}
		at := ""
		if !b.Time.IsZero() {
			at = b.Time.UTC().Format(time.RFC3339)
		}
		if !o.outTTY {
			fmt.Fprintf(o.out, "%s\t%s\t%s\t%d\t%s\n", line(b.Leaf), state, at, b.Messages, line(b.Prompt))
			continue
		}
		fmt.Fprintf(o.out, "%s  %-6s  %s  %s  %s\n", line(b.Leaf), state, age(o.now, b.Time), count(b.Messages, "message"), cut(b.Prompt, o.width/2))
	}
	return nil
}
