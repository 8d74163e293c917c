package dialecttest

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/dialect"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
	"github.com/crosswalk-agents/crosswalk/internal/sse"
)

// Suite holds a codec to what all have in common, over the whole corpus. What it
// writes and lists as lost is compared with the transcripts in folder; with
// update these are rewritten.
func Suite(t *testing.T, c dialect.Codec, folder string, update bool) {
	t.Helper()
	t.Run("requests", func(t *testing.T) { requests(t, c, filepath.Join(folder, "requests.txtar"), update) })
	t.Run("responses", func(t *testing.T) { responses(t, c, filepath.Join(folder, "responses.txtar"), update) })
	t.Run("errors", func(t *testing.T) { apiErrors(t, c, filepath.Join(folder, "errors.txtar"), update) })
	t.Run("errors for answers", func(t *testing.T) { failures(t, c) })
	t.Run("edits", func(t *testing.T) { splices(t, c) })
	t.Run("cut streams", func(t *testing.T) { cutStreams(t, c) })
}

// golden is a file of transcripts.
type golden struct {
	t      *testing.T
	file   string
	update bool
	want   map[string]string
	got    txtar.Archive
}

func readGolden(t *testing.T, file string, update bool) *golden {
	t.Helper()
	g := &golden{t: t, file: file, update: update, want: make(map[string]string)}
	a, err := txtar.ParseFile(file)
	if err != nil && !update {
		t.Fatal(err)
	}
	if a != nil {
		g.got.Comment = a.Comment
		for _, f := range a.Files {
			g.want[f.Name] = string(f.Data)
		}
	}
	return g
}

// check compares a section; one without text is left out.
func (g *golden) check(t *testing.T, name, text string) {
	t.Helper()
	if text != "" {
		text = strings.TrimSuffix(text, "\n") + "\n"
		g.got.Files = append(g.got.Files, txtar.File{Name: name, Data: []byte(text)})
	}
	if !g.update {
		if diff := cmp.Diff(g.want[name], text); diff != "" {
			t.Errorf("%s: -want +got:\n%s", name, diff)
		}
	}
	delete(g.want, name)
}

// close writes the file, or fails if it holds what nothing was compared with.
func (g *golden) close() {
	g.t.Helper()
	if g.update {
		if err := errors.Join(os.MkdirAll(filepath.Dir(g.file), 0o750), os.WriteFile(g.file, txtar.Format(&g.got), 0o600)); err != nil {
			g.t.Fatal(err)
		}
		return
	}
	for name := range g.want {
		g.t.Errorf("%s: section %q is of no case", g.file, name)
	}
}

func requests(t *testing.T, c dialect.Codec, file string, update bool) {
	g := readGolden(t, file, update)
	for _, x := range CorpusRequests() {
		t.Run(x.Name, func(t *testing.T) {
			var r canon.Report
			body, err := c.EncodeRequest(nil, x.Make(), &dialect.Target{}, &r)
			if err != nil {
				t.Fatal(err)
			}
			valid(t, body)
			if err := r.Balance(); err != nil {
				t.Error(err)
			}
			q, err := c.DecodeRequest(body)
			if err != nil {
				t.Fatal(err)
			}
			g.check(t, x.Name+" body", string(body))
			g.check(t, x.Name+" losses", FormatLosses(&r))
			g.check(t, x.Name+" decoded", Format(q))
			kept(t, x.Make(), q, &r)
			again(t, "request", body, func(r *canon.Report) ([]byte, error) {
				return c.EncodeRequest(nil, q, &dialect.Target{}, r)
			})
		})
	}
	g.close()
}

// kept fails if a block of the request is neither in the one that was read back
// nor in the report.
func kept(t *testing.T, sent, got *canon.Request, r *canon.Report) {
	t.Helper()
	var d canon.Digester
	left := make(map[canon.Link]int)
	for _, m := range got.Messages {
		for _, b := range m.Blocks {
			left[d.Block(&canon.Message{}, b)]++
		}
	}
	missing := make(canon.Counts)
	for _, m := range sent.Messages {
		for _, b := range m.Blocks {
			digest := d.Block(&canon.Message{}, b)
			if left[digest] > 0 {
				left[digest]--
				continue
			}
			missing[canon.CountKind(b.Kind())]++
		}
	}
	for kind, n := range missing {
		listed := 0
		for _, l := range r.Losses {
			if strings.HasPrefix(l.What, string(kind)) || l.What == "is_error" && kind == canon.CountKind(canon.KindToolResult) {
				listed++
			}
		}
		if listed < n {
			t.Errorf("%d of kind %s are missing, and %d are listed", n, kind, listed)
		}
	}
}

// again fails unless what was read is written just as it was, and nothing is
// lost.
func again(t *testing.T, what string, body []byte, encode func(*canon.Report) ([]byte, error)) {
	t.Helper()
	var r canon.Report
	second, err := encode(&r)
	if err != nil {
		t.Fatalf("second time: %v", err)
	}
	if diff := cmp.Diff(string(body), string(second)); diff != "" {
		t.Errorf("the %s that was read is written in another way: -first +second:\n%s", what, diff)
	}
	if losses := FormatLosses(&r); losses != "" {
		t.Errorf("the second time it loses\n%s", losses)
	}
}

func responses(t *testing.T, c dialect.Codec, file string, update bool) {
	g := readGolden(t, file, update)
	for _, x := range CorpusResponses() {
		t.Run(x.Name, func(t *testing.T) {
			var r, rs canon.Report
			body, err := c.EncodeResponse(nil, x.Make(), &r)
			if err != nil {
				t.Fatal(err)
			}
			valid(t, body)
			whole, err := c.DecodeResponse(body, new(canon.Report))
			if err != nil {
				t.Fatal(err)
			}
			frames := stream(t, c, x.Make(), &rs)
			g.check(t, x.Name+" body", string(body))
			g.check(t, x.Name+" losses", FormatLosses(&r))
			g.check(t, x.Name+" decoded", FormatResponse(whole))
			g.check(t, x.Name+" stream", string(frames))
			if diff := cmp.Diff(FormatLosses(&r), FormatLosses(&rs)); diff != "" {
				t.Errorf("losses differ: -whole +streamed:\n%s", diff)
			}
			streamed, err := Read(c, bytes.NewReader(frames))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(FormatResponse(whole), FormatResponse(streamed)); diff != "" {
				t.Errorf("the stream says something else: -whole +streamed:\n%s", diff)
			}
			again(t, "answer", body, func(r *canon.Report) ([]byte, error) { return c.EncodeResponse(nil, whole, r) })
		})
	}
	g.close()
}

// stream returns the frames of an answer.
func stream(t *testing.T, c dialect.Codec, a *canon.Response, r *canon.Report) (frames []byte) {
	t.Helper()
	e := c.NewEncoder(dialect.StreamOptions{Usage: true}, r)
	s := canon.NewSequencer(func(ev *canon.Event) (err error) {
		frames, err = e.Encode(frames, ev)
		return err
	})
	for ev := range a.Events() {
		if err := s.Next(ev); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Finish(nil); err != nil {
		t.Fatal(err)
	}
	return frames
}

// maxEvent bounds an event of a test, in bytes.
const maxEvent = 8 << 20

// Read reads a streamed answer to its end.
func Read(c dialect.Codec, r interface{ Read([]byte) (int, error) }) (*canon.Response, error) {
	var f canon.Folder
	s := canon.NewSequencer(f.Add)
	if err := play(c, sse.NewReader(r, maxEvent), s); err != nil {
		return nil, err
	}
	return f.Response()
}

func play(c dialect.Codec, frames *sse.Reader, s *canon.Sequencer) error {
	d := c.NewDecoder(new(canon.Report))
	for {
		frame, err := frames.Next()
		if err != nil {
			return errors.Join(d.Close(s.Next), s.Finish(nil))
		}
		if frame.Comment {
			continue
		}
		if err := d.Frame(frame, s.Next); err != nil {
			return s.Finish(err)
		}
	}
}

// cutStreams holds that a stream that is cut anywhere but behind its end never
// ends well.
func cutStreams(t *testing.T, c dialect.Codec) {
	for _, x := range CorpusResponses() {
		t.Run(x.Name, func(t *testing.T) {
			var r canon.Report
			frames := bytes.SplitAfter(stream(t, c, x.Make(), &r), []byte("\n\n"))
			whole, err := Read(c, bytes.NewReader(bytes.Join(frames, nil)))
			if err != nil {
				t.Fatal(err)
			}
			for n := range frames {
				got, err := Read(c, bytes.NewReader(bytes.Join(frames[:n], nil)))
				if err == nil && FormatResponse(got) != FormatResponse(asKnown(whole, got)) {
					t.Errorf("cut behind %d of %d frames it ends as\n%s", n, len(frames), FormatResponse(got))
				}
			}
		})
	}
}

// asKnown returns the whole answer as the cut one may be: a stream may end well
// before the usage, where that comes behind the reason for the end.
func asKnown(whole, cut *canon.Response) *canon.Response {
	if cut.Usage != nil && *cut.Usage != (canon.Usage{}) {
		return whole
	}
	known := *whole
	known.Usage = cut.Usage
	return &known
}

func apiErrors(t *testing.T, c dialect.Codec, file string, update bool) {
	g := readGolden(t, file, update)
	for _, e := range CorpusErrors() {
		name := strings.TrimSpace(fmt.Sprintf("%d %s", e.Status, e.Code))
		t.Run(name, func(t *testing.T) {
			body := c.EncodeError(nil, e)
			valid(t, body)
			g.check(t, name, string(body))
			got := c.DecodeError(e.Status, body)
			if got.Status != e.Status || got.Kind != e.Kind || got.Message != e.Message {
				t.Errorf("%+v came back as %+v", e, got)
			}
			var frames []byte
			enc := c.NewEncoder(dialect.StreamOptions{}, new(canon.Report))
			for _, ev := range []*canon.Event{
				{Kind: canon.EventStart, Response: &canon.Response{ID: "r1", Model: "m"}},
				{Kind: canon.EventBlock, Block: &canon.TextBlock{}},
				{Kind: canon.EventDelta, Text: canon.NewText("par")},
				{Kind: canon.EventError, Err: e},
			} {
				var err error
				if frames, err = enc.Encode(frames, ev); err != nil {
					t.Fatal(err)
				}
			}
			var api *canon.APIError
			if _, err := Read(c, bytes.NewReader(frames)); !errors.As(err, &api) || api.Kind != e.Kind || api.Message != e.Message {
				t.Errorf("within a stream %+v came back as %+v\n%s", e, api, frames)
			}
		})
	}
	for _, body := range []string{"", "upstream connect error", "<html>502</html>", `[]`, `{"error":null}`, `{"error":"words"}`, `{"detail":"words"}`, `{"message":"words"}`} {
		if got := c.DecodeError(502, []byte(body)); got == nil || got.Status != 502 || got.Kind != canon.ErrInternal {
			t.Errorf("error body %q reads as %+v", body, got)
		} else if strings.Contains(body, "words") && got.Message != "words" {
			t.Errorf("error body %q says %q", body, got.Message)
		}
	}
	g.close()
}

func valid(t *testing.T, body []byte) {
	t.Helper()
	d := jsonx.NewDecoder(body)
	d.Skip()
	if d.Err() != nil || d.More() || bytes.ContainsAny(body, "\r\n") {
		t.Fatalf("not one JSON value on one line: %v\n%s", d.Err(), body)
	}
}
