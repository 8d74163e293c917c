package dialect

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/crosswalk-agents/crosswalk/canon"
)

// MaxIdentifier is the most bytes that OpenAI's APIs take of what identifies a
// user or a conversation: they refuse a prompt_cache_key of more. What Claude Code
// has as user_id is of about 175. (2.1.332.)
const MaxIdentifier = 64

// Identifier returns t, or in the place of one of more than [MaxIdentifier] bytes
// its hash, which is the same for the same text. What says what it is, for the
// loss that r lists then.
func Identifier(t canon.Text, what string, r *canon.Report) canon.Text {
	if t.Size() <= MaxIdentifier { // escapes only make it longer
		return t
	}
	s := t.String()
	if len(s) <= MaxIdentifier {
		return t
	}
	r.Lose(canon.Loss{What: what, Action: canon.Renamed, Why: "the API takes no more than 64 bytes; a hash stands for it"})
	sum := sha256.Sum256([]byte(s))
	return canon.NewText(hex.EncodeToString(sum[:]))
}
