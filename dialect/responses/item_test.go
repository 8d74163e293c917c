package responses_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/dialect/dialecttest"
	"github.com/crosswalk-agents/crosswalk/dialect/responses"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

func readItem(t testing.TB, in string) *canon.Message {
	t.Helper()
	d := jsonx.NewDecoder([]byte(in))
	m := responses.ReadItem(d)
	if d.Err() != nil || d.More() {
		t.Fatalf("read %s: %v, more %t", in, d.Err(), d.More())
	}
	return m
}

// says is what m says in one line.
func says(m *canon.Message) string {
	lines := strings.Split(strings.TrimSuffix(dialecttest.FormatMessage(m), "\n"), "\n")
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	return strings.Join(lines, "; ")
}

const png = `data:image/png;base64,AAAA`

// samples are items as they come, what they say, and how they are written if
// that differs.
var samples = []struct{ name, in, says, out string }{
	{"a prompt", `{"type":"message","role":"user","content":[{"type":"input_text","text":"a\u0062"}]}`, `user; text "ab"`, ""},
	{"an answer", `{"type":"message","role":"assistant","content":[{"type":"output_text","text":"a"}],"phase":"final_answer"}`, `assistant +responses.phase="final_answer"; text "a"`, ""},
	{"an answer with its id", `{"id":"msg_1","type":"message","role":"assistant","content":[{"type":"output_text","text":"a","annotations":[]}],"status":"completed"}`, `assistant msg_1; text "a"`, `{"type":"message","role":"assistant","content":[{"type":"output_text","text":"a"}]}`},
	{"an answer that broke off", `{"type":"message","role":"assistant","content":[{"type":"output_text","text":"a"}],"status":"incomplete"}`, `assistant +responses.status="incomplete"; text "a"`, ""},
	{"an answer with annotations", `{"type":"message","role":"assistant","content":[{"type":"output_text","text":"a","annotations":[{"type":"url_citation"}],"logprobs":[]}]}`, `assistant; text "a" +responses.annotations=[{"type":"url_citation"}] +responses.logprobs=[]`, ""},
	{"system text", `{"type":"message","role":"system","content":[{"type":"input_text","text":"a"}]}`, `system system; text "a"`, ""},
	{"developer text", `{"type":"message","role":"developer","content":[{"type":"input_text","text":"a"}]}`, `system developer; text "a"`, ""},
	{"content that is a string", `{"type":"message","role":"developer","content":"a"}`, `system developer; text "a"`, `{"type":"message","role":"developer","content":[{"type":"input_text","text":"a"}]}`},
	{"a message without a type", `{"role":"user","content":"a"}`, `user; text "a"`, `{"type":"message","role":"user","content":[{"type":"input_text","text":"a"}]}`},
	{"parts of other names", `{"role":"user","content":[{"type":"text","text":"a"},{"type":"output_text","text":"b"},"c"]}`, `user; text "a"; text "b"; text "c"`, `{"type":"message","role":"user","content":[{"type":"input_text","text":"a"},{"type":"input_text","text":"b"},{"type":"input_text","text":"c"}]}`},
	{"no content", `{"type":"message","role":"user","content":[]}`, `user`, ""},
	{"content that is null", `{"type":"message","role":"user","content":null}`, `user`, `{"type":"message","role":"user","content":[]}`},
	{"content that is an object", `{"type":"message","role":"user","content":{"a": 1}}`, `user; text "{\"a\": 1}"`, `{"type":"message","role":"user","content":[{"type":"input_text","text":"{\"a\": 1}"}]}`},
	{"an unknown role", `{"type":"message","role":"tool","content":"a"}`, `assistant; other responses "message" {"type":"message","role":"tool","content":"a"}`, ""},
	{"a role that is no string", `{"type":"message","role":1,"content":"a"}`, `assistant; other responses "message" {"type":"message","role":1,"content":"a"}`, ""},
	{"neither type nor role", `{"content":"a"}`, `assistant; other responses "" {"content":"a"}`, ""},
	{"members of other items", `{"type":"message","role":"user","content":[{"type":"input_text","text":"a"}],"call_id":"c","name":1,"output":{},"tools":null}`, `user +responses.call_id="c" +responses.name=1 +responses.output={} +responses.tools=null; text "a"`, ""},

	{"an image", `{"type":"message","role":"user","content":[{"type":"input_image","image_url":"` + png + `","detail":"high"}]}`, `user; image type="image/png" data="AAAA" +responses.detail="high"`, ""},
	{"an image in another escaping", `{"type":"message","role":"user","content":[{"type":"input_image","image_url":"data:image\/png\u003bbase64,A\/A"}]}`, `user; image type="image/png" data="A/A"`, `{"type":"message","role":"user","content":[{"type":"input_image","image_url":"data:image/png;base64,A\/A"}]}`},
	{"an image by its address", `{"type":"message","role":"user","content":[{"type":"input_image","image_url":"https://example.com/a;base64,b"}]}`, `user; image url="https://example.com/a;base64,b"`, ""},
	{"an image of the vendor's files", `{"type":"message","role":"user","content":[{"type":"input_image","file_id":"f"}]}`, `user; other responses "input_image" {"type":"input_image","file_id":"f"}`, ""},
	{"an image that is not base64", `{"type":"message","role":"user","content":[{"type":"input_image","image_url":"data:image/svg+xml,%3Csvg/%3E"}]}`, `user; other responses "input_image" {"type":"input_image","image_url":"data:image/svg+xml,%3Csvg/%3E"}`, ""},
	{"an image without data", `{"type":"message","role":"user","content":[{"type":"input_image","image_url":"data:image/png;base64,"}]}`, `user; other responses "input_image" {"type":"input_image","image_url":"data:image/png;base64,"}`, ""},
	{"an image in the form of another protocol", `{"type":"message","role":"user","content":[{"type":"input_image","image_url":{"url":"u"}}]}`, `user; other responses "input_image" {"type":"input_image","image_url":{"url":"u"}}`, ""},
	{"a file", `{"type":"message","role":"user","content":[{"type":"input_file","filename":"a.pdf","file_data":"data:application/pdf;base64,AAAA"}]}`, `user; document type="application/pdf" data="AAAA" name="a.pdf"`, ""},
	{"a file without its type", `{"type":"message","role":"user","content":[{"type":"input_file","filename":"a.pdf","file_data":"AAAA"}]}`, `user; document data="AAAA" name="a.pdf"`, ""},
	{"a file by its address", `{"type":"message","role":"user","content":[{"type":"input_file","file_url":"https://example.com/a.pdf"}]}`, `user; document url="https://example.com/a.pdf"`, ""},
	{"a file with both", `{"type":"message","role":"user","content":[{"type":"input_file","file_url":"u","file_data":"AAAA"}]}`, `user; other responses "input_file" {"type":"input_file","file_url":"u","file_data":"AAAA"}`, ""},
	{"an unknown part", `{"type":"message","role":"user","content":[{"type":"input_text","text":"a"},{"type":"input_audio","input_audio":{"data":"A"}},7]}`, `user; text "a"; other responses "input_audio" {"type":"input_audio","input_audio":{"data":"A"}}; other responses "" 7`, ""},
	{"a refusal", `{"type":"message","role":"assistant","content":[{"type":"refusal","refusal":"no"}]}`, `assistant; other responses "message" {"type":"message","role":"assistant","content":[{"type":"refusal","refusal":"no"}]}`, ""},
	{"a refusal beside text", `{"type":"message","role":"assistant","content":[{"type":"output_text","text":"a"},{"type":"refusal","refusal":"no"}]}`, `assistant; text "a"; other responses "refusal" {"type":"refusal","refusal":"no"}`, ""},
	{"words of another agent", `{"type":"agent_message","author":"a","recipient":"b","content":[{"type":"input_text","text":"c"}]}`, `user injected +responses.author="a" +responses.recipient="b"; text "c"`, `{"type":"agent_message","content":[{"type":"input_text","text":"c"}],"author":"a","recipient":"b"}`},
	{"words of an agent without a name", `{"type":"agent_message","content":"c"}`, `user injected; text "c"`, `{"type":"message","role":"user","content":[{"type":"input_text","text":"c"}]}`},

	{"reasoning", `{"type":"reasoning","summary":[{"type":"summary_text","text":"a"},{"type":"summary_text","text":"b"}],"content":[{"type":"reasoning_text","text":"c"}],"encrypted_content":"s=="}`, `assistant; reasoning "c" summary "a" summary "b" responses "s=="`, ""},
	{"sealed reasoning", `{"id":"rs_1","type":"reasoning","summary":[],"content":null,"encrypted_content":"s=="}`, `assistant rs_1; reasoning responses "s==" redacted`, `{"type":"reasoning","summary":[],"encrypted_content":"s=="}`},
	{"reasoning without anything", `{"type":"reasoning"}`, `assistant; reasoning redacted`, `{"type":"reasoning","summary":[]}`},
	{"reasoning in pieces", `{"type":"reasoning","summary":["a",1,{"type":"x"}],"content":[{"type":"text","text":"b"},{"type":"reasoning_text","text":"c"}],"encrypted_content":null}`, `assistant; reasoning "bc" summary "a"`, `{"type":"reasoning","summary":[{"type":"summary_text","text":"a"}],"content":[{"type":"reasoning_text","text":"bc"}]}`},

	{"a call", `{"type":"function_call","name":"shell","arguments":"{\"b\":1.0,\"a\":\"\"}","call_id":"call_1"}`, `assistant; tool_call function "call_1" shell {"b":1.0,"a":""}`, ""},
	{"a call in a namespace", `{"type":"function_call","name":"count","namespace":"mcp__wc","arguments":"{}","call_id":"call_1"}`, `assistant; tool_call function "call_1" mcp__wc count {}`, ""},
	{"a call with its id", `{"type":"function_call","id":"fc_1","call_id":"call_1","name":"shell","arguments":"{}","status":"completed"}`, `assistant fc_1; tool_call function "call_1" shell {}`, `{"type":"function_call","name":"shell","arguments":"{}","call_id":"call_1"}`},
	{"arguments over several lines", `{"type":"function_call","name":"shell","arguments":"{\n \"a\": 1\n}","call_id":"call_1"}`, "assistant; tool_call function \"call_1\" shell {; \"a\": 1; }", ""},
	{"arguments that are no JSON", `{"type":"function_call","name":"shell","arguments":"{\"a\":","call_id":"call_1"}`, `assistant; tool_call function "call_1" shell text "{\"a\":"`, ""},
	{"arguments that are empty", `{"type":"function_call","name":"shell","arguments":"","call_id":"call_1"}`, `assistant; tool_call function "call_1" shell`, ""},
	{"arguments that are an object", `{"type":"function_call","name":"shell","arguments":{"a":1},"call_id":"call_1"}`, `assistant; tool_call function "call_1" shell {"a":1}`, `{"type":"function_call","name":"shell","arguments":"{\"a\":1}","call_id":"call_1"}`},
	{"arguments that are a list", `{"type":"function_call","name":"shell","arguments":"[1]","call_id":"call_1"}`, `assistant; tool_call function "call_1" shell [1]`, ""},
	{"a call whose id is a number", `{"type":"function_call","name":"shell","arguments":"{}","call_id":1}`, `assistant; other responses "function_call" {"type":"function_call","name":"shell","arguments":"{}","call_id":1}`, ""},
	{"a custom call", `{"type":"custom_tool_call","status":"completed","name":"apply_patch","input":"*** Begin\n\"x\"","call_id":"call_1"}`, `assistant; tool_call custom "call_1" apply_patch text "*** Begin\n\"x\""`, ""},
	{"a custom call that broke off", `{"type":"custom_tool_call","name":"exec","namespace":"functions","input":"x","call_id":"call_1","status":"in_progress"}`, `assistant +responses.status="in_progress"; tool_call custom "call_1" functions exec text "x"`, ""},
	{"a custom call with an object", `{"type":"custom_tool_call","name":"exec","input":{"a":1},"call_id":"call_1"}`, `assistant; tool_call custom "call_1" exec text "{\"a\":1}"`, `{"type":"custom_tool_call","status":"completed","name":"exec","input":"{\"a\":1}","call_id":"call_1"}`},
	{"a custom call without input", `{"type":"custom_tool_call","name":"exec","input":null,"call_id":"call_1"}`, `assistant; tool_call custom "call_1" exec`, `{"type":"custom_tool_call","status":"completed","name":"exec","input":"","call_id":"call_1"}`},
	{"a shell call", `{"type":"local_shell_call","status":"completed","action":{"type":"exec","command":["ls"]},"call_id":"call_1"}`, `assistant; tool_call shell "call_1" local_shell {"type":"exec","command":["ls"]}`, ""},
	{"a shell call with its item's id", `{"type":"local_shell_call","id":"lsh_1","call_id":null,"status":"completed","action":{"type":"exec"}}`, `assistant lsh_1; tool_call shell "lsh_1" local_shell {"type":"exec"}`, `{"type":"local_shell_call","status":"completed","action":{"type":"exec"},"call_id":"lsh_1"}`},
	{"a web search", `{"type":"web_search_call","status":"completed","action":{"type":"search","query":"q"}}`, `assistant; tool_call provider "" web_search {"type":"search","query":"q"}`, ""},
	{"a web search with its id", `{"type":"web_search_call","id":"ws_1","status":"completed"}`, `assistant ws_1; tool_call provider "ws_1" web_search`, `{"type":"web_search_call","status":"completed"}`},
	{"a tool search", `{"type":"tool_search_call","status":"completed","arguments":{"query":"q"},"call_id":"call_1","execution":"client"}`, `assistant +responses.execution="client"; tool_call function "call_1" tool_search {"query":"q"}`, ""},
	{"a tool search of the provider's", `{"type":"tool_search_call","call_id":null,"execution":"server","arguments":{}}`, `assistant; other responses "tool_search_call" {"type":"tool_search_call","call_id":null,"execution":"server","arguments":{}}`, ""},
	{"a function that is called tool_search", `{"type":"function_call","name":"tool_search","arguments":"{}","call_id":"call_1"}`, `assistant; tool_call function "call_1" tool_search {}`, ""},

	{"an output", `{"type":"function_call_output","call_id":"call_1","output":"a\/b"}`, `user; tool_result function "call_1" [text "a/b"]`, ""},
	{"an output in parts", `{"type":"function_call_output","call_id":"call_1","output":[{"type":"input_text","text":"a"},{"type":"input_image","image_url":"` + png + `"}]}`, `user; tool_result function "call_1" [text "a", image type="image/png" data="AAAA"]`, ""},
	{"an output in one part", `{"type":"custom_tool_call_output","call_id":"call_1","output":[{"type":"input_text","text":"a"}]}`, `user; tool_result custom "call_1" [text "a"]`, `{"type":"custom_tool_call_output","call_id":"call_1","output":"a"}`},
	{"an output that is an object", `{"type":"function_call_output","call_id":"call_1","output":{"content":"a", "success":true}}`, `user; tool_result function "call_1" [text "{\"content\":\"a\", \"success\":true}"]`, `{"type":"function_call_output","call_id":"call_1","output":"{\"content\":\"a\", \"success\":true}"}`},
	{"an output that is a number", `{"type":"function_call_output","call_id":"call_1","output":0}`, `user; tool_result function "call_1" [text "0"]`, `{"type":"function_call_output","call_id":"call_1","output":"0"}`},
	{"an empty output", `{"type":"function_call_output","call_id":"call_1","output":""}`, `user; tool_result function "call_1" []`, ""},
	{"an empty output in a part", `{"type":"function_call_output","call_id":"call_1","output":[{"type":"input_text","text":""}]}`, `user; tool_result function "call_1" []`, `{"type":"function_call_output","call_id":"call_1","output":""}`},
	{"no output", `{"type":"function_call_output","call_id":"call_1","output":null}`, `user; tool_result function "call_1" []`, `{"type":"function_call_output","call_id":"call_1","output":""}`},
	{"output twice", `{"type":"function_call_output","call_id":"call_1","output":"x","output":["y"],"output":"z"}`, `user; tool_result function "call_1" [text "z"]`, `{"type":"function_call_output","call_id":"call_1","output":"z"}`},
	{"tools that were found", `{"type":"tool_search_output","status":"completed","tools":[{"type":"function","name":"a"}],"call_id":"call_1","execution":"client"}`, `user +responses.execution="client"; tool_result function "call_1" [text "[{\"type\":\"function\",\"name\":\"a\"}]"]`, ""},

	{"a tool search whose arguments are text", `{"type":"tool_search_call","status":"completed","arguments":"find it","call_id":"call_1","execution":"client"}`, `assistant +responses.execution="client"; tool_call function "call_1" tool_search text "find it"`, "-"},
	{"no tools that were found", `{"type":"tool_search_output","call_id":"call_1","execution":"client"}`, `user +responses.execution="client"; tool_result function "call_1" [text "[]"]`, `{"type":"tool_search_output","status":"completed","tools":[],"call_id":"call_1","execution":"client"}`},
	{"tools that are no list", `{"type":"tool_search_output","call_id":"call_1","execution":"client","tools":{}}`, `assistant; other responses "tool_search_output" {"type":"tool_search_output","call_id":"call_1","execution":"client","tools":{}}`, ""},
	{"tools that the provider found", `{"type":"tool_search_output","call_id":null,"execution":"server","tools":[]}`, `assistant; other responses "tool_search_output" {"type":"tool_search_output","call_id":null,"execution":"server","tools":[]}`, ""},

	{"a compaction", `{"type":"compaction","encrypted_content":"s=="}`, `assistant; compaction responses "s=="`, "-"},
	{"a generated image", `{"type":"image_generation_call","id":"ig_1","status":"completed","revised_prompt":"p","result":"AAAA"}`, `assistant ig_1; tool_call provider "ig_1" image_generation {"revised_prompt":"p"}; tool_result provider "ig_1" [image type="image/png" data="AAAA"]`, "-"},
	{"an image that is not there yet", `{"type":"image_generation_call","id":"ig_1","status":"generating","result":null}`, `assistant ig_1 +responses.status="generating"; tool_call provider "ig_1" image_generation {}`, "-"},

	{"an unknown item", `{"type":"mcp_call","id":"mcp_1","name":"a","arguments":"{}","output":"b"}`, `assistant mcp_1; other responses "mcp_call" {"type":"mcp_call","id":"mcp_1","name":"a","arguments":"{}","output":"b"}`, ""},
	{"an unknown item over several lines", "{\"type\":\"x\",\n\"a\":1}", "assistant; other responses \"x\" {\"type\":\"x\",; \"a\":1}", `{"type":"x", "a":1}`},
	{"no object", `"a"`, `assistant; other responses "" "a"`, ""},
	{"a lone surrogate, anthropics/claude-code#56064", `{"type":"message","role":"user","content":[{"type":"input_text","text":"\ud83d"}],"x\ud83d":1}`, "user +responses.x\uFFFD=1; text \"\uFFFD\"", "{\"type\":\"message\",\"role\":\"user\",\"content\":[{\"type\":\"input_text\",\"text\":\"\uFFFD\"}],\"x\uFFFD\":1}"},
	{"a lone surrogate in arguments", `{"type":"function_call","name":"a","arguments":"{\"a\":\"\\ud83d\"}","call_id":"c"}`, "assistant; tool_call function \"c\" a {\"a\":\"\uFFFD\"}", "{\"type\":\"function_call\",\"name\":\"a\",\"arguments\":\"{\\\"a\\\":\\\"\uFFFD\\\"}\",\"call_id\":\"c\"}"},
}

func TestItems(t *testing.T) {
	for _, x := range samples {
		t.Run(x.name, func(t *testing.T) {
			m := readItem(t, x.in)
			if got := says(m); got != x.says {
				t.Errorf("says %s\nwant %s", got, x.says)
			}
			want := x.out
			if want == "" {
				want = x.in
			}
			out, err := responses.AppendItem([]byte("<"), m)
			if x.out == "-" {
				if !errors.Is(err, responses.ErrCannotExpress) {
					t.Errorf("written %s, %v", out, err)
				}
				return
			}
			if err != nil || string(out) != "<"+want {
				t.Errorf("written %s, %v\nwant   <%s", out, err, want)
			}
		})
	}
}

// The id of an item goes with what it holds, and is never written.
func TestBlocksHaveTheIDOfTheirItem(t *testing.T) {
	for _, in := range []string{
		`{"type":"message","id":"i","role":"user","content":["a","b"]}`, `{"type":"function_call","id":"i","name":"a","arguments":"{}","call_id":"c"}`,
		`{"type":"image_generation_call","id":"i","result":"A"}`, `{"type":"x","id":"i"}`,
	} {
		m := readItem(t, in)
		for _, b := range m.Blocks {
			if m.ID != "i" || b.Meta().ItemID != "i" {
				t.Errorf("%s: message %q, block %q", in, m.ID, b.Meta().ItemID)
			}
		}
	}
}

// A session file holds one record a line, whatever a model wrote as its input.
func TestWhatIsWrittenIsOneLine(t *testing.T) {
	raw := canon.Raw("{\n\t\"a\": 1,\r\n\"b\":\"\\n\"}")
	call := func(kind canon.CallKind, name string) canon.Block {
		return &canon.ToolCallBlock{CallID: "a\nb", Name: name, Call: kind, Input: canon.Input{JSON: raw}}
	}
	for _, b := range []canon.Block{
		call(canon.CallFunction, "c\nd"), call(canon.CallShell, "local_shell"), call(canon.CallProvider, "web_search"),
		&canon.OpaqueBlock{Dialect: responses.Name, Raw: raw},
		&canon.TextBlock{Text: canon.NewText("a\nb"), BlockMeta: canon.BlockMeta{Ext: canon.Ext{Dialect: responses.Name, Members: []canon.Member{{Name: "x\n", Value: raw}}}}},
	} {
		out, err := responses.AppendItem(nil, &canon.Message{Role: canon.Assistant, Blocks: []canon.Block{b}})
		if err != nil || strings.ContainsAny(string(out), "\n\r") || !json.Valid(out) {
			t.Errorf("%s, %v", out, err)
		}
	}
}
