package cli

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/crosswalk-agents/crosswalk/agent"
)

// The narrowest a title and a directory are shown, and the width from which
// ids are shown whole, in columns.
const (
	minTitle  = 8
	minDir    = 12
	wideTable = 110
)

// printTable lists sessions for a person: agent, id, age, title, and the
// directory if they are not all of one. short names the ids.
func (a *app) printTable(entries []agent.Entry, withDir bool, short func(string) string) {
	rows := make([][3]string, len(entries))
	var width [3]int
	for i := range entries {
		e := &entries[i]
		rows[i] = [3]string{e.Agent, shownID(e.ID), age(a.now, e.Modified)}
		if a.width < wideTable && e.ID != "" {
			rows[i][1] = short(e.ID)
		}
		for c, cell := range rows[i] {
			width[c] = max(width[c], ansi.StringWidth(cell))
		}
	}
	rest := max(minTitle, a.width-width[0]-width[1]-width[2]-6)
	dirs := 0
	if withDir && rest > minDir+minTitle+2 {
		dirs = max(minDir, rest/3)
		rest -= dirs + 2
	}
	for i, r := range rows {
		e := &entries[i]
		for c, cell := range r {
			fmt.Fprint(a.out, pad(cell, width[c]), "  ")
		}
		if dirs > 0 {
			fmt.Fprint(a.out, pad(cutLeft(a.homely(e.Dir), dirs), dirs), "  ")
		}
		fmt.Fprintln(a.out, noted(e, rest))
	}
}

// noted is a session's title with what sets it apart, in width columns.
func noted(e *agent.Entry, width int) string {
	if e.Hidden == "" {
		return cut(titleOf(e), width)
	}
	note := " [" + string(e.Hidden) + "]"
	if rest := width - ansi.StringWidth(note); rest >= minTitle {
		return cut(titleOf(e), rest) + note
	}
	return clip(titleOf(e)+note, width)
}

// entryIDs returns the ids of sessions.
func entryIDs(entries []agent.Entry) []string {
	ids := make([]string, len(entries))
	for i := range entries {
		ids[i] = entries[i].ID
	}
	return ids
}

// shownID is an id in a list, which some sessions do not have.
func shownID(id string) string { return cmp.Or(line(id), "-") }

// word names a session on a command line: by its id, or by its file.
func word(e *agent.Entry) string { return shellWord(cmp.Or(e.ID, e.Path)) }

// shortWord is word with a short id.
func shortWord(e *agent.Entry, short func(id string) string) string {
	if e.ID == "" {
		return word(e)
	}
	return shellWord(short(e.ID))
}

// shortIDs returns for every one of all ids the beginning that names it alone,
// of at least eight characters.
func shortIDs(all []string) func(id string) string {
	ids := make([]string, len(all))
	for i := range all {
		ids[i] = strings.ToLower(all[i])
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	common := func(a, b string) int {
		n := 0
		for n < len(a) && n < len(b) && a[n] == b[n] {
			n++
		}
		return n
	}
	return func(id string) string {
		i, _ := slices.BinarySearch(ids, strings.ToLower(id))
		n := 7
		if i > 0 {
			n = max(n, common(ids[i-1], strings.ToLower(id)))
		}
		if i+1 < len(ids) {
			n = max(n, common(ids[i+1], strings.ToLower(id)))
		}
		return line(id[:min(len(id), n+1)])
	}
}

// homely writes a path with ~ for the home directory.
func (a *app) homely(path string) string {
	dir := a.home.Dir
	if dir == "" {
		dir, _ = os.UserHomeDir()
	}
	if rest, ok := strings.CutPrefix(path, dir); ok && dir != "" && (rest == "" || rest[0] == filepath.Separator) {
		path = "~" + rest
	}
	return line(path)
}

// cutLeft shortens a single line to its last width columns.
func cutLeft(s string, width int) string {
	s = line(s)
	if n := ansi.StringWidth(s); n > width {
		return ansi.TruncateLeft(s, n-width+1, "…")
	}
	return s
}

// pad fills s up to width columns.
func pad(s string, width int) string {
	return s + strings.Repeat(" ", max(0, width-ansi.StringWidth(s)))
}
