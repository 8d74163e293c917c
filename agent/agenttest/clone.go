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
	c.Ext = cloneExt(m.Ext)
	return &c
}

func cloneBlocks(blocks []canon.Block) []canon.Block {
	out := make([]canon.Block, 0, len(blocks))
	for _, b := range blocks {
		out = append(out, cloneBlock(b))
	}
	return out
}

func cloneBlock(b canon.Block) canon.Block {
	switch b := b.(type) {
	case *canon.TextBlock:
		c := *b
		return &c
	case *canon.ImageBlock:
		c := *b
		return &c
	case *canon.DocumentBlock:
		c := *b
		return &c
	case *canon.ReasoningBlock:
		c := *b
		c.Summary = slices.Clone(b.Summary)
		return &c
	case *canon.ToolCallBlock:
		c := *b
		c.Input.JSON = slices.Clone(b.Input.JSON)
		return &c
	case *canon.ToolResultBlock:
		c := *b
		c.Content = cloneBlocks(b.Content)
		return &c
	case *canon.CompactionBlock:
		c := *b
		return &c
	case *canon.OpaqueBlock:
		c := *b
		c.Raw = slices.Clone(b.Raw)
		return &c
	}
	return b
}

func cloneExt(e canon.Ext) canon.Ext {
	e.Members = slices.Clone(e.Members)
	return e
}
