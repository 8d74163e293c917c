package gemini_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/dialect"
	"github.com/crosswalk-agents/crosswalk/dialect/dialecttest"
	"github.com/crosswalk-agents/crosswalk/dialect/gemini"
)

func answer(t *testing.T, body string) *canon.Response {
	t.Helper()
	a, err := gemini.New().DecodeResponse([]byte(body), new(canon.Report))
	if err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	return a
}

// gateway/F1 and gateway/B4: every reason has its stop, of an answer and of a
// stream; calls that are there decide, and calls that are not do not.
func TestStops(t *testing.T) {
	const (
		text  = `{"text":"a"}`
		call  = `{"functionCall":{"id":"1","name":"f","args":{}}}`
		think = `{"text":"a","thought":true}`
	)
	for _, x := range []struct{ parts, reason, message, want string }{
		{text, "STOP", "", "end"},
		{"", "STOP", "", "end"},
		{call, "STOP", "", "tool_call"},
		{text + "," + call, "STOP", "", "tool_call"},
		{text, "MAX_TOKENS", "", "limit"},
		{call, "MAX_TOKENS", "", "limit"},
		{text, "SAFETY", "", "refusal (SAFETY)"},
		{"", "SAFETY", "why", "refusal (SAFETY: why)"},
		{call, "SAFETY", "", "refusal (SAFETY)"},
		{text, "RECITATION", "", "refusal (RECITATION)"},
		{text, "BLOCKLIST", "", "refusal (BLOCKLIST)"},
		{text, "PROHIBITED_CONTENT", "", "refusal (PROHIBITED_CONTENT)"},
		{text, "SPII", "", "refusal (SPII)"},
		{text, "IMAGE_SAFETY", "", "refusal (IMAGE_SAFETY)"},
		{text, "OTHER", "", "end (OTHER)"},
		{text, "LANGUAGE", "", "end (LANGUAGE)"},
		{text, "SOMETHING_NEW", "", "end (SOMETHING_NEW)"},
		{text, "MALFORMED_FUNCTION_CALL", "f(", "end (MALFORMED_FUNCTION_CALL: f()"},
		{call, "MALFORMED_FUNCTION_CALL", "f(", "tool_call"},
		{"", "MALFORMED_FUNCTION_CALL", "f(", "error f( (MALFORMED_FUNCTION_CALL)"},
		{think, "MALFORMED_FUNCTION_CALL", "", "error the model's answer cannot be used (MALFORMED_FUNCTION_CALL)"},
		{"", "UNEXPECTED_TOOL_CALL", "", "error the model's answer cannot be used (UNEXPECTED_TOOL_CALL)"},
		{"", "TOO_MANY_TOOL_CALLS", "", "error the model's answer cannot be used (TOO_MANY_TOOL_CALLS)"},
		{"", "MISSING_THOUGHT_SIGNATURE", "", "error the model's answer cannot be used (MISSING_THOUGHT_SIGNATURE)"},
	} {
		t.Run(x.reason+" behind "+x.parts, func(t *testing.T) {
			body := `{"candidates":[{"content":{"parts":[` + x.parts + `]},"finishReason":"` + x.reason + `"`
			if x.message != "" {
				body += `,"finishMessage":"` + x.message + `"`
			}
			body += "}]}"
			says := func(a *canon.Response, err error) string {
				var api *canon.APIError
				if errors.As(err, &api) {
					return "error " + api.Message
				}
				if err != nil {
					t.Fatal(err)
				}
				s := string(a.Stop.Reason)
				if a.Stop.Detail != "" {
					s += " (" + a.Stop.Detail + ")"
				}
				return s
			}
			if got := says(gemini.New().DecodeResponse([]byte(body), new(canon.Report))); got != x.want {
				t.Errorf("%s, want %s", got, x.want)
			}
			if got := says(dialecttest.Read(gemini.New(), strings.NewReader("data: "+body+"\n\n"))); got != x.want {
				t.Errorf("as a stream %s, want %s", got, x.want)
			}
		})
	}
}

// What a stop is called that was read, it is called when it is written.
func TestStopsAreWrittenAsTheyWereRead(t *testing.T) {
	for _, body := range []string{
		`"finishReason":"SAFETY","finishMessage":"why: so"`, `"finishReason":"RECITATION"`, `"finishReason":"OTHER"`, `"finishReason":"MAX_TOKENS"`, `"finishReason":"STOP"`,
	} {
		a := answer(t, `{"candidates":[{"content":{"parts":[{"text":"a"}]},`+body+`}]}`)
		out, err := gemini.New().EncodeResponse(nil, a, new(canon.Report))
		if err != nil || !strings.Contains(string(out), body) {
			t.Errorf("%s, %v, want %s", out, err, body)
		}
	}
	for stop, want := range map[canon.Stop]string{
		{Reason: canon.StopRefusal, Detail: "I will not"}: `"finishReason":"SAFETY","index"`,
		{Reason: canon.StopEnd, Detail: "SAFETY"}:         `"finishReason":"STOP","index"`,
		{Reason: canon.StopContext}:                       `"finishReason":"MAX_TOKENS","index"`,
		{}:                                                `"finishReason":"STOP","index"`,
	} {
		out, err := gemini.New().EncodeResponse(nil, &canon.Response{Stop: stop}, new(canon.Report))
		if err != nil || !strings.Contains(string(out), want) {
			t.Errorf("%+v: %s, %v", stop, out, err)
		}
	}
}

// gateway/E3: what the cache read is a part of the prompt, thoughts are one of
// the answer, and what tools brought in is one of the prompt.
func TestUsage(t *testing.T) {
	for in, want := range map[string]*canon.Usage{
		`{"promptTokenCount":100,"cachedContentTokenCount":60,"candidatesTokenCount":10,"thoughtsTokenCount":5,"toolUsePromptTokenCount":7,"totalTokenCount":122}`: {Input: 107, CacheRead: 60, Output: 15, Reasoning: 5},
		`{"promptTokenCount":100,"candidatesTokenCount":10,"totalTokenCount":110}`:                                                                                 {Input: 100, Output: 10},
		`{"promptTokenCount":100,"totalTokenCount":110}`:                                                                                                           {Input: 100, Output: 10},
		`{"promptTokenCount":100,"thoughtsTokenCount":4,"totalTokenCount":104}`:                                                                                    {Input: 100, Output: 4, Reasoning: 4},
		`{"promptTokenCount":100,"thoughtsTokenCount":4}`:                                                                                                          {Input: 100, Output: 4, Reasoning: 4},
		`{"promptTokenCount":-5,"candidatesTokenCount":"7","totalTokenCount":1.5}`:                                                                                 {},
		`{"promptTokenCount":9223372036854775807,"candidatesTokenCount":9223372036854775807}`:                                                                      {Input: 1 << 50, Output: 1 << 50},
		`{}`:   {},
		`null`: nil,
		`[]`:   nil,
	} {
		a := answer(t, `{"candidates":[{}],"usageMetadata":`+in+`}`)
		if (a.Usage == nil) != (want == nil) || want != nil && *a.Usage != *want {
			t.Errorf("%s: %+v, want %+v", in, a.Usage, want)
		}
	}
}

func TestWhatIsNoAnswerIsAnError(t *testing.T) {
	for body, want := range map[string]string{
		`{}`:                                    "decode Gemini answer: it has no candidate",
		`{"candidates":[]}`:                     "decode Gemini answer: it has no candidate",
		`[]`:                                    "decode Gemini answer: it has no candidate",
		`{"promptFeedback":{}}`:                 "decode Gemini answer: it has no candidate",
		`{"candidates":[{}]}x`:                  "decode Gemini answer: more text after the body at byte 19",
		`{"candidates":[{`:                      "decode Gemini answer: the text ends within a value at byte 16: unexpected EOF",
		`5`:                                     "decode Gemini answer: unexpected kind of value: want object, got number at byte 0",
		`{"error":{"code":429,"message":"no"}}`: "rate limit (429): no",
		`[{"candidates":[{}]},{"error":{"code":500,"message":"no","status":"INTERNAL"}}]`: "internal error (500): no",
	} {
		if a, err := gemini.New().DecodeResponse([]byte(body), new(canon.Report)); err == nil || err.Error() != want {
			t.Errorf("%s: %v, %v", body, a, err)
		}
	}
}

func TestABlockedPromptIsARefusal(t *testing.T) {
	a := answer(t, `{"promptFeedback":{"blockReason":"SAFETY","safetyRatings":[]},"responseId":"r","modelVersion":"m","createTime":"2026-11-01T10:00:00.5Z"}`)
	if a.Stop.Reason != canon.StopRefusal || a.Stop.Detail != "SAFETY" || a.ID != "r" || a.Model != "m" || a.Created.UnixMilli() != 1793527200500 {
		t.Errorf("%+v", a)
	}
}

// Members of an answer that canon does not model go back to where they stood.
func TestMembersOfAnAnswerStay(t *testing.T) {
	const body = `{"candidates":[{"content":{"parts":[{"text":"a","note":1},{"executableCode":{}}],"role":"model"},"finishReason":"STOP","index":0,"avgLogprobs":-0.10}],` +
		`"usageMetadata":{"promptTokenCount":1,"candidatesTokenCount":1,"totalTokenCount":2},"modelVersion":"m","createTime":"2026-11-01T10:00:00.5Z","responseId":"r","modelStatus":{"a":[1]}}`
	var r canon.Report
	out, err := gemini.New().EncodeResponse(nil, answer(t, body), &r)
	if err != nil || string(out) != body || len(r.Losses) > 0 {
		t.Errorf("%s, %v\n%s", out, err, dialecttest.FormatLosses(&r))
	}
}

// gateway/K2: an error within a stream is the last frame, without an end; while
// the upstream thinks, there are comments.
func TestFramesOfTheEncoder(t *testing.T) {
	e := gemini.New().NewEncoder(dialect.StreamOptions{}, new(canon.Report))
	var out []byte
	for _, ev := range []*canon.Event{
		{Kind: canon.EventStart, Response: &canon.Response{ID: "r", Model: "m"}},
		{Kind: canon.EventPing},
		{Kind: canon.EventBlock, Block: &canon.ToolCallBlock{CallID: "1", Name: "f", Call: canon.CallFunction}},
		{Kind: canon.EventDelta, Part: canon.PartInput, Text: canon.NewText(`{"a"`)},
		{Kind: canon.EventDelta, Part: canon.PartInput, Text: canon.NewText(`:1}`)},
		{Kind: canon.EventBlockEnd},
		{Kind: canon.EventError, Err: &canon.APIError{Kind: canon.ErrOverloaded, Message: "busy"}},
	} {
		var err error
		if out, err = e.Encode(out, ev); err != nil {
			t.Fatal(err)
		}
	}
	const want = ":\n\n" +
		`data: {"candidates":[{"content":{"parts":[{"functionCall":{"id":"1","name":"f","args":{"a":1}}}],"role":"model"},"index":0}],"modelVersion":"m","responseId":"r"}` + "\n\n" +
		`data: {"error":{"code":503,"message":"busy","status":"UNAVAILABLE"}}` + "\n\n"
	if string(out) != want {
		t.Errorf("%s\nwant\n%s", out, want)
	}
}

// gateway/B2: the same answer has the same ids each time, of any response id.
func TestIdsOfCallsWithoutOne(t *testing.T) {
	body := func(id string) string {
		return fmt.Sprintf(`{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":{"a":1}}}]}}],"responseId":%q}`, id)
	}
	for id, want := range map[string]string{
		"aB-_9": "call_aB-_9_p1", "": "call_015abd7f5cc5_p1", "a/b": "call_a_b_p1_4e329d0b507a", strings.Repeat("x", 80): "call_" + strings.Repeat("x", 46) + "_",
	} {
		c, ok := answer(t, body(id)).Blocks[0].(*canon.ToolCallBlock)
		if !ok || !strings.HasPrefix(c.CallID, want) || len(c.CallID) > 64 {
			t.Errorf("%q has the id %q", id, c.CallID)
		}
	}
}
