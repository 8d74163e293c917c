package claude

import (
	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/dialect/anthropic"
)

// nameGrammar is that of tool names in the Messages API.
var nameGrammar = canon.Grammar{Max: 128, Extra: "_-"}

// capacity is what the Messages API takes back as history. Its reference and the
// guides to vision and PDF support document call ids of letters, digits, _ and -,
// four image types of at most 5 MB, no text without content, and PDF or plain
// text documents. Names are the encoder's to adapt, since it keeps the original
// beside the alias.
func capacity() *agent.Capacity {
	return &agent.Capacity{
		Dialect:    anthropic.Name,
		CallIDs:    canon.Grammar{Max: 128, Extra: "_-"},
		ImageTypes: []string{"image/png", "image/jpeg", "image/gif", "image/webp"},
		MaxImage:   5 << 20,
		Documents: func(b *canon.DocumentBlock) bool {
			return !b.URL.IsEmpty() || !b.Plain.IsEmpty() || !b.Data.IsEmpty() && b.MediaType == "application/pdf"
		},
		ProviderResults: true,
		ErrorFlag:       true,
		UserFirst:       true,
	}
}
