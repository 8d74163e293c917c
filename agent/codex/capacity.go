package codex

import (
	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/dialect/responses"
)

// capacity is what the Responses API takes back as history. Call ids of at most
// 64 bytes and names of 64 letters, digits, _ and - are its documented limits;
// images may have 50 MB together, and one of 20 MB is refused.
func capacity() *agent.Capacity {
	return &agent.Capacity{
		Dialect:    responses.Name,
		CallIDs:    canon.Grammar{Max: 64, Extra: "_-"},
		Names:      canon.Grammar{Max: 64, Extra: "_-"},
		ImageTypes: []string{"image/png", "image/jpeg", "image/gif", "image/webp"},
		MaxImage:   20 << 20,
		Documents: func(b *canon.DocumentBlock) bool {
			return !b.URL.IsEmpty() || !b.Data.IsEmpty() && b.MediaType == "application/pdf"
		},
		Provider: func(b *canon.ToolCallBlock, _ *canon.ToolResultBlock) bool {
			return b.Name == responses.NameWebSearch && len(b.Ext.Members) == 0
		},
		BlankText: true,
	}
}
