package anthropic_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/dialect/anthropic"
	"github.com/crosswalk-agents/crosswalk/dialect/dialecttest"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

func readBlock(t testing.TB, in string) canon.Block {
	t.Helper()
	d := jsonx.NewDecoder([]byte(in))
	b := anthropic.ReadBlock(d)
	if d.Err() != nil || d.More() {
		t.Fatalf("read %s: %v, more %t", in, d.Err(), d.More())
	}
	return b
}

// samples are blocks as they come, what they say, and how they are written if
// that differs.
var samples = []struct{ name, in, says, out string }{
	{"text", `{"type":"text","text":"a\u0062"}`, `text "ab"`, ""},
	{"text in another order", `{"text":"a","type":"text"}`, `text "a"`, `{"type":"text","text":"a"}`},
	{"text with a breakpoint", `{"type":"text","text":"a","cache_control":{"type":"ephemeral"}}`, `text "a" +anthropic.cache_control={"type":"ephemeral"}`, ""},
	{"text with members of other blocks", `{"type":"text","text":"a","id":"x","data":[1],"title":2,"is_error":true}`, `text "a" +anthropic.id="x" +anthropic.data=[1] +anthropic.title=2 +anthropic.is_error=true`, ""},
	{"text with repeated unknown members", `{"type":"text","text":"a","x":1,"y":2,"x":3}`, `text "a" +anthropic.x=1 +anthropic.y=2 +anthropic.x=3`, ""},
	{"text that is null", `{"type":"text","text":null}`, `text ""`, `{"type":"text","text":""}`},
	{"text that is none", `{"type":"text","text":{"a":1}}`, `other anthropic "text" {"type":"text","text":{"a":1}}`, ""},
	{"a string instead of a block", `"a"`, `text "a"`, `{"type":"text","text":"a"}`},
	{"a number instead of a block", `5`, `other anthropic "" 5`, ""},

	{"an image", `{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA"}}`, `image type="image/png" data="AAAA"`, ""},
	{"an image by its address", `{"type":"image","source":{"type":"url","url":"https:\/\/example.com\/a.png"}}`, `image url="https://example.com/a.png"`, ""},
	{"an image, members in another order", `{"source":{"data":"AAAA","media_type":"image/png","type":"base64"},"type":"image"}`, `image type="image/png" data="AAAA"`, `{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA"}}`},
	{"a vendor file", `{"type":"image","source":{"type":"file","file_id":"f1"}}`, `other anthropic "image" {"type":"image","source":{"type":"file","file_id":"f1"}}`, ""},
	{"an image without data", `{"type":"image","source":{"type":"base64","media_type":"image/png","data":""}}`, `other anthropic "image" {"type":"image","source":{"type":"base64","media_type":"image/png","data":""}}`, ""},
	{"an image without a source", `{"type":"image"}`, `other anthropic "image" {"type":"image"}`, ""},
	{"a document", `{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"AAAA"},"title":"a.pdf","context":"c"}`, `document type="application/pdf" data="AAAA" name="a.pdf" +anthropic.context="c"`, ""},
	{"a document of plain text", `{"type":"document","source":{"type":"text","media_type":"text/plain","data":"a\nb"}}`, `document type="text/plain" plain="a\nb"`, ""},
	{"a document of plain text without its type", `{"type":"document","source":{"type":"text","data":"a"}}`, `document type="text/plain" plain="a"`, `{"type":"document","source":{"type":"text","media_type":"text/plain","data":"a"}}`},
	{"a document of another text", `{"type":"document","source":{"type":"text","media_type":"text/markdown","data":"a"}}`, `document type="text/markdown" plain="a"`, ""},
	{"a document of blocks", `{"type":"document","source":{"type":"content","content":[{"type":"text","text":"a"}]}}`, `other anthropic "document" {"type":"document","source":{"type":"content","content":[{"type":"text","text":"a"}]}}`, ""},

	{"thinking", `{"type":"thinking","thinking":"a","signature":"s=="}`, `reasoning "a" anthropic "s=="`, ""},
	{"thinking without a signature", `{"type":"thinking","thinking":"a"}`, `reasoning "a"`, `{"type":"thinking","thinking":"a","signature":""}`},
	{"redacted thinking", `{"type":"redacted_thinking","data":"s=="}`, `reasoning anthropic "s==" redacted`, ""},

	{"a call", `{"type":"tool_use","id":"toolu_1","name":"Read","input":{"b":1.0,"a":""}}`, `tool_call function "toolu_1" Read {"b":1.0,"a":""}`, ""},
	{"a call with its caller", `{"type":"tool_use","id":"toolu_1","name":"Read","input":{},"caller":{"type":"direct"}}`, `tool_call function "toolu_1" Read {} +anthropic.caller={"type":"direct"}`, ""},
	{"a call of a foreign name and id", `{"type":"tool_use","id":"call:A|1/é","name":"mcp.x","input":{}}`, `tool_call function "call:A|1/é" mcp.x {}`, ""},
	{"a call whose id is a number", `{"type":"tool_use","id":5,"name":"Read","input":{}}`, `other anthropic "tool_use" {"type":"tool_use","id":5,"name":"Read","input":{}}`, ""},
	{"a call of the provider", `{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{"query":"q"}}`, `tool_call provider "srvtoolu_1" web_search {"query":"q"}`, ""},

	{"a result", `{"type":"tool_result","tool_use_id":"toolu_1","content":"a"}`, `tool_result  "toolu_1" [text "a"]`, ""},
	{"a result, its id last", `{"type":"tool_result","content":"a","is_error":false,"tool_use_id":"toolu_1"}`, `tool_result  "toolu_1" [text "a"]`, `{"type":"tool_result","tool_use_id":"toolu_1","content":"a"}`},
	{"an error", `{"type":"tool_result","tool_use_id":"toolu_1","content":"a","is_error":true,"cache_control":null}`, `tool_result  "toolu_1" error [text "a"] +anthropic.cache_control=null`, ""},
	{"a result that may be an error", `{"type":"tool_result","tool_use_id":"toolu_1","content":"a","is_error":"yes"}`, `tool_result  "toolu_1" [text "a"] +anthropic.is_error="yes"`, ""},
	{"a result in blocks", `{"type":"tool_result","tool_use_id":"toolu_1","content":[{"type":"text","text":"a"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA"}},{"type":"tool_reference","tool_name":"Read"}]}`, `tool_result  "toolu_1" [text "a", image type="image/png" data="AAAA", other anthropic "tool_reference" {"type":"tool_reference","tool_name":"Read"}]`, ""},
	{"a result in one block", `{"type":"tool_result","tool_use_id":"toolu_1","content":[{"type":"text","text":"a"}]}`, `tool_result  "toolu_1" [text "a"]`, `{"type":"tool_result","tool_use_id":"toolu_1","content":"a"}`},
	{"a result in a block with a breakpoint", `{"type":"tool_result","tool_use_id":"toolu_1","content":[{"type":"text","text":"a","cache_control":{}}]}`, `tool_result  "toolu_1" [text "a" +anthropic.cache_control={}]`, ""},
	{"a result in strings", `{"type":"tool_result","tool_use_id":"toolu_1","content":["a","b"]}`, `tool_result  "toolu_1" [text "a", text "b"]`, `{"type":"tool_result","tool_use_id":"toolu_1","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}`},
	{"a result that is one block", `{"type":"tool_result","tool_use_id":"toolu_1","content":{"type":"text","text":"a"}}`, `tool_result  "toolu_1" [text "a"]`, `{"type":"tool_result","tool_use_id":"toolu_1","content":"a"}`},
	{"a result that is an object", `{"type":"tool_result","tool_use_id":"toolu_1","content":{"ok":1}}`, `tool_result  "toolu_1" [other anthropic "" {"ok":1}]`, `{"type":"tool_result","tool_use_id":"toolu_1","content":[{"ok":1}]}`},
	{"a result without content", `{"type":"tool_result","tool_use_id":"toolu_1"}`, `tool_result  "toolu_1" []`, `{"type":"tool_result","tool_use_id":"toolu_1","content":""}`},
	{"an empty result", `{"type":"tool_result","tool_use_id":"toolu_1","content":""}`, `tool_result  "toolu_1" []`, ""},
	{"an empty result in a block", `{"type":"tool_result","tool_use_id":"toolu_1","content":[{"type":"text","text":""}]}`, `tool_result  "toolu_1" []`, `{"type":"tool_result","tool_use_id":"toolu_1","content":""}`},
	{"an empty list", `{"type":"tool_result","tool_use_id":"toolu_1","content":[]}`, `tool_result  "toolu_1" []`, `{"type":"tool_result","tool_use_id":"toolu_1","content":""}`},
	{"a result in a result", `{"type":"tool_result","tool_use_id":"a","content":[{"type":"tool_result","tool_use_id":"b","content":"x"}]}`, `tool_result  "a" [other anthropic "tool_result" {"type":"tool_result","tool_use_id":"b","content":"x"}]`, ""},
	{"content twice", `{"type":"tool_result","tool_use_id":"a","content":"x","content":[{"type":"text","text":"y"}],"content":"z"}`, `tool_result  "a" [text "z"]`, `{"type":"tool_result","tool_use_id":"a","content":"z"}`},

	{"an unknown block", `{"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":[{"type":"web_search_result","url":"u"}]}`, `other anthropic "web_search_tool_result" {"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":[{"type":"web_search_result","url":"u"}]}`, ""},
	{"an unknown block over several lines", "{\"type\":\"x\",\n\"a\":[1,\r\n2]}", "other anthropic \"x\" {\"type\":\"x\",\n\"a\":[1,\r\n2]}", `{"type":"x", "a":[1,  2]}`},
	{"a block without a type", `{"text":"a"}`, `other anthropic "" {"text":"a"}`, ""},
	{"a type that is no string", `{"type":["text"],"text":"a"}`, `other anthropic "" {"type":["text"],"text":"a"}`, ""},
	{"an empty object", `{}`, `other anthropic "" {}`, ""},

	{"a lone surrogate, anthropics/claude-code#56064", `{"type":"text","text":"a\ud83d","x\ud83d":"\ud83d"}`, "text \"a\uFFFD\" +anthropic.x\uFFFD=\"\uFFFD\"", "{\"type\":\"text\",\"text\":\"a\uFFFD\",\"x\uFFFD\":\"\uFFFD\"}"},
	{"a lone surrogate in an input, anthropics/claude-code#70618", `{"type":"tool_use","id":"a","name":"b","input":{"a":"\ude00\ud83d\ude00"}}`, "tool_call function \"a\" b {\"a\":\"\uFFFD😀\"}", "{\"type\":\"tool_use\",\"id\":\"a\",\"name\":\"b\",\"input\":{\"a\":\"\uFFFD😀\"}}"},
	{"invalid UTF-8 in an unknown block", "{\"type\":\"x\",\"a\":\"\xff\"}", "other anthropic \"x\" {\"type\":\"x\",\"a\":\"\uFFFD\"}", "{\"type\":\"x\",\"a\":\"\uFFFD\"}"},
}

func TestBlocks(t *testing.T) {
	for _, x := range samples {
		t.Run(x.name, func(t *testing.T) {
			b := readBlock(t, x.in)
			if got := dialecttest.FormatBlock(b); got != x.says {
				t.Errorf("says %s\nwant %s", got, x.says)
			}
			want := x.out
			if want == "" {
				want = x.in
			}
			out, err := anthropic.AppendBlock([]byte("<"), b)
			if err != nil || string(out) != "<"+want {
				t.Errorf("written %s, %v\nwant   <%s", out, err, want)
			}
		})
	}
}

// What a damaged writer left as a call's input is read, and not written.
func TestAnOddInputIsKept(t *testing.T) {
	for in, want := range map[string]string{
		`"a\u0062"`: `text "ab"`, `[1]`: `[1]`, `null`: `null`, `5`: `5`,
	} {
		b := readBlock(t, `{"type":"tool_use","id":"a","name":"b","input":`+in+`}`)
		if got := dialecttest.FormatBlock(b); got != `tool_call function "a" b `+want {
			t.Errorf("%s: %s", in, got)
		}
		if out, err := anthropic.AppendBlock(nil, b); !errors.Is(err, anthropic.ErrCannotExpress) {
			t.Errorf("%s, %v", out, err)
		}
	}
}

// The writer is strict: it writes nothing that the protocol has no form for.
func TestWhatCannotBeExpressedIsRefused(t *testing.T) {
	function := func(change func(*canon.ToolCallBlock)) canon.Block {
		b := &canon.ToolCallBlock{CallID: "a", Name: "b", Call: canon.CallFunction, Input: canon.Input{JSON: canon.Raw(`{}`)}}
		change(b)
		return b
	}
	plain := canon.Media{Plain: canon.NewText("a")}
	for name, b := range map[string]canon.Block{
		"reasoning of another vendor":      &canon.ReasoningBlock{Capsule: canon.Capsule{Issuer: "responses"}},
		"reasoning of nobody":              &canon.ReasoningBlock{Text: canon.NewText("a")},
		"a compaction":                     &canon.CompactionBlock{},
		"an unknown block of another":      &canon.OpaqueBlock{Dialect: "responses", Raw: canon.Raw(`{}`)},
		"a custom call":                    function(func(b *canon.ToolCallBlock) { b.Call = canon.CallCustom }),
		"a shell call":                     function(func(b *canon.ToolCallBlock) { b.Call = canon.CallShell }),
		"a call of no kind":                function(func(b *canon.ToolCallBlock) { b.Call = "" }),
		"a call in a namespace":            function(func(b *canon.ToolCallBlock) { b.Namespace = "n" }),
		"a call without input":             function(func(b *canon.ToolCallBlock) { b.Input = canon.Input{} }),
		"a call with text as its input":    function(func(b *canon.ToolCallBlock) { b.Input = canon.Input{Text: canon.NewText("a")} }),
		"a call with a list as its input":  function(func(b *canon.ToolCallBlock) { b.Input = canon.Input{JSON: canon.Raw(`[]`)} }),
		"a provider's call without input":  function(func(b *canon.ToolCallBlock) { b.Call, b.Input = canon.CallProvider, canon.Input{} }),
		"an image without data":            &canon.ImageBlock{},
		"an image of plain text":           &canon.ImageBlock{Media: plain},
		"a document without data":          &canon.DocumentBlock{},
		"a result with a compaction in it": &canon.ToolResultBlock{Content: []canon.Block{&canon.TextBlock{}, &canon.CompactionBlock{}}},
	} {
		t.Run(name, func(t *testing.T) {
			if out, err := anthropic.AppendBlock(nil, b); !errors.Is(err, anthropic.ErrCannotExpress) {
				t.Errorf("written %s, %v", out, err)
			}
			if out, err := anthropic.AppendContent(nil, []canon.Block{&canon.TextBlock{}, b}); !errors.Is(err, anthropic.ErrCannotExpress) {
				t.Errorf("as content %s, %v", out, err)
			}
		})
	}
}

func TestMembersOfAnotherDialectStayBehind(t *testing.T) {
	ext := canon.Ext{Dialect: "responses", Members: []canon.Member{{Name: "x", Value: canon.Raw("1")}}}
	for want, b := range map[string]canon.Block{
		`{"type":"text","text":"a"}`:                            &canon.TextBlock{BlockMeta: canon.BlockMeta{Ext: ext}, Text: canon.NewText("a")},
		`{"type":"tool_use","id":"a","name":"b","input":{}}`:    &canon.ToolCallBlock{BlockMeta: canon.BlockMeta{Ext: ext}, CallID: "a", Name: "b", Call: canon.CallFunction, Input: canon.Input{JSON: canon.Raw(`{}`)}},
		`{"type":"tool_result","tool_use_id":"a","content":""}`: &canon.ToolResultBlock{BlockMeta: canon.BlockMeta{Ext: ext}, CallID: "a"},
	} {
		if out, err := anthropic.AppendBlock(nil, b); string(out) != want || err != nil {
			t.Errorf("%s, %v", out, err)
		}
	}
}

func TestContent(t *testing.T) {
	for _, x := range []struct{ name, in, out string }{
		{"a string", `"a\nb"`, `"a\nb"`},
		{"an empty string", `""`, `""`},
		{"null", `null`, `""`},
		{"an empty list", `[]`, `""`},
		{"a text", `[{"type":"text","text":"a"}]`, `"a"`},
		{"a text with a breakpoint", `[{"type":"text","text":"a","cache_control":{}}]`, `[{"type":"text","text":"a","cache_control":{}}]`},
		{"two texts", `[{"type":"text","text":"a"},"b"]`, `[{"type":"text","text":"a"},{"type":"text","text":"b"}]`},
		{"a block that is not in a list", `{"type":"text","text":"a"}`, `"a"`},
		{"a number", `5`, `[5]`},
		{"false", `false`, `[false]`},
	} {
		t.Run(x.name, func(t *testing.T) {
			d := jsonx.NewDecoder([]byte(x.in))
			blocks := anthropic.ReadContent(d)
			out, err := anthropic.AppendContent(nil, blocks)
			if d.Err() != nil || err != nil || string(out) != x.out {
				t.Errorf("%s, %v, %v", out, d.Err(), err)
			}
		})
	}
}

// A session file holds one record a line, whatever a model wrote as its input.
func TestWhatIsWrittenIsOneLine(t *testing.T) {
	raw := canon.Raw("{\n\t\"a\": 1,\r\n\"b\":\"\\n\"}")
	for _, b := range []canon.Block{
		&canon.ToolCallBlock{CallID: "a\nb", Name: "c\nd", Call: canon.CallFunction, Input: canon.Input{JSON: raw}},
		&canon.TextBlock{Text: canon.NewText("a\nb"), BlockMeta: canon.BlockMeta{Ext: canon.Ext{Dialect: anthropic.Name, Members: []canon.Member{{Name: "x\n", Value: raw}}}}},
		&canon.OpaqueBlock{Dialect: anthropic.Name, Raw: raw},
		&canon.DocumentBlock{Media: canon.Media{MediaType: "text/plain", Plain: canon.NewText("a\nb"), Name: "c\nd"}},
	} {
		out, err := anthropic.AppendBlock(nil, b)
		if err != nil || strings.ContainsAny(string(out), "\n\r") || !json.Valid(out) {
			t.Errorf("%s, %v", out, err)
		}
		if again := readBlock(t, string(out)); digest(again) != digest(b) {
			t.Errorf("%s says something else than %s", dialecttest.FormatBlock(again), dialecttest.FormatBlock(b))
		}
	}
}

// Reported: anthropics/claude-code#63155. A vendor takes its own thinking back
// only as it was.
func TestThinkingIsWrittenAsItWasRead(t *testing.T) {
	for _, in := range []string{
		`{"type":"thinking","thinking":"a\/b \u00e9 \ud83d\ude00 \\u","signature":"anthropics\/claude-code#63155=="}`,
		`{"type":"redacted_thinking","data":"a\/b=="}`,
	} {
		if out, err := anthropic.AppendBlock(nil, readBlock(t, in)); string(out) != in || err != nil {
			t.Errorf("%s, %v", out, err)
		}
	}
}

func digest(b canon.Block) canon.Link {
	var d canon.Digester
	return d.Block(&canon.Message{Role: canon.User}, b)
}

func TestUsage(t *testing.T) {
	for in, want := range map[string]*canon.Usage{
		`{"input_tokens":3,"cache_read_input_tokens":40,"cache_creation_input_tokens":500,"output_tokens":6,"service_tier":"x"}`: {Input: 543, CacheRead: 40, CacheWrite: 500, Output: 6},
		`{"input_tokens":3.5,"output_tokens":"6","cache_read_input_tokens":null}`:                                                {},
		`{}`:   {},
		`null`: nil,
		`[1]`:  nil,
	} {
		d := jsonx.NewDecoder([]byte(in))
		got := anthropic.ReadUsage(d)
		if (got == nil) != (want == nil) || got != nil && *got != *want || d.Err() != nil {
			t.Errorf("%s: %+v, %v", in, got, d.Err())
		}
	}
}
