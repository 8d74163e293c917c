package agenttest

import (
	"slices"

	"github.com/crosswalk-agents/crosswalk/canon"
)

// stream gives msgs out as copies: whoever receives a message may change it.
func stream(msgs []*canon.Message) canon.Messages {
	return func(yield func(*canon.Message, error) bool) {
		for _, m := range msgs {
			if !yield(clone(m), nil) {
				return
			}
		}
	}
}

// callsOf returns the index of the results in msgs.
func callsOf(msgs []*canon.Message) *canon.CallIndex {
	x := canon.NewCallIndex(seed())
	for _, m := range msgs {
		x.AddMessage(m)
	}
	return x
}

func clone(m *canon.Message) *canon.Message {
	c := *m
	c.Blocks = cloneBlocks(m.Blocks)
	c.Ext.Members = slices.Clone(m.Ext.Members)
	return &c
}

func cloneBlocks(blocks []canon.Block) []canon.Block {
	out := make([]canon.Block, 0, len(blocks))
	for _, b := range blocks {
		out = append(out, canon.CloneBlock(b))
	}
	return out
}
