package cli

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/canon"
)

// sessionsOptions are those of `crosswalk sessions`.
type sessionsOptions struct {
	*app
	agentID, since, grep string
	all, json            bool
}

func newSessions(a *app) *cobra.Command {
	o := &sessionsOptions{app: a}
	cmd := &cobra.Command{
		Use:   "sessions",
		Short: "List every agent's sessions of this directory, newest first",
		Args:  arguments(0),
		RunE:  func(cmd *cobra.Command, _ []string) error { return o.list(cmd.Context()) },
	}
	f := cmd.Flags()
	f.StringVar(&o.agentID, "agent", "", "only this `AGENT`'s")
	f.StringVar(&o.since, "since", "", "only those changed since `WHEN`: a duration such as 2h or 3d, or a date")
	f.StringVar(&o.grep, "grep", "", "only those that hold this `TEXT`, in any letter case")
	f.BoolVar(&o.all, "all", false, "of every directory")
	f.BoolVar(&o.json, "json", false, "print as JSON, one session a line")
	a.completeAgents(cmd, "agent")
	return cmd
}

// listed is a session as `sessions --json` prints it.
type listed struct {
	Agent    string        `json:"agent"`
	ID       string        `json:"id"`
	Title    string        `json:"title"`
	Dir      string        `json:"cwd"`
	Path     string        `json:"path"`
	Modified time.Time     `json:"modified"`
	Size     int64         `json:"size"`
	Hidden   agent.Hidden  `json:"hidden,omitempty"`
	Origin   *canon.Origin `json:"origin,omitempty"`
}

func (o *sessionsOptions) list(ctx context.Context) error {
	if o.agentID != "" {
		if _, err := o.agent(o.agentID); err != nil {
			return err
		}
	}
	after, err := parseSince(o.since, o.now)
	if err != nil {
		return err
	}
	d, err := o.desk()
	if err != nil {
		return err
	}
	dir := ""
	if !o.all {
		if dir, err = o.workDir(); err != nil {
			return err
		}
	}
	entries, errs := d.List(ctx, agent.Query{}, "")
	if err := ctx.Err(); err != nil {
		return err
	}
	o.note(errs)
	var shown []agent.Entry
	for _, e := range entries {
		if e.Modified.Before(after) || dir != "" && e.Dir != dir || o.agentID != "" && e.Agent != o.agentID {
			continue
		}
		if o.grep != "" {
			found, err := o.holds(ctx, &e)
			if err != nil {
				o.note([]error{err})
			}
			if !found {
				continue
			}
		}
		shown = append(shown, e)
	}
	if len(shown) == 0 && !o.json {
		o.sayNone(entries, dir)
		return nil
	}
	return o.print(shown, dir, shortIDs(entryIDs(entries)))
}

// parseSince reads a duration, with days too, or a date.
func parseSince(s string, now time.Time) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	if days, ok := strings.CutSuffix(s, "d"); ok {
		if n, err := strconv.ParseFloat(days, 64); err == nil && n >= 0 && n*24 <= time.Duration(math.MaxInt64).Hours() {
			return now.Add(-time.Duration(n * 24 * float64(time.Hour))), nil
		}
	}
	if d, err := time.ParseDuration(s); err == nil && d >= 0 {
		return now.Add(-d), nil
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04", "2006-01-02"} {
		if t, err := time.ParseInLocation(layout, s, time.Local); err == nil {
			return t, nil
		}
	}
	return time.Time{}, usagef("--since %q is neither a duration such as 2h or 3d nor a date such as 2006-01-02", s)
}

// holds reports whether a session holds the text, in its title or anywhere in
// its messages.
func (o *sessionsOptions) holds(ctx context.Context, e *agent.Entry) (bool, error) {
	want := strings.ToLower(o.grep)
	if strings.Contains(strings.ToLower(e.Title), want) {
		return true, nil
	}
	a, err := o.agent(e.Agent)
	if err != nil {
		return false, err
	}
	report, end := o.progress("searching")
	defer end()
	s, err := a.Open(ctx, e.Path, agent.OpenOptions{View: agent.FullView, Home: o.home, Progress: report})
	if errors.Is(err, agent.ErrNoConversation) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	for m, err := range s.Messages(ctx) {
		if err != nil {
			return false, errors.Join(err, s.Close())
		}
		for t := range m.Texts() {
			if strings.Contains(strings.ToLower(t), want) {
				return true, s.Close()
			}
		}
	}
	return false, s.Close()
}

// countIn counts the sessions of each directory, and returns the nearest above
// dir that has some.
func countIn(all []agent.Entry, dir string) (in map[string]int, above string) {
	in = make(map[string]int)
	for _, e := range all {
		in[e.Dir]++
	}
	above = filepath.Dir(dir)
	for in[above] == 0 && above != filepath.Dir(above) {
		above = filepath.Dir(above)
	}
	return in, above
}

// sayNone says that none of all sessions is shown, and where there are some.
func (o *sessionsOptions) sayNone(all []agent.Entry, dir string) {
	in, above := countIn(all, dir)
	switch {
	case in[dir] > 0 && dir != "":
		fmt.Fprintf(o.err, "No session of %s fits; without the filters there are %d.\n", visible(dir), in[dir])
	case dir == "" && len(all) > 0:
		fmt.Fprintf(o.err, "No session fits; without the filters there are %d.\n", len(all))
	case dir == "":
		fmt.Fprintln(o.err, "No session.")
	case len(all) == 0:
		fmt.Fprintf(o.err, "No session of %s, and none elsewhere.\n", visible(dir))
	case in[above] > 0:
		fmt.Fprintf(o.err, "No session of %s, but %d of %s above it. Look everywhere with --all.\n", visible(dir), in[above], line(above))
	default:
		fmt.Fprintf(o.err, "No session of %s. Look everywhere with --all.\n", visible(dir))
	}
}

func (o *sessionsOptions) print(entries []agent.Entry, dir string, short func(string) string) error {
	if o.json {
		for _, e := range entries {
			if err := printJSON(o.out, listed{
				Agent: e.Agent, ID: e.ID, Title: e.Title, Dir: e.Dir, Path: e.Path, Modified: e.Modified.UTC(),
				Size: e.Size, Hidden: e.Hidden, Origin: e.Origin,
			}); err != nil {
				return err
			}
		}
		return nil
	}
	if !o.outTTY {
		for _, e := range entries {
			fmt.Fprintf(o.out, "%s\t%s\t%s\t%s\t%s\t%s\n", e.Agent, shownID(e.ID), e.Modified.UTC().Format(time.RFC3339), e.Hidden, line(e.Dir), titleOf(&e))
		}
		return nil
	}
	o.printTable(entries, dir == "", short)
	return nil
}
