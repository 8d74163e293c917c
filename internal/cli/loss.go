package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/handoff"
)

// lossLine says what was left out, by kind.
func lossLine(res *handoff.Result) string {
	kinds := [...]struct {
		kind canon.CountKind
		name string
	}{
		{canon.CountKind(canon.KindText), "text"},
		{canon.CountKind(canon.KindToolCall), "tool call"},
		{canon.CountKind(canon.KindToolResult), "tool result"},
		{canon.CountKind(canon.KindImage), "image"},
		{canon.CountKind(canon.KindDocument), "document"},
		{canon.CountKind(canon.KindReasoning), "reasoning block"},
		{canon.CountReasoningRedacted, "encrypted reasoning block"},
		{canon.CountScaffolding, "client-generated text"},
		{canon.CountKind(canon.KindCompaction), "compaction mark"},
		{canon.CountSidechain, "subagent session"},
		{canon.CountKind(canon.KindOpaque), "other block"},
	}
	var parts []string
	for _, k := range kinds {
		if n := res.Report.Dropped[k.kind]; n > 0 {
			parts = append(parts, count(n, k.name))
		}
	}
	return strings.Join(parts, ", ")
}

func secretCount(res *handoff.Result) int { return len(res.Report.Secrets) + res.Report.SecretsOmitted }

// secretLine says by which rules the listed secrets were found.
func secretLine(res *handoff.Result) string {
	rules := make(map[string]int)
	for _, s := range res.Report.Secrets {
		rules[s.Rule]++
	}
	var parts []string
	for _, r := range slices.Sorted(maps.Keys(rules)) {
		parts = append(parts, fmt.Sprintf("%s ×%d", r, rules[r]))
	}
	if n := res.Report.SecretsOmitted; n > 0 {
		parts = append(parts, fmt.Sprintf("%d more", n))
	}
	return strings.Join(parts, ", ")
}
