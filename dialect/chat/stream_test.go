package chat_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/dialect"
	"github.com/crosswalk-agents/crosswalk/dialect/chat"
	"github.com/crosswalk-agents/crosswalk/dialect/dialecttest"
	"github.com/crosswalk-agents/crosswalk/internal/fixture"
	"github.com/crosswalk-agents/crosswalk/internal/sse"
)

// play gives the events of a streamed answer, put in order, to emit.
func play(frames io.Reader, r *canon.Report, emit func(*canon.Event) error) error {
	s := canon.NewSequencer(emit)
	d := chat.New().NewDecoder(r)
	reader := sse.NewReader(frames, 1<<20)
	for {
		f, err := reader.Next()
		if err != nil {
			return errors.Join(d.Close(s.Next), s.Finish(nil))
		}
		if f.Comment {
			continue
		}
		if err := d.Frame(f, s.Next); err != nil {
			return s.Finish(err)
		}
	}
}

func formatEvent(e *canon.Event) string {
	switch e.Kind {
	case canon.EventStart:
		return fmt.Sprintf("start %s %s", e.Response.ID, e.Response.Model)
	case canon.EventBlock:
		return fmt.Sprintf("block %d: %s", e.Index, dialecttest.FormatBlock(e.Block))
	case canon.EventDelta:
		return fmt.Sprintf("delta %d: %q", e.Index, e.Text.String())
	case canon.EventBlockEnd:
		return fmt.Sprintf("end of block %d", e.Index)
	case canon.EventPing:
		return "ping"
	case canon.EventEnd:
		return "end " + string(e.Response.Stop.Reason)
	case canon.EventError:
		return "error " + e.Err.Error()
	}
	return "?"
}

// answerOf returns what a streamed answer comes to.
func answerOf(frames io.Reader) string {
	var f canon.Folder
	if err := play(frames, new(canon.Report), f.Add); err != nil {
		return "error: " + err.Error() + "\n"
	}
	a, err := f.Response()
	if err != nil {
		return "error: " + err.Error() + "\n"
	}
	return dialecttest.FormatResponse(a)
}

// TestStreams plays streams as servers write them: what events they are, in
// order, and what answer they come to, however the bytes arrive.
func TestStreams(t *testing.T) {
	fixture.Transcripts(t, "testdata/stream", *update, func(t *testing.T, a *txtar.Archive) []txtar.File {
		frames := string(a.Files[0].Data)
		var events strings.Builder
		var r canon.Report
		if err := play(strings.NewReader(frames), &r, func(e *canon.Event) error {
			events.WriteString(formatEvent(e) + "\n")
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		answer := answerOf(strings.NewReader(frames))
		for way, other := range map[string]io.Reader{
			"CR LF":                       strings.NewReader(strings.ReplaceAll(frames, "\n", "\r\n")),
			"bytes one by one":            iotest.OneByteReader(strings.NewReader(frames)),
			"comments":                    strings.NewReader(": a\n\n" + strings.ReplaceAll(frames, "data: ", ": b\ndata:")),
			"no blank line at the end":    strings.NewReader(strings.TrimRight(frames, "\n")),
			"the data on several lines":   strings.NewReader(strings.ReplaceAll(frames, `,"model"`, "\ndata: ,\"model\"")),
			"white space around the data": strings.NewReader(strings.ReplaceAll(frames, "\n\n", " \n\n")),
		} {
			if got := answerOf(other); got != answer {
				t.Errorf("%s: it says\n%swant\n%s", way, got, answer)
			}
		}
		files := []txtar.File{a.Files[0], {Name: "events", Data: []byte(events.String())}, {Name: "answer", Data: []byte(answer)}}
		if losses := dialecttest.FormatLosses(&r); losses != "" {
			files = append(files, txtar.File{Name: "losses", Data: []byte(losses)})
		}
		return files
	})
}

// TestAnswers reads whole answers as servers write them.
func TestAnswers(t *testing.T) {
	fixture.Transcripts(t, "testdata/answer", *update, func(t *testing.T, a *txtar.Archive) []txtar.File {
		var r canon.Report
		got, err := chat.New().DecodeResponse(a.Files[0].Data, &r)
		if err != nil {
			return []txtar.File{a.Files[0], {Name: "error", Data: []byte(err.Error() + "\n")}}
		}
		files := []txtar.File{a.Files[0], {Name: "answer", Data: []byte(dialecttest.FormatResponse(got))}}
		if losses := dialecttest.FormatLosses(&r); losses != "" {
			files = append(files, txtar.File{Name: "losses", Data: []byte(losses)})
		}
		return files
	})
}

// A piece of a call is as long as it likes.
func TestALineOfMegabytesIsRead(t *testing.T) {
	long := strings.Repeat("x", 900_000)
	frames := `data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c1","function":{"name":"Write","arguments":"{\"a\":\"` + long + `\"}"}}]},"finish_reason":"tool_calls"}]}` + "\n\n"
	if got := answerOf(strings.NewReader(frames)); !strings.Contains(got, long) {
		t.Errorf("%d bytes", len(got))
	}
}

// encodeStream returns the frames of an answer.
func encodeStream(t *testing.T, a *canon.Response, o dialect.StreamOptions, r *canon.Report) string {
	t.Helper()
	var out []byte
	e := chat.New().NewEncoder(o, r)
	s := canon.NewSequencer(func(ev *canon.Event) (err error) {
		out, err = e.Encode(out, ev)
		return err
	})
	for ev := range a.Events() {
		if err := s.Next(ev); err != nil {
			t.Fatal(err)
		}
	}
	return string(out)
}

func TestTheUsageOfAStreamIsForThoseWhoAsk(t *testing.T) {
	a := &canon.Response{Blocks: []canon.Block{text("a")}, Usage: &canon.Usage{Input: 3, Output: 4}}
	for _, asked := range []bool{true, false} {
		out := encodeStream(t, a, dialect.StreamOptions{Usage: asked}, new(canon.Report))
		if strings.Contains(out, `"usage"`) != asked || !strings.HasSuffix(out, "data: [DONE]\n\n") {
			t.Errorf("asked %t:\n%s", asked, out)
		}
	}
}

// gateway/K2: an error ends a stream, without the mark of a good end.
func TestAnErrorEndsAStream(t *testing.T) {
	t.Run("gateway/K2", func(t *testing.T) {
		e := chat.New().NewEncoder(dialect.StreamOptions{Usage: true}, new(canon.Report))
		out, err := e.Encode(nil, &canon.Event{Kind: canon.EventError, Err: &canon.APIError{Kind: canon.ErrOverloaded, Message: "busy"}})
		want := `data: {"error":{"message":"busy","type":"service_unavailable_error","param":null,"code":"server_is_overloaded"}}` + "\n\n"
		if err != nil || string(out) != want {
			t.Errorf("%s, %v", out, err)
		}
	})
}

func TestAPingKeepsTheConnectionAlive(t *testing.T) {
	e := chat.New().NewEncoder(dialect.StreamOptions{}, new(canon.Report))
	if out, err := e.Encode(nil, &canon.Event{Kind: canon.EventPing}); err != nil || !bytes.Equal(out, sse.AppendComment(nil)) {
		t.Errorf("%q, %v", out, err)
	}
}
