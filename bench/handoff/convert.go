package main

import (
	"context"
	"fmt"

	"github.com/crosswalk-agents/crosswalk/bench/internal/measure"
	"github.com/crosswalk-agents/crosswalk/bench/internal/session"
)

// shape is a kind of file to convert, with what its conversion may cost.
type shape struct {
	name, file    string
	shape         session.Shape
	must, stretch float64
}

func shapes() []shape {
	return []shape{
		{"active branch", "active", session.Active, 0.25, 0.12},
		{"sparse", "sparse", session.Sparse, 0.15, 0.08},
	}
}

// convertRows measures the processor time of conversions in units of `jq -c .`
// on the same file.
func convertRows(ctx context.Context, r *rig) ([]measure.Row, error) {
	var rows []measure.Row
	for _, s := range shapes() {
		for _, d := range directions() {
			row, err := convertRow(ctx, r, s, d)
			if err != nil {
				return nil, err
			}
			rows = append(rows, row)
		}
	}
	return rows, nil
}

func convertRow(ctx context.Context, r *rig, s shape, d direction) (row measure.Row, err error) {
	path, st, err := r.file(d, session.Options{Seed: 1, Size: r.convert, Shape: s.shape, Long: int(r.convert / 100)})
	if err != nil {
		return row, err
	}
	defer func() { _ = remove(path) }()
	row = measure.Row{
		Measure: fmt.Sprintf("convert %s, %d MB, %.0f %% %s: CPU in `jq -c .`", d, r.convert/mb, 100*st.Share(), s.name),
		Must:    s.must, Stretch: s.stretch,
	}
	r.say("%s", row.Measure)
	work := r.command(d, path)
	if err := r.verify(ctx, work, st); err != nil {
		return row, err
	}
	race := measure.Race{
		Unit:  &measure.Command{Argv: []string{"jq", "-c", ".", path}, Env: work.Env, Dir: r.dir},
		Works: []*measure.Command{work}, Clock: measure.CPU, Retry: r.hasTime,
	}
	f, err := race.Run(ctx)
	if err != nil {
		return row, err
	}
	row.Value, row.Unit, row.Void = f.Ratio(0), f.String(), f.Void
	return row, nil
}
