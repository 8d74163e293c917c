package jsonl_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crosswalk-agents/crosswalk/internal/jsonl"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

var errNoRecord = errors.New("no record")

// parse reads a value as an agent's index does: any value stands for a record,
// but where one is only presumed it has to have a member "n".
func parse(r jsonl.Record) (int, error) {
	d := jsonx.NewDecoder(r.Data)
	if d.Kind() != jsonx.Object {
		d.Skip()
		if d.Err() == nil && r.Guess {
			return 0, errNoRecord
		}
		return d.Offset(), d.Err()
	}
	record := false
	for name := range d.Members() {
		record = record || string(name) == "n"
	}
	if d.Err() == nil && r.Guess && !record {
		return 0, errNoRecord
	}
	return d.Offset(), d.Err()
}

// read returns what Each tells of a file, in order: a line per record and per
// damage.
func read(t *testing.T, content string) []string {
	t.Helper()
	var got []string
	err := jsonl.FromBytes("f", []byte(content)).Each(t.Context(), func(r jsonl.Record) (int, error) {
		n, err := parse(r)
		if err == nil {
			got = append(got, fmt.Sprintf("%d@%d %s", r.Line, r.Off, r.Data[:n]))
		}
		if at := content[r.Off:]; !strings.HasPrefix(at, string(r.Data)) {
			t.Errorf("the data at byte %d is not the file's: %q", r.Off, r.Data)
		}
		return n, err
	}, func(d jsonl.Damage) {
		s := fmt.Sprintf("%d %s", d.Line, d.Kind)
		if d.Loses() {
			s += fmt.Sprintf(" -%d", d.Lost)
			if d.Err == nil {
				t.Errorf("%s: a loss without an error", s)
			}
		}
		got = append(got, s)
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestEachReadsWhatCanBeRead(t *testing.T) {
	const (
		a = `{"type":"a","n":1}`
		b = `{"type":"b","n":2}`
		c = `{"type":"c","n":3}`
	)
	for _, x := range []struct {
		name, file string
		want       []string
	}{
		{"an empty file, openai/codex#38613", "", nil},
		{"lines", a + "\n" + b + "\n", []string{"1@0 " + a, "2@19 " + b}},
		{"no final newline", a + "\n" + b, []string{"1@0 " + a, "2@19 " + b, "2 no-final-newline"}},
		{"blanks before a missing final newline", a + " \t", []string{"1@0 " + a, "1 no-final-newline"}},
		{"blank lines count", "\n \t\n\n" + a + "\n\n", []string{"4@5 " + a}},
		{"blanks around a record", "  " + a + " \n", []string{"1@2 " + a}},
		{"CRLF is said once", a + "\r\n" + b + "\r\n", []string{"1 crlf", "1@0 " + a, "2@20 " + b}},
		{"a carriage return at the very end is no line end", a + "\r", []string{"1@0 " + a, "1 no-final-newline"}},
		{"a byte order mark", "\ufeff" + a + "\n", []string{"1 bom", "1@3 " + a}},
		{"files put together, each with a byte order mark", "\ufeff" + a + "\n\ufeff" + b + "\n", []string{"1 bom", "1@3 " + a, "2 bom", "2@25 " + b}},
		{"a byte order mark alone", "\ufeff", []string{"1 bom"}},
		{"values that are no objects", "1\n\"x\"\nnull\n[{}]\n", []string{"1@0 1", `2@2 "x"`, "3@6 null", "4@11 [{}]"}},

		{"two records on a line, github/copilot-cli#4098", a + b + "\n" + c + "\n", []string{"1@0 " + a, "1@18 " + b, "1 glued", "2@37 " + c}},
		{"three records on a line", a + b + " " + c + "\n", []string{"1@0 " + a, "1@18 " + b, "1 glued", "1@37 " + c, "1 glued"}},
		{"a record with rubbish behind it", a + "rubbish\n" + b + "\n", []string{"1@0 " + a, "1 malformed -7", "2@26 " + b}},
		{"glued, and the second torn", a + `{"type":"b","n`, []string{"1@0 " + a, "1 torn -14"}},

		{"a bad line in the middle, anthropics/claude-code#50347", a + "\n{\"n\":}\n" + b + "\n", []string{"1@0 " + a, "2 malformed -6", "3@26 " + b}},
		{"a member without a value, openai/codex#25365", a + "\n" + `{"type":"image","result":,"n":2}` + "\n" + b + "\n", []string{"1@0 " + a, "2 malformed -32", "3@52 " + b}},
		{"the last line cut, anthropics/claude-code#53821", a + "\n" + `{"type":"b","text":"hal`, []string{"1@0 " + a, "2 torn -23"}},
		{"cut within an escape", a + "\n" + `{"type":"b","text":"\ud8`, []string{"1@0 " + a, "2 torn -24"}},
		{"cut within a character", a + "\n{\"type\":\"b\",\"text\":\"\xe2\x82", []string{"1@0 " + a, "2 torn -22"}},
		{"only rubbish", "rubbish", []string{"1 torn -7"}},

		{"cut in a string, the next glued on, anthropics/claude-code#81843", `{"type":"b","text":"hal` + a + "\n" + b + "\n", []string{"1@23 " + a, "1 cut -23", "2@42 " + b}},
		{"cut between members", `{"type":"b",` + a + "\n", []string{"1@12 " + a, "1 cut -12"}},
		{"cut behind a nested object", `{"type":"b","content":[{"type":"text","text":"x"},{"type":"te` + a + "\n", []string{"1@61 " + a, "1 cut -61"}},
		{"cut within a nested object within another", `{"type":"b","m":{"type":"c","content":[{"type":"text"},{"type":"image","source":{"type":"ba` + a + "\n", []string{"1@91 " + a, "1 cut -91"}},
		{"cut behind what looks like a record", `{"type":"b","data":{"type":"x","n":9},"te` + a + "\n", []string{"1@41 " + a, "1 cut -41"}},
		{"cut where a value was to come", `{"type":"b","data":` + a + "\n", []string{"1@19 " + a, "1 cut -19"}},
		{"cut where an element was to come, and one more", `{"type":"b","data":[{"type":"x"},` + a + b + "\n", []string{"1@33 " + a, "1 cut -33", "1@51 " + b, "1 glued"}},
		{"cut in a number", `{"type":"b","data":12` + a + "\n", []string{"1@21 " + a, "1 cut -21"}},
		{"cut in an escape", `{"type":"b","data":"\u00` + a + "\n", []string{"1@24 " + a, "1 cut -24"}},
		{"cut in a name", `{"type":"b","da` + a + "\n", []string{"1@15 " + a, "1 cut -15"}},
		{"a value that is a record to nobody", `{"x":` + a + "}" + "\n", []string{"1@0 " + `{"x":` + a + "}"}},
		{"cut, and then torn", `{"type":"b","text":"hal` + a[:9], []string{"1 torn -32"}},
		{"cut, and then cut, and a record", `{"type":"b","te` + `{"type":"c",` + a + b + "\n", []string{"1@27 " + a, "1 cut -27", "1@45 " + b, "1 glued"}},
		{"cut twice with a record between", `{"type":"b","te` + a + `{"type":"c",` + b + "\n", []string{"1@15 " + a, "1 cut -15", "1@45 " + b, "1 cut -12"}},
		{"a cut record that quotes a record", `{"type":"b","text":"{\"type\":\"x\",\"n\":1}` + "\n" + a + "\n", []string{"1 malformed -44", "2@45 " + a}},
		{"records that begin with another member", `{"type` + `{"parentUuid":null,"n":1}` + `{"uu` + `{"uuid":"u","n":1}` + `{"uu` + `{"isSidechain":true,"n":1}` + "\n", []string{
			`1@6 {"parentUuid":null,"n":1}`, "1 cut -6", `1@35 {"uuid":"u","n":1}`, "1 cut -4", `1@57 {"isSidechain":true,"n":1}`, "1 cut -4",
		}},

		{"NUL bytes before a record, anthropics/claude-code#49876", "\x00\x00\x00" + a + "\n", []string{"1 nul", "1@3 " + a}},
		{"NUL bytes between records of a line", a + "\x00\x00" + b + "\n", []string{"1@0 " + a, "1 nul", "1@20 " + b}},
		{"NUL bytes between lines", a + "\n\x00\x00\n" + b + "\n", []string{"1@0 " + a, "2 nul", "3@22 " + b}},
		{"NUL bytes at the end", a + "\n" + b + "\x00\x00", []string{"1@0 " + a, "2@19 " + b, "2 nul", "2 no-final-newline"}},
		{"NUL bytes within a record", `{"type":"b","text":"a` + "\x00\x00" + `b"}` + "\n" + a + "\n", []string{"1 nul", "1 malformed -24", "2@27 " + a}},
		{"a record cut by NUL bytes, and the next behind them", `{"type":"b","te` + "\x00\x00" + a + "\n", []string{"1 nul", "1@17 " + a, "1 cut -15"}},
		{"NUL bytes only", "\x00\x00\x00", []string{"1 nul"}},

		{"invalid UTF-8 concerns its record alone, openai/codex#36802", a + "\n{\"n\":\"\xe2\x82\"}\n" + b + "\n", []string{"1@0 " + a, "2@19 {\"n\":\"\xe2\x82\"}", "3@30 " + b}},
	} {
		t.Run(x.name, func(t *testing.T) {
			if diff := cmp.Diff(x.want, read(t, x.file)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestParseIsToldWhereARecordIsPresumed(t *testing.T) {
	var got []string
	each(t, `{"a":1}{"type":`+`{"type":"x","n":1}{"n":2}`+"\n"+`{"n":3}`, func(r jsonl.Record) (int, error) {
		got = append(got, fmt.Sprintf("%t %s", r.Guess, r.Data))
		return parse(r)
	})
	want := []string{
		`false {"a":1}{"type":{"type":"x","n":1}{"n":2}`,
		`false {"type":{"type":"x","n":1}{"n":2}`,
		`true {"type":"x","n":1}{"n":2}`,
		`false {"n":2}`,
		`false {"n":3}`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// A parser that takes too little or too much cannot make Each stand still or
// leave the line.
func TestAnyLengthThatParseGivesIsSurvived(t *testing.T) {
	for _, n := range []int{-1, 0, 1, 1 << 40} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			calls := 0
			each(t, "abc\nd\n", func(jsonl.Record) (int, error) {
				calls++
				return n, nil
			})
			if calls < 2 || calls > 4 {
				t.Errorf("parse was called %d times", calls)
			}
		})
	}
}

// reach reads a value as far as it goes.
func reach(d *jsonx.Decoder) {
	switch d.Kind() {
	case jsonx.Object:
		for range d.Members() {
			reach(d)
		}
	case jsonx.Array:
		for range d.Elements() {
			reach(d)
		}
	default:
		d.Skip()
	}
}

// Reading takes time in proportion to a line's length, whatever is in it.
func TestABrokenLineTakesNoLongerThanItsLengthAllows(t *testing.T) {
	for name, unit := range map[string]string{
		"objects in objects": `{"id":`, "objects in lists": `{"id":[`, "members that break off": `{"id":1,`, "strings": `{"id":"`, "names": `{"id`, "NUL bytes": `{"id"` + "\x00", "lists": `[`,
	} {
		t.Run(name, func(t *testing.T) {
			read := 0
			line := strings.Repeat(unit, 200_000)
			each(t, line+"\n", func(r jsonl.Record) (int, error) {
				d := jsonx.NewDecoder(r.Data)
				reach(d)
				read += d.Offset() + len(unit)
				return parse(r)
			})
			if read > 10*len(line) {
				t.Errorf("%d bytes were read of a line of %d", read, len(line))
			}
		})
	}
	t.Run("a large record with many objects, and the next behind it", func(t *testing.T) {
		content := `{"type":"x","list":[` + strings.Repeat(`{"type":"item","content":[{"type":"text","text":"a"}]},`, 100_000) + `{"type":"item","con` + `{"type":"y","n":1}` + "\n"
		calls := 0
		each(t, content, func(r jsonl.Record) (int, error) {
			calls++
			return parse(r)
		})
		if w := walk(t, jsonl.FromBytes("f", []byte(content)), content); len(w.records) != 1 || calls > 10 {
			t.Errorf("%d calls, records %q", calls, w.records)
		}
	})
}

func TestEachEndsWithItsContext(t *testing.T) {
	record := `{"n":"` + strings.Repeat("x", 1000) + `"}` + "\n"
	for name, records := range map[string]int{"a large file": 10_000, "a file of one read": 2} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			calls := 0
			err := jsonl.FromBytes("f", []byte(strings.Repeat(record, records))).Each(ctx, func(r jsonl.Record) (int, error) {
				calls++
				cancel()
				return parse(r)
			}, func(jsonl.Damage) {})
			if !errors.Is(err, context.Canceled) {
				t.Errorf("error %v", err)
			}
			if calls > jsonl.Chunk/1000 {
				t.Errorf("%d records were read", calls)
			}
		})
	}
	t.Run("within a broken line", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		calls := 0
		err := jsonl.FromBytes("f", []byte(strings.Repeat(`{"id":`, 1000))).Each(ctx, func(jsonl.Record) (int, error) {
			calls++
			cancel()
			return 0, errNoRecord
		}, func(jsonl.Damage) {})
		if !errors.Is(err, context.Canceled) || calls != 1 {
			t.Errorf("%d records were tried, error %v", calls, err)
		}
	})
}

// each calls Each on content and returns the damage.
func each(t *testing.T, content string, parse func(jsonl.Record) (int, error)) (damage []jsonl.Damage) {
	t.Helper()
	err := jsonl.FromBytes("f", []byte(content)).Each(t.Context(), parse, func(d jsonl.Damage) { damage = append(damage, d) })
	if err != nil {
		t.Fatal(err)
	}
	return damage
}
