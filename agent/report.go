package agent

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

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

// Notes of a report that a person is told.
const (
	// NoteBeforeCompaction counts the messages that a compaction has taken out of
	// the model's view; the full view has them.
	NoteBeforeCompaction = "messages-before-compaction"
	// NoteOffBranch counts the records on other branches.
	NoteOffBranch = "records-off-branch"
	// NoteLaterOffBranch counts those of them that are later than the branch's
	// end: the person may think of another branch.
	NoteLaterOffBranch = "later-records-off-branch"
	// NoteUnknown and a type count the records outside of the conversation whose
	// type is not known.
	NoteUnknown = "unknown-records-"
	// NoteBeside and a name count the other files that were read.
	NoteBeside = "read-beside "
)

// NoteRepaired counts the characters of a record that were no text and were
// replaced.
func NoteRepaired(r *canon.Report, line, n int) {
	if r == nil || n == 0 {
		return
	}
	r.Note("repaired-characters", n)
	r.Damaged(canon.Place(line), "characters")
}

// Unknown counts records by a type that nobody knows. The types are the file's
// own words, of which there may be as many as records: it keeps the first few, cut,
// and counts the others together.
type Unknown map[string]int

// What [Unknown] keeps of types, and what it calls the others.
const (
	maxUnknown     = 50
	maxUnknownType = 100
	otherTypes     = "(others)"
)

// Add counts a record.
func (u *Unknown) Add(typ string) {
	switch {
	case typ == "":
		typ = "(no type)"
	case len(typ) > maxUnknownType:
		typ = strings.ToValidUTF8(typ[:maxUnknownType], "") + "…"
	}
	if *u == nil {
		*u = make(Unknown)
	}
	if _, known := (*u)[typ]; !known && len(*u) >= maxUnknown {
		typ = otherTypes
	}
	(*u)[typ]++
}

// NobodySpeaks is the error for a session file in none of whose records anybody
// says anything, as far as their types are known. unknown counts the others.
func NobodySpeaks(path string, records int, unknown Unknown) error {
	if len(unknown) == 0 {
		return fmt.Errorf("read %q: nobody says anything in its %d records: %w", path, records, ErrNoConversation)
	}
	const shown = 5
	types := slices.Sorted(maps.Keys(unknown))
	if len(types) > shown {
		types = append(types[:shown:shown], "…")
	}
	return fmt.Errorf("read %q: nobody says anything in those of its %d records that are known here; unknown are %s: %w",
		path, records, strings.Join(types, ", "), ErrNoConversation)
}

// NoteDamage counts a damaged place of a session file in r, which may be nil:
// as a loss where something could not be read.
func NoteDamage(r *canon.Report, d jsonl.Damage) {
	if r == nil {
		return
	}
	where := canon.Place(d.Line)
	r.Note("damage-"+string(d.Kind), 1)
	r.Damaged(where, string(d.Kind))
	if d.Loses() {
		r.DropUnread(canon.CountKind(canon.KindOpaque), 1, where, string(d.Kind)+" record: "+d.Err.Error())
	}
}
