package responses_test

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"pgregory.net/rapid"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/dialect/dialecttest"
	"github.com/crosswalk-agents/crosswalk/dialect/responses"
	"github.com/crosswalk-agents/crosswalk/internal/sse"
)

// streamed reads a streamed answer to its end; the frames are overwritten behind
// it, as a reader's buffer is.
func streamed(frames []byte, r *canon.Report) (*canon.Response, error) {
	var f canon.Folder
	s := canon.NewSequencer(f.Add)
	d := responses.New().NewDecoder(r)
	in := sse.NewReader(bytes.NewReader(frames), 1<<20)
	var err error
	for err == nil {
		var frame *sse.Event
		if frame, err = in.Next(); err != nil || frame.Comment {
			continue
		}
		data := bytes.Clone(frame.Data)
		err = d.Frame(&sse.Event{Name: frame.Name, Data: data}, s.Next)
		for i := range data {
			data[i] = '#'
		}
	}
	if !errors.Is(err, io.EOF) {
		if err := s.Finish(err); err != nil {
			return nil, err
		}
		return f.Response()
	}
	if err := errors.Join(d.Close(s.Next), s.Finish(nil)); err != nil {
		return nil, err
	}
	return f.Response()
}

// saysAnswer is what an answer says, or the error instead.
func saysAnswer(a *canon.Response, err error) string {
	if err != nil {
		var api *canon.APIError
		if errors.As(err, &api) {
			return "error " + api.Error() + " [" + api.Code + "]\n"
		}
		return "error " + err.Error() + "\n"
	}
	return dialecttest.FormatResponse(a)
}

// TestStreams reads streams as upstreams write them, and answers that were not
// streamed.
func TestStreams(t *testing.T) {
	files, err := filepath.Glob("testdata/stream/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			in := a.Files[0]
			var r canon.Report
			var answer string
			if in.Name == "body" {
				answer = saysAnswer(responses.New().DecodeResponse(in.Data, &r))
			} else {
				data := in.Data
				if in.Name == "frames with CR LF" {
					data = bytes.ReplaceAll(data, []byte("\n"), []byte("\r\n"))
				}
				answer = saysAnswer(streamed(data, &r))
			}
			want := string(txtar.Format(a))
			a.Files = append([]txtar.File{in}, txtar.File{Name: "answer", Data: []byte(answer)})
			if losses := dialecttest.FormatLosses(&r); losses != "" {
				a.Files = append(a.Files, txtar.File{Name: "losses", Data: []byte(losses)})
			}
			if *update {
				if err := os.WriteFile(file, txtar.Format(a), 0o600); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(want, string(txtar.Format(a))); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// Each thing is said several times, and any of them may be missing: what is left
// says the same.
func TestAnythingThatIsSaidOnceMoreMayBeMissing(t *testing.T) {
	sorted := func(frames []byte) string {
		lines := strings.Split(saysAnswer(streamed(frames, new(canon.Report))), "\n")
		slices.Sort(lines)
		return strings.Join(lines, "\n")
	}
	for _, x := range dialecttest.CorpusResponses() {
		var events []*canon.Event
		for e := range x.Make().Events() {
			events = append(events, e)
		}
		frames := written(t, events...)
		want := sorted(frames)
		list := bytes.SplitAfter(frames, []byte("\n\n"))
		types := make(map[string]bool)
		for _, frame := range list {
			name, _, _ := strings.Cut(strings.TrimPrefix(string(frame), "event: "), "\n")
			types[name] = true
		}
		for _, once := range []string{"response.created", "response.completed", "response.incomplete", ""} {
			delete(types, once)
		}
		names := slices.Sorted(maps.Keys(types))
		t.Run(x.Name, rapid.MakeCheck(func(t *rapid.T) {
			var left []byte
			gone := make(map[string]bool)
			for _, name := range names {
				gone[name] = rapid.Bool().Draw(t, name)
			}
			for _, frame := range list {
				name, _, _ := strings.Cut(strings.TrimPrefix(string(frame), "event: "), "\n")
				if !gone[name] {
					left = append(left, frame...)
				}
			}
			if diff := cmp.Diff(want, sorted(left)); diff != "" {
				t.Fatalf("-whole +without:\n%s\n%s", diff, left)
			}
		}))
	}
}
