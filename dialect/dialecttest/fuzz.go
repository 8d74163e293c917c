package dialecttest

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/dialect"
)

// Fuzz feeds a codec with requests, answers, streams and errors that are changed
// at random, or made up. None may make it panic, and a request or an answer that
// it reads it can write, if not all of it, and read again as the same.
func Fuzz(f *testing.F, c dialect.Codec) {
	for _, x := range CorpusRequests() {
		if body, err := c.EncodeRequest(nil, x.Make(), &dialect.Target{}, new(canon.Report)); err == nil {
			f.Add(body)
		}
	}
	for _, x := range CorpusResponses() {
		if body, err := c.EncodeResponse(nil, x.Make(), new(canon.Report)); err == nil {
			f.Add(body)
		}
		var frames []byte
		e := c.NewEncoder(dialect.StreamOptions{Usage: true}, new(canon.Report))
		s := canon.NewSequencer(func(ev *canon.Event) (err error) {
			frames, err = e.Encode(frames, ev)
			return err
		})
		for ev := range x.Make().Events() {
			_ = s.Next(ev)
		}
		f.Add(frames)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if q, err := c.DecodeRequest(data); err == nil {
			if !json.Valid(data) {
				t.Fatalf("%q is no JSON, and was read", data)
			}
			fuzzSplice(t, c, data, q)
			fuzzRequest(t, c, q)
		}
		if a, err := c.DecodeResponse(data, new(canon.Report)); err == nil {
			fuzzResponse(t, c, a)
		}
		c.DecodeError(500, data)
		_, _ = Read(c, bytes.NewReader(data)) // most are none
	})
}

// fuzzSplice holds that an edit in the bytes is the edit in what they say, and
// that no edit changes nothing.
func fuzzSplice(t *testing.T, c dialect.Codec, body []byte, q *canon.Request) {
	if same, err := c.SpliceRequest(nil, body, nil); err != nil || !bytes.Equal(same, body) {
		t.Fatalf("no edit changes %q to %q, %v", body, same, err)
	}
	list := edits()["all"]
	spliced, err := c.SpliceRequest(nil, body, list)
	if err != nil {
		t.Fatalf("%q: %v", body, err)
	}
	got, err := c.DecodeRequest(spliced)
	if err != nil {
		t.Fatalf("%q was edited to %q: %v", body, spliced, err)
	}
	want, err := c.DecodeRequest(body)
	if err != nil {
		t.Fatal(err)
	}
	canon.ApplyRequest(want, list)
	if diff := cmp.Diff(Format(want), Format(got)); diff != "" {
		t.Fatalf("-applied +spliced:\n%s\n%s", diff, spliced)
	}
}

func fuzzRequest(t *testing.T, c dialect.Codec, q *canon.Request) {
	var r canon.Report
	body, err := c.EncodeRequest(nil, q, &dialect.Target{}, &r)
	if err != nil {
		return // it has no place for what it says
	}
	if err := r.Balance(); err != nil {
		t.Fatal(err)
	}
	if !json.Valid(body) {
		t.Fatalf("no JSON: %s", body)
	}
	first, err := c.DecodeRequest(body)
	if err != nil {
		t.Fatalf("what was written cannot be read: %v\n%s", err, body)
	}
	says := Format(first)
	again, err := c.EncodeRequest(nil, first, &dialect.Target{}, new(canon.Report))
	if err != nil {
		t.Fatalf("what was written cannot be written again: %v\n%s", err, body)
	}
	second, err := c.DecodeRequest(again)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(says, Format(second)); diff != "" {
		t.Fatalf("-first +second:\n%s\n%s", diff, body)
	}
}

func fuzzResponse(t *testing.T, c dialect.Codec, a *canon.Response) {
	body, err := c.EncodeResponse(nil, a, new(canon.Report))
	if err != nil {
		return
	}
	first, err := c.DecodeResponse(body, new(canon.Report))
	if err != nil {
		t.Fatalf("what was written cannot be read: %v\n%s", err, body)
	}
	again, err := c.EncodeResponse(nil, first, new(canon.Report))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(body), string(again)); diff != "" {
		t.Fatalf("-first +second:\n%s", diff)
	}
}
