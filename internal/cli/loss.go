package cli

import (
	"fmt"
	"strings"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/handoff"
)

// lossLine says what was left out, by kind.
func lossLine(res *handoff.Result) string {
	kinds := [...]struct {
		kind      canon.CountKind
		one, many string
	}{
		{canon.CountKind(canon.KindText), "text", "texts"},
		{canon.CountKind(canon.KindToolCall), "tool call", "tool calls"},
		{canon.CountKind(canon.KindToolResult), "tool result", "tool results"},
		{canon.CountKind(canon.KindImage), "image", "images"},
		{canon.CountKind(canon.KindDocument), "document", "documents"},
		{canon.CountKind(canon.KindReasoning), "reasoning block", "reasoning blocks"},
		{canon.CountReasoningRedacted, "encrypted reasoning block", "encrypted reasoning blocks"},
		{canon.CountScaffolding, "text of the client itself", "texts of the client itself"},
		{canon.CountKind(canon.KindCompaction), "compaction mark", "compaction marks"},
		{canon.CountSidechain, "subagent session", "subagent sessions"},
		{canon.CountKind(canon.KindOpaque), "other block", "other blocks"},
	}
	var parts []string
	for _, k := range kinds {
		switch n := res.Report.Dropped[k.kind]; n {
		case 0:
		case 1:
			parts = append(parts, "1 "+k.one)
		default:
			parts = append(parts, fmt.Sprint(n, " ", k.many))
		}
	}
	return strings.Join(parts, ", ")
}

func secretLine(res *handoff.Result) string {
	rules := make(map[string]int)
	for _, s := range res.Report.Secrets {
		rules[s.Rule]++
	}
	var parts []string
	for _, r := range sortedKeys(rules) {
		parts = append(parts, fmt.Sprintf("%s ×%d", r, rules[r]))
	}
	return strings.Join(parts, ", ")
}
