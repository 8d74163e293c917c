package transcript

import (
	"fmt"
	"strings"
	"time"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/visible"
)

// shown is text that can be printed: ours, or a session's that has passed
// package visible. Only the functions of this file make one of a session's.
type shown string

// show returns s for print, in lines.
func show(s string) shown {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	return shown(visible.Text(s))
}

// showText is show for a text.
func showText(t canon.Text) shown { return show(t.String()) }

// showLine returns s for print in a single line.
func showLine(s string) shown { return shown(visible.Line(s)) }

// lines returns the number of lines of s.
func (s shown) lines() int {
	t := strings.TrimRight(string(s), "\n")
	if t == "" {
		return 0
	}
	return strings.Count(t, "\n") + 1
}

// size says how large n bytes are.
func size(n int) shown {
	switch {
	case n < 1<<10:
		return shown(fmt.Sprintf("%d bytes", n))
	case n < 1<<20:
		return shown(fmt.Sprintf("%d KB", (n+1<<9)>>10))
	}
	return shown(fmt.Sprintf("%.1f MB", float64(n)/(1<<20)))
}

// count says n things.
func count(n int, one, many shown) shown {
	if n == 1 {
		return "1 " + one
	}
	return shown(fmt.Sprint(n)) + " " + many
}

// field is a name with a value.
type field struct{ Name, Value shown }

// Short reports whether the value goes into the line of its name.
func (f field) Short() bool { return f.Name != "" && f.Value.lines() <= 1 && len(f.Value) <= 200 }

// title is the session's title, or what stands for it.
func title(t *canon.Thread) shown {
	if s := showLine(t.Title); s != "" {
		return s
	}
	if s := showLine(t.ID); s != "" {
		return "Session " + s
	}
	return "Session"
}

// fields lists what the header says beside the title.
func fields(t *canon.Thread, loc *time.Location) []field {
	var out []field
	add := func(name, value shown) {
		if value != "" {
			out = append(out, field{name, value})
		}
	}
	add("agent", showLine(t.Agent+" "+t.ClientVersion))
	add("model", showLine(t.Model))
	add("session", showLine(t.ID))
	add("directory", showLine(t.Dir))
	add("branch", branch(&t.Git))
	add("time", period(t, loc))
	add("fork of", showLine(t.ForkedFrom))
	if o := t.Origin; o != nil {
		add("came from", showLine(o.Agent+" "+o.ID))
	}
	return out
}

// shortCommit is how many characters of a commit are shown.
const shortCommit = 10

func branch(g *canon.Git) shown {
	b := showLine(g.Branch)
	if c := showLine(fmt.Sprintf("%.*s", shortCommit, g.Commit)); c != "" {
		b = shown(strings.TrimSpace(string(b + " " + c)))
	}
	if g.Dirty != "" {
		b += " with uncommitted changes"
	}
	return b
}

const minute = "2006-01-02 15:04"

func period(t *canon.Thread, loc *time.Location) shown {
	from, to := t.Created.In(loc), t.Updated.In(loc)
	switch {
	case t.Created.IsZero() && t.Updated.IsZero():
		return ""
	case t.Updated.IsZero():
		return showLine(from.Format(minute + " MST"))
	case t.Created.IsZero() || from.Format(minute) == to.Format(minute):
		return showLine(to.Format(minute + " MST"))
	case from.Format(time.DateOnly) == to.Format(time.DateOnly):
		return showLine(from.Format(minute) + " to " + to.Format("15:04 MST"))
	}
	return showLine(from.Format(minute) + " to " + to.Format(minute+" MST"))
}
