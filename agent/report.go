package agent

import (
	"context"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/jsonl"
)

// Index makes the first pass over a session file, as [jsonl.File.Each] does, and
// returns how far it went. The report, which may be nil, gets that too, of the
// first file only if a session has several, and what is damaged.
func Index(ctx context.Context, f *jsonl.File, r *canon.Report, parse func(jsonl.Record) (int, error)) (canon.Extent, error) {
	read := canon.Extent{Bytes: f.Size()}
	err := f.Each(ctx, func(rec jsonl.Record) (int, error) {
		n, err := parse(rec)
		if err == nil {
			read.Lines = rec.Line
		}
		return n, err
	}, func(d jsonl.Damage) {
		if d.Kind == jsonl.Torn {
			read.Torn += int64(d.Lost)
			read.Bytes -= int64(d.Lost)
		}
		NoteDamage(r, d)
	})
	if r != nil && r.Read == (canon.Extent{}) {
		r.Read = read
	}
	return read, err
}

// NoteDamage counts a damaged place of a session file in r, which may be nil:
// as a loss where something could not be read.
func NoteDamage(r *canon.Report, d jsonl.Damage) {
	if r == nil {
		return
	}
	r.Note("damage-"+string(d.Kind), 1)
	if d.Loses() {
		r.DropUnread(canon.CountKind(canon.KindOpaque), 1, canon.Place(d.Line), string(d.Kind)+" record: "+d.Err.Error())
	}
}
