package journal_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/crosswalk-agents/crosswalk/internal/journal"
)

// turn is a payload as the gateway might have it.
type turn struct {
	N    int    `json:"n"`
	Text string `json:"text,omitempty"`
}

// clock is a time that tests set.
type clock struct{ now time.Time }

func newClock(at string) *clock {
	now, err := time.Parse(time.RFC3339Nano, at)
	if err != nil {
		panic(err)
	}
	return &clock{now: now}
}

func (c *clock) Now() time.Time { return c.now }

func newJournal(t *testing.T, dir string, opts ...journal.Option) *journal.Journal {
	t.Helper()
	j, err := journal.New(dir, append([]journal.Option{journal.Sync(false)}, opts...)...)
	must(t, err)
	return j
}

func appendTurns(t *testing.T, j *journal.Journal, from, to int) {
	t.Helper()
	for n := from; n <= to; n++ {
		must(t, j.Append(t.Context(), "turn", turn{N: n}))
	}
}

// collect reads everything; damage is not an error here but counted.
func collect(t *testing.T, records iter.Seq2[journal.Record, error]) (turns []int, damage []*journal.LineError) {
	t.Helper()
	for rec, err := range records {
		var line *journal.LineError
		switch {
		case errors.As(err, &line):
			damage = append(damage, line)
		case err != nil:
			t.Fatal(err)
		default:
			var p turn
			must(t, rec.Decode(&p))
			turns = append(turns, p.N)
		}
	}
	return turns, damage
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func upTo(n int) []int {
	var all []int
	for i := 1; i <= n; i++ {
		all = append(all, i)
	}
	return all
}

func TestRecordIsOneLineThatBeginsWithTimeAndKind(t *testing.T) {
	dir := t.TempDir()
	c := newClock("2026-03-01T10:30:00.5+01:00")
	j := newJournal(t, dir, journal.Clock(c.Now))
	must(t, j.Append(t.Context(), "handoff.done", struct {
		Source string          `json:"source"`
		Raw    json.RawMessage `json:"raw"`
	}{"<claude>", json.RawMessage("{\n \"b\": 1,\n \"a\": 2}")}))
	must(t, j.Append(t.Context(), "ping", nil))
	must(t, j.Append(t.Context(), "ping", map[string]int{}))

	want := `{"t":"2026-03-01T09:30:00.500000000Z","kind":"handoff.done","source":"<claude>","raw":{"b":1,"a":2}}
{"t":"2026-03-01T09:30:00.500000000Z","kind":"ping"}
{"t":"2026-03-01T09:30:00.500000000Z","kind":"ping"}
`
	got, err := os.ReadFile(filepath.Join(dir, "2026-03-01.jsonl"))
	must(t, err)
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestRecordComesBackAsItWasAppended(t *testing.T) {
	c := newClock("2026-03-01T09:30:00.123456789Z")
	j := newJournal(t, t.TempDir(), journal.Clock(c.Now))
	want := turn{N: 7, Text: "a \"line\"\nand another \u2028 \U0001f600"}
	must(t, j.Append(t.Context(), "turn", want))
	for rec, err := range j.Records(t.Context()) {
		must(t, err)
		var got turn
		must(t, rec.Decode(&got))
		if got != want || rec.Kind != "turn" || !rec.Time.Equal(c.now) || rec.Time.Location() != time.UTC {
			t.Errorf("got %v %s %+v", rec.Time, rec.Kind, got)
		}
	}
}

func TestDecodeErrorNamesTheRecord(t *testing.T) {
	j := newJournal(t, t.TempDir(), journal.Clock(newClock("2026-03-01T00:00:00Z").Now))
	must(t, j.Append(t.Context(), "turn", map[string]string{"n": "seven"}))
	for rec, err := range j.Records(t.Context()) {
		must(t, err)
		var p turn
		if err := rec.Decode(&p); err == nil || !strings.Contains(err.Error(), `"turn" of 2026-03-01T00:00:00Z`) {
			t.Errorf("Decode = %v", err)
		}
	}
}

func TestEachDayOfUTCHasItsSegmentAndReadingCrossesThem(t *testing.T) {
	dir := t.TempDir()
	c := newClock("2026-02-28T23:59:59.999999999Z")
	j := newJournal(t, dir, journal.Stream("hook-decisions"), journal.Clock(c.Now))
	appendTurns(t, j, 1, 2)
	c.now = c.now.Add(1)
	appendTurns(t, j, 3, 4)
	c.now = c.now.Add(300 * 24 * time.Hour)
	appendTurns(t, j, 5, 5)

	// Other files in the folder are none of the journal's.
	must(t, os.WriteFile(filepath.Join(j.Dir(), "2026-03-01.jsonl.bak"), []byte("x"), 0o600))
	must(t, os.WriteFile(filepath.Join(j.Dir(), "2026-13-01.jsonl"), []byte("x"), 0o600))

	for _, name := range []string{"2026-02-28.jsonl", "2026-03-01.jsonl", "2026-12-26.jsonl"} {
		if _, err := os.Stat(filepath.Join(dir, "hook-decisions", name)); err != nil {
			t.Error(err)
		}
	}
	if got, damage := collect(t, j.Records(t.Context())); !slices.Equal(got, upTo(5)) || damage != nil {
		t.Errorf("forward: %v, %v", got, damage)
	}
	if got, damage := collect(t, j.Backward(t.Context())); !slices.Equal(got, []int{5, 4, 3, 2, 1}) || damage != nil {
		t.Errorf("backward: %v, %v", got, damage)
	}
}

func TestTimeOfARecordThatWaitedPastMidnightStaysInItsSegment(t *testing.T) {
	dir := t.TempDir()
	times := []string{"2026-02-28T23:59:59Z", "2026-03-01T00:00:01Z"}
	j := newJournal(t, dir, journal.Clock(func() time.Time {
		now := newClock(times[0]).now
		times = times[1:]
		return now
	}))
	must(t, j.Append(t.Context(), "turn", nil))
	for rec, err := range j.Records(t.Context()) {
		must(t, err)
		if rec.Time.Format(time.DateOnly)+".jsonl" != rec.Position.Segment {
			t.Errorf("time %v in segment %q", rec.Time, rec.Position.Segment)
		}
	}
}

func TestReadingGoesOnFromAPosition(t *testing.T) {
	c := newClock("2026-03-01T00:00:00Z")
	j := newJournal(t, t.TempDir(), journal.Clock(c.Now))
	for day := range 3 {
		appendTurns(t, j, 3*day+1, 3*day+3)
		c.now = c.now.Add(24 * time.Hour)
	}
	for _, records := range []iter.Seq2[journal.Record, error]{j.Records(t.Context()), j.Backward(t.Context())} {
		for rec, err := range records {
			must(t, err)
			var p turn
			must(t, rec.Decode(&p))
			if got, _ := collect(t, j.RecordsAfter(t.Context(), rec.Position)); !slices.Equal(got, upTo(9)[p.N:]) {
				t.Errorf("after %d: %v", p.N, got)
			}
		}
	}
}

func TestJournalThatIsNotThereIsEmpty(t *testing.T) {
	j := newJournal(t, filepath.Join(t.TempDir(), "none"))
	for _, records := range []iter.Seq2[journal.Record, error]{j.Records(t.Context()), j.Backward(t.Context())} {
		if got, damage := collect(t, records); got != nil || damage != nil {
			t.Errorf("read %v, %v", got, damage)
		}
	}
	if _, err := os.Stat(j.Dir()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("reading made the folder: %v", err)
	}
}

func TestFolderAndSegmentsArePrivate(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no permission bits; runs on Unix")
	}
	j, err := journal.New(filepath.Join(t.TempDir(), "state", "journal"), journal.Stream("turns"))
	must(t, err)
	appendTurns(t, j, 1, 1)
	for path, want := range map[string]fs.FileMode{
		filepath.Dir(filepath.Dir(j.Dir())): 0o700, filepath.Dir(j.Dir()): 0o700, j.Dir(): 0o700,
	} {
		info, err := os.Stat(path)
		must(t, err)
		if info.Mode().Perm() != want {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
	}
	segments, err := filepath.Glob(filepath.Join(j.Dir(), "*"))
	must(t, err)
	for _, path := range segments {
		if info, err := os.Stat(path); err != nil || info.Mode() != 0o600 {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
	if len(segments) != 1 {
		t.Errorf("segments %q", segments)
	}
}

func TestAppendRefusesWhatCannotComeBack(t *testing.T) {
	j := newJournal(t, t.TempDir())
	cases := map[string]struct {
		kind    string
		payload any
	}{
		"no kind":            {"", nil},
		"kind with a quote":  {`a"b`, nil},
		"kind in upper case": {"Turn", nil},
		"array":              {"turn", []int{1}},
		"text":               {"turn", "x"},
		"member t":           {"turn", map[string]int{"t": 1}},
		"member T":           {"turn", map[string]int{"T": 1}},
		"member kind":        {"turn", struct{ Kind string }{"x"}},
		"not encodable":      {"turn", func() {}},
		"broken raw JSON":    {"turn", json.RawMessage(`{"a":`)},
	}
	for name, c := range cases {
		if err := j.Append(t.Context(), c.kind, c.payload); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := os.Stat(j.Dir()); err != nil {
		t.Fatal(err)
	}
	if got, damage := collect(t, j.Records(t.Context())); got != nil || damage != nil {
		t.Errorf("read %v, %v", got, damage)
	}
}

func TestLineMayHave16MiBAndNotAByteMore(t *testing.T) {
	j := newJournal(t, t.TempDir())
	overhead := len(`{"t":"2026-03-01T09:30:00.000000000Z","kind":"turn","n":0,"text":""}` + "\n")
	text := strings.Repeat("x", journal.MaxLine-overhead)
	must(t, j.Append(t.Context(), "turn", turn{Text: text}))
	err := j.Append(t.Context(), "turn", turn{Text: text + "x"})
	if !errors.Is(err, journal.ErrTooLong) || !strings.Contains(err.Error(), fmt.Sprint(journal.MaxLine+1)) {
		t.Errorf("error %v, want ErrTooLong with the size", err)
	}
	for _, records := range []iter.Seq2[journal.Record, error]{j.Records(t.Context()), j.Backward(t.Context())} {
		if got, damage := collect(t, records); len(got) != 1 || damage != nil {
			t.Errorf("read %d records, %v", len(got), damage)
		}
	}
}

func TestStreamNamesAreOneFolder(t *testing.T) {
	for _, name := range []string{"..", "a/b", "A", "a b", strings.Repeat("a", 65)} {
		if _, err := journal.New(t.TempDir(), journal.Stream(name)); err == nil {
			t.Errorf("stream %q is taken", name)
		}
	}
}

func TestContextEndsReadingAndAppending(t *testing.T) {
	j := newJournal(t, t.TempDir())
	appendTurns(t, j, 1, 3)
	for _, read := range []func(context.Context) iter.Seq2[journal.Record, error]{j.Records, j.Backward} {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var got []error
		for _, err := range read(ctx) {
			got = append(got, err)
			cancel()
		}
		if len(got) != 2 || got[0] != nil || !errors.Is(got[1], context.Canceled) {
			t.Errorf("got %v", got)
		}
	}
}

func TestGoroutinesAppendAtOnce(t *testing.T) {
	j := newJournal(t, t.TempDir())
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 50 {
				if err := j.Append(t.Context(), "turn", turn{N: g*50 + i + 1}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	got, damage := collect(t, j.Records(t.Context()))
	slices.Sort(got)
	if !slices.Equal(got, upTo(400)) || damage != nil {
		t.Errorf("%d records, %v", len(got), damage)
	}
}

func BenchmarkAppendWithoutSync(b *testing.B) {
	j, err := journal.New(b.TempDir(), journal.Sync(false))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := j.Append(b.Context(), "decision", turn{N: 1, Text: "allow"}); err != nil {
			b.Fatal(err)
		}
	}
}
