package journal_test

import (
	"errors"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/crosswalk-agents/crosswalk/internal/journal"
)

const damagedDay = "2026-03-01.jsonl"

// damagedJournal gives a journal whose segment of the day holds content.
func damagedJournal(t *testing.T, content string) *journal.Journal {
	t.Helper()
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, damagedDay), []byte(content), 0o600))
	return newJournal(t, dir, journal.Clock(newClock("2026-03-01T12:00:00Z").Now))
}

func recordLine(n string) string {
	return `{"t":"2026-03-01T09:30:00.000000000Z","kind":"turn","n":` + n + "}\n"
}

func TestDamagedLineIsSkippedAndReportedWithItsPosition(t *testing.T) {
	long := strings.Repeat("x", journal.MaxLine) // with its newline one byte too long
	cases := map[string]struct {
		line string
		want error
	}{
		"torn":               {`{"t":"2026-03-01T09:30:00Z","kind":"tu`, journal.ErrTorn},
		"torn in the middle": {strings.TrimSuffix(recordLine("7"), "7}\n") + recordLine("8"), journal.ErrTorn},
		"NUL bytes":          {strings.Repeat("\x00", 5000), journal.ErrNUL},
		"NUL at the end":     {`{"t":"2026-03-01T09:30:00Z"` + "\x00\x00", journal.ErrNUL},
		"too long":           {long, journal.ErrTooLong},
		"much too long":      {long + long, journal.ErrTooLong},
		"array":              {`[1]`, journal.ErrNoRecord},
		"null":               {`null`, journal.ErrNoRecord},
		"no kind":            {`{"t":"2026-03-01T09:30:00Z"}`, journal.ErrNoRecord},
		"no time":            {`{"kind":"turn"}`, journal.ErrNoRecord},
		"time of no sense":   {`{"t":"yesterday","kind":"turn"}`, journal.ErrNoRecord},
		"not UTF-8":          {"\xff\xfe", journal.ErrTorn},
	}
	before, after := recordLine("1")+recordLine("2"), recordLine("3")
	for name, c := range cases {
		line := strings.TrimSuffix(c.line, "\n") + "\n"
		want := journal.Position{Segment: damagedDay, Offset: int64(len(before)), Size: int64(len(line))}
		t.Run(name, func(t *testing.T) {
			j := damagedJournal(t, before+line+after)
			got, damage := collect(t, j.Records(t.Context()))
			if !slices.Equal(got, upTo(3)) {
				t.Errorf("forward: %v", got)
			}
			forward := want
			forward.Line = 3
			checkDamage(t, damage, c.want, forward)

			got, damage = collect(t, j.Backward(t.Context()))
			if !slices.Equal(got, []int{3, 2, 1}) {
				t.Errorf("backward: %v", got)
			}
			checkDamage(t, damage, c.want, want)
		})
	}
}

func checkDamage(t *testing.T, damage []*journal.LineError, want error, at journal.Position) {
	t.Helper()
	if len(damage) != 1 || !errors.Is(damage[0], want) || damage[0].Position != at {
		t.Errorf("damage %v, want %v at %+v", damage, want, at)
	}
}

func TestDamageReadsLikeASentence(t *testing.T) {
	j := damagedJournal(t, recordLine("1")+"{\n")
	_, damage := collect(t, j.Records(t.Context()))
	path := filepath.Join(j.Dir(), damagedDay)
	if want := `read journal "` + path + `", line 2, offset 59: line is torn`; len(damage) != 1 || damage[0].Error() != want {
		t.Errorf("got  %v\nwant %s", damage, want)
	}
}

func TestAppendAfterATornTailStartsOnANewLine(t *testing.T) {
	for _, tail := range []string{`{"t":"2026-03-01T09`, "\x00\x00\x00\x00", "{", "\n{"} {
		j := damagedJournal(t, recordLine("1")+tail)
		if got, damage := collect(t, j.Records(t.Context())); len(got) != 1 || len(damage) != 1 {
			t.Errorf("tail %q, before: %v, %v", tail, got, damage)
		}
		appendTurns(t, j, 2, 3)
		if got, damage := collect(t, j.Records(t.Context())); !slices.Equal(got, upTo(3)) || len(damage) != 1 {
			t.Errorf("tail %q, forward: %v, %v", tail, got, damage)
		}
		if got, damage := collect(t, j.Backward(t.Context())); !slices.Equal(got, []int{3, 2, 1}) || len(damage) != 1 {
			t.Errorf("tail %q, backward: %v, %v", tail, got, damage)
		}
	}
}

func TestRecordThatLacksOnlyItsNewlineCounts(t *testing.T) {
	j := damagedJournal(t, recordLine("1")+strings.TrimSuffix(recordLine("2"), "\n"))
	for _, records := range []iter.Seq2[journal.Record, error]{j.Records(t.Context()), j.Backward(t.Context())} {
		var last journal.Position
		for rec, err := range j.Records(t.Context()) {
			must(t, err)
			last = rec.Position
		}
		if got, damage := collect(t, records); len(got) != 2 || damage != nil {
			t.Errorf("before: %v, %v", got, damage)
		}
		if got, damage := collect(t, j.RecordsAfter(t.Context(), last)); got != nil || damage != nil {
			t.Errorf("after the last: %v, %v", got, damage)
		}
	}
	var last journal.Position
	for rec, err := range j.Records(t.Context()) {
		must(t, err)
		last = rec.Position
	}
	appendTurns(t, j, 3, 3)
	for rec, err := range j.RecordsAfter(t.Context(), last) {
		must(t, err)
		if rec.Position.Line != 3 || rec.Position.Offset != last.Offset+last.Size {
			t.Errorf("position %+v", rec.Position)
		}
	}
}

func TestBlankLinesAndCarriageReturnsAreNoDamage(t *testing.T) {
	j := damagedJournal(t, "\n"+strings.ReplaceAll(recordLine("1"), "\n", "\r\n")+"\r\n  \n"+recordLine("2"))
	for _, records := range []iter.Seq2[journal.Record, error]{j.Records(t.Context()), j.Backward(t.Context())} {
		if got, damage := collect(t, records); len(got) != 2 || damage != nil {
			t.Errorf("read %v, %v", got, damage)
		}
	}
}

func TestSegmentThatIsALinkIsReportedAndTheRestIsRead(t *testing.T) {
	j := damagedJournal(t, recordLine("1"))
	must(t, os.Symlink(damagedDay, filepath.Join(j.Dir(), "2026-02-01.jsonl")))
	var records, failures int
	for _, err := range j.Records(t.Context()) {
		if err != nil {
			failures++
		} else {
			records++
		}
	}
	if records != 1 || failures != 1 {
		t.Errorf("%d records, %d failures", records, failures)
	}
}

func TestLineWithoutEndIsReadInBoundedMemory(t *testing.T) {
	dir := t.TempDir()
	f, err := os.Create(filepath.Join(dir, damagedDay))
	must(t, err)
	_, err = f.WriteString(recordLine("1"))
	must(t, err)
	const hole = 256 << 20
	must(t, f.Truncate(hole)) // a file with a hole, as a power cut leaves them
	must(t, f.Close())
	j := newJournal(t, dir)
	for name, records := range map[string]iter.Seq2[journal.Record, error]{
		"forward": j.Records(t.Context()), "backward": j.Backward(t.Context()),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		got, damage := collect(t, records)
		runtime.ReadMemStats(&after)
		if len(got) != 1 || len(damage) != 1 || !errors.Is(damage[0], journal.ErrTooLong) {
			t.Errorf("%s: %v, %v", name, got, damage)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > 8*journal.MaxLine {
			t.Errorf("%s: %d MiB were allocated", name, used>>20)
		}
	}
}
