package claude

import (
	"strings"

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
func capacity() *canon.Capacity {
	return &canon.Capacity{
		Dialect:    anthropic.Name,
		CallIDs:    canon.Grammar{Max: 128, Extra: "_-"},
		PartOf:     partOf,
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

// partOf returns the id of the call that Claude Code takes one with _ and digits
// behind that id for a part of: the result of such a part is lost. (2.1.332,
// before and behind the other call, in one message and in later turns.)
func partOf(id string) string {
	base := strings.TrimRight(id, "0123456789")
	if len(base) == len(id) || !strings.HasSuffix(base, "_") {
		return ""
	}
	return base[:len(base)-1]
}
