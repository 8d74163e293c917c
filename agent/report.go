package agent

import (
	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/jsonl"
)

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
