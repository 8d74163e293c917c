package chat

import (
	"strconv"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// readUsage reads a usage object; nil if the value is none. The protocol's
// prompt_tokens is the whole prompt, as canon's Input is. What the cache read has
// other names with DeepSeek (prompt_cache_hit_tokens) and Kimi (cached_tokens), and
// what it wrote with OpenRouter (cache_write_tokens) and LiteLLM (the others).
func readUsage(d *jsonx.Decoder) *canon.Usage {
	if d.Kind() != jsonx.Object {
		d.Skip()
		return nil
	}
	u := new(canon.Usage)
	var total int64
	for name := range d.Members() {
		switch string(name) {
		case "prompt_tokens":
			u.Input = d.OptInt()
		case "completion_tokens":
			u.Output = d.OptInt()
		case "total_tokens":
			total = d.OptInt()
		case "prompt_tokens_details", "completion_tokens_details":
			if d.Kind() == jsonx.Object {
				for inner := range d.Members() {
					readPartOfUsage(d, u, inner)
				}
			}
		default:
			readPartOfUsage(d, u, name)
		}
	}
	if u.Reasoning > 0 && total == u.Input+u.Output+u.Reasoning {
		u.Output += u.Reasoning // xAI's completion_tokens leave it out, as the total shows
	}
	return u
}

func readPartOfUsage(d *jsonx.Decoder, u *canon.Usage, name []byte) {
	var to *int64
	switch string(name) {
	case "cached_tokens", "prompt_cache_hit_tokens", "cache_read_input_tokens":
		to = &u.CacheRead
	case "cache_write_tokens", "cache_creation_tokens", "cache_creation_input_tokens":
		to = &u.CacheWrite
	case "reasoning_tokens":
		to = &u.Reasoning
	default:
		return
	}
	if n := d.OptInt(); n > 0 {
		*to = n
	}
}

// appendUsage appends a usage object.
func appendUsage(dst []byte, u *canon.Usage) []byte {
	number := func(name string, n int64) {
		dst = append(dst, name...)
		dst = strconv.AppendInt(dst, n, 10)
	}
	number(`{"prompt_tokens":`, u.Input)
	number(`,"completion_tokens":`, u.Output)
	number(`,"total_tokens":`, u.Input+u.Output)
	number(`,"prompt_tokens_details":{"cached_tokens":`, u.CacheRead)
	if u.CacheWrite > 0 {
		number(`,"cache_write_tokens":`, u.CacheWrite)
	}
	number(`},"completion_tokens_details":{"reasoning_tokens":`, u.Reasoning)
	return append(dst, "}}"...)
}
