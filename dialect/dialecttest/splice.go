package dialecttest

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/dialect"
	"github.com/crosswalk-agents/crosswalk/internal/sse"
)

// edits are what a body is edited with.
func edits() map[string][]canon.Edit {
	return map[string][]canon.Edit{
		"nothing": nil,
		"model":   {{Op: canon.EditModel, To: `mo"del-2`}},
		"tool":    {{Op: canon.EditTool, From: "Read", To: "read_file"}, {Op: canon.EditTool, From: "Bash", To: "shell"}, {Op: canon.EditTool, From: "absent", To: "x"}},
		"system":  {{Op: canon.EditSystem, To: "Use these \"tools\"."}},
		"drop":    {{Op: canon.EditDrop, From: "temperature"}, {Op: canon.EditDrop, From: "top_p"}, {Op: canon.EditDrop, From: "absent"}},
		"all":     {{Op: canon.EditModel, To: "m"}, {Op: canon.EditTool, From: "Read", To: "read_file"}, {Op: canon.EditSystem, To: "More."}, {Op: canon.EditDrop, From: "seed"}},
	}
}

// splices holds that an edit in the bytes is the edit in what they say.
func splices(t *testing.T, c dialect.Codec) {
	for name, list := range edits() {
		t.Run(name, func(t *testing.T) {
			for _, x := range CorpusRequests() {
				t.Run(x.Name, func(t *testing.T) { spliceRequest(t, c, x, list) })
			}
			for _, x := range CorpusResponses() {
				t.Run("answer "+x.Name, func(t *testing.T) { spliceResponse(t, c, x, list) })
			}
		})
	}
}

func spliceRequest(t *testing.T, c dialect.Codec, x Request, list []canon.Edit) {
	body, err := c.EncodeRequest(nil, x.Make(), &dialect.Target{}, new(canon.Report))
	if err != nil {
		t.Fatal(err)
	}
	spliced, err := c.SpliceRequest(nil, body, list)
	if err != nil {
		t.Fatal(err)
	}
	valid(t, spliced)
	if len(list) == 0 && !bytes.Equal(body, spliced) {
		t.Errorf("no edit changes\n%s\nto\n%s", body, spliced)
	}
	want, err := c.DecodeRequest(body)
	if err != nil {
		t.Fatal(err)
	}
	canon.ApplyRequest(want, list)
	got, err := c.DecodeRequest(spliced)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Format(want), Format(got)); diff != "" {
		t.Errorf("-applied +spliced:\n%s\n%s", diff, spliced)
	}
}

func spliceResponse(t *testing.T, c dialect.Codec, x Response, list []canon.Edit) {
	body, err := c.EncodeResponse(nil, x.Make(), new(canon.Report))
	if err != nil {
		t.Fatal(err)
	}
	spliced, err := c.SpliceResponse(nil, body, list)
	if err != nil {
		t.Fatal(err)
	}
	want, err := c.DecodeResponse(body, new(canon.Report))
	if err != nil {
		t.Fatal(err)
	}
	canon.ApplyResponse(want, list)
	got, err := c.DecodeResponse(spliced, new(canon.Report))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(FormatResponse(want), FormatResponse(got)); diff != "" {
		t.Errorf("-applied +spliced:\n%s\n%s", diff, spliced)
	}
	frames := stream(t, c, x.Make(), new(canon.Report))
	streamed, err := Read(c, bytes.NewReader(spliceFrames(t, c, frames, list)))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(FormatResponse(got), FormatResponse(streamed)); diff != "" {
		t.Errorf("-whole +streamed:\n%s", diff)
	}
	// As another program would have written the frames.
	for was, now := range map[string]string{"\n": "\r\n", "data: ": "data:", "event: ": ": comment\nevent:"} {
		other := bytes.ReplaceAll(frames, []byte(was), []byte(now))
		if same := spliceFrames(t, c, other, nil); !bytes.Equal(other, same) {
			t.Errorf("no edit changes\n%q\nto\n%q", other, same)
		}
	}
}

func spliceFrames(t *testing.T, c dialect.Codec, frames []byte, list []canon.Edit) (out []byte) {
	t.Helper()
	r := sse.NewReader(bytes.NewReader(frames), maxEvent)
	for {
		f, err := r.Next()
		if err != nil {
			return out
		}
		if f.Comment {
			out = append(out, f.Raw...)
			continue
		}
		if out, err = c.SpliceFrame(out, f, list); err != nil {
			t.Fatal(err)
		}
	}
}
