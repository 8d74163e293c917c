package canon

import (
	"fmt"
	"slices"
)

// adjoin puts the results of tools that the provider ran behind their calls,
// where every agent has them, and makes those that c wants to see.
func (f *fitter) adjoin(m *Message) {
	if m.Role != Assistant || !slices.ContainsFunc(m.Blocks, ofProvider) {
		return
	}
	out := make([]Block, 0, len(m.Blocks))
	for _, b := range m.Blocks {
		switch b := b.(type) {
		case *ToolCallBlock:
			out = append(out, b)
			if b.Call != CallProvider {
				continue
			}
			r := resultIn(m, b.CallID)
			if r == nil && f.c.ProviderResults {
				r = &ToolResultBlock{BlockMeta: BlockMeta{Synthesized: true}, CallID: b.CallID, Call: CallProvider}
				f.r.SynthesizeBlock(m, r, "the provider's own tool has no result in the source")
			}
			if r != nil {
				out = append(out, r)
			}
		case *ToolResultBlock:
			if !slices.ContainsFunc(m.Blocks, func(o Block) bool {
				c, ok := o.(*ToolCallBlock)
				return ok && c.Call == CallProvider && c.CallID == b.CallID
			}) {
				f.r.DropBlock(m, b, "result without its call")
			}
		default:
			out = append(out, b)
		}
	}
	m.Blocks = out
}

func ofProvider(b Block) bool {
	switch b := b.(type) {
	case *ToolCallBlock:
		return b.Call == CallProvider
	case *ToolResultBlock:
		return true // within an answer it can be of no other
	}
	return false
}

// provider adapts the calls of tools that the provider runs, with their results
// in the same message: one that c does not take becomes an ordinary call if its
// result says something, and is dropped otherwise.
func (f *fitter) provider(m *Message) {
	if f.c.Provider == nil {
		return
	}
	for _, block := range slices.Clone(m.Blocks) {
		b, ok := block.(*ToolCallBlock)
		if !ok || b.Call != CallProvider {
			continue
		}
		r := resultIn(m, b.CallID)
		switch {
		case f.c.Provider(b, r):
			if r != nil && len(r.Content) == 0 {
				f.drop(m, r, "the target keeps no result of the provider's own tool")
			}
		case r != nil && len(r.Content) > 0:
			b.Call, r.Call = CallFunction, CallFunction
			f.r.Change(m, string(KindToolCall), Downgraded, fmt.Sprintf("a call of the provider's own tool %q becomes a function call", b.Name))
		default:
			why := fmt.Sprintf("a call of the provider's own tool %q", b.Name)
			if r != nil {
				f.drop(m, r, why)
			}
			f.drop(m, b, why)
		}
	}
}

// resultIn returns the result in m for the call id, or nil.
func resultIn(m *Message, id string) *ToolResultBlock {
	for _, b := range m.Blocks {
		if r, ok := b.(*ToolResultBlock); ok && r.CallID == id {
			return r
		}
	}
	return nil
}

// drop takes b out of m and counts it.
func (f *fitter) drop(m *Message, b Block, why string) {
	f.r.DropBlock(m, b, why)
	m.Blocks = slices.DeleteFunc(m.Blocks, func(o Block) bool { return o == b })
}
