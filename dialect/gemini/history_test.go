package gemini_test

import (
	"bytes"
	"strconv"
	"testing"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/dialect"
	"github.com/crosswalk-agents/crosswalk/dialect/gemini"
)

func said(role canon.Role, blocks ...canon.Block) *canon.Message {
	return &canon.Message{Role: role, Blocks: blocks}
}

func plain(s string) canon.Block { return &canon.TextBlock{Text: canon.NewText(s)} }

func written(t *testing.T, q *canon.Request) []byte {
	t.Helper()
	body, err := gemini.New().EncodeRequest(nil, q, &dialect.Target{}, new(canon.Report))
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// gateway/D1: what an answer had as signatures stands where it stood when the answer is
// a part of the conversation, streamed or not.
func TestSignaturesComeBack(t *testing.T) {
	const parts = `{"text":"I think.","thought":true},{"functionCall":{"id":"1","name":"f","args":{"a":1.0}},"thoughtSignature":"A\/A="},{"functionCall":{"id":"2","name":"f","args":{}}}`
	a := answer(t, `{"candidates":[{"content":{"parts":[`+parts+`]},"finishReason":"STOP"}]}`)
	result := func(id string) canon.Block { return &canon.ToolResultBlock{CallID: id} }
	body := written(t, &canon.Request{Messages: []*canon.Message{
		said(canon.User, plain("Go.")), said(canon.Assistant, a.Blocks...), said(canon.User, result("1"), result("2")),
	}})
	if !bytes.Contains(body, []byte(`{"role":"model","parts":[`+parts+`]}`)) {
		t.Errorf("%s", body)
	}
}

// gateway/C6 and gateway/E2: what was written of a conversation is written the same when that
// goes on, so that prompt caches hold: also where a value stands for a signature.
func TestAConversationThatGoesOnBeginsAsItWas(t *testing.T) {
	conversation := func(turns int) []*canon.Message {
		msgs := []*canon.Message{{Role: canon.System, Blocks: []canon.Block{plain("Be careful.")}}, said(canon.User, plain("Hi."))}
		for n := range turns {
			id := strconv.Itoa(n)
			call := func(id string) canon.Block {
				return &canon.ToolCallBlock{CallID: id, Name: "f.x", Call: canon.CallFunction, Input: canon.Input{JSON: canon.Raw(`{"n":` + id + `}`)}}
			}
			last := said(canon.User, &canon.ToolResultBlock{CallID: id + "1", Content: []canon.Block{plain("b")}}, &canon.ToolResultBlock{CallID: id})
			if n%3 == 2 {
				last.Blocks = append(last.Blocks, plain("And now?"))
			}
			msgs = append(msgs, said(canon.Assistant, plain("I run."), call(id), call(id+"1")), last)
			if n%3 == 1 {
				msgs = append(msgs, said(canon.Assistant, plain("Done.")), &canon.Message{Role: canon.System, Authority: canon.AuthorityDeveloper, Blocks: []canon.Block{plain("Mode: " + id)}}, said(canon.User, plain("Go on.")))
			}
		}
		return msgs
	}
	before := []byte(nil)
	for turns := range 7 {
		body := written(t, &canon.Request{Messages: conversation(turns)})
		if !bytes.HasPrefix(body, bytes.TrimSuffix(before, []byte("]}"))) {
			t.Errorf("%d turns\n%s\nbegin not as before\n%s", turns, body, before)
		}
		before = body
	}
}

// gateway/B8, gateway/C5 and gateway/G1: no request has what the API refuses. Tools that another
// vendor ran are left out with their results.
func TestToolsThatAnotherVendorRan(t *testing.T) {
	var r canon.Report
	q := &canon.Request{Choice: canon.ToolChoice{Mode: canon.ChoiceAny}, Messages: []*canon.Message{
		said(canon.User, plain("Search.")),
		said(canon.Assistant, plain("I search."),
			&canon.ToolCallBlock{CallID: "s", Name: "web_search", Call: canon.CallProvider, Input: canon.Input{JSON: canon.Raw(`{}`)}},
			&canon.ToolResultBlock{CallID: "s", Call: canon.CallProvider, Content: []canon.Block{plain("found")}}, plain("I found.")),
		{Role: canon.System, Blocks: []canon.Block{plain("Stop.")}},
	}}
	q.Tools = []canon.Tool{{Name: "web_search", Call: canon.CallProvider, Dialect: "anthropic", Raw: canon.Raw(`{}`)}}
	body, err := gemini.New().EncodeRequest(nil, q, &dialect.Target{}, &r)
	const want = `{"contents":[{"role":"user","parts":[{"text":"Search."}]},{"role":"model","parts":[{"text":"I search."},{"text":"I found."}]},{"role":"user","parts":[{"text":"<system-message>\nStop.\n</system-message>"}]}]}`
	if err != nil || string(body) != want || len(r.Losses) != 5 || r.Balance() != nil {
		t.Errorf("%s, %v, %v, %+v", body, err, r.Balance(), r.Losses)
	}
}
