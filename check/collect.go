package check

import (
	"cmp"
	"fmt"
	"slices"
)

// collector gathers findings, at most max of a rule.
type collector struct {
	rules   catalog
	max     int
	found   []Finding
	counts  map[string]int
	omitted map[string]int
}

func newCollector(maxPerRule int) *collector {
	return &collector{rules: newCatalog(), max: maxPerRule, counts: make(map[string]int), omitted: make(map[string]int)}
}

// add files a finding of the rule; detail, formatted, follows its summary.
func (c *collector) add(rule string, line int, detail string, args ...any) {
	r := c.rules[rule]
	if r == nil {
		panic("check: no rule " + rule)
	}
	if c.counts[rule]++; c.counts[rule] > c.max {
		c.omitted[rule]++
		return
	}
	msg := r.Summary
	if detail != "" {
		msg += " (" + fmt.Sprintf(detail, args...) + ")"
	}
	c.found = append(c.found, Finding{Rule: rule, Severity: r.Severity, Effect: r.Effect, Line: line, Message: msg, Remedy: r.Remedy})
}

// has reports whether the rule was found.
func (c *collector) has(rule string) bool { return c.counts[rule] > 0 }

// report moves the findings to r, in the order of lines.
func (c *collector) report(r *Report) {
	slices.SortStableFunc(c.found, func(a, b Finding) int { return cmp.Compare(a.Line, b.Line) })
	r.Findings = c.found
	if len(c.omitted) > 0 {
		r.Omitted = c.omitted
	}
}
