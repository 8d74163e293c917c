package all_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/dialect"
	"github.com/crosswalk-agents/crosswalk/dialect/all"
	"github.com/crosswalk-agents/crosswalk/dialect/dialecttest"
)

func codec(t *testing.T, name string) dialect.Codec {
	t.Helper()
	for _, c := range all.Codecs() {
		if c.Name() == name {
			return c
		}
	}
	t.Fatalf("no dialect %q", name)
	return nil
}

// frames makes a stream of JSON values, and of lines that begin with "event:".
func frames(lines ...string) []byte {
	var b strings.Builder
	for _, l := range lines {
		name, data, named := strings.Cut(l, " | ")
		if !named {
			name, data = "", l
		}
		if name != "" {
			b.WriteString("event: " + name + "\n")
		}
		b.WriteString("data: " + data + "\n\n")
	}
	return []byte(b.String())
}

// outline lists the types of a stream's events, with what in braces tells more.
func outline(stream []byte) string {
	var out []string
	for _, f := range bytes.Split(stream, []byte("\n\n")) {
		_, data, ok := bytes.Cut(f, []byte("data: "))
		if !ok {
			continue
		}
		s := string(data)
		for _, m := range []string{`"type":"`, `"finish_reason":"`} {
			if _, rest, ok := strings.Cut(s, m); ok {
				word, _, _ := strings.Cut(rest, `"`)
				out = append(out, word)
				break
			}
		}
	}
	return strings.Join(out, " ")
}

// Streams with the symptom of a public report: what an upstream sends, and the
// order of events that the caller needs.
func TestReportedStreams(t *testing.T) {
	const done = "[DONE]"
	chunk := func(delta, finish string) string {
		return `{"id":"c1","model":"m","choices":[{"index":0,"delta":` + delta + `,"finish_reason":` + finish + `}]}`
	}
	call := `{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"Read","arguments":"{}"}}]}`
	for name, tt := range map[string]struct {
		caller, upstream string
		frames           []byte
		want             string
	}{
		"gateway A1: a call in the first chunk": {
			"anthropic", "chat", frames(chunk(call, "null"), chunk("{}", `"tool_calls"`), done),
			"message_start content_block_start content_block_delta content_block_stop message_delta message_stop",
		},
		"gateway A2: thinking within a text": {
			"anthropic", "chat", frames(chunk(`{"role":"assistant","content":"a"}`, "null"), chunk(`{"role":"assistant","reasoning_content":"b"}`, "null"), chunk(`{"content":"c"}`, `"stop"`), done),
			"message_start content_block_start content_block_delta content_block_stop content_block_start content_block_delta content_block_stop " +
				"content_block_start content_block_delta content_block_stop message_delta message_stop",
		},
		"gateway A5: no content part": {
			"responses", "chat", frames(chunk(`{"content":"a"}`, "null"), chunk("{}", `"stop"`), done),
			"response.created response.in_progress response.output_item.added response.content_part.added response.output_text.delta " +
				"response.output_text.done response.content_part.done response.output_item.done response.completed",
		},
		"gateway K2: the upstream dies": {
			"responses", "anthropic", frames(`message_start | {"type":"message_start","message":{"id":"m1","model":"m","usage":{}}}`,
				`content_block_start | {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`,
				`content_block_delta | {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a"}}`),
			"response.created response.in_progress response.output_item.added response.content_part.added response.output_text.delta response.failed",
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := outline(dialecttest.Convert(t, codec(t, tt.caller), codec(t, tt.upstream), tt.frames))
			if got != tt.want {
				t.Errorf("\n got %s\nwant %s", got, tt.want)
			}
		})
	}
}

// gateway A3: each change of kind has an index of its own.
func TestReportA3EachBlockHasAnIndexOfItsOwn(t *testing.T) {
	up := frames(`{"id":"c","choices":[{"index":0,"delta":{"reasoning_content":"a"}}]}`, `{"id":"c","choices":[{"index":0,"delta":{"content":"b"}}]}`,
		`{"id":"c","choices":[{"index":0,"delta":{"reasoning_content":"c"}}]}`, `{"id":"c","choices":[{"index":0,"delta":{"content":"d"},"finish_reason":"stop"}]}`, "[DONE]")
	out := string(dialecttest.Convert(t, codec(t, "anthropic"), codec(t, "chat"), up))
	for i, n := range []string{`"index":0`, `"index":1`, `"index":2`, `"index":3`} {
		if strings.Count(out, n) != 3 {
			t.Errorf("block %d has %d events\n%s", i, strings.Count(out, n), out)
		}
	}
}

// gateway A6: the client acts on the item that is done, so that has the name.
func TestReportA6TheDoneItemNamesItsTool(t *testing.T) {
	up := frames(`{"id":"c","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_1","function":{"name":"Read","arguments":"{\"a\":1}"}}]}}]}`,
		`{"id":"c","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`, "[DONE]")
	out := string(dialecttest.Convert(t, codec(t, "responses"), codec(t, "chat"), up))
	_, item, ok := strings.Cut(out, "event: response.output_item.done\ndata: ")
	item, _, _ = strings.Cut(item, "\n")
	for _, want := range []string{`"name":"Read"`, `"call_id":"call_1"`, `"arguments":"{\"a\":1}"`} {
		if !ok || !strings.Contains(item, want) {
			t.Errorf("gateway A6: no %s in %s", want, item)
		}
	}
}

// gateway B2: a call of Gemini reaches a caller with its input, and its signature
// is no part of its id.
func TestReportB2GeminiCallsReachEveryCaller(t *testing.T) {
	up := frames(`{"responseId":"r","candidates":[{"content":{"role":"model","parts":[{"functionCall":{"name":"Read","args":{"a":1}},"thoughtSignature":"c2ln"}]},"finishReason":"STOP"}]}`)
	for _, caller := range all.Codecs() {
		a, err := dialecttest.Read(caller, bytes.NewReader(dialecttest.Convert(t, caller, codec(t, "gemini"), up)))
		if err != nil {
			t.Fatal(err)
		}
		var c *canon.ToolCallBlock
		for _, b := range a.Blocks {
			if b, ok := b.(*canon.ToolCallBlock); ok {
				c = b
			}
		}
		if c == nil || string(c.Input.JSON) != `{"a":1}` || strings.Contains(c.CallID, "c2ln") || c.CallID == "" {
			t.Errorf("%s: %s", caller.Name(), dialecttest.FormatResponse(a))
		}
	}
}

// gateway C4: as many responses as calls, in one content, in the order of the
// calls.
func TestReportC4GeminiGetsAsManyResponsesAsCalls(t *testing.T) {
	body := `{"model":"m","messages":[{"role":"user","content":"go"},{"role":"assistant","content":null,"tool_calls":[` +
		`{"id":"a","type":"function","function":{"name":"A","arguments":"{}"}},{"id":"b","type":"function","function":{"name":"B","arguments":"{}"}},` +
		`{"id":"c","type":"function","function":{"name":"C","arguments":"{}"}}]},` +
		`{"role":"tool","tool_call_id":"c","content":"3"},{"role":"tool","tool_call_id":"a","content":"1"},{"role":"user","content":"on"}],` +
		`"tools":[{"type":"function","function":{"name":"A"}},{"type":"function","function":{"name":"B"}},{"type":"function","function":{"name":"C"}}]}`
	q, err := codec(t, "chat").DecodeRequest([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	out, err := codec(t, "gemini").EncodeRequest(nil, q, &dialect.Target{}, new(canon.Report))
	if err != nil {
		t.Fatal(err)
	}
	s := string(out)
	a, b, c := strings.Index(s, `"functionResponse":{"id":"a"`), strings.Index(s, `"functionResponse":{"id":"b"`), strings.Index(s, `"functionResponse":{"id":"c"`)
	if strings.Count(s, `"functionResponse"`) != 3 || a < 0 || a >= b || b >= c {
		t.Errorf("%d %d %d in %s", a, b, c, s)
	}
}

// gateway D3: a signed block passes byte for byte within its own protocol.
func TestReportD3SignedBlocksStayAsTheyAre(t *testing.T) {
	const block = `{ "signature":"c2ln+/\u003d", "type":"thinking","thinking":"a\/b\u00e9" , "x":1.50}`
	body := `{"model":"m","messages":[{"role":"assistant","content":[` + block + `,{"type":"tool_use","id":"t","name":"Read","input":{"b":1.0,"a":2}}]}]}`
	out, err := codec(t, "anthropic").SpliceRequest(nil, []byte(body), []canon.Edit{{Op: canon.EditModel, To: "other"}, {Op: canon.EditTool, From: "Read", To: "read"}})
	if err != nil {
		t.Fatal(err)
	}
	if want := strings.NewReplacer(`"m"`, `"other"`, `"Read"`, `"read"`).Replace(body); string(out) != want {
		t.Errorf("gateway D3:\n got %s\nwant %s", out, want)
	}
}
