package gemini

import (
	"slices"
	"strconv"
	"strings"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

const (
	// maxStops is how many stop sequences the API takes.
	maxStops = 5
	// maxBudget is the greatest budget for thinking that each of the models takes
	// that have budgets. (ai.google.dev/gemini-api/docs/thinking.)
	maxBudget = 24_576
	// openBudget leaves the budget to the model.
	openBudget = -1
)

// levels are the efforts that the protocol has words for, which are theirs in
// capital letters.
var levels = [...]canon.Effort{canon.EffortMinimal, canon.EffortLow, canon.EffortMedium, canon.EffortHigh}

// config writes the parameters, all of which stand in one member.
func (e *requestEncoder) config() {
	c := configEncoder{requestEncoder: e}
	c.sampling()
	c.format()
	c.thinking()
	c.out = appendMembers(c.out, &e.q.Ext, configMember, thinkingMember)
	if len(c.out) == 0 {
		return
	}
	e.member(configMember)
	e.raw("{")
	e.dst = append(append(e.dst, c.out[1:]...), '}')
}

// configEncoder writes the members of the generation config, each behind a comma.
type configEncoder struct {
	*requestEncoder
	out []byte
}

func (c *configEncoder) add(name string, value canon.Raw) {
	if value == nil {
		return
	}
	c.out = append(append(append(c.out, `,"`...), name...), `":`...)
	c.out = jsonx.AppendRaw(c.out, value)
}

func (c *configEncoder) sampling() {
	s := &c.q.Sampling
	c.add("temperature", s.Temperature)
	c.add("topP", s.TopP)
	c.add("topK", s.TopK)
	if most := c.t.Limit(c.q, c.r); most > 0 {
		c.add("maxOutputTokens", strconv.AppendInt(nil, most, 10))
	}
	c.stops()
	c.add("seed", s.Seed)
	c.add("presencePenalty", s.PresencePenalty)
	c.add("frequencyPenalty", s.FrequencyPenalty)
}

func (c *configEncoder) stops() {
	var list canon.Raw
	n := 0
	for _, t := range c.q.Stop {
		switch {
		case t.IsEmpty():
			c.lose("stop", canon.Dropped, "an empty stop sequence ends nothing")
			continue
		case n == maxStops:
			c.lose("stop", canon.Dropped, "the API takes no more than 5 stop sequences")
			continue
		}
		open := byte(',')
		if n++; n == 1 {
			open = '['
		}
		list = t.AppendQuoted(append(list, open))
	}
	if n > 0 {
		c.add("stopSequences", append(list, ']'))
	}
}

func (c *configEncoder) format() {
	f := &c.q.Format
	if f.Kind == canon.FormatText {
		return
	}
	if c.q.Ext.Dialect != Name || c.q.Ext.Get(configMember+".responseMimeType") == nil {
		c.add("responseMimeType", canon.Raw(`"`+jsonType+`"`))
	}
	if f.Kind != canon.FormatSchema {
		return
	}
	lost := make(map[string]bool)
	c.add("responseJsonSchema", cleanSchema(f.Schema, func(keyword string) {
		if !lost[keyword] {
			lost[keyword] = true
			c.lose("format schema "+keyword, canon.Dropped, "the API does not take the keyword")
		}
	}))
	if f.Name != "" || !f.Description.IsEmpty() {
		c.lose("format name", canon.Dropped, "the protocol has no name for a format")
	}
	if f.Strict == canon.FlagOff {
		c.lose("strict", canon.Dropped, "a schema always holds here")
	}
}

// thinking writes how much the model is to think: with a level or a budget, as
// the API refuses both.
func (c *configEncoder) thinking() {
	q := &c.q.Reasoning
	var out []byte
	off := q.Mode == canon.ReasoningOff || q.Effort == canon.EffortNone
	switch {
	case off:
		out = c.off()
	case q.Budget > 0 && (c.t.Budgets || c.t.Efforts == nil && q.Effort == ""):
		out = c.budget(q.Budget, "budget")
		if q.Effort != "" {
			c.lose("effort", canon.Dropped, "the model takes a budget of tokens instead")
		}
	case q.Effort != "" && c.t.Budgets:
		n, action := q.Effort.Budget(), canon.Downgraded
		if n == 0 {
			action = canon.Dropped
		}
		c.lose("effort", action, "the model takes a budget of tokens instead")
		if n > 0 {
			out = c.budget(n, "effort")
		}
	case q.Effort != "":
		out = c.level(q.Effort)
		if q.Budget > 0 {
			c.lose("budget", canon.Dropped, "the API takes no budget beside an effort")
		}
		if q.Mode == canon.ReasoningUnset {
			c.lose("thinking", canon.Synthesized, "an effort turns it on here")
		}
	case q.Budget > 0:
		c.lose("budget", canon.Downgraded, "the model takes an effort instead")
		out = c.level(canon.EffortOf(q.Budget))
	case q.Mode == canon.ReasoningOn:
		out = budgetMember(openBudget)
	}
	c.show(off, &out)
	out = appendMembers(out, &c.q.Ext, thinkingMember)
	if len(out) > 0 {
		c.add("thinkingConfig", append(append([]byte{'{'}, out[1:]...), '}'))
	}
}

// off turns thinking off, or as low as the model takes it.
func (c *configEncoder) off() []byte {
	if c.t.Budgets || c.t.Efforts == nil || slices.Contains(c.t.Efforts, canon.EffortNone) {
		return budgetMember(0)
	}
	c.lose("reasoning", canon.Downgraded, "the model always thinks")
	return c.level(canon.EffortMinimal)
}

func budgetMember(n int64) []byte { return strconv.AppendInt([]byte(`,"thinkingBudget":`), n, 10) }

func (c *configEncoder) budget(n int64, what string) []byte {
	if c.t.Budgets && n > maxBudget {
		n = maxBudget
		c.lose(what, canon.Downgraded, "the models take no more than "+strconv.Itoa(maxBudget)+" tokens")
	}
	return budgetMember(n)
}

// level writes an effort, or the nearest that the model takes and the protocol has
// a word for.
func (c *configEncoder) level(effort canon.Effort) []byte {
	takes := levels[:]
	if c.t.Efforts != nil {
		takes = slices.DeleteFunc(slices.Clone(c.t.Efforts), func(e canon.Effort) bool { return !slices.Contains(levels[:], e) })
	}
	now := effort.Nearest(takes)
	if !slices.Contains(takes, now) {
		c.lose("effort", canon.Dropped, "the model takes no effort "+strconv.Quote(string(effort)))
		return nil
	}
	if now != effort {
		c.lose("effort", canon.Downgraded, "the model takes no effort "+strconv.Quote(string(effort)))
	}
	return []byte(`,"thinkingLevel":"` + strings.ToUpper(string(now)) + `"`)
}

func (c *configEncoder) show(off bool, out *[]byte) {
	show := c.q.Reasoning.Show
	switch {
	case show == canon.ShowUnset:
	case off:
		c.lose("display", canon.Dropped, "nothing is thought")
	default:
		*out = strconv.AppendBool(append(*out, `,"includeThoughts":`...), show == canon.ShowSummary)
	}
}
