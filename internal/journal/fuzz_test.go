package journal_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/crosswalk-agents/crosswalk/internal/journal"
)

// FuzzReader puts any bytes at all before, between and after records, each
// time as the torn tail that the next append finds. No reader panics, every
// record comes back, and both directions see the same lines.
func FuzzReader(f *testing.F) {
	f.Add([]byte(nil), []byte(nil), []byte(nil))
	f.Add([]byte("{"), []byte("\x00\x00"), []byte(recordLine("7")))
	f.Add([]byte("\n\n"), []byte(`{"t":"2026-03-01T09:30:00Z","kind":`), []byte("\r\n[]\n"))
	f.Add([]byte(`{"kind":"turn","T":"2026-03-01T09:30:00Z"}`), bytes.Repeat([]byte("x"), 70_000), []byte("\xff"))
	f.Fuzz(func(t *testing.T, first, second, third []byte) {
		j := damagedJournal(t, string(first))
		path := filepath.Join(j.Dir(), damagedDay)
		for _, junk := range [][]byte{second, third} {
			must(t, j.Append(t.Context(), "fuzz-marker", nil))
			segment, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
			must(t, err)
			_, err = segment.Write(junk)
			must(t, err)
			must(t, segment.Close())
		}
		forward, backward := describe(t, j.Records(t.Context())), describe(t, j.Backward(t.Context()))
		slices.Reverse(backward)
		if !slices.Equal(forward, backward) {
			t.Errorf("forward  %q\nbackward %q", forward, backward)
		}
		checkMarkers(t, forward, first, second, third)
	})
}

// checkMarkers checks that each append can be read. Bytes that hold a marker
// of their own would spoil the count.
func checkMarkers(t *testing.T, seen []string, junk ...[]byte) {
	t.Helper()
	for _, j := range junk {
		if bytes.Contains(j, []byte("fuzz-marker")) {
			return
		}
	}
	const want = 2
	got := 0
	for _, s := range seen {
		if s == "fuzz-marker" {
			got++
		}
	}
	if got != want {
		t.Errorf("%d records of %d came back: %q", got, want, seen)
	}
}

// describe gives each record's kind and each damage.
func describe(t *testing.T, records iter.Seq2[journal.Record, error]) []string {
	t.Helper()
	var seen []string
	for rec, err := range records {
		var line *journal.LineError
		switch {
		case errors.As(err, &line):
			seen = append(seen, line.Err.Error())
		case err != nil:
			t.Fatal(err)
		default:
			if !json.Valid(rec.Raw) {
				t.Errorf("record %q is not JSON", rec.Raw)
			}
			seen = append(seen, rec.Kind)
		}
	}
	return seen
}
