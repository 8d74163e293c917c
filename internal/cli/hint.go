package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/handoff"
)

func (a *app) notFoundHint(e *handoff.NotFoundError) string {
	var lines []string
	lines = append(lines, "searched: "+line(strings.Join(e.Searched, ", ")))
	for _, why := range slices.Sorted(maps.Keys(e.Skipped)) {
		lines = append(lines, fmt.Sprintf("passed over: %d (%s)", e.Skipped[why], why))
	}
	if e.Nearest != nil {
		lines = append(lines, a.nearest(e.Nearest))
	}
	if e.Pull && e.Nearest == nil {
		lines = append(lines, "hand one over first:  crosswalk to AGENT")
	}
	return strings.Join(lines, "\n")
}

// nearest names a session elsewhere that may be meant.
func (a *app) nearest(n *agent.Entry) string {
	return fmt.Sprintf("nearest: %s session %s in %s, %s\ntake it as %s, or look everywhere with --all",
		a.name(n.Agent), titleOf(n), line(n.Dir), age(a.now, n.Modified), word(n))
}

func (a *app) ambiguousHint(e *handoff.AmbiguousError) string {
	lines := []string{"name one of them:"}
	for i, m := range e.Matches {
		if i == 8 {
			lines = append(lines, fmt.Sprintf("… and %d more", len(e.Matches)-i))
			break
		}
		lines = append(lines, fmt.Sprintf("%s  %s  %s  %s", word(&m), m.Agent, age(a.now, m.Modified), cut(titleOf(&m), 50)))
	}
	return strings.Join(lines, "\n")
}
