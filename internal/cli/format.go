package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/handoff"
)

// printJSON writes v as one line of JSON.
func printJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// age says how long before now t was.
func age(now, t time.Time) string {
	d := now.Sub(t)
	switch {
	case t.IsZero():
		return "?"
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", int(d.Minutes()))
	case d < 24*time.Hour:
		return fmt.Sprintf("%d h ago", int(d.Hours()))
	case d < 60*24*time.Hour:
		return fmt.Sprintf("%d d ago", int(d.Hours()/24))
	}
	return t.Format("2006-01-02")
}

func count(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}

// thousands writes n with a rounded k or M.
func thousands(n int) string {
	switch {
	case n >= 1_000_000:
		return fmt.Sprintf("%.1f M", float64(n)/1e6)
	case n >= 10_000:
		return fmt.Sprintf("%d k", n/1000)
	}
	return fmt.Sprint(n)
}

func indent(s, by string) string {
	return by + strings.ReplaceAll(s, "\n", "\n"+by)
}

// cut shortens a single line to width columns.
func cut(s string, width int) string {
	return ansi.Truncate(line(s), max(width, 1), "…")
}

// titleOf is what a session is called in lists.
func titleOf(e *agent.Entry) string {
	if e.Title == "" {
		return "(no title)"
	}
	return line(e.Title)
}

// shellWord quotes s for a POSIX shell, if it must be.
func shellWord(s string) string {
	safe := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:@%+=,", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !safe(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// shellCommand is the line that continues a session.
func shellCommand(r *handoff.Resume) string {
	words := make([]string, len(r.Argv))
	for i, a := range r.Argv {
		words[i] = shellWord(a)
	}
	cmd := strings.Join(words, " ")
	if r.Dir == "" {
		return cmd
	}
	return "cd " + shellWord(r.Dir) + " && " + cmd
}

func (a *app) notFoundHint(e *handoff.NotFoundError) string {
	lines := []string{"searched: " + strings.Join(e.Searched, ", ")}
	for _, why := range sortedKeys(e.Skipped) {
		lines = append(lines, fmt.Sprintf("passed over: %d (%s)", e.Skipped[why], why))
	}
	if n := e.Nearest; n != nil {
		lines = append(lines,
			fmt.Sprintf("nearest: %s session %s in %s, %s", a.name(n.Agent), titleOf(n), n.Dir, age(a.now, n.Modified)),
			"take it by its id "+n.ID+", or look everywhere with --all")
	}
	return strings.Join(lines, "\n")
}

func (a *app) ambiguousHint(e *handoff.AmbiguousError) string {
	lines := []string{"name one of them by its id:"}
	for i, m := range e.Matches {
		if i == 8 {
			lines = append(lines, fmt.Sprintf("… and %d more", len(e.Matches)-i))
			break
		}
		lines = append(lines, fmt.Sprintf("%s  %s  %s", m.ID, age(a.now, m.Modified), cut(titleOf(&m), 50)))
	}
	return strings.Join(lines, "\n")
}

func sortedKeys(m map[string]int) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
