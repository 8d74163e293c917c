package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/crosswalk-agents/crosswalk/bench/internal/measure"
	"github.com/crosswalk-agents/crosswalk/bench/internal/session"
)

// sessionRows measures the time of `crosswalk sessions` over a home full of
// sessions in units of find on the same tree.
func sessionRows(ctx context.Context, r *rig) ([]measure.Row, error) {
	home := filepath.Join(r.dir, "sessions-home")
	r.say("making %d sessions", r.sessions)
	if err := session.WriteHome(home, r.sessions, 1); err != nil {
		return nil, fmt.Errorf("make sessions: %w", err)
	}
	defer func() { _ = os.RemoveAll(home) }()
	r.say("`sessions` over %d files", r.sessions)
	// One program leaves its cache for the next run and one does not.
	first, cached := r.list(home, "first"), r.list(home, "cached")
	state := filepath.Join(r.dir, "state-first")
	first.Before = func() error { return os.RemoveAll(state) }
	if _, err := cached.Run(ctx); err != nil {
		return nil, err
	}
	race := measure.Race{
		Unit:  &measure.Command{Argv: []string{"find", home, "-type", "f", "-printf", `%p %s %T@\n`}, Env: first.Env, Dir: r.dir, Repeat: 10},
		Works: []*measure.Command{first, cached}, Clock: measure.Elapsed, Rounds: 8, Retry: r.hasTime,
	}
	f, err := race.Run(ctx)
	if err != nil {
		return nil, err
	}
	return r.sessionTable(f), nil
}

// sessionTable makes the rows. What is asked is elapsed time; processor time,
// which a busy machine changes less, stands beside it.
func (r *rig) sessionTable(f *measure.Finish) []measure.Row {
	first, cached := fmt.Sprintf("`sessions` over %d files, first run: ", r.sessions), fmt.Sprintf("`sessions` over %d files, with our cache: ", r.sessions)
	rows := []measure.Row{
		{Measure: first + "time in `find -printf`", Must: 40, Stretch: 20},
		{Measure: cached + "time in `find -printf`", Must: 8, Stretch: 4},
		{Measure: first + "CPU in `find -printf`"},
		{Measure: cached + "CPU in `find -printf`"},
	}
	for i := range rows {
		by := f
		if i >= 2 {
			by = f.By(measure.CPU)
		}
		rows[i].Value, rows[i].Unit, rows[i].Void = by.Ratio(i%2), by.String(), by.Void
	}
	return rows
}

// list is the product's listing of all sessions in home, with state of its own.
func (r *rig) list(home, name string) *measure.Command {
	return &measure.Command{
		Argv: []string{r.product, "sessions", "--all"}, Dir: r.dir, Repeat: 2,
		Env: append(r.env(home), "CROSSWALK_HOME="+filepath.Join(r.dir, "state-"+name)),
	}
}
