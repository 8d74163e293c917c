package all

import (
	"github.com/crosswalk-agents/crosswalk/dialect"
	"github.com/crosswalk-agents/crosswalk/dialect/anthropic"
	"github.com/crosswalk-agents/crosswalk/dialect/chat"
	"github.com/crosswalk-agents/crosswalk/dialect/gemini"
	"github.com/crosswalk-agents/crosswalk/dialect/responses"
)

// Codecs returns a codec for each dialect.
func Codecs() []dialect.Codec {
	return []dialect.Codec{anthropic.New(), chat.New(), responses.New(), gemini.New()}
}
