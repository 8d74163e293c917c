package responses

import (
	"strconv"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// readUsage reads a usage object; nil if the value is none. What the cache read
// and wrote is a part of the input, as in canon. What it wrote is told of models
// since GPT-5.6.
func readUsage(d *jsonx.Decoder) *canon.Usage {
	if d.Kind() != jsonx.Object {
		d.Skip()
		return nil
	}
	u := new(canon.Usage)
	for name := range d.Members() {
		switch string(name) {
		case "input_tokens":
			u.Input = d.OptInt()
		case "output_tokens":
			u.Output = d.OptInt()
		case "input_tokens_details", "output_tokens_details":
			readDetails(d, u)
		}
	}
	return u
}

func readDetails(d *jsonx.Decoder, u *canon.Usage) {
	if d.Kind() != jsonx.Object {
		d.Skip()
		return
	}
	for name := range d.Members() {
		switch string(name) {
		case "cached_tokens":
			u.CacheRead = d.OptInt()
		case "cache_write_tokens":
			u.CacheWrite = d.OptInt()
		case "reasoning_tokens":
			u.Reasoning = d.OptInt()
		}
	}
}

// appendUsage appends a usage object. An unknown usage is none: clients insist on
// the object.
func appendUsage(dst []byte, u *canon.Usage) []byte {
	if u == nil {
		u = new(canon.Usage)
	}
	dst = append(dst, `{"input_tokens":`...)
	dst = strconv.AppendInt(dst, u.Input, 10)
	dst = append(dst, `,"input_tokens_details":{"cached_tokens":`...)
	dst = strconv.AppendInt(dst, u.CacheRead, 10)
	if u.CacheWrite > 0 {
		dst = append(dst, `,"cache_write_tokens":`...)
		dst = strconv.AppendInt(dst, u.CacheWrite, 10)
	}
	dst = append(dst, `},"output_tokens":`...)
	dst = strconv.AppendInt(dst, u.Output, 10)
	dst = append(dst, `,"output_tokens_details":{"reasoning_tokens":`...)
	dst = strconv.AppendInt(dst, u.Reasoning, 10)
	dst = append(dst, `},"total_tokens":`...)
	dst = strconv.AppendInt(dst, u.Input+u.Output, 10)
	return append(dst, '}')
}
