package gemini

import (
	"strconv"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// counts are the protocol's numbers of tokens. Later ones in a stream stand for
// all so far; what they leave out was said before.
type counts struct {
	known                                    bool
	prompt, cached, thoughts, tools, answers int64
	total                                    int64
	answered                                 bool // answers was told
}

// maxCount bounds a number that no answer can have.
const maxCount = 1 << 50

func (c *counts) read(d *jsonx.Decoder) {
	if d.Kind() != jsonx.Object {
		d.Skip()
		return
	}
	c.known = true
	for name := range d.Members() {
		if d.Kind() != jsonx.Number {
			continue
		}
		var to *int64
		switch string(camel(name)) {
		case "promptTokenCount":
			to = &c.prompt
		case "cachedContentTokenCount":
			to = &c.cached
		case "candidatesTokenCount":
			to, c.answered = &c.answers, true
		case "thoughtsTokenCount":
			to = &c.thoughts
		case "toolUsePromptTokenCount":
			to = &c.tools
		case "totalTokenCount":
			to = &c.total
		default:
			continue
		}
		*to = min(max(d.OptInt(), 0), maxCount)
	}
}

// usage returns what the numbers say, nil if there are none. What the vendor's
// tools brought in is a part of the input. Servers that leave out how long the
// answer is tell the total.
func (c *counts) usage() *canon.Usage {
	if !c.known {
		return nil
	}
	answers := c.answers
	if !c.answered {
		answers = max(c.total-c.prompt-c.tools-c.thoughts, 0)
	}
	return &canon.Usage{
		Input: c.prompt + c.tools, CacheRead: c.cached, Output: answers + c.thoughts, Reasoning: c.thoughts,
	}
}

func appendUsage(dst []byte, u *canon.Usage, r *canon.Report) []byte {
	if u.CacheWrite > 0 {
		r.Lose(canon.Loss{What: "usage", Action: canon.Dropped, Why: "the protocol does not count what was written to the cache"})
	}
	number := func(name string, n int64) {
		dst = append(append(dst, name...), `":`...)
		dst = strconv.AppendInt(dst, n, 10)
	}
	number(`{"promptTokenCount`, u.Input)
	if u.CacheRead > 0 {
		number(`,"cachedContentTokenCount`, u.CacheRead)
	}
	number(`,"candidatesTokenCount`, max(u.Output-u.Reasoning, 0))
	if u.Reasoning > 0 {
		number(`,"thoughtsTokenCount`, u.Reasoning)
	}
	number(`,"totalTokenCount`, u.Input+max(u.Output, u.Reasoning))
	return append(dst, '}')
}
