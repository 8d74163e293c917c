package main

import (
	"context"
	"fmt"

	"github.com/crosswalk-agents/crosswalk/bench/internal/measure"
	"github.com/crosswalk-agents/crosswalk/bench/internal/session"
)

// memoryRows measures the peak memory of conversions: of a big file, and of one
// with a very long record.
func memoryRows(ctx context.Context, r *rig) ([]measure.Row, error) {
	var rows []measure.Row
	for _, b := range r.memory {
		for _, d := range directions() {
			row, err := memoryRow(ctx, r, d, b)
			if err != nil {
				return nil, err
			}
			rows = append(rows, row)
		}
	}
	return rows, nil
}

func memoryRow(ctx context.Context, r *rig, d direction, b bulk) (row measure.Row, err error) {
	path, st, err := r.file(d, session.Options{Seed: 1, Size: b.size, Long: int(b.longest)})
	if err != nil {
		return row, err
	}
	defer func() { _ = remove(path) }()
	longest := float64(st.Longest) / mb
	row = measure.Row{
		Measure: fmt.Sprintf("convert %s, %d MB, longest record %.0f MB: peak memory", d, b.size/mb, longest),
		Kind:    measure.Megabytes, Must: 64 + 3*longest, Stretch: 32 + 2*longest, Unit: "–",
	}
	r.say("%s", row.Measure)
	measure.ForgetPeak()
	cost, err := r.command(d, path).Run(ctx)
	if err != nil {
		return row, err
	}
	row.Value = float64(cost.MaxRSS) / mb
	switch own := measure.Peak(); {
	case cost.MaxRSS == 0:
		row.Void = "this system does not tell"
	case cost.MaxRSS <= own:
		row.Void = fmt.Sprintf("hidden by the %d MB of the benchmark", own/mb)
	}
	return row, remove(path)
}
