package responses_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"pgregory.net/rapid"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/dialect"
	"github.com/crosswalk-agents/crosswalk/dialect/dialecttest"
	"github.com/crosswalk-agents/crosswalk/dialect/responses"
)

func encode(t testing.TB, q *canon.Request, target dialect.Target) (body string, r *canon.Report) {
	t.Helper()
	r = new(canon.Report)
	out, err := responses.New().EncodeRequest(nil, q, &target, r)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Balance(); err != nil {
		t.Error(err)
	}
	if !json.Valid(out) {
		t.Fatalf("no JSON: %s", out)
	}
	return string(out), r
}

// TestEncodeTranscripts writes requests that were read: what of them is written in
// another way, and what is listed as lost.
func TestEncodeTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/encode/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			body, r := encode(t, decode(t, string(a.Files[0].Data)), dialect.Target{})
			want := string(txtar.Format(a))
			a.Files = append(a.Files[:1:1], txtar.File{Name: "encoded", Data: []byte(body + "\n")})
			if losses := dialecttest.FormatLosses(r); losses != "" {
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
			again, _ := encode(t, decode(t, body), dialect.Target{})
			if diff := cmp.Diff(body, again); diff != "" {
				t.Errorf("it is written in another way the second time: -first +second:\n%s", diff)
			}
		})
	}
}

func message(role canon.Role, blocks ...canon.Block) *canon.Message {
	return &canon.Message{Role: role, Blocks: blocks}
}

func words(s string) *canon.TextBlock { return &canon.TextBlock{Text: canon.NewText(s)} }

func thought(issuer, sealed string) *canon.ReasoningBlock {
	return &canon.ReasoningBlock{Redacted: true, Capsule: canon.Capsule{Issuer: issuer, Sealed: canon.NewText(sealed)}}
}

// ask returns a request of another dialect.
func ask(change func(*canon.Request), msgs ...*canon.Message) *canon.Request {
	q := &canon.Request{Model: "m", Messages: append(msgs, message(canon.User, words("Go.")))}
	change(q)
	return q
}

func asIs(*canon.Request) {}

func TestRequestsOfOtherDialects(t *testing.T) {
	read := call(func(b *canon.ToolCallBlock) { b.CallID, b.Name = "c1", "read" })
	result := func(b ...canon.Block) *canon.Message {
		return message(canon.User, &canon.ToolResultBlock{CallID: "c1", Content: b})
	}
	tool := canon.Tool{Name: "read", Call: canon.CallFunction, Schema: canon.Raw(`{"type":"object","properties":{}}`)}
	image := &canon.ImageBlock{Media: canon.Media{MediaType: "image/png", Data: canon.NewText("AAAA")}}
	pdf := canon.Media{MediaType: "application/pdf", Data: canon.NewText("JVBE")}
	claude := `{"device_id":"` + strings.Repeat("0a", 32) + `","account_uuid":"","session_id":"11111111-2222-3333-4444-555555555555"}`
	for _, x := range []struct {
		name   string
		q      *canon.Request
		target dialect.Target
		has    []string
		not    []string
		losses string
	}{
		{
			name: "an id of the caller's that is too long is a hash, gateway/N4", q: ask(func(q *canon.Request) {
				q.User, q.CacheKey = canon.NewText(claude), canon.NewText("thread/"+strings.Repeat("a", 64))
			}),
			has:    []string{`"safety_identifier":"`, `"prompt_cache_key":"`},
			not:    []string{"device_id", "thread/", `"user":`},
			losses: "cache key renamed: the API takes no more than 64 bytes: a hash stands for it\nuser renamed: the API takes no more than 64 bytes: a hash stands for it\n",
		},
		{
			name: "the caller's cache key is kept, gateway/E1", q: ask(func(q *canon.Request) { q.CacheKey = canon.NewText("session-1") }),
			has: []string{`"prompt_cache_key":"session-1"`},
		},
		{
			name: "what is not said to be strict is not, gateway/I3", q: ask(func(q *canon.Request) { q.Tools = []canon.Tool{tool} }),
			has: []string{`"parameters":{"type":"object","properties":{}},"strict":false}`},
		},
		{
			name: "a tool without a schema has one, gateway/O2", q: ask(func(q *canon.Request) { q.Tools = []canon.Tool{{Name: "now", Call: canon.CallFunction}} }),
			has: []string{`"parameters":{"type":"object","properties":{}}`},
		},
		{
			name: "system text within the conversation is a developer item at its place, gateway/G1, gateway/G2",
			q:    ask(asIs, message(canon.System, words("a")), message(canon.User, words("b")), message(canon.System, words("c"))),
			has:  []string{`"instructions":"a","input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"b"}]},{"type":"message","role":"developer"`},
			not:  []string{`"role":"system"`}, losses: "authority moved: system text within the input becomes developer text\n",
		},
		{
			name: "system text alone is input", q: &canon.Request{Messages: []*canon.Message{message(canon.System, words("a"))}},
			has: []string{`"input":[{"type":"message","role":"developer"`}, not: []string{"instructions"},
			losses: "authority moved: system text within the input becomes developer text\n",
		},
		{
			name: "for a model that takes no system text later it is the user's, gateway/G1", target: dialect.Target{LeadingSystem: true},
			q:   ask(asIs, message(canon.User, words("b")), message(canon.System, words("c"))),
			has: []string{`"text":"<system-message>\nc\n</system-message>"`}, not: []string{"developer"},
			losses: "text moved: system text within the conversation becomes marked text of the user\n",
		},
		{
			name: "reasoning of another issuer is left out, gateway/D2", q: ask(asIs, message(canon.User, words("a")), message(canon.Assistant, thought("anthropic", "x"), words("b"))),
			not: []string{"reasoning\",\"summary"}, losses: "reasoning-redacted dropped: reasoning belongs to the vendor that issued it\n",
		},
		{
			name: "and so is that of another host of this dialect, gateway/D2", target: dialect.Target{Issuer: "responses@a"}, q: ask(asIs, message(canon.Assistant, thought("responses", "x"), words("b"))),
			not: []string{"encrypted_content\":"}, losses: "reasoning-redacted dropped: reasoning belongs to the vendor that issued it\n",
		},
		{
			name: "reasoning of the issuer goes back, gateway/D5", target: dialect.Target{Issuer: "responses@a"}, q: ask(asIs, message(canon.Assistant, thought("responses@a", "x"), words("b"))),
			has: []string{`{"type":"reasoning","summary":[],"encrypted_content":"x"},{"type":"message","role":"assistant"`},
		},
		{
			name: "reasoning that nothing follows is left out", q: ask(asIs, message(canon.Assistant, words("b"), thought("responses", "x"))),
			not: []string{"encrypted_content\":"}, losses: "reasoning-redacted dropped: the API refuses reasoning that nothing follows\n",
		},
		{
			name: "an image in a result stays there, gateway/C1", q: ask(asIs, message(canon.Assistant, read), result(words("it"), image)),
			has: []string{`"output":[{"type":"input_text","text":"it"},{"type":"input_image","image_url":"data:image/png;base64,AAAA"}]`},
		},
		{
			name: "a document keeps its content and gets a name, gateway/H1", q: ask(asIs, message(canon.User, &canon.DocumentBlock{Media: pdf})),
			has:    []string{`{"type":"input_file","filename":"document.pdf","file_data":"data:application/pdf;base64,JVBE"}`},
			losses: "document name synthesized: the API insists on a name\n",
		},
		{
			name: "and so it does in a result, gateway/H1", q: ask(asIs, message(canon.Assistant, read), result(&canon.DocumentBlock{Media: pdf})),
			has:    []string{`"output":[{"type":"input_file","filename":"document.pdf"`},
			losses: "document name synthesized: the API insists on a name\n",
		},
		{
			name: "an error says so in words, gateway/C6", q: ask(asIs, message(canon.Assistant, read), message(canon.User, &canon.ToolResultBlock{CallID: "c1", IsError: true})),
			has: []string{`"output":"[tool error]"`}, losses: "is_error downgraded: the protocol has no error flag; the text says it\n",
		},
		{
			name: "text before results follows them", q: ask(asIs, message(canon.Assistant, read), message(canon.User, words("b"), &canon.ToolResultBlock{CallID: "c1"})),
			has:    []string{`"call_id":"c1"},{"type":"function_call_output","call_id":"c1","output":""},{"type":"message","role":"user"`},
			losses: "text moved: stood before a tool result in its message\n",
		},
		{
			name: "a call that nobody answered is answered, gateway/C5", q: ask(asIs, message(canon.Assistant, read)),
			has: []string{`"output":"[no result`}, losses: "tool_result synthesized: tool call was never answered\n",
		},
		{
			name: "a call without input has an empty object, gateway/B3", q: ask(asIs, message(canon.Assistant, &canon.ToolCallBlock{CallID: "c1", Name: "read", Call: canon.CallFunction}), result(words("a"))),
			has: []string{`"arguments":"{}"`},
		},
		{
			name: "a choice without tools is none, gateway/B8", q: ask(func(q *canon.Request) { q.Choice.Mode, q.OneCall = canon.ChoiceAny, true }),
			not: []string{"tool_choice", "parallel"}, losses: "tool_choice dropped: there is no tool to choose\nparallel_tool_calls dropped: there is no tool to call\n",
		},
		{
			name: "effort and summary, gateway/N3", q: ask(func(q *canon.Request) {
				q.Reasoning = canon.Reasoning{Mode: canon.ReasoningOn, Effort: canon.EffortMax, Show: canon.ShowSummary}
			}), target: dialect.Target{Efforts: []canon.Effort{canon.EffortLow, canon.EffortXHigh}},
			has: []string{`"reasoning":{"effort":"xhigh","summary":"auto"}`}, losses: "effort downgraded: the model takes no effort \"max\"\n",
		},
		{
			name: "thinking without an effort, gateway/N3", q: ask(func(q *canon.Request) { q.Reasoning.Mode = canon.ReasoningOn }),
			has: []string{`"reasoning":{"effort":"medium"}`}, losses: "effort synthesized: models that do not think unless they are told have to be told how much\n",
		},
		{
			name: "a limit that is too low", q: ask(func(q *canon.Request) { q.MaxOutput = 1 }),
			has: []string{`"max_output_tokens":16`}, losses: "max_tokens downgraded: the API takes no limit below 16 tokens\n",
		},
		{
			name: "a limit that is too high", q: ask(func(q *canon.Request) { q.MaxOutput = 128000 }), target: dialect.Target{MaxOutput: 32000, Model: "m2"},
			has: []string{`{"model":"m2"`, `"max_output_tokens":32000`}, losses: "max_tokens downgraded: the model answers with fewer tokens\n",
		},
		{
			name: "a format without a name", q: ask(func(q *canon.Request) { q.Format = canon.Format{Kind: canon.FormatSchema, Schema: canon.Raw(`{}`)} }),
			has: []string{`"text":{"format":{"type":"json_schema","name":"answer","schema":{}}}`}, losses: "format name synthesized: the API insists on a name of the format\n",
		},
		{
			name: "nothing is kept at the vendor's", q: ask(asIs), has: []string{`"store":false,"include":["reasoning.encrypted_content"]`},
		},
		{
			name: "a compaction of the vendor's goes back, gateway/M6", q: ask(asIs, message(canon.Assistant, &canon.CompactionBlock{Capsule: canon.Capsule{Issuer: "responses", Sealed: canon.NewText("x")}})),
			has: []string{`{"type":"compaction","encrypted_content":"x"}`},
		},
		{
			name: "that of another does not, gateway/M6", q: ask(asIs, message(canon.Assistant, &canon.CompactionBlock{Capsule: canon.Capsule{Issuer: "other", Sealed: canon.NewText("x")}})),
			not: []string{"compaction"}, losses: "compaction dropped: mark of a compaction\nmessage dropped: nothing is left of the message\n",
		},
	} {
		t.Run(x.name, func(t *testing.T) {
			body, r := encode(t, x.q, x.target)
			for _, s := range x.has {
				if !strings.Contains(body, s) {
					t.Errorf("there is no %s in\n%s", s, body)
				}
			}
			for _, s := range x.not {
				if strings.Contains(body, s) {
					t.Errorf("there is %s in\n%s", s, body)
				}
			}
			if diff := cmp.Diff(x.losses, dialecttest.FormatLosses(r)); diff != "" {
				t.Errorf("losses: -want +got:\n%s", diff)
			}
			again, _ := encode(t, decode(t, body), dialect.Target{Issuer: x.target.Issuer})
			if x.target.Issuer == "" && again != body {
				t.Errorf("it is written in another way the second time:\n%s\n%s", body, again)
			}
		})
	}
}

// What the requests of one session have in common is written alike, so that the
// vendor's cache holds it (gateway/E2).
func TestALaterRequestBeginsLikeTheEarlier(t *testing.T) {
	session := func(turns int) string {
		q := ask(func(q *canon.Request) {
			q.Tools = []canon.Tool{{Name: "b", Call: canon.CallFunction}, {Name: "x", Namespace: "n", Call: canon.CallFunction}, {Name: "a", Call: canon.CallFunction}}
		}, message(canon.System, words("s")))
		q.Messages = q.Messages[:1]
		for i := range turns {
			id := "toolu:" + strings.Repeat("x", i)
			q.Messages = append(q.Messages, message(canon.User, words("go")),
				message(canon.Assistant, thought("other", "x"), call(func(b *canon.ToolCallBlock) { b.CallID = id })),
				message(canon.User, &canon.ToolResultBlock{CallID: id, IsError: true}))
		}
		body, _ := encode(t, q, dialect.Target{})
		before, _, _ := strings.Cut(body, `],"store"`)
		return before
	}
	for n := 1; n < 5; n++ {
		if a, b := session(n), session(n+1); !strings.HasPrefix(b, a+",") {
			t.Errorf("%s\nbegins otherwise than\n%s", b, a)
		}
	}
}

// What is written of any request says the same when it is read and written again,
// and nothing is unaccounted for.
func TestAnyRequestIsWrittenAlike(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var items, tools []string
		for range rapid.IntRange(0, 5).Draw(t, "items") {
			items = append(items, string(drawItem(t)))
		}
		types := []string{`"function"`, `"custom"`, `"namespace"`, `"web_search"`, `"local_shell"`, `1`}
		names := []string{"name", "name", "description", "parameters", "strict", "format", "tools", "defer_loading", "x"}
		for range rapid.IntRange(0, 3).Draw(t, "tools") {
			tools = append(tools, string(drawObject(t, types, names)))
		}
		tools = append(tools, `{"type":"namespace","name":"n","description":"d","tools":[`+strings.Join(tools, ",")+`]}`)
		parameters := drawObject(t, []string{`"x"`}, []string{"tool_choice", "reasoning", "text", "instructions", "max_output_tokens", "user", "safety_identifier", "store", "parallel_tool_calls"})
		body := `{"input":[` + strings.Join(items, ",") + `],"tools":[` + strings.Join(tools, ",") + `],` + string(parameters[1:])
		body = regexp.MustCompile(`"result":"[^"]*"`).ReplaceAllString(body, `"result":"AAAA"`) // others are no images
		q, err := responses.DecodeRequest([]byte(body))
		if err != nil {
			t.Skip()
		}
		written := func(q *canon.Request) ([]byte, error) {
			var r canon.Report
			out, err := responses.New().EncodeRequest(nil, q, &dialect.Target{}, &r)
			if err == nil && !json.Valid(out) {
				t.Fatalf("%s\nis written as %s", body, out)
			}
			if err := r.Balance(); err != nil {
				t.Fatalf("%s\n%v", body, err)
			}
			return out, err
		}
		first, err := written(q)
		if err != nil {
			t.Fatalf("%s\n%v", body, err)
		}
		again, err := responses.DecodeRequest(first)
		if err != nil {
			t.Fatalf("%s\nis written as %s: %v", body, first, err)
		}
		second, err := written(again)
		if err != nil {
			t.Fatalf("%s: %v", first, err)
		}
		third, err := responses.DecodeRequest(second)
		if err != nil {
			t.Fatal(err)
		}
		made := regexp.MustCompile(`call(_x\d+)+`) // the ids of calls that had none
		says := func(q *canon.Request) string { return made.ReplaceAllString(dialecttest.Format(q), "call") }
		if diff := cmp.Diff(says(decode(t, string(first))), says(third)); diff != "" {
			t.Fatalf("%s\n%s\n%s\nsays something else: %s", body, first, second, diff)
		}
	})
}
