package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/handoff"
	"github.com/crosswalk-agents/crosswalk/internal/jsonl"
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
		n := res.Report.Dropped[k.kind]
		if k.kind == canon.CountScaffolding {
			n = total(res.Report.Scaffolding) // what becomes text is dropped as scaffolding, and travels
		}
		if n > 0 {
			parts = append(parts, count(n, k.name))
		}
	}
	return strings.Join(parts, ", ")
}

func total(counts map[string]int) (n int) {
	for _, v := range counts {
		n += v
	}
	return n
}

// asideLines tell what a session's file holds beside what is read of it, and
// what is wrong with it: one line each.
func asideLines(r *canon.Report) (lines []string) {
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	if n := r.Notes[agent.NoteBeforeCompaction]; n > 0 {
		add("before the last compaction: %s, in a summary only; --view full takes them", count(n, "message"))
	}
	if n, later := r.Notes[agent.NoteOffBranch], r.Notes[agent.NoteLaterOffBranch]; n > 0 {
		more := ""
		if later > 0 {
			more = fmt.Sprintf(", %d of them later than its end", later)
		}
		add("on other branches: %s%s; crosswalk show SESSION --branches lists them", count(n, "record"), more)
	}
	if types := named(r, agent.NoteUnknown); len(types) > 0 {
		n := 0
		for _, t := range types {
			n += r.Notes[agent.NoteUnknown+t]
		}
		add("not understood: %s of unknown type: %s", count(n, "record"), some(types))
	}
	if names := named(r, agent.NoteBeside); len(names) > 0 {
		add("read beside it: %s: %s", count(len(names), "file"), some(names))
	}
	if places := damaged(r); len(places) > 0 {
		add("damaged: %s, the first in %s; crosswalk check tells more", count(len(places), "place"), places[0].Where)
	}
	return lines
}

// named returns the names that notes with the prefix are about.
func named(r *canon.Report, prefix string) (names []string) {
	for _, note := range slices.Sorted(maps.Keys(r.Notes)) {
		if name, ok := strings.CutPrefix(note, prefix); ok {
			names = append(names, name)
		}
	}
	return names
}

// some shows the first of names.
func some(names []string) string {
	const shown = 5
	if len(names) > shown {
		names = append(names[:shown:shown], "…")
	}
	return strings.Join(names, ", ")
}

// damaged returns the damaged places; a last line that only lacks its end is
// none.
func damaged(r *canon.Report) (places []canon.Damage) {
	for _, d := range r.Damage {
		if d.Kind != string(jsonl.NoFinalNewline) {
			places = append(places, d)
		}
	}
	return places
}

// lossLines names every loss.
func lossLines(r *canon.Report) (lines []string) {
	for _, l := range r.Losses {
		lines = append(lines, strings.TrimSpace(strings.Join([]string{l.Where, l.What, string(l.Action), "(" + l.Why + ")"}, " ")))
	}
	for _, o := range r.Omitted {
		like := strings.TrimSpace(o.What + " " + string(o.Action))
		if o.Why != "" {
			like += " (" + o.Why + ")"
		}
		lines = append(lines, fmt.Sprintf("… and %d more: %s", o.Count, like))
	}
	return lines
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
