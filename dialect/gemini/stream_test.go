package gemini_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/dialect/dialecttest"
	"github.com/crosswalk-agents/crosswalk/dialect/gemini"
	"github.com/crosswalk-agents/crosswalk/internal/fixture"
	"github.com/crosswalk-agents/crosswalk/internal/sse"
)

const maxFrame = 1 << 20

// frames is a reader of frames: of events or of a list.
type frames interface{ Next() (*sse.Event, error) }

// read reads a stream to its end and returns what it says and what is lost.
func read(r frames) string {
	var report canon.Report
	var f canon.Folder
	s := canon.NewSequencer(f.Add)
	err := play(r, gemini.New().NewDecoder(&report), s)
	out := ""
	if a, failed := f.Response(); failed != nil {
		out = "error: " + failed.Error() + "\n"
	} else {
		out = dialecttest.FormatResponse(a)
	}
	if err != nil {
		out += "reader: " + err.Error() + "\n"
	}
	return out + dialecttest.FormatLosses(&report)
}

func play(r frames, d interface {
	Frame(*sse.Event, func(*canon.Event) error) error
	Close(func(*canon.Event) error) error
}, s *canon.Sequencer,
) error {
	for {
		frame, err := r.Next()
		switch {
		case errors.Is(err, io.EOF):
			return errors.Join(d.Close(s.Next), s.Finish(nil))
		case err != nil:
			return errors.Join(err, s.Finish(err))
		case frame.Comment:
			continue
		}
		if err := d.Frame(frame, s.Next); err != nil {
			return s.Finish(err)
		}
	}
}

// A transcript has the frames of an upstream, and what they say: however they
// arrive and whatever ends their lines, as events and as a list.
func TestStreams(t *testing.T) {
	fixture.Transcripts(t, "testdata/stream", *update, func(t *testing.T, a *txtar.Archive) []txtar.File {
		data := string(a.Files[0].Data)
		got := read(sse.NewReader(strings.NewReader(data), maxFrame))
		for name, r := range map[string]frames{
			"a byte at a time":       sse.NewReader(iotest.OneByteReader(strings.NewReader(data)), maxFrame),
			"CR LF":                  sse.NewReader(strings.NewReader(strings.ReplaceAll(data, "\n", "\r\n")), maxFrame),
			"without the last blank": sse.NewReader(strings.NewReader(strings.TrimRight(data, "\n")), maxFrame),
			"with comments":          sse.NewReader(strings.NewReader(strings.ReplaceAll(data, "data: ", ": ping\n\ndata:")), maxFrame),
		} {
			if diff := cmp.Diff(got, read(r)); diff != "" {
				t.Errorf("%s: -want +got:\n%s", name, diff)
			}
		}
		if list, ok := listOf(data); ok {
			for name, r := range map[string]io.Reader{"list": strings.NewReader(list), "list, a byte at a time": iotest.OneByteReader(strings.NewReader(list))} {
				if diff := cmp.Diff(got, read(gemini.NewArrayReader(r, maxFrame))); diff != "" {
					t.Errorf("%s: -want +got:\n%s", name, diff)
				}
			}
			if diff := cmp.Diff(got, read(sse.NewReader(strings.NewReader("data: "+list+"\n\n"), maxFrame))); diff != "" {
				t.Errorf("a list in one event: -want +got:\n%s", diff)
			}
			wholeList(t, got, list)
		}
		return []txtar.File{a.Files[0], {Name: "answer", Data: []byte(got)}}
	})
}

// listOf returns the data of events as a list, if all are objects.
func listOf(data string) (string, bool) {
	var list []string
	for line := range strings.Lines(data) {
		value, ok := strings.CutPrefix(strings.TrimSpace(line), "data:")
		if !ok {
			continue
		}
		if value = strings.TrimSpace(value); !strings.HasPrefix(value, "{") || !strings.HasSuffix(value, "}") {
			return "", false
		}
		list = append(list, value)
	}
	return "[" + strings.Join(list, ",") + "]", true
}

// wholeList holds that a list that comes as a whole body says the same, if it
// ends well: what a stream cannot hold of it is kept there.
func wholeList(t *testing.T, want, list string) {
	t.Helper()
	a, err := gemini.New().DecodeResponse([]byte(list), new(canon.Report))
	if err != nil {
		if !strings.HasPrefix(want, "error: ") {
			t.Error(err)
		}
		return
	}
	a.Ext = canon.Ext{}
	if got := dialecttest.FormatResponse(a); !strings.HasPrefix(want, got) && !strings.HasPrefix(want, "error: ") {
		t.Errorf("as a whole: -want +got:\n%s", cmp.Diff(want, got))
	}
}

// gateway/K2: a stream that breaks off is no end, wherever that happens.
func TestAStreamThatBreaksOffIsAnError(t *testing.T) {
	list := []byte(`[{"candidates":[{"content":{"parts":[{"text":"a]\"}"}]}}],"responseId":"r"} ,` + "\r\n" + `{"candidates":[{"content":{"parts":[{"text":"b"}]},"finishReason":"STOP"}]}]`)
	if got := read(gemini.NewArrayReader(bytes.NewReader(list), maxFrame)); !strings.Contains(got, "stop: end") || !strings.Contains(got, `"a]\"}b"`) {
		t.Fatal(got)
	}
	for n := range list {
		if got := read(gemini.NewArrayReader(bytes.NewReader(list[:n]), maxFrame)); !strings.HasPrefix(got, "error: ") {
			t.Errorf("%q: %s", list[:n], got)
		}
	}
	broken := errors.New("connection reset")
	for n := range list {
		r := io.MultiReader(bytes.NewReader(list[:n]), iotest.ErrReader(broken))
		if got := read(gemini.NewArrayReader(r, maxFrame)); !strings.Contains(got, broken.Error()) {
			t.Errorf("%q: %s", list[:n], got)
		}
	}
}

func TestLists(t *testing.T) {
	for _, x := range []struct {
		name, in string
		max      int
		want     string
	}{
		{"empty", "[]", 9, "EOF"},
		{"empty, with space", " \t\r\n[ \n]\n", 9, "EOF"},
		{"nothing", "", 9, "unexpected EOF"},
		{"a byte order mark", "\xEF\xBB\xBF[{}]", 9, "{} EOF"},
		{"several", "[{\"a\":[1,{}]}\n,\r\n{\"b\":\"]}\\\\\"} ,{}]", 99, `{"a":[1,{}]} {"b":"]}\\"} {} EOF`},
		{"one object, as an error is", ` {"error":{}} `, 99, `{"error":{}} EOF`},
		{"two objects", `{}{}`, 99, "{} read Gemini stream: no list of responses"},
		{"more behind the list", `[{}]{}`, 99, "{} read Gemini stream: no list of responses"},
		{"no comma", `[{}{}]`, 99, "{} read Gemini stream: no list of responses"},
		{"two commas", `[{},,{}]`, 99, "{} read Gemini stream: no list of responses"},
		{"a comma before the end", `[{},]`, 99, "{} read Gemini stream: no list of responses"},
		{"a number", `[1]`, 99, "read Gemini stream: no list of responses"},
		{"no JSON", `<html>`, 99, "read Gemini stream: no list of responses"},
		{"cut in an element", `[{"a":`, 99, "unexpected EOF"},
		{"cut behind an element", `[{}`, 99, "{} unexpected EOF"},
		{"at the limit", `[{"a":1}]`, 7, `{"a":1} EOF`},
		{"above the limit", `[{"a":12}]`, 7, "the event is longer than the limit of 7 bytes"},
	} {
		t.Run(x.name, func(t *testing.T) {
			for _, in := range []io.Reader{strings.NewReader(x.in), iotest.OneByteReader(strings.NewReader(x.in)), iotest.DataErrReader(strings.NewReader(x.in))} {
				r := gemini.NewArrayReader(in, x.max)
				var got []string
				for {
					f, err := r.Next()
					if err != nil {
						got = append(got, err.Error())
						break
					}
					got = append(got, string(f.Data))
				}
				if s := strings.Join(got, " "); s != x.want {
					t.Errorf("%q, want %q", s, x.want)
				}
			}
		})
	}
}

func TestALongElementIsRead(t *testing.T) {
	long := fmt.Sprintf(`{"a":%q}`, strings.Repeat("x", 100_000))
	r := gemini.NewArrayReader(strings.NewReader("["+long+","+long+"]"), maxFrame)
	for range 2 {
		f, err := r.Next()
		if err != nil || string(f.Data) != long {
			t.Fatal(err)
		}
	}
	if _, err := r.Next(); !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
}
