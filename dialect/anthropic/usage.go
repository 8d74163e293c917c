package anthropic

import (
	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// ReadUsage reads a usage object; nil if the value is none. The protocol's
// input_tokens leaves out what the cache read and wrote; canon's Input is the
// whole prompt.
func ReadUsage(d *jsonx.Decoder) *canon.Usage {
	if d.Kind() != jsonx.Object {
		d.Skip()
		return nil
	}
	u := new(canon.Usage)
	for name := range d.Members() {
		switch string(name) {
		case "input_tokens":
			u.Input = d.OptInt()
		case "cache_read_input_tokens":
			u.CacheRead = d.OptInt()
		case "cache_creation_input_tokens":
			u.CacheWrite = d.OptInt()
		case "output_tokens":
			u.Output = d.OptInt()
		}
	}
	u.Input += u.CacheRead + u.CacheWrite
	return u
}
