package sse_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/crosswalk-agents/crosswalk/internal/sse"
)

// events reads all of r.
func events(r io.Reader, max int) (all []string, err error) {
	var raw []byte
	var source bytes.Buffer
	s := sse.NewReader(io.TeeReader(r, &source), max)
	defer func() {
		if rest := source.Bytes(); err == nil && len(all) > 0 && !bytes.HasPrefix(rest, raw) {
			err = fmt.Errorf("raw %q of %q", raw, rest)
		}
	}()
	for {
		e, err := s.Next()
		if err == nil {
			raw = append(raw, e.Raw...)
		}
		switch {
		case errors.Is(err, io.EOF):
			return all, nil
		case err != nil:
			return all, err
		case e.Comment:
			all = append(all, "comment")
		default:
			all = append(all, fmt.Sprintf("%s|%s", e.Name, e.Data))
		}
	}
}

func TestEventsAreReadHoweverTheyAreWritten(t *testing.T) {
	for name, tt := range map[string]struct {
		text string
		want []string
	}{
		"plain":                    {"event: a\ndata: 1\n\ndata: 2\n\n", []string{"a|1", "|2"}},
		"CR LF":                    {"event: a\r\ndata: 1\r\n\r\ndata: 2\r\n\r\n", []string{"a|1", "|2"}},
		"CR":                       {"event: a\rdata: 1\r\rdata: 2\r\r", []string{"a|1", "|2"}},
		"several data lines":       {"data: {\ndata: }\n\n", []string{"|{\n}"}},
		"no space":                 {"event:a\ndata:1\n\n", []string{"a|1"}},
		"two spaces":               {"data:  1\n\n", []string{"| 1"}},
		"empty data":               {"data\n\ndata:\n\n", []string{"|", "|"}},
		"comments":                 {": keep\n\n:\ndata: 1\n: within\n\n", []string{"comment", "comment", "|1"}},
		"other fields":             {"id: 7\nretry: 100\n\nid: 8\ndata: 1\n\n", []string{"|1"}},
		"blank lines":              {"\n\n\ndata: 1\n\n\n\n", []string{"|1"}},
		"no blank line at the end": {"data: 1\n\ndata: 2", []string{"|1", "|2"}},
		"a byte order mark":        {"\xEF\xBB\xBFdata: 1\n\n", []string{"|1"}},
		"non-ASCII text":           {"data: größe 漢字 😀\n\n", []string{"|größe 漢字 😀"}},
		"nothing":                  {"", nil},
		"a name alone":             {"event: ping\n\n", []string{"ping|"}},
		"a long line":              {"data: " + strings.Repeat("x", 100_000) + "\n\n", []string{"|" + strings.Repeat("x", 100_000)}},
	} {
		t.Run(name, func(t *testing.T) {
			for way, r := range map[string]io.Reader{
				"at once": strings.NewReader(tt.text), "byte by byte": iotest.OneByteReader(strings.NewReader(tt.text)),
				"end with data": iotest.DataErrReader(strings.NewReader(tt.text)),
			} {
				got, err := events(r, 1<<20)
				if err != nil || !slices.Equal(got, tt.want) {
					t.Errorf("%s: %q, %v, want %q", way, got, err, tt.want)
				}
			}
		})
	}
}

func TestEventsAreBounded(t *testing.T) {
	for name, text := range map[string]string{
		"a line":     "data: " + strings.Repeat("x", 1000),
		"many lines": strings.Repeat("data: xxxxxxxxx\n", 100),
	} {
		if got, err := events(strings.NewReader(text), 500); !errors.Is(err, sse.ErrTooLong) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

func TestErrorsOfTheStreamComeThrough(t *testing.T) {
	broken := errors.New("reset")
	got, err := events(io.MultiReader(strings.NewReader("data: 1\n\ndata: 2\n"), iotest.ErrReader(broken)), 1000)
	if !errors.Is(err, broken) || !slices.Equal(got, []string{"|1"}) {
		t.Errorf("%q, %v", got, err)
	}
}

func TestWhatIsWrittenIsReadBack(t *testing.T) {
	b := sse.Append(nil, "a", []byte(`{"x":1}`))
	b = sse.AppendComment(b)
	b = sse.Append(b, "", []byte(`[DONE]`))
	got, err := events(strings.NewReader(string(b)), 1000)
	if err != nil || !slices.Equal(got, []string{`a|{"x":1}`, "comment", "|[DONE]"}) {
		t.Errorf("%q, %v", got, err)
	}
}

// What is ready comes without another read, and what is not is none the less
// read.
func TestReadyMeansAWholeEvent(t *testing.T) {
	for name, tt := range map[string]struct {
		more string // behind a first event, in one read
		want bool
	}{
		"nothing":                   {"", false},
		"an event":                  {"data: 2\n\n", true},
		"an event, CR LF":           {"data: 2\r\n\r\n", true},
		"an event, CR":              {"data: 2\r\r", true},
		"a name alone":              {"event: a\n\n", true},
		"a comment":                 {":\n", true},
		"blank lines":               {"\n\r\n\n", false},
		"a part of a line":          {"data: 2", false},
		"a line":                    {"data: 2\n", false},
		"a line, half its end":      {"data: 2\r\n\r", true},
		"fields of no event":        {"id: 7\nretry: 1\n\n", false},
		"a field of another name":   {"database: 7\n\n", false},
		"an event behind no event":  {"id: 7\n\ndata: 2\n\n", true},
		"a comment within an event": {"data: 2\n:\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			for _, first := range []string{"data: 1\n\n", ":\n", "data: 1\r\n\r\n"} {
				reads := 0
				r := sse.NewReader(io.MultiReader(strings.NewReader(first+tt.more), readerFunc(func([]byte) (int, error) {
					reads++
					return 0, io.EOF
				})), 1000)
				if _, err := r.Next(); err != nil {
					t.Fatal(err)
				}
				if got := r.Ready(); got != tt.want {
					t.Errorf("behind %q it is %v", first, got)
				}
				if _, err := r.Next(); tt.want && (err != nil || reads > 0) {
					t.Errorf("behind %q: %v, and %d more reads", first, err, reads)
				}
			}
		})
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(b []byte) (int, error) { return f(b) }

// FuzzReader holds that the way the bytes arrive makes no difference.
func FuzzReader(f *testing.F) {
	for _, s := range []string{"event: a\ndata: 1\n\n", "data: 1\r\n\r\n", ":\n\n", "data\rdata\r\r", "\xEF\xBB\xBFdata: x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		one, err1 := events(strings.NewReader(text), 100)
		two, err2 := events(iotest.OneByteReader(strings.NewReader(text)), 100)
		if (err1 == nil) != (err2 == nil) || err1 == nil && !slices.Equal(one, two) {
			t.Errorf("at once %q, %v; byte by byte %q, %v", one, err1, two, err2)
		}
	})
}
