package jsonl_test

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/crosswalk-agents/crosswalk/internal/jsonl"
)

// Reported: omnigent-ai/omnigent#6269, a valid file refused as invalid UTF-8
// since characters fell on the borders of the read buffer.
func TestCharactersAcrossBufferBordersAreWhole(t *testing.T) {
	const report = "omnigent-ai/omnigent#6269"
	for _, c := range []string{"é", "€", "😀", `\ud83d\ude00`} {
		for shift := range len(c) {
			t.Run(fmt.Sprintf("%s, %s, %d bytes on", report, c, shift), func(t *testing.T) {
				text := strings.Repeat("x", shift) + strings.Repeat(c, 5*jsonl.Chunk/len(c)/2)
				record := `{"n":"` + text + `"}`
				content := record + "\n" + record + "\n"
				w := walk(t, jsonl.FromBytes("f", []byte(content)), content)
				if len(w.records) != 2 || len(w.damage) > 0 || w.records[0] != record || w.records[1] != record {
					t.Fatalf("%d records, damage %q", len(w.records), w.damage)
				}
				var got struct{ N string }
				if err := json.Unmarshal([]byte(w.records[1]), &got); err != nil || strings.ContainsRune(got.N, '\uFFFD') {
					t.Errorf("the text is damaged: %v", err)
				}
			})
		}
	}
}

func TestLinesAreOfAnyLength(t *testing.T) {
	for name, n := range map[string]int{
		"short": 1, "just within a buffer": jsonl.Chunk - 9, "as long as a buffer": jsonl.Chunk - 8, "just past a buffer": jsonl.Chunk - 7,
		"two buffers": 2 * jsonl.Chunk, "over three": 3*jsonl.Chunk + 1, "43 MB, openai/codex#34863": 43 << 20,
	} {
		t.Run(name, func(t *testing.T) {
			short, long := `{"n":1}`, `{"n":"`+strings.Repeat("x", n)+`"}`
			content := strings.Join([]string{short, long, short, long, short}, "\n")
			w := walk(t, jsonl.FromBytes("f", []byte(content)), content)
			if len(w.records) != 5 || w.lost > 0 || w.taken != len(content)-4 {
				t.Errorf("%d records of %d bytes, %d lost, damage %q", len(w.records), w.taken, w.lost, w.damage)
			}
		})
	}
}

// endless gives a line over and over.
type endless struct{ line []byte }

func (e endless) ReadAt(p []byte, off int64) (int, error) {
	for n := range p {
		p[n] = e.line[(off+int64(n))%int64(len(e.line))]
	}
	return len(p), nil
}

func TestMemoryIsThatOfTheLongestLine(t *testing.T) {
	const report = "openai/codex#28866" // out of memory on a rollout of 37 GB
	line := []byte(`{"n":"` + strings.Repeat("x", 100_000) + `"}` + "\n")
	f := jsonl.FromReaderAt(endless{line}, 1000*int64(len(line)))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	records := 0
	err := f.Each(t.Context(), func(r jsonl.Record) (int, error) {
		records++
		return len(r.Data), nil
	}, func(d jsonl.Damage) { t.Errorf("damage %+v", d) })
	runtime.ReadMemStats(&after)
	if err != nil || records != 1000 {
		t.Errorf("%d records, %v", records, err)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 4*jsonl.Chunk {
		t.Errorf("%s: %d bytes were allocated for a file of %d", report, used, f.Size())
	}
}

func TestProgressGoesToTheEnd(t *testing.T) {
	content := strings.Repeat(`{"n":"`+strings.Repeat("x", 1000)+`"}`+"\n", 2000)
	f := jsonl.FromBytes("f", []byte(content))
	var last int64
	calls := 0
	f.OnProgress(func(done, size int64) {
		if done < last || done > size || size != int64(len(content)) {
			t.Errorf("progress %d of %d after %d", done, size, last)
		}
		last = done
		calls++
	})
	walk(t, f, content)
	if last != int64(len(content)) || calls < 2 {
		t.Errorf("%d calls, the last at %d", calls, last)
	}
}
