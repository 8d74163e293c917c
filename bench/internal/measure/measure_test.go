package measure_test

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/crosswalk-agents/crosswalk/bench/internal/measure"
)

// TestMain lets the test program stand in for a measured one.
func TestMain(m *testing.M) {
	switch os.Getenv("MEASURE_STAND_IN") {
	case "ends":
		os.Exit(0)
	case "fails":
		os.Exit(3)
	}
	os.Exit(m.Run())
}

func standIn(t *testing.T, how string) *measure.Command {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return &measure.Command{Argv: []string{exe}, Env: append(os.Environ(), "MEASURE_STAND_IN="+how)}
}

func TestRaceInterleaves(t *testing.T) {
	var order strings.Builder
	runner := func(name string, repeat int) *measure.Command {
		c := standIn(t, "ends")
		c.Repeat = repeat
		c.Before = func() error { order.WriteString(name); return nil }
		return c
	}
	clock := func(measure.Cost) time.Duration { return time.Second } // a steady machine
	r := measure.Race{Unit: runner("u", 2), Works: []*measure.Command{runner("a", 1), runner("b", 0)}, Clock: clock, Rounds: 3}
	f, err := r.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if got, want := order.String(), "uuabuuabuuab"; got != want {
		t.Errorf("ran in the order %s, not %s", got, want)
	}
	if len(f.Unit) != 3 || len(f.Works) != 2 || len(f.Works[1]) != 3 {
		t.Errorf("samples: %v", f)
	}
	if f.Void != "" || f.Ratio(0) != 1 {
		t.Errorf("void %q, ratio %v", f.Void, f.Ratio(0))
	}
}

func TestRestlessUnitVoidsAfterThreeTries(t *testing.T) {
	n := 0
	unit := standIn(t, "ends")
	unit.Before = func() error { n++; return nil }
	seen := make(map[measure.Cost]int)
	clock := func(c measure.Cost) time.Duration { // the i-th run takes i seconds
		if seen[c] == 0 {
			seen[c] = len(seen) + 1
		}
		return time.Duration(seen[c]) * time.Second
	}
	r := measure.Race{Unit: unit, Clock: clock, Rounds: 2}
	f, err := r.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	// The third try saw 5 s and 6 s, which is steady enough.
	if n != 6 || f.Void != "" {
		t.Errorf("%d runs, void %q", n, f.Void)
	}
	n, seen = 0, make(map[measure.Cost]int)
	r.Retry = func() bool { return false }
	if f, err = r.Run(context.Background()); err != nil || f.Void == "" || n != 2 {
		t.Errorf("%d runs, void %q, error %v", n, f.Void, err)
	}
}

func TestUnitThatCannotRunVoids(t *testing.T) {
	r := measure.Race{Unit: &measure.Command{Argv: []string{"no-such-program-anywhere"}}, Works: []*measure.Command{standIn(t, "ends")}, Clock: measure.CPU}
	f, err := r.Run(context.Background())
	if err != nil || f.Void == "" || f.Ratio(0) != 0 {
		t.Errorf("%+v, %v", f, err)
	}
	r = measure.Race{Unit: standIn(t, "ends"), Works: []*measure.Command{standIn(t, "fails")}, Clock: measure.CPU}
	if _, err := r.Run(context.Background()); err == nil {
		t.Error("a measured program failed, and that is no error")
	}
}

func TestSeries(t *testing.T) {
	s := measure.Series{{CPU: 130, Elapsed: 9}, {CPU: 100, Elapsed: 8}, {CPU: 120, Elapsed: 7}}
	if least, spread := s.Min(measure.CPU), s.Spread(measure.CPU); least != 100 || spread < 0.299 || spread > 0.301 {
		t.Errorf("least %d, spread %v", least, spread)
	}
	if least := s.Min(measure.Elapsed); least != 7 {
		t.Errorf("least elapsed %d", least)
	}
}

func TestVerdicts(t *testing.T) {
	for _, c := range []struct {
		row  measure.Row
		want measure.Verdict
	}{
		{measure.Row{Value: 0.1, Must: 0.25, Stretch: 0.12}, measure.Ahead},
		{measure.Row{Value: 0.25, Must: 0.25, Stretch: 0.12}, measure.Pass},
		{measure.Row{Value: 0.26, Must: 0.25, Stretch: 0.12}, measure.Miss},
		{measure.Row{Value: 0.26, Must: 0.25, Void: "noise"}, measure.Void},
		{measure.Row{Value: 9}, measure.Info},
	} {
		if got := c.row.Verdict(); got != c.want {
			t.Errorf("%v: %q, not %q", c.row, got, c.want)
		}
		if measure.Missed([]measure.Row{c.row}) != (c.want == measure.Miss) {
			t.Errorf("%v: missed", c.row)
		}
	}
}

func TestReplaceKeepsTheRestOfThePage(t *testing.T) {
	page := "top\n<!-- begin a -->\nold\n<!-- end a -->\n<!-- begin b -->\nstays\n<!-- end b -->\n"
	got, err := measure.Replace([]byte(page), "a", measure.Markdown([]measure.Row{{Measure: "m", Value: 2.5, Must: 3, Unit: "u"}}))
	if err != nil {
		t.Fatal(err)
	}
	want := "top\n<!-- begin a -->\n| measure | value | must | stretch | verdict | unit |\n|---|---|---|---|---|---|\n" +
		"| m | 2.500 | ≤ 3 | – | pass | u |\n<!-- end a -->\n<!-- begin b -->\nstays\n<!-- end b -->\n"
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if _, err := measure.Replace([]byte(page), "c", ""); err == nil {
		t.Error("a page without the markers was changed")
	}
}
