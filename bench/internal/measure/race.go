package measure

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

const (
	// MaxSpread is how much dearer the unit's dearest round may be than its
	// cheapest.
	MaxSpread = 0.30
	// MinRounds is how many rounds a figure needs.
	MinRounds = 6
	// tries is how often a race is run until its unit was steady.
	tries = 3
)

// Series is what a program cost in each round.
type Series []Cost

// Min returns the least that the clock showed.
func (s Series) Min(clock Clock) time.Duration { return slices.Min(s.times(clock)) }

// Spread returns how much more the most is than the least, as a part of it.
func (s Series) Spread(clock Clock) float64 {
	least := s.Min(clock)
	if least <= 0 {
		return 0
	}
	return float64(slices.Max(s.times(clock))-least) / float64(least)
}

func (s Series) times(clock Clock) []time.Duration {
	out := make([]time.Duration, len(s))
	for i, c := range s {
		out[i] = clock(c)
	}
	return out
}

// Race is a unit and the programs that are measured in it.
type Race struct {
	Unit  *Command
	Works []*Command
	// Clock shows the times that count: [CPU] or [Elapsed].
	Clock Clock
	// Rounds is [MinRounds] by default.
	Rounds int
	// Retry is asked whether there is time for another try when the unit was not
	// steady; nil always has.
	Retry func() bool
}

// Finish is the outcome of a race.
type Finish struct {
	Clock Clock
	Unit  Series
	Works []Series
	// Void says why the figures mean nothing; empty if they do.
	Void string
}

// By returns the same outcome by another clock.
func (f *Finish) By(clock Clock) *Finish {
	g := &Finish{Clock: clock, Unit: f.Unit, Works: f.Works}
	if len(f.Unit) == 0 {
		g.Void = f.Void
		return g
	}
	g.judge()
	return g
}

// judge voids an outcome whose unit was not steady.
func (f *Finish) judge() {
	if spread := f.Unit.Spread(f.Clock); spread > MaxSpread {
		f.Void = fmt.Sprintf("the unit spread %.0f %%, more than %.0f %%", 100*spread, 100*MaxSpread)
	}
}

// Ratio returns the cost of the i-th program in units.
func (f *Finish) Ratio(i int) float64 {
	if len(f.Unit) == 0 || f.Unit.Min(f.Clock) <= 0 {
		return 0
	}
	return float64(f.Works[i].Min(f.Clock)) / float64(f.Unit.Min(f.Clock))
}

// String tells what the unit was like.
func (f *Finish) String() string {
	if len(f.Unit) == 0 {
		return "–"
	}
	return fmt.Sprintf("%s, spread %.0f %%", seconds(f.Unit.Min(f.Clock)), 100*f.Unit.Spread(f.Clock))
}

func seconds(d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond))
	}
	return fmt.Sprintf("%.2f s", d.Seconds())
}

// unitError says that it was the unit that could not run.
type unitError struct{ error }

func (e unitError) Unwrap() error { return e.error }

// Run runs the race until the unit was steady, a few times at most. A unit that
// cannot run voids it; the error is one of the programs measured, or of ctx.
func (r *Race) Run(ctx context.Context) (*Finish, error) {
	for try := 1; ; try++ {
		f, err := r.try(ctx)
		var unit unitError
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case errors.As(err, &unit):
			return &Finish{Void: "the unit did not run: " + unit.Error()}, nil
		case err != nil:
			return nil, err
		}
		if f.judge(); f.Void == "" || try == tries || r.Retry != nil && !r.Retry() {
			return f, nil
		}
	}
}

// try runs all rounds once.
func (r *Race) try(ctx context.Context) (*Finish, error) {
	rounds := r.Rounds
	if rounds == 0 {
		rounds = MinRounds
	}
	f := &Finish{Clock: r.Clock, Works: make([]Series, len(r.Works))}
	for range rounds {
		c, err := r.Unit.sample(ctx)
		if err != nil {
			return nil, unitError{err}
		}
		f.Unit = append(f.Unit, c)
		for i, w := range r.Works {
			if c, err = w.sample(ctx); err != nil {
				return nil, err
			}
			f.Works[i] = append(f.Works[i], c)
		}
	}
	return f, nil
}
