package jsonl_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/crosswalk-agents/crosswalk/internal/jsonl"
)

// drawRecord draws a record with the number n. A number of 0 marks what is not
// meant to be read.
func drawRecord(t *rapid.T, n int, typeFirst bool) string {
	text, err := json.Marshal(rapid.StringN(0, 20, -1).Draw(t, "text"))
	if err != nil {
		t.Fatal(err)
	}
	typ, rest := fmt.Sprintf(`"type":%s`, text), fmt.Sprintf(`"n":%d,"list":[{"type":"x"},{"id":1}]`, n)
	if typeFirst {
		return "{" + typ + "," + rest + "}"
	}
	return "{" + rest + "," + typ + "}"
}

// drawFile draws a file and the records that can be read from it: complete
// ones, and behind a record that breaks off those that begin with a member by
// which they are known.
func drawFile(t *rapid.T) (file string, records []string) {
	var b strings.Builder
	n := 0
	for range rapid.IntRange(0, 6).Draw(t, "lines") {
		b.WriteString(rapid.SampledFrom([]string{"", "", "", "\ufeff"}).Draw(t, "mark"))
		broken := false
		for range rapid.IntRange(0, 4).Draw(t, "records") {
			b.WriteString(rapid.SampledFrom([]string{"", "", " ", "\t", "\x00", "\x00\x00 \x00"}).Draw(t, "before"))
			if rapid.IntRange(0, 3).Draw(t, "broken") == 0 {
				r := drawRecord(t, 0, rapid.Bool().Draw(t, "type first"))
				b.WriteString(r[:rapid.IntRange(1, len(r)-1).Draw(t, "cut")])
				broken = true
				continue
			}
			n++
			r := drawRecord(t, n, broken || rapid.Bool().Draw(t, "type first"))
			broken = false
			b.WriteString(r)
			records = append(records, r)
		}
		b.WriteString(rapid.SampledFrom([]string{"\n", "\n", "\n", "\r\n", " \n", "\n\n"}).Draw(t, "end"))
	}
	file = b.String()
	if rapid.Bool().Draw(t, "no final newline") {
		file = strings.TrimRight(file, "\r\n ")
	}
	return file, records
}

// walked is what Each told of a file.
type walked struct {
	records     []string
	taken, lost int
	damage      []string
}

func walk(t rapid.TB, f *jsonl.File, content string) (w walked) {
	t.Helper()
	err := f.Each(context.Background(), func(r jsonl.Record) (int, error) {
		if !strings.HasPrefix(content[r.Off:], string(r.Data)) {
			t.Fatalf("the data at byte %d is not the file's: %q", r.Off, r.Data)
		}
		if want := 1 + strings.Count(content[:r.Off], "\n"); r.Line != want {
			t.Fatalf("line %d at byte %d, want line %d", r.Line, r.Off, want)
		}
		if bytes.IndexByte(r.Data, '\n') >= 0 {
			t.Fatalf("the data at byte %d goes past its line", r.Off)
		}
		n, err := parse(r)
		if err == nil {
			w.records = append(w.records, string(r.Data[:n]))
			w.taken += n
		}
		return n, err
	}, func(d jsonl.Damage) {
		w.lost += d.Lost
		w.damage = append(w.damage, fmt.Sprintf("%d %s %d", d.Line, d.Kind, d.Lost))
	})
	if err != nil {
		t.Fatalf("%v", err)
	}
	return w
}

// accounted checks that each byte was read, reported as lost, or stands between
// records anyway.
func (w *walked) accounted(t *rapid.T, content string) {
	between := 0
	for _, c := range []byte(content) {
		if bytes.IndexByte([]byte(" \t\r\n\x00\xEF\xBB\xBF"), c) >= 0 {
			between++
		}
	}
	rest := len(content) - w.taken - w.lost
	if rest < 0 || rest > between {
		t.Fatalf("%d bytes: %d read and %d lost, %d can stand between records", len(content), w.taken, w.lost, between)
	}
}

func TestEveryCompleteRecordIsReadAndEveryByteAccountedFor(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		content, want := drawFile(t)
		w := walk(t, jsonl.FromBytes("f", []byte(content)), content)
		w.accounted(t, content)
		var got []string
		for _, r := range w.records {
			if !strings.Contains(r, `"n":0`) { // a broken record may end as a record
				got = append(got, r)
			}
		}
		if len(got) < len(want) {
			t.Fatalf("read %q\nof %q\nfrom %q", got, want, content)
		}
		for i, at := 0, 0; i < len(want); i++ {
			for at < len(got) && got[at] != want[i] {
				at++
			}
			if at == len(got) {
				t.Fatalf("not read: %q\nread: %q\nfrom %q", want[i], got, content)
			}
			at++
		}
	})
}

// shortReader gives few bytes at a time, so that buffers end everywhere.
type shortReader struct {
	r     io.ReaderAt
	sizes []int
	calls int
}

func (s *shortReader) ReadAt(p []byte, off int64) (int, error) {
	s.calls++
	n := min(len(p), s.sizes[s.calls%len(s.sizes)])
	return s.r.ReadAt(p[:n], off)
}

func TestHowAFileIsReadDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		content, _ := drawFile(t)
		want := walk(t, jsonl.FromBytes("f", []byte(content)), content)
		sizes := rapid.SliceOfN(rapid.IntRange(1, 9), 1, 5).Draw(t, "sizes")
		r := &shortReader{r: strings.NewReader(content), sizes: sizes}
		got := walk(t, jsonl.FromReaderAt(r, int64(len(content))), content)
		if g, w := fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", want); g != w {
			t.Fatalf("read in pieces: %s\nat once:        %s", g, w)
		}
	})
}

func TestLinesAreAllOfTheFile(t *testing.T) {
	piece := rapid.SampledFrom([]string{"a", "\n", "\r\n", "\x00", strings.Repeat("x", jsonl.Chunk-2), strings.Repeat("y", 3*jsonl.Chunk)})
	rapid.Check(t, func(t *rapid.T) {
		content := strings.Join(rapid.SliceOfN(piece, 0, 8).Draw(t, "pieces"), "")
		f := jsonl.FromBytes("f", []byte(content))
		if size := rapid.IntRange(0, len(content)+1).Draw(t, "size"); rapid.Bool().Draw(t, "limited") {
			f.Limit(int64(size))
			content = content[:min(size, len(content))]
		}
		var got strings.Builder
		lines, want := 0, strings.Count(content, "\n")
		if content != "" && !strings.HasSuffix(content, "\n") {
			want++
		}
		err := f.Lines(func(line []byte) error {
			lines++
			got.Write(line)
			if i := bytes.IndexByte(line, '\n'); i >= 0 && i != len(line)-1 || i < 0 && lines != want {
				t.Fatalf("line %d of %d is none", lines, want)
			}
			return nil
		})
		if err != nil || lines != want || got.String() != content || f.Size() != int64(len(content)) {
			t.Fatalf("%d lines, want %d, %v", lines, want, err)
		}
	})
	stop := errors.New("enough")
	if err := jsonl.FromBytes("f", []byte("a\nb\n")).Lines(func([]byte) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("error %v", err)
	}
}

func FuzzEach(f *testing.F) {
	f.Add([]byte("{\"n\":1}\n{\"n\":2}{\"n\":3}\r\n"))
	f.Add([]byte("\ufeff{\"type\":\"x\",\"te{\"type\":\"y\",\"n\":1}\n\x00\x00{\"n\":"))
	f.Fuzz(func(t *testing.T, content []byte) {
		w := walk(t, jsonl.FromBytes("f", content), string(content))
		// A line that is a valid object is read, whatever stands around it.
		read := make(map[string]int)
		for _, r := range w.records {
			read[r]++
		}
		for line := range bytes.Lines(content) {
			line = bytes.Trim(line, " \t\r\n\x00")
			if len(line) > 0 && line[0] == '{' && json.Valid(line) {
				if read[string(line)]--; read[string(line)] < 0 {
					t.Fatalf("not read: %q", line)
				}
			}
		}
	})
}
