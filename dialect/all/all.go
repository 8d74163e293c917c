// Package all lists the codecs of the wire protocols.
//
// It may import dialect and its codecs.
package all

import (
	"github.com/crosswalk-agents/crosswalk/dialect"
	"github.com/crosswalk-agents/crosswalk/dialect/anthropic"
	"github.com/crosswalk-agents/crosswalk/dialect/responses"
)

// Codecs returns a codec for each dialect.
func Codecs() []dialect.Codec {
	return []dialect.Codec{anthropic.New(), responses.New()}
}
