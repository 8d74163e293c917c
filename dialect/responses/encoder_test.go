package responses_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/dialect"
	"github.com/crosswalk-agents/crosswalk/dialect/dialecttest"
	"github.com/crosswalk-agents/crosswalk/dialect/responses"
)

// written returns the frames that a caller gets for the events of an upstream.
func written(t rapid.TB, events ...*canon.Event) []byte {
	t.Helper()
	var out []byte
	e := responses.New().NewEncoder(dialect.StreamOptions{}, new(canon.Report))
	s := canon.NewSequencer(func(ev *canon.Event) (err error) {
		out, err = e.Encode(out, ev)
		return err
	})
	for _, ev := range events {
		if err := s.Next(ev); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Finish(nil); err != nil {
		t.Fatal(err)
	}
	return out
}

// sent is an event that a caller gets.
type sent struct {
	Type        string          `json:"type"`
	Seq         *int            `json:"sequence_number"`
	OutputIndex *int            `json:"output_index"`
	Content     *int            `json:"content_index"`
	Summary     *int            `json:"summary_index"`
	ItemID      string          `json:"item_id"`
	Item        map[string]any  `json:"item"`
	Response    json.RawMessage `json:"response"`
	Delta       string          `json:"delta"`
	Text        string          `json:"text"`
	Arguments   string          `json:"arguments"`
	Input       string          `json:"input"`
}

func parse(t rapid.TB, frames []byte) (list []sent) {
	t.Helper()
	for frame := range bytes.SplitSeq(bytes.TrimSuffix(frames, []byte("\n\n")), []byte("\n\n")) {
		if string(frame) == ":" {
			continue
		}
		name, data, ok := strings.Cut(strings.TrimPrefix(string(frame), "event: "), "\ndata: ")
		var s sent
		if err := json.Unmarshal([]byte(data), &s); err != nil || !ok {
			t.Fatalf("%v in %s", err, frame)
		}
		if s.Type != name {
			t.Errorf("the event %s has the type %q", name, s.Type)
		}
		list = append(list, s)
	}
	return list
}

// ladder fails unless the frames are a stream of this protocol: all begins and
// ends once and in order, and what is done says what the deltas said.
func ladder(t rapid.TB, frames []byte) {
	t.Helper()
	list := parse(t, frames)
	fail := func(i int, format string, args ...any) {
		t.Helper()
		t.Fatalf("event %d: %s\n%s", i, fmt.Sprintf(format, args...), frames)
	}
	items, open, id, said, part := 0, false, "", "", false
	var done []any
	for i, s := range list {
		if s.Seq == nil || *s.Seq != i {
			fail(i, "its number is another one")
		}
		if begins := [...]string{"response.created", "response.in_progress"}; i < 2 && s.Type != begins[i] {
			fail(i, "%s instead of %s", s.Type, begins[i])
		}
		last := false
		switch name := strings.TrimPrefix(s.Type, "response."); name {
		case "created", "in_progress":
			if i > 1 || s.Response == nil {
				fail(i, "it begins once more, or is without a response")
			}
			continue
		case "completed", "incomplete", "failed":
			last = true
			var r struct {
				Status string
				Output []any
				Usage  *struct{}
			}
			if err := json.Unmarshal(s.Response, &r); err != nil || r.Status != name || r.Usage == nil {
				fail(i, "its response is %s", s.Response)
			}
			if name == "completed" {
				if diff := cmp.Diff(done, r.Output); diff != "" && len(done)+len(r.Output) > 0 {
					fail(i, "the list is another one: %s", diff)
				}
			}
		case "output_item.added":
			if open || s.Item["id"] == "" || s.Item["id"] == nil {
				fail(i, "an item within an item, or without an id")
			}
			open, id, said = true, s.Item["id"].(string), ""
		case "output_item.done":
			if !open || part || s.Item["id"] != id {
				fail(i, "an item is done that is not open")
			}
			open = false
			done = append(done, s.Item)
			items++
			continue
		case "content_part.added", "reasoning_summary_part.added":
			if part {
				fail(i, "a part within a part")
			}
			part, said = true, ""
		case "content_part.done", "reasoning_summary_part.done":
			if !part {
				fail(i, "a part is done that is not open")
			}
			part = false
		case "output_text.delta", "reasoning_summary_text.delta":
			if !part {
				fail(i, "text without its part")
			}
			said += s.Delta
		case "function_call_arguments.delta", "custom_tool_call_input.delta":
			said += s.Delta
		case "output_text.done", "reasoning_summary_text.done", "function_call_arguments.done", "custom_tool_call_input.done":
			if whole := s.Text + s.Arguments + s.Input; whole != said {
				fail(i, "it says %q after %q", whole, said)
			}
		default:
			fail(i, "there is no such event")
		}
		if last != (i == len(list)-1) {
			fail(i, "the end is not the end")
		}
		if !last && (!open || s.OutputIndex == nil || *s.OutputIndex != items || s.Item == nil && s.ItemID != id) {
			fail(i, "it is of no open item")
		}
	}
}

// gateway/A5, gateway/A1, gateway/A2: one begin, each item and part in its place,
// one end, whatever the order in which an upstream writes.
func TestStreamsAreInOrder(t *testing.T) {
	for _, x := range dialecttest.CorpusResponses() {
		t.Run(x.Name, func(t *testing.T) {
			var events []*canon.Event
			for e := range x.Make().Events() {
				events = append(events, e)
			}
			frames := written(t, events...)
			ladder(t, frames)
			if bytes.Contains(frames, []byte("[DONE]")) {
				t.Error("gateway/A7: this protocol has no [DONE]")
			}
		})
	}
	t.Run("any events", rapid.MakeCheck(func(t *rapid.T) { ladder(t, written(t, drawEvents(t)...)) }))
}

// drawEvents draws events as an upstream may send them.
func drawEvents(t *rapid.T) (events []*canon.Event) {
	var blocks []canon.Block
	for range rapid.IntRange(0, 20).Draw(t, "events") {
		e := &canon.Event{Kind: rapid.SampledFrom([]canon.EventKind{canon.EventStart, canon.EventBlock, canon.EventBlock, canon.EventDelta, canon.EventDelta, canon.EventDelta, canon.EventBlockEnd, canon.EventPing}).Draw(t, "kind")}
		switch e.Kind {
		case canon.EventStart:
			e.Response = &canon.Response{ID: "r", Model: "m"}
		case canon.EventBlock:
			e.Index, e.Block = len(blocks), drawBlock(t)
			blocks = append(blocks, e.Block)
		case canon.EventDelta, canon.EventBlockEnd:
			if len(blocks) == 0 {
				continue
			}
			e.Index = rapid.IntRange(0, len(blocks)-1).Draw(t, "block")
			e.Text = canon.NewText(rapid.SampledFrom([]string{"a", "{}", "\n\"", "é😀"}).Draw(t, "text"))
			switch blocks[e.Index].(type) {
			case *canon.ToolCallBlock:
				e.Part = canon.PartInput
			case *canon.ReasoningBlock:
				e.Part = rapid.SampledFrom([]canon.Part{canon.PartText, canon.PartSummary, canon.PartSealed}).Draw(t, "part")
				e.Summary = rapid.IntRange(0, 2).Draw(t, "summary")
			}
		case canon.EventPing, canon.EventEnd, canon.EventError:
		}
		events = append(events, e)
	}
	switch rapid.IntRange(0, 3).Draw(t, "end") {
	case 0: // it breaks off
	case 1:
		events = append(events, &canon.Event{Kind: canon.EventError, Err: &canon.APIError{Kind: canon.ErrOverloaded, Message: "busy"}})
	default:
		stop := rapid.SampledFrom([]canon.StopReason{canon.StopEnd, canon.StopLimit, canon.StopRefusal, canon.StopPause}).Draw(t, "stop")
		events = append(events, &canon.Event{Kind: canon.EventEnd, Response: &canon.Response{Stop: canon.Stop{Reason: stop}}})
	}
	return events
}

func drawBlock(t *rapid.T) canon.Block {
	kinds := []canon.CallKind{canon.CallFunction, canon.CallCustom, canon.CallShell, canon.CallProvider, ""}
	switch rapid.IntRange(0, 5).Draw(t, "block") {
	case 0, 1:
		return &canon.TextBlock{}
	case 2:
		return &canon.ReasoningBlock{}
	case 3:
		return &canon.ImageBlock{}
	default:
		return &canon.ToolCallBlock{CallID: "c", Name: rapid.SampledFrom([]string{"f", responses.NameWebSearch}).Draw(t, "name"), Call: rapid.SampledFrom(kinds).Draw(t, "call")}
	}
}

func begun(b canon.Block, deltas ...string) []*canon.Event {
	events := []*canon.Event{{Kind: canon.EventStart, Response: &canon.Response{ID: "resp_1", Model: "m"}}, {Kind: canon.EventBlock, Block: b}}
	part := canon.PartText
	if b.Kind() == canon.KindToolCall {
		part = canon.PartInput
	}
	for _, d := range deltas {
		events = append(events, &canon.Event{Kind: canon.EventDelta, Part: part, Text: canon.NewText(d)})
	}
	return events
}

func ended(reason canon.StopReason) *canon.Event {
	return &canon.Event{Kind: canon.EventEnd, Response: &canon.Response{Stop: canon.Stop{Reason: reason}}}
}

// The client acts on the item that is done, so it says all (gateway/A6), with the
// namespace that the caller declared (gateway/M2).
func TestAnItemThatIsDoneSaysAll(t *testing.T) {
	for want, c := range map[string]*canon.ToolCallBlock{
		`{"type":"function_call","id":"fc_resp_1_0","status":"completed","call_id":"c1","name":"f","namespace":"n","arguments":"{\"a\":1}"}`: {CallID: "c1", Name: "f", Namespace: "n", Call: canon.CallFunction},
		`{"type":"custom_tool_call","id":"ctc_resp_1_0","status":"completed","call_id":"c1","name":"f","input":"{\"a\":1}"}`:                 {CallID: "c1", Name: "f", Call: canon.CallCustom},
		`{"type":"function_call","id":"fc_7","status":"completed","call_id":"call_resp_1_0","name":"f","arguments":"{\"a\":1}"}`:             {BlockMeta: canon.BlockMeta{ItemID: "fc_7"}, Name: "f", Call: canon.CallFunction},
	} {
		frames := string(written(t, append(begun(c, `{"a"`, `:1}`), ended(canon.StopToolCall))...))
		for _, s := range []string{`"response.output_item.done","sequence_number":6,"output_index":0,"item":` + want + "}\n", `"output":[` + want + `]`} {
			if !strings.Contains(frames, s) {
				t.Errorf("there is no %s in\n%s", s, frames)
			}
		}
	}
}

// The input that a function had for a shell call is the action of its item.
func TestAShellCallHasAnAction(t *testing.T) {
	c := &canon.ToolCallBlock{CallID: "c1", Name: "local_shell", Call: canon.CallShell}
	frames := string(written(t, append(begun(c, `{"command":["ls"],"workdir":"/w","timeout_ms":10.0}`), ended(canon.StopToolCall))...))
	if want := `"action":{"type":"exec","command":["ls"],"working_directory":"/w","timeout_ms":10.0,"env":{}}`; strings.Count(frames, want) != 3 {
		t.Errorf("there is no %s in\n%s", want, frames)
	}
}

// gateway/F1: each reason to stop has its end.
func TestEndsOfStreams(t *testing.T) {
	text, call := &canon.TextBlock{}, &canon.ToolCallBlock{CallID: "c1", Name: "f", Call: canon.CallFunction}
	for _, x := range []struct {
		name   string
		events []*canon.Event
		has    []string
		not    string
	}{
		{"natural", append(begun(text, "a"), ended(canon.StopEnd)), []string{`event: response.completed`, `"status":"completed","error":null,"incomplete_details":null`}, "incomplete\""},
		{"a call", append(begun(call, "{}"), ended(canon.StopToolCall)), []string{`event: response.completed`}, "event: response.incomplete"},
		{"calls without a call, gateway/B4", append(begun(text, "a"), ended(canon.StopToolCall)), []string{`event: response.completed`}, "event: response.incomplete"},
		{"limit", append(begun(text, "a"), ended(canon.StopLimit)), []string{`event: response.incomplete`, `"incomplete_details":{"reason":"max_output_tokens"}`, `"item":{"type":"message","id":"msg_resp_1_0","status":"incomplete"`}, "event: response.completed"},
		{"context", append(begun(text, "a"), ended(canon.StopContext)), []string{`event: response.incomplete`, `{"reason":"max_output_tokens"}`}, "event: response.completed"},
		{"filter", append(begun(text, "a"), ended(canon.StopRefusal)), []string{`event: response.incomplete`, `{"reason":"content_filter"}`}, "event: response.completed"},
		{"pause", append(begun(text, "a"), ended(canon.StopPause)), []string{`event: response.completed`}, "event: response.incomplete"},
		{"a call that the limit cut", append(begun(call, `{"a":`), ended(canon.StopLimit)), []string{`event: response.incomplete`, `"status":"incomplete","call_id":"c1","name":"f","arguments":"{\"a\":"`}, "event: response.output_item.done"},
		{"a call that the limit cut before its input", append(begun(call), ended(canon.StopLimit)), []string{`event: response.incomplete`}, "arguments.done"},
		{"a call before the limit", append(begun(call, `{"a":1}`), ended(canon.StopLimit)), []string{`event: response.incomplete`, `event: response.output_item.done`}, `"status":"incomplete","call_id"`},
		{"a failure, gateway/K2", append(begun(call, `{"a":1}`), &canon.Event{Kind: canon.EventBlockEnd}, &canon.Event{Kind: canon.EventError, Err: &canon.APIError{Kind: canon.ErrOverloaded, Message: "busy"}}), []string{`event: response.failed`, `"status":"failed","error":{"code":"server_is_overloaded","message":"busy"}`}, "event: response.output_item.done"},
		{"a stream that broke off, gateway/K2", begun(text, "a"), []string{`event: response.failed`, `"code":"server_error"`}, "event: response.completed"},
		{"a prompt that is too long, gateway/K1", []*canon.Event{{Kind: canon.EventError, Err: &canon.APIError{Kind: canon.ErrInvalid, Message: "prompt is too long: 5 tokens > 4 maximum"}}}, []string{`event: response.created`, `"error":{"code":"context_length_exceeded","message":"prompt is too long: 5 tokens > 4 maximum"}`}, "completed"},
		{"a ping", append(begun(text, "a"), &canon.Event{Kind: canon.EventPing}), []string{"\n\n:\n\n"}, "ping"},
	} {
		t.Run(x.name, func(t *testing.T) {
			frames := written(t, x.events...)
			ladder(t, frames)
			for _, s := range x.has {
				if !strings.Contains(string(frames), s) {
					t.Errorf("there is no %s in\n%s", s, frames)
				}
			}
			if strings.Contains(string(frames), x.not) {
				t.Errorf("there is %s in\n%s", x.not, frames)
			}
		})
	}
}

// Ids are the same each time and, whoever made that of the answer, such as the
// vendor takes.
func TestIDsOfItems(t *testing.T) {
	for _, id := range []string{"", "resp_1", "msg_01/é", strings.Repeat("x", 300)} {
		a := &canon.Response{ID: id, Blocks: []canon.Block{&canon.TextBlock{}, &canon.ToolCallBlock{Name: "f", Call: canon.CallFunction}}}
		var bodies [2][]byte
		for i := range bodies {
			var err error
			if bodies[i], err = responses.New().EncodeResponse(nil, a, new(canon.Report)); err != nil {
				t.Fatal(err)
			}
		}
		var r struct {
			Output []struct {
				ID     string `json:"id"`
				CallID string `json:"call_id"`
			}
		}
		if err := json.Unmarshal(bodies[0], &r); err != nil || !bytes.Equal(bodies[0], bodies[1]) || len(r.Output) != 2 {
			t.Fatalf("%v, %s", err, bodies[0])
		}
		grammar := canon.Grammar{Max: 64, Extra: "_-"}
		msg, fc := r.Output[0].ID, r.Output[1].ID
		if !strings.HasPrefix(msg, "msg_") || !strings.HasPrefix(fc, "fc_") || !grammar.Legal(msg) || !grammar.Legal(fc) || !grammar.Legal(r.Output[1].CallID) {
			t.Errorf("of %q: %s", id, bodies[0])
		}
	}
}

func TestErrors(t *testing.T) {
	for _, x := range []struct {
		name   string
		status int
		body   string
		kind   canon.ErrorKind
		code   string
	}{
		{"of a key", 401, `{"error":{"message":"m","type":"invalid_request_error","param":null,"code":"invalid_api_key"}}`, canon.ErrAuthentication, "invalid_api_key"},
		{"of a rate", 429, `{"error":{"message":"m","type":"tokens","code":"rate_limit_exceeded"}}`, canon.ErrRateLimit, "rate_limit_exceeded"},
		{"of a quota", 429, `{"error":{"message":"m","type":"insufficient_quota","code":"insufficient_quota"}}`, canon.ErrBilling, "insufficient_quota"},
		{"of an unknown model", 404, `{"error":{"message":"m","type":"invalid_request_error","code":"model_not_found"}}`, canon.ErrNotFound, "model_not_found"},
		{"of an overload, gateway/K1", 529, `{"error":{"message":"m","type":"server_error","code":null}}`, canon.ErrOverloaded, ""},
		{"of an overload without a body, gateway/K1", 529, ``, canon.ErrOverloaded, ""},
		{"of an unknown sort", 400, `{"error":{"message":"m","type":"odd","code":"odd"}}`, canon.ErrInvalid, "odd"},
		{"of a gateway", 502, `{"detail":"m"}`, canon.ErrInternal, ""},
	} {
		t.Run(x.name, func(t *testing.T) {
			e := responses.New().DecodeError(x.status, []byte(x.body))
			if e.Kind != x.kind || e.Code != x.code || e.Status != x.status || x.body != "" && e.Message != "m" {
				t.Errorf("%+v", e)
			}
		})
	}
	var api *canon.APIError
	if _, err := responses.New().DecodeResponse([]byte(`{"status":"failed","error":{"code":"slow_down","message":"m"}}`), new(canon.Report)); !errors.As(err, &api) || api.Kind != canon.ErrOverloaded {
		t.Error(err)
	}
}
