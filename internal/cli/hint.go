package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/crosswalk-agents/crosswalk/handoff"
)

func (a *app) notFoundHint(e *handoff.NotFoundError) string {
	var lines []string
	if e.Last == nil {
		lines = append(lines, "searched: "+line(strings.Join(e.Searched, ", ")))
		for _, why := range slices.Sorted(maps.Keys(e.Skipped)) {
			lines = append(lines, fmt.Sprintf("passed over: %d (%s)", e.Skipped[why], why))
		}
	} else if cmd := a.resume(e.Last); cmd != "" {
		lines = append(lines, "continue it:  "+cmd)
	}
	if n := e.Nearest; n != nil {
		lines = append(lines,
			fmt.Sprintf("nearest: %s session %s in %s, %s", a.name(n.Agent), titleOf(n), line(n.Dir), age(a.now, n.Modified)),
			"take it as "+word(n)+", or look everywhere with --all")
	}
	if e.Pull && e.Nearest == nil && e.Last == nil {
		lines = append(lines, "hand one over first:  crosswalk to AGENT")
	}
	return strings.Join(lines, "\n")
}

// resume returns the command that goes on in a session; "" if none does.
func (a *app) resume(n *handoff.NothingNew) string {
	ag, err := a.agent(n.Agent)
	if err != nil {
		return ""
	}
	m, err := ag.Manifest()
	if err != nil {
		return ""
	}
	argv, err := m.ResumeArgv(n.ID)
	if err != nil {
		return ""
	}
	return shellCommand(&handoff.Resume{Dir: n.Dir, Argv: argv})
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
