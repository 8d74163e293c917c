package dialecttest

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/dialect"
	"github.com/crosswalk-agents/crosswalk/internal/sse"
)

// Pairs holds every pair of codecs to what a caller of the one may expect of an
// upstream of the other: nothing is lost unlisted, a stream says what the whole
// answer says, and an answer that breaks off never ends well.
func Pairs(t *testing.T, codecs []dialect.Codec) {
	t.Helper()
	for _, caller := range codecs {
		for _, upstream := range codecs {
			t.Run(caller.Name()+" on "+upstream.Name(), func(t *testing.T) {
				t.Run("requests", func(t *testing.T) { pairRequests(t, caller, upstream) })
				t.Run("answers", func(t *testing.T) { pairAnswers(t, caller, upstream) })
			})
		}
	}
}

func pairRequests(t *testing.T, caller, upstream dialect.Codec) {
	for _, x := range CorpusRequests() {
		t.Run(x.Name, func(t *testing.T) {
			body, err := caller.EncodeRequest(nil, x.Make(), &dialect.Target{}, new(canon.Report))
			if err != nil {
				t.Fatal(err)
			}
			read := func(c dialect.Codec, body []byte) *canon.Request {
				q, err := c.DecodeRequest(body)
				if err != nil {
					t.Fatal(err)
				}
				return q
			}
			var r canon.Report
			converted, err := upstream.EncodeRequest(nil, read(caller, body), &dialect.Target{}, &r)
			if err != nil {
				t.Fatal(err)
			}
			valid(t, converted)
			if err := r.Balance(); err != nil {
				t.Error(err)
			}
			sent, got := read(caller, body), read(upstream, converted)
			kept(t, sent, got, &r)
			keptParameters(t, sent, got, &r)
			second, err := upstream.EncodeRequest(nil, read(caller, body), &dialect.Target{}, new(canon.Report))
			if err != nil || !bytes.Equal(converted, second) {
				t.Errorf("the same request is converted in two ways, %v", err)
			}
		})
	}
}

// keptParameters fails if a parameter of the request is neither in the one that
// was read back nor in the report.
func keptParameters(t *testing.T, sent, got *canon.Request, r *canon.Report) {
	t.Helper()
	was, is := parametersOf(sent), parametersOf(got)
	for name, value := range was {
		if value == "" || is[name] == value {
			continue
		}
		listed := slices.ContainsFunc(r.Losses, func(l canon.Loss) bool {
			return strings.Contains(l.What, name) || slices.Contains(synonyms[name], l.What)
		})
		if !listed {
			t.Errorf("%s is %q instead of %q, and not listed:\n%s", name, is[name], value, FormatLosses(r))
		}
	}
}

// synonyms are what else a loss calls a parameter.
var synonyms = map[string][]string{
	"reasoning": {"effort", "budget", "thinking", "display"}, "format": {"strict"}, "tools": {"tool", "strict", "defer_loading"},
	"choice": {"tool_choice"}, "one call": {"parallel_tool_calls", "tool_choice"}, "max output": {"max_tokens"}, "user": {"user_id"}, "cache key": {"prompt_cache_key"},
	"top p": {"top_p"}, "top k": {"top_k"}, "frequency penalty": {"frequency_penalty"}, "presence penalty": {"presence_penalty"},
}

// parametersOf lists what q says beside its messages, by the names that the lines
// of [Format] have.
func parametersOf(q *canon.Request) map[string]string {
	other := *q
	other.Messages, other.Ext, other.Model, other.Stream, other.StreamUsage = nil, canon.Ext{}, "", false, false
	if other.Reasoning.Effort != "" && other.Reasoning.Mode == canon.ReasoningUnset {
		other.Reasoning.Mode = canon.ReasoningOn // as dialects have it whose only word for it is an effort
	}
	out := make(map[string]string)
	for line := range strings.Lines(Format(&other)) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		if name == "tool" { // which is not strict unless it says so
			name, value = "tools", strings.ReplaceAll(value, formatFlag(" strict", canon.FlagOff), "")
		}
		out[name] += value + "\n"
	}
	return out
}

func pairAnswers(t *testing.T, caller, upstream dialect.Codec) {
	for _, x := range CorpusResponses() {
		t.Run(x.Name, func(t *testing.T) {
			body, err := upstream.EncodeResponse(nil, x.Make(), new(canon.Report))
			if err != nil {
				t.Fatal(err)
			}
			a, err := upstream.DecodeResponse(body, new(canon.Report))
			if err != nil {
				t.Fatal(err)
			}
			converted, err := caller.EncodeResponse(nil, a, new(canon.Report))
			if err != nil {
				t.Fatal(err)
			}
			valid(t, converted)
			whole, err := caller.DecodeResponse(converted, new(canon.Report))
			if err != nil {
				t.Fatal(err)
			}
			frames := stream(t, upstream, x.Make(), new(canon.Report))
			got, err := Read(caller, bytes.NewReader(Convert(t, caller, upstream, frames)))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(FormatResponse(whole), FormatResponse(got)); diff != "" {
				t.Errorf("the stream says something else: -whole +streamed:\n%s", diff)
			}
			pairCuts(t, caller, upstream, frames, got)
		})
	}
}

// pairCuts cuts the upstream's stream behind each of its frames.
func pairCuts(t *testing.T, caller, upstream dialect.Codec, frames []byte, whole *canon.Response) {
	t.Helper()
	list := bytes.SplitAfter(frames, []byte("\n\n"))
	for n := range list {
		cut := Convert(t, caller, upstream, bytes.Join(list[:n], nil))
		if got, err := Read(caller, bytes.NewReader(cut)); err == nil && FormatResponse(got) != FormatResponse(asKnown(whole, got)) {
			t.Errorf("cut behind %d of %d frames it ends as\n%s", n, len(list), FormatResponse(got))
		}
	}
}

// Convert returns the frames for a caller of the frames of an upstream.
func Convert(t *testing.T, caller, upstream dialect.Codec, frames []byte) (out []byte) {
	t.Helper()
	e := caller.NewEncoder(dialect.StreamOptions{Usage: true}, new(canon.Report))
	s := canon.NewSequencer(func(ev *canon.Event) (err error) {
		out, err = e.Encode(out, ev)
		return err
	})
	if err := play(upstream, sse.NewReader(bytes.NewReader(frames), maxEvent), s); err != nil && !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	return out
}
