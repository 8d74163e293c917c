package scripted

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseReadsEveryField(t *testing.T) {
	const script = `[
 {"thinking":"t","text":"x","tools":[{"name":"n","id":"i","args":{"a":1}},{"name":"n","namespace":"s","input":""},{"item":{"type":"y"}}],
  "headers":{"x-a":"b"},"delay_ms":1,"frame_delay_ms":2,"chunks":3,"stop":"end_turn",
  "usage":{"input":9,"cached":1,"written":2,"output":4,"reasoning":3},
  "fault":{"cut_after_frames":0,"overload_in_stream":true,"overload_at_frame":1,"garbage_frame_at":0,"crlf":true,"no_done":true,
   "args_only_in_done":true,"repeat_ids":true,"empty_deltas":true,"silent_ms":5,"silent_at_frame":0,"huge_line":6,"huge_line_as":"comment","drip":true}},
 {"status":429,"error":{"e":1}}
]`
	got, err := Parse("f", []byte(script))
	if err != nil {
		t.Fatal(err)
	}
	zero, empty := 0, ""
	want := Script{
		{
			Thinking: "t", Text: "x",
			Tools: []Tool{
				{Name: "n", ID: "i", Args: json.RawMessage(`{"a":1}`)},
				{Name: "n", Namespace: "s", Input: &empty},
				{Item: json.RawMessage(`{"type":"y"}`)},
			},
			Headers: map[string]string{"x-a": "b"}, DelayMS: 1, FrameDelayMS: 2, Chunks: 3, Stop: StopEndTurn,
			Usage: &Usage{9, 1, 2, 4, 3},
			Fault: &Fault{&zero, true, 1, &zero, true, true, true, true, true, 5, &zero, 6, "comment", true},
		},
		{Status: 429, Error: json.RawMessage(`{"e":1}`)},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestParseErrorsSayWhere(t *testing.T) {
	tests := []struct{ name, script, want string }{
		{"empty file", ``, `read script "s.json", line 1: unexpected end`},
		{"syntax", "[\n{},\n{]", `read script "s.json", line 3: invalid character ']'`},
		{"trailing text", `[] []`, `read script "s.json", line 1: invalid character '['`},
		{"not UTF-8", "[{\"text\":\"\xff\"}]", `read script "s.json": not UTF-8`},
		{"no list", `{"text":"a"}`, `read script "s.json": want a JSON list of turns, got an object`},
		{"turn is no object", `["a"]`, `line 1, turn 0: want a JSON object, got a string`},
		{"unknown field", "[\n {},\n\n {\"txet\":1}]", `line 4, turn 1: unknown field "txet" (known are thinking, text, tools,`},
		{"other case", `[{"Text":"a"}]`, `unknown field "Text"`},
		{"repeated field", `[{"text":"a","text":"b"}]`, `field "text" is given twice`},
		{"unknown tool field", `[{"tools":[{"name":"a"},{"name":"b","arg":{}}]}]`, `turn 0, tools[1]: unknown field "arg"`},
		{"unknown fault", `[{"fault":{"cut":1}}]`, `turn 0, fault: unknown field "cut"`},
		{"unknown usage", `[{"usage":{"in":1}}]`, `turn 0, usage: unknown field "in"`},
		{"repeated header", `[{"headers":{"a":"b","a":"c"}}]`, `turn 0, headers: field "a" is given twice`},
		{"type of text", `[{"text":null}]`, `turn 0, text: want a string, got null`},
		{"type of args", `[{"tools":[{"name":"a","args":"{}"}]}]`, `turn 0, tools[0].args: want a JSON object, got a string`},
		{"type of tools", `[{"tools":{}}]`, `turn 0, tools: want a JSON list, got an object`},
		{"type of header", `[{"headers":{"a":1}}]`, `turn 0, headers.a: want a string, got 1`},
		{"type of flag", `[{"fault":{"drip":1}}]`, `turn 0, fault.drip: want true or false, got 1`},
		{"negative number", `[{"delay_ms":-1}]`, `turn 0, delay_ms: want a whole number from 0 to 999999999, got -1`},
		{"fraction", `[{"chunks":1.5}]`, `turn 0, chunks: want a whole number`},
		{"call without name", `[{"tools":[{"args":{}}]}]`, `turn 0, tools[0]: needs "name" or "item"`},
		{"args and input", `[{"tools":[{"name":"a","args":{},"input":""}]}]`, `turn 0, tools[0]: "args" and "input" exclude each other`},
		{"item and name", `[{"tools":[{"name":"a","item":{"type":"b"}}]}]`, `turn 0, tools[0]: "item" is the whole output item`},
		{"item without type", `[{"tools":[{"item":{}}]}]`, `turn 0, tools[0].item: needs "type"`},
		{"error without status", `[{"error":{}}]`, `turn 0, error: an error needs "status"`},
		{"status 200", `[{"status":200}]`, `turn 0, status: want 300 to 599, got 200`},
		{"status with content", `[{"status":500,"text":"a"}]`, `turn 0, status: a turn with a status has no thinking, text or tools`},
		{"status and overload", `[{"status":500,"fault":{"overload_in_stream":true}}]`, `turn 0, status: a turn with a status has no overload_in_stream`},
		{"status without body", `[{"status":304}]`, `turn 0, status: 304 has no body`},
		{"stop", `[{"stop":"length"}]`, `turn 0, stop: unknown stop reason "length" (known are end_turn,`},
		{"cached", `[{"usage":{"cached":12}}]`, `turn 0, usage: cached 12 + written 0 is more than input 11`},
		{"reasoning", `[{"usage":{"reasoning":8}}]`, `turn 0, usage: reasoning 8 is more than output 7`},
		{"header name", `[{"headers":{"a b":"c"}}]`, `turn 0, headers: "a b" is no header name`},
		{"header value", `[{"headers":{"a":"b\nc"}}]`, `turn 0, headers: "a": the value has a control character`},
		{"header of the server", `[{"headers":{"content-length":"1"}}]`, `turn 0, headers: "content-length" is set by the server`},
		{"overload place alone", `[{"fault":{"overload_at_frame":1}}]`, `turn 0, fault.overload_at_frame: needs overload_in_stream`},
		{"silence place alone", `[{"fault":{"silent_at_frame":1}}]`, `turn 0, fault.silent_at_frame: needs silent_ms`},
		{"silence with content", `[{"text":"a","fault":{"silent_ms":1}}]`, `turn 0, fault.silent_ms: ends in an error status`},
		{"padding kind", `[{"fault":{"huge_line":1,"huge_line_as":"x"}}]`, `turn 0, fault.huge_line_as: want "field" or "comment", got "x"`},
		{"padding kind alone", `[{"fault":{"huge_line_as":"field"}}]`, `turn 0, fault.huge_line_as: needs huge_line`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse("s.json", []byte(tt.script))
			var typed *ScriptError
			if !errors.As(err, &typed) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got  %v\nwant … %s …", err, tt.want)
			}
		})
	}
}

func TestLoadNamesTheFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "turns.json")
	if _, err := Load(file); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("absent file: %v", err)
	}
	if err := os.WriteFile(file, []byte(`[{"x":1}]`), 0o600); err != nil {
		t.Fatal(err)
	}
	var typed *ScriptError
	if _, err := Load(file); !errors.As(err, &typed) || typed.File != file || typed.Turn != 0 || typed.Line != 1 {
		t.Errorf("got %v", err)
	}
}

func TestNewChecksTurnsBuiltInCode(t *testing.T) {
	for name, script := range map[string]Script{
		"stop":   {{}, {Stop: "x"}},
		"header": {{}, {Headers: map[string]string{"a": "$WORK"}}},
	} {
		if _, err := New(script, Options{Work: "a\nb"}); err == nil || !strings.Contains(err.Error(), "use turn 1") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, seed := range []string{"a b", strings.Repeat("a", 33)} {
		if _, err := New(nil, Options{Seed: seed}); err == nil {
			t.Errorf("seed %q was taken", seed)
		}
	}
}

// FuzzParse: it never panics, what it takes can be served, and writing and reading
// a script again changes nothing.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`[]`, `[{"text":"a"}]`, `[{"tools":[{"name":"a","args":{"b":[1,2]}},{"item":{"type":"x"}}],"stop":"max_tokens"}]`,
		`[{"status":500,"error":"x","headers":{"a":"b"}}]`, `[{"usage":{"input":20},"fault":{"huge_line":1,"drip":true}}]`,
		"[{\"text\":\"\xff\"}]", `[{"text":"\ud800$WORK"}]`, `[{"tools":[{"name":"a","input":"$WORK"}]}]`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		script, err := Parse("", data)
		if err != nil {
			var typed *ScriptError
			if !errors.As(err, &typed) {
				t.Fatalf("untyped error %v", err)
			}
			return
		}
		if _, err := New(script, Options{Work: `/w "x"`}); err != nil {
			t.Fatal(err)
		}
		once, err := json.Marshal(script)
		if err != nil {
			t.Fatal(err)
		}
		again, err := Parse("", once)
		if err != nil {
			t.Fatalf("%v in %s", err, once)
		}
		if twice, err := json.Marshal(again); err != nil || !bytes.Equal(once, twice) {
			t.Fatalf("%v: %s then %s", err, once, twice)
		}
	})
}
