package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/crosswalk-agents/crosswalk/agent"
)

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

// when shows the time t, of today without the day.
func when(now, t time.Time) string {
	t = t.Local()
	if day := t.Format(time.DateOnly); day != now.Local().Format(time.DateOnly) {
		return day + t.Format(" 15:04")
	}
	return t.Format("15:04")
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
	case n >= 1000:
		return fmt.Sprintf("%.1f k", float64(n)/1000)
	}
	return fmt.Sprint(n)
}

func indent(s, by string) string {
	return by + strings.ReplaceAll(s, "\n", "\n"+by)
}

// cut shortens a single line to width columns.
func cut(s string, width int) string { return clip(line(s), width) }

// clip is cut for a line that is fit to be shown.
func clip(s string, width int) string { return ansi.Truncate(s, max(width, 1), "…") }

// titleOf is what a session is called in lists.
func titleOf(e *agent.Entry) string {
	if e.Title == "" {
		return "(no title)"
	}
	return line(e.Title)
}
