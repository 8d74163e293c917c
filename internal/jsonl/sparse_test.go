package jsonl_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crosswalk-agents/crosswalk/internal/jsonl"
)

// sparse is a file of one byte over and over, but for the texts at some places.
type sparse struct {
	fill byte
	at   map[int64]string
}

func (s sparse) ReadAt(p []byte, off int64) (int, error) {
	clear(p)
	if s.fill != 0 {
		for i := range p {
			p[i] = s.fill
		}
	}
	for at, text := range s.at {
		if from, to := max(at, off), min(at+int64(len(text)), off+int64(len(p))); from < to {
			copy(p[from-off:], text[from-at:to-at])
		}
	}
	return len(p), nil
}

// Each says the same of a long run of bytes that are nothing as of a short one,
// and takes no memory for it. A line that is longer than any record is lost
// from where its records end.
func TestMemoryIsNotThatOfNothing(t *testing.T) {
	const big = 300 << 20
	const a, b = `{"type":"a","n":1}`, `{"type":"b","n":2}`
	for _, x := range []struct {
		name string
		size int64
		file sparse
		want []string
	}{
		{"nothing else", big, sparse{}, []string{"1 nul"}},
		{"before a record", big + 19, sparse{at: map[int64]string{big: a + "\n"}}, []string{"1 nul", fmt.Sprintf("1@%d %s", big, a)}},
		{
			"before the last record of several", big + 38,
			sparse{at: map[int64]string{0: a + "\n", big + 19: b + "\n"}},
			[]string{"1@0 " + a, "2 nul", fmt.Sprintf("2@%d %s", big+19, b)},
		},
		{
			"behind a record", big,
			sparse{at: map[int64]string{0: a, big - 20: "\n" + b + "\n"}},
			[]string{"1@0 " + a, "1 nul", fmt.Sprintf("2@%d %s", big-19, b)},
		},
		{"behind a record, to the end", big, sparse{at: map[int64]string{0: a}}, []string{"1@0 " + a, "1 nul", "1 no-final-newline"}},
		{
			"blank lines' white space", big,
			sparse{fill: ' ', at: map[int64]string{0: "\n", big - 19: a + "\n"}},
			[]string{fmt.Sprintf("2@%d %s", big-19, a)},
		},
		{
			"between records, on a line too long to be one", big,
			sparse{at: map[int64]string{0: a, big - 38: a + "\n" + b + "\n"}},
			[]string{"1@0 " + a, "1 nul", fmt.Sprintf("1 malformed -%d", big-19-jsonl.Chunk-1), fmt.Sprintf("2@%d %s", big-19, b)},
		},
		{
			"a string without an end", big,
			sparse{fill: 'x', at: map[int64]string{0: `{"type":"a","n":"`, big - 19: "\n" + b}},
			[]string{fmt.Sprintf("1 malformed -%d", big-19), fmt.Sprintf("2@%d %s", big-18, b), "2 no-final-newline"},
		},
	} {
		t.Run(x.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			var got []string
			err := jsonl.FromReaderAt(x.file, x.size).Each(t.Context(), func(r jsonl.Record) (int, error) {
				n, err := parse(r)
				if err == nil {
					got = append(got, fmt.Sprintf("%d@%d %s", r.Line, r.Off, r.Data[:n]))
				}
				return n, err
			}, func(d jsonl.Damage) {
				s := fmt.Sprintf("%d %s", d.Line, d.Kind)
				if d.Loses() {
					s += fmt.Sprintf(" -%d", d.Lost)
				}
				got = append(got, s)
			})
			runtime.ReadMemStats(&after)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(x.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if used := after.TotalAlloc - before.TotalAlloc; used > 8*jsonl.Chunk {
				t.Errorf("%d bytes were allocated for a file of %d", used, x.size)
			}
		})
	}
}

// Runs of nothing around the size of a buffer are no different from short ones.
func TestHowLongARunIsDoesNotMatter(t *testing.T) {
	const a, b = `{"type":"a","n":1}`, `{"type":"b","n":2}`
	forms := []string{"RUN" + a + "\n" + b + "\n", a + "RUN\n" + b, a + "RUN", "RUN", a + "\nRUN\n" + b, "RUN" + a + "RUN" + b + "RUN", `{"type":"RUN` + a, "\ufeffRUN" + a}
	for _, fill := range []string{"\x00", " ", "\x00 \t"} {
		for _, form := range forms {
			var want []string
			for _, n := range []int{2, jsonl.Chunk - 20, jsonl.Chunk - 1, jsonl.Chunk, jsonl.Chunk + 1, 3 * jsonl.Chunk} {
				run := strings.Repeat(fill, n/len(fill)+1)
				content := strings.ReplaceAll(form, "RUN", run)
				w := walk(t, jsonl.FromBytes("f", []byte(content)), content)
				got := append(w.records, w.damage...)
				if want == nil {
					want = got
				}
				if len(got) != len(want) || len(w.records) != strings.Count(form, `"n":`) {
					t.Errorf("%q, %d bytes of %q:\n%q, want\n%q", form, n, fill, got, want)
				}
			}
		}
	}
}
