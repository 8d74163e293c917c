package chat_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/dialect"
	"github.com/crosswalk-agents/crosswalk/dialect/chat"
)

func text(s string) *canon.TextBlock { return &canon.TextBlock{Text: canon.NewText(s)} }

func message(role canon.Role, blocks ...canon.Block) *canon.Message {
	m := &canon.Message{Role: role, Blocks: blocks}
	if role == canon.System {
		m.Authority = canon.AuthoritySystem
	}
	return m
}

func developer(s string) *canon.Message {
	return &canon.Message{Role: canon.System, Authority: canon.AuthorityDeveloper, Blocks: []canon.Block{text(s)}}
}

func call(id, name, input string) *canon.ToolCallBlock {
	return &canon.ToolCallBlock{CallID: id, Name: name, Call: canon.CallFunction, Input: canon.Input{JSON: canon.Raw(input)}}
}

func result(id string, content ...canon.Block) *canon.ToolResultBlock {
	return &canon.ToolResultBlock{CallID: id, Content: content}
}

func failed(id string, content ...canon.Block) *canon.ToolResultBlock {
	return &canon.ToolResultBlock{CallID: id, IsError: true, Content: content}
}

// thought is reasoning of the dialect's own vendor.
func thought(s, sealed string) *canon.ReasoningBlock {
	return &canon.ReasoningBlock{Text: canon.NewText(s), Capsule: canon.Capsule{Issuer: chat.Name, Sealed: canon.NewText(sealed)}}
}

func image() *canon.ImageBlock {
	return &canon.ImageBlock{Media: canon.Media{MediaType: "image/png", Data: canon.NewText("iVBORw0KGgo=")}}
}

func pdf(name string) *canon.DocumentBlock {
	return &canon.DocumentBlock{Media: canon.Media{MediaType: "application/pdf", Data: canon.NewText("JVBERi0="), Name: name}}
}

func talk(msgs ...*canon.Message) *canon.Request { return &canon.Request{Messages: msgs} }

func encode(t *testing.T, q *canon.Request, target dialect.Target) (body string, losses []string) {
	t.Helper()
	var r canon.Report
	out, err := chat.New().EncodeRequest(nil, q, &target, &r)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Balance(); err != nil {
		t.Error(err)
	}
	for _, l := range r.Losses {
		losses = append(losses, l.What+" "+string(l.Action))
	}
	return string(out), losses
}

const userA = `{"role":"user","content":"a"}`

// TestMessages holds what becomes of messages: msgs is what the list of messages
// holds then.
func TestMessages(t *testing.T) {
	user, assistant, system := canon.User, canon.Assistant, canon.System
	for name, tt := range map[string]struct {
		in     []*canon.Message
		target dialect.Target
		msgs   string
		losses []string
	}{
		"gateway/E1: the billing line stays behind": {
			in:     []*canon.Message{message(system, text("x-anthropic-billing-header: cch=1;")), message(system, text("Be brief.")), message(user, text("a"))},
			msgs:   `{"role":"system","content":"Be brief."},` + userA,
			losses: []string{"text dropped", "message dropped"},
		},
		"texts of the system are one, with a blank line between": {
			in:     []*canon.Message{message(system, text("b"), text("c")), message(system, text("d")), message(user, text("a"))},
			msgs:   `{"role":"system","content":"b\n\nc\n\nd"},` + userA,
			losses: []string{"text moved", "text moved", "text moved"},
		},
		"gateway/G1: system and developer text stands at its place": {
			in:   []*canon.Message{message(user, text("a")), message(system, text("b")), developer("c"), message(user, text("d"))},
			msgs: userA + `,{"role":"system","content":"b"},{"role":"developer","content":"c"},{"role":"user","content":"d"}`,
		},
		"gateway/G1: where no developer is known": {
			in:     []*canon.Message{message(system, text("b")), developer("c"), message(user, text("a")), developer("d")},
			target: dialect.Target{NoDeveloper: true},
			msgs:   `{"role":"system","content":"b\n\nc"},` + userA + `,{"role":"system","content":"d"}`,
			losses: []string{"authority moved", "text moved", "text moved", "authority moved"},
		},
		"gateway/G1: where system text stands first alone": {
			in:     []*canon.Message{message(user, text("a")), developer("b")},
			target: dialect.Target{LeadingSystem: true},
			msgs:   userA + `,{"role":"user","content":"<system-message>\nb\n</system-message>"}`,
			losses: []string{"text moved"},
		},
		"gateway/C1 gateway/C2: an image of a result follows the results, which are strings": {
			in: []*canon.Message{
				message(assistant, call("c1", "f", `{}`), call("c2", "f", `{}`)), message(user, result("c1", image())),
				message(user, result("c2", text("b"), pdf("x.pdf")), text("a")),
			},
			msgs: `{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}},{"id":"c2","type":"function","function":{"name":"f","arguments":"{}"}}]},` +
				`{"role":"tool","tool_call_id":"c1","content":"[image: see the message behind the results]"},` +
				`{"role":"tool","tool_call_id":"c2","content":"b\n[document: see the message behind the results]"},` +
				`{"role":"user","content":[{"type":"text","text":"[image of the result of tool call c1]"},{"type":"image_url","image_url":{"url":"data:image/png;base64,iVBORw0KGgo="}},` +
				`{"type":"text","text":"[document of the result of tool call c2]"},{"type":"file","file":{"filename":"x.pdf","file_data":"data:application/pdf;base64,JVBERi0="}}]},` + userA,
			losses: []string{"tool_result image moved", "tool_result document moved", "message synthesized"},
		},
		"gateway/C2: several texts of a result are parts": {
			in:   []*canon.Message{message(assistant, call("c1", "f", `{}`)), message(user, result("c1", text("b"), text("c")))},
			msgs: `{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c1","content":[{"type":"text","text":"b"},{"type":"text","text":"c"}]}`,
		},
		"gateway/H1: documents": {
			in:     []*canon.Message{message(user, pdf("x.pdf"), pdf(""), &canon.DocumentBlock{Media: canon.Media{URL: canon.NewText("https://example.org/y.pdf")}})},
			msgs:   `{"role":"user","content":[{"type":"file","file":{"filename":"x.pdf","file_data":"data:application/pdf;base64,JVBERi0="}},{"type":"file","file":{"filename":"document.pdf","file_data":"data:application/pdf;base64,JVBERi0="}},{"type":"text","text":"[document at https://example.org/y.pdf left out: the target does not take it]"}]}`,
			losses: []string{"document downgraded", "document name synthesized"},
		},
		"gateway/H1: a model that sees nothing": {
			in:     []*canon.Message{message(user, image(), pdf("x.pdf"))},
			target: dialect.Target{NoImages: true},
			msgs:   `{"role":"user","content":[{"type":"text","text":"[image left out: the target does not take images of type \"image/png\"]"},{"type":"text","text":"[document x.pdf left out: the target does not take it]"}]}`,
			losses: []string{"image downgraded", "document downgraded"},
		},
		"gateway/C3 gateway/C6: results stand in the order of the calls, and say that they failed": {
			in: []*canon.Message{message(assistant, call("c1", "f", `{}`), call("c2", "f", `{}`)), message(user, failed("c2", text("b")), failed("c1"))},
			msgs: `{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}},{"id":"c2","type":"function","function":{"name":"f","arguments":"{}"}}]},` +
				`{"role":"tool","tool_call_id":"c1","content":"[error] (no output)"},{"role":"tool","tool_call_id":"c2","content":"[error] b"}`,
			losses: []string{"message synthesized", "tool_result downgraded", "is_error moved", "is_error moved"},
		},
		"gateway/C5: calls without results and results without calls": {
			in: []*canon.Message{message(assistant, call("c1", "f", `{}`)), message(user, text("a"), result("c9", text("b")))},
			msgs: `{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}}]},` +
				`{"role":"tool","tool_call_id":"c1","content":"[no result: the session was interrupted before this tool call finished]"},{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"[tool result without its call] b"}]}`,
			losses: []string{"tool_result downgraded", "tool_result synthesized"},
		},
		"calls of one turn stand in one message": {
			in: []*canon.Message{message(assistant, text("b")), message(assistant, call("c1", "f", `{}`)), message(assistant, text("c"), call("c2", "f", `{}`)), message(user, result("c1", text("1")), result("c2", text("2")))},
			msgs: `{"role":"assistant","content":[{"type":"text","text":"b"},{"type":"text","text":"c"}],"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}},{"id":"c2","type":"function","function":{"name":"f","arguments":"{}"}}]},` +
				`{"role":"tool","tool_call_id":"c1","content":"1"},{"role":"tool","tool_call_id":"c2","content":"2"}`,
			losses: []string{"text moved"},
		},
		"gateway/B3: inputs are objects": {
			in: []*canon.Message{message(assistant, &canon.ToolCallBlock{CallID: "c1", Name: "f", Call: canon.CallFunction}, &canon.ToolCallBlock{CallID: "c2", Name: "f", Call: canon.CallFunction, Input: canon.Input{Text: canon.NewText(`{"a":`)}}, call("c3", "f", `[1]`)), message(user, result("c1", text("1")), result("c2", text("2")), result("c3", text("3")))},
			msgs: `{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}},{"id":"c2","type":"function","function":{"name":"f","arguments":"{\"input\":\"{\\\"a\\\":\"}"}},{"id":"c3","type":"function","function":{"name":"f","arguments":"{\"input\":[1]}"}}]},` +
				`{"role":"tool","tool_call_id":"c1","content":"1"},{"role":"tool","tool_call_id":"c2","content":"2"},{"role":"tool","tool_call_id":"c3","content":"3"}`,
			losses: []string{"tool_call moved", "tool_call moved"},
		},
		"gateway/B5: ids that OpenAI takes stay": {
			in:   []*canon.Message{message(assistant, call("functions.Bash:0", "Bash", `{}`)), message(user, result("functions.Bash:0", text("b")))},
			msgs: `{"role":"assistant","content":null,"tool_calls":[{"id":"functions.Bash:0","type":"function","function":{"name":"Bash","arguments":"{}"}}]},{"role":"tool","tool_call_id":"functions.Bash:0","content":"b"}`,
		},
		"gateway/B5: ids that are too long get an alias": {
			in:     []*canon.Message{message(assistant, call(strings.Repeat("x", 41), "Bash", `{}`)), message(user, result(strings.Repeat("x", 41), text("b")))},
			msgs:   `{"role":"assistant","content":null,"tool_calls":[{"id":"xxxxxxxxxxxxxxxxxxxxxxxxxxx_3164596df4fd","type":"function","function":{"name":"Bash","arguments":"{}"}}]},{"role":"tool","tool_call_id":"xxxxxxxxxxxxxxxxxxxxxxxxxxx_3164596df4fd","content":"b"}`,
			losses: []string{"tool_call id renamed"},
		},
		"gateway/D5: reasoning goes back to whoever gave it": {
			in:   []*canon.Message{message(assistant, thought("hm", ""), text("b"), call("c1", "f", `{}`)), message(user, result("c1", text("1")))},
			msgs: `{"role":"assistant","content":"b","reasoning_content":"hm","tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c1","content":"1"}`,
		},
		"gateway/D2: and to nobody else": {
			in:     []*canon.Message{message(assistant, thought("hm", "c2ln"), text("b"))},
			target: dialect.Target{Issuer: "chat api.example.org"},
			msgs:   `{"role":"assistant","content":"b"}`,
			losses: []string{"reasoning dropped"},
		},
		"gateway/D1: a signature goes back with its call": {
			in:   []*canon.Message{message(assistant, thought("hm", "c2ln"), text("b"), call("c1", "f", `{}`), call("c2", "f", `{}`)), message(user, result("c1", text("1")), result("c2", text("2")))},
			msgs: `{"role":"assistant","content":"b","reasoning_content":"hm","tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"},"extra_content":{"google":{"thought_signature":"c2ln"}}},{"id":"c2","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c1","content":"1"},{"role":"tool","tool_call_id":"c2","content":"2"}`,
		},
		"a signature without a call": {
			in:     []*canon.Message{message(assistant, thought("", "c2ln"), text("b"))},
			msgs:   `{"role":"assistant","content":"b"}`,
			losses: []string{"reasoning dropped"},
		},
		"reasoning within an answer stands before it": {
			in:     []*canon.Message{message(assistant, thought("one", ""), text("b"), thought("two", ""), text("c"))},
			msgs:   `{"role":"assistant","content":[{"type":"text","text":"b"},{"type":"text","text":"c"}],"reasoning_content":"one\n\ntwo"}`,
			losses: []string{"reasoning moved"},
		},
		"a tool that a vendor ran becomes a call with its result": {
			in: []*canon.Message{
				message(assistant, text("b"), &canon.ToolCallBlock{CallID: "p1", Name: "web_search", Call: canon.CallProvider, Input: canon.Input{JSON: canon.Raw(`{"q":1}`)}}, result("p1", text("found")), text("c"), call("c1", "f", `{}`)),
				message(user, result("c1", text("1"))),
			},
			msgs: `{"role":"assistant","content":"b","tool_calls":[{"id":"p1","type":"function","function":{"name":"web_search","arguments":"{\"q\":1}"}}]},{"role":"tool","tool_call_id":"p1","content":"found"},` +
				`{"role":"assistant","content":"c","tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c1","content":"1"}`,
			losses: []string{"tool_call downgraded"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			body, losses := encode(t, talk(tt.in...), tt.target)
			if want := `{"model":"","messages":[` + tt.msgs + `]}`; body != want {
				t.Errorf("got  %s\nwant %s", body, want)
			}
			if !slices.Equal(losses, tt.losses) {
				t.Errorf("it lists %q, want %q", losses, tt.losses)
			}
			if again, _ := encode(t, mustDecode(t, body), tt.target); again != body {
				t.Errorf("read and written again it is\n%s", again)
			}
		})
	}
}

func mustDecode(t *testing.T, body string) *canon.Request {
	t.Helper()
	q, err := chat.DecodeRequest([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// userID is of the form that Claude Code writes. (2.1.332.)
var userID = `{"device_id":"` + strings.Repeat("0", 64) + `","account_uuid":"","session_id":"01234567-89ab-cdef-0123-456789abcdef"}`

// TestParameters holds what becomes of everything but messages: rest is what the
// body holds beside an empty list of them.
func TestParameters(t *testing.T) {
	schema := canon.Raw(`{"type":"object"}`)
	patch := canon.Tool{Name: "patch", Call: canon.CallCustom, Grammar: canon.Raw(`{"type":"grammar","syntax":"lark","definition":"x"}`)}
	read := canon.Tool{Name: "Read", Call: canon.CallFunction, Schema: canon.Raw(`{"type":"object","properties":{}}`)}
	const readOut = `"tools":[{"type":"function","function":{"name":"Read","parameters":{"type":"object","properties":{}}}}],`
	for name, tt := range map[string]struct {
		in           canon.Request
		target       dialect.Target
		before, rest string
		losses       []string
	}{
		"gateway/N4: a long user is a hash": {
			in: canon.Request{User: canon.NewText(userID), CacheKey: canon.NewText(strings.Repeat("k", 65))},
			rest: `,"user":"2e0d58e48c7e00c8fb08bfa956c672cf0be3b0cb7db9a570d82d2920788c0b9c",` +
				`"prompt_cache_key":"f39cdc2584758c99cf81c1f41d2572f54e17066afffc9d187aeafe5f7cbe2122"`,
			losses: []string{"user renamed", "prompt_cache_key renamed"},
		},
		"a user of 64 bytes stays": {in: canon.Request{User: canon.NewText(strings.Repeat("u", 64))}, rest: `,"user":"` + strings.Repeat("u", 64) + `"`},
		"gateway/N3: efforts":      {in: canon.Request{Reasoning: canon.Reasoning{Mode: canon.ReasoningOn, Effort: canon.EffortUltra}}, rest: `,"reasoning_effort":"max"`, losses: []string{"effort downgraded"}},
		"gateway/N3: efforts of a model": {
			in:     canon.Request{MaxOutput: 9, Reasoning: canon.Reasoning{Effort: canon.EffortMedium}},
			target: dialect.Target{Efforts: []canon.Effort{canon.EffortLow, canon.EffortHigh}},
			before: `"max_completion_tokens":9,`, rest: `,"reasoning_effort":"high"`, losses: []string{"effort downgraded"},
		},
		"gateway/N3: a model without efforts": {
			in:     canon.Request{MaxOutput: 9, Reasoning: canon.Reasoning{Mode: canon.ReasoningOn, Effort: canon.EffortMedium}},
			target: dialect.Target{Efforts: []canon.Effort{}},
			before: `"max_tokens":9,`, losses: []string{"effort dropped"},
		},
		"gateway/N3: a budget": {in: canon.Request{Reasoning: canon.Reasoning{Mode: canon.ReasoningOn, Budget: 31999}}, rest: `,"reasoning_effort":"max"`, losses: []string{"budget downgraded"}},
		"a small budget is not off": {
			in: canon.Request{Reasoning: canon.Reasoning{Mode: canon.ReasoningOn, Budget: 100}}, rest: `,"reasoning_effort":"minimal"`, losses: []string{"budget downgraded"},
		},
		"reasoning without more": {in: canon.Request{Reasoning: canon.Reasoning{Mode: canon.ReasoningOn}}, losses: []string{"thinking dropped"}},
		"off, whatever the effort": {
			in: canon.Request{Reasoning: canon.Reasoning{Mode: canon.ReasoningOff, Effort: canon.EffortHigh}}, rest: `,"reasoning_effort":"none"`, losses: []string{"effort dropped"},
		},
		"a limit above the model's": {in: canon.Request{MaxOutput: 128000}, target: dialect.Target{MaxOutput: 8192}, before: `"max_tokens":8192,`, losses: []string{"max_tokens downgraded"}},
		"gateway/B8: a choice without tools": {
			in: canon.Request{Choice: canon.ToolChoice{Mode: canon.ChoiceAny}, OneCall: true}, losses: []string{"tool_choice dropped", "parallel_tool_calls dropped"},
		},
		"gateway/O2: a tool without a schema": {in: canon.Request{Tools: []canon.Tool{{Name: "Read", Call: canon.CallFunction}}}, before: readOut},
		"gateway/I3: strict is what the caller said": {
			in: canon.Request{Tools: []canon.Tool{{Name: "a", Call: canon.CallFunction, Schema: schema, Strict: canon.FlagOn}, {Name: "b", Call: canon.CallFunction, Schema: schema, Strict: canon.FlagOff}, {Name: "c", Call: canon.CallFunction, Schema: schema}}},
			before: `"tools":[{"type":"function","function":{"name":"a","parameters":{"type":"object","properties":{}},"strict":true}},{"type":"function","function":{"name":"b","parameters":{"type":"object","properties":{}},"strict":false}},` +
				`{"type":"function","function":{"name":"c","parameters":{"type":"object","properties":{}}}}],`,
		},
		"gateway/M1: free text for a model that has functions alone": {
			in:     canon.Request{Tools: []canon.Tool{patch}, Choice: canon.ToolChoice{Mode: canon.ChoiceOneOf, Names: []canon.ToolName{{Name: "patch"}}}},
			target: dialect.Target{NoCustom: true},
			before: `"tools":[{"type":"function","function":{"name":"patch","description":"\n\nThe input has this form:\nx","parameters":{"type":"object","properties":{"input":{"type":"string"}},"required":["input"],"additionalProperties":false}}}],"tool_choice":{"type":"function","function":{"name":"patch"}},`,
			losses: []string{"tool moved"},
		},
		"one of the tools of free text": {
			in:     canon.Request{Tools: []canon.Tool{patch}, Choice: canon.ToolChoice{Mode: canon.ChoiceOneOf, Names: []canon.ToolName{{Name: "patch"}}}},
			before: `"tools":[{"type":"custom","custom":{"name":"patch","format":{"type":"grammar","grammar":{"syntax":"lark","definition":"x"}}}}],"tool_choice":{"type":"custom","custom":{"name":"patch"}},`,
		},
		"some of the tools": {
			in: canon.Request{Tools: []canon.Tool{read, patch}, Choice: canon.ToolChoice{Mode: canon.ChoiceOneOf, Names: []canon.ToolName{{Name: "Read"}, {Name: "patch"}}}},
			before: `"tools":[{"type":"function","function":{"name":"Read","parameters":{"type":"object","properties":{}}}},{"type":"custom","custom":{"name":"patch","format":{"type":"grammar","grammar":{"syntax":"lark","definition":"x"}}}}],` +
				`"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"required","tools":[{"type":"function","function":{"name":"Read"}},{"type":"custom","custom":{"name":"patch"}}]}},`,
		},
		"gateway/M2 gateway/B6: a namespace and a long name": {
			in: canon.Request{Tools: []canon.Tool{{Namespace: "docs", Name: "find", Call: canon.CallFunction}, {Name: strings.Repeat("n", 65), Call: canon.CallFunction}}},
			before: `"tools":[{"type":"function","function":{"name":"docs__find","parameters":{"type":"object","properties":{}}}},` +
				`{"type":"function","function":{"name":"` + canon.LegalID(strings.Repeat("n", 65), canon.Grammar{Max: 64, Extra: "_-"}) + `","parameters":{"type":"object","properties":{}}}}],`,
			losses: []string{"tool moved", "tool renamed"},
		},
		"another vendor's own tool": {
			in: canon.Request{Tools: []canon.Tool{{Name: "web_search", Call: canon.CallProvider, Dialect: "anthropic", Raw: canon.Raw(`{"type":"web_search_20250305"}`)}}}, losses: []string{"tool dropped"},
		},
		"more stop sequences than four": {
			in:   canon.Request{Stop: []canon.Text{canon.NewText("a"), canon.NewText(""), canon.NewText("b"), canon.NewText("c"), canon.NewText("d"), canon.NewText("e")}},
			rest: `,"stop":["a","b","c","d"]`, losses: []string{"stop dropped", "stop dropped"},
		},
		"a format without a name": {
			in: canon.Request{Format: canon.Format{Kind: canon.FormatSchema, Schema: schema}}, rest: `,"response_format":{"type":"json_schema","json_schema":{"name":"answer","schema":{"type":"object"}}}`, losses: []string{"format name synthesized"},
		},
		"a format of an illegal name": {
			in:   canon.Request{Format: canon.Format{Kind: canon.FormatSchema, Name: "a b", Schema: schema, Strict: canon.FlagOn}},
			rest: `,"response_format":{"type":"json_schema","json_schema":{"name":"a_b_c8687a08aa5d","schema":{"type":"object"},"strict":true}}`, losses: []string{"format name renamed"},
		},
		"members of another dialect": {
			in: canon.Request{Ext: canon.Ext{Dialect: "anthropic", Members: []canon.Member{{Name: "safeguards", Value: canon.Raw(`[]`)}}}}, losses: []string{"safeguards dropped"},
		},
		"the usage of a stream is always asked for": {in: canon.Request{Stream: true}, before: `"stream":true,"stream_options":{"include_usage":true},`},
	} {
		t.Run(name, func(t *testing.T) {
			body, losses := encode(t, &tt.in, tt.target)
			if want := `{"model":"",` + tt.before + `"messages":[]` + tt.rest + `}`; body != want {
				t.Errorf("got  %s\nwant %s", body, want)
			}
			if !slices.Equal(losses, tt.losses) {
				t.Errorf("it lists %q, want %q", losses, tt.losses)
			}
		})
	}
}

// What the protocol has no form for is no body.
func TestWhatCannotBeExpressedIsRefused(t *testing.T) {
	for name, b := range map[string]canon.Block{
		"a call of the user": call("c1", "f", `{}`),
	} {
		if out, err := chat.New().EncodeRequest(nil, talk(message(canon.User, b)), &dialect.Target{}, new(canon.Report)); err == nil {
			t.Errorf("%s is written: %s", name, out)
		}
	}
}

// gateway/E2: whatever a turn adds, what was sent before stays as it was.
func TestALaterRequestBeginsAsTheEarlierOne(t *testing.T) {
	t.Run("gateway/E2", func(t *testing.T) {
		turns := []*canon.Message{
			message(canon.System, text("s")), message(canon.System, text("t")), message(canon.User, text("a"), text("b")),
			message(canon.Assistant, text("c"), call("c1", "f", `{"b":1.0,"a":{}}`)), message(canon.User, result("c1", image())),
			message(canon.Assistant, text("d"), call("c2", "f", `{}`)), message(canon.User, failed("c2", text("x")), text("y")),
		}
		before := ""
		for _, n := range []int{3, 5, 7} {
			body, _ := encode(t, talk(copied(turns[:n])...), dialect.Target{})
			body = strings.TrimSuffix(body, "]}")
			if !strings.HasPrefix(body, before) {
				t.Errorf("%s\ndoes not begin as\n%s", body, before)
			}
			before = body
		}
	})
}

func copied(msgs []*canon.Message) (out []*canon.Message) {
	for _, m := range msgs {
		c := *m
		c.Blocks = nil
		for _, b := range m.Blocks {
			if r, ok := b.(*canon.ToolResultBlock); ok {
				again := *r
				again.Content = slices.Clone(r.Content)
				b = &again
			}
			c.Blocks = append(c.Blocks, b)
		}
		out = append(out, &c)
	}
	return out
}
