package responses_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/dialect/dialecttest"
	"github.com/crosswalk-agents/crosswalk/dialect/responses"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// identity checks what holds for any item: what Append writes is one line of
// JSON, says the same when it is read again, and is written the same again.
func identity(t rapid.TB, in []byte) {
	t.Helper()
	d := jsonx.NewDecoder(in)
	m := responses.ReadItem(d)
	if d.Err() != nil {
		return
	}
	out, err := responses.AppendItem(nil, m)
	if err != nil {
		return // the writer is strict, the reader is not
	}
	if !json.Valid(out) || bytes.ContainsAny(out, "\n\r") {
		t.Fatalf("%s\nis written as %s", in, out)
	}
	again := responses.ReadItem(jsonx.NewDecoder(out))
	forget(m)
	if diff := dialecttest.Diff(m.Blocks, again.Blocks); diff != "" && !bytes.ContainsAny(in, "\n\r") {
		t.Fatalf("%s\nis read again (-first +second):\n%s", in, diff)
	}
	if digest(m) != digest(again) || m.Role != again.Role || m.Authority != again.Authority {
		t.Fatalf("%s\nsays something else when it is read again", in)
	}
	if twice, err := responses.AppendItem(nil, again); err != nil || !bytes.Equal(out, twice) {
		t.Fatalf("%s\nis written   %s\nand then %s, %v", in, out, twice, err)
	}
}

// forget takes the id of a search from it: no id is written.
func forget(m *canon.Message) {
	if c, ok := m.First().(*canon.ToolCallBlock); ok && c.Call == canon.CallProvider {
		c.CallID = ""
	}
}

func digest(m *canon.Message) (l canon.Link) {
	var d canon.Digester
	for _, b := range m.Blocks {
		l = d.Extend(l, d.Block(m, b))
	}
	return l
}

func TestItemsAreWrittenAsTheyAreRead(t *testing.T) {
	for _, x := range samples {
		t.Run(x.name, func(t *testing.T) { identity(t, []byte(x.in)) })
	}
	t.Run("any members", rapid.MakeCheck(func(t *rapid.T) { identity(t, drawItem(t)) }))
	t.Run("any members of a part", rapid.MakeCheck(func(t *rapid.T) {
		role := rapid.SampledFrom([]string{"user", "assistant", "developer", "system"}).Draw(t, "role")
		parts := []string{string(drawPart(t))}
		if rapid.Bool().Draw(t, "two") {
			parts = append(parts, string(drawPart(t)))
		}
		content := "[" + strings.Join(parts, ",") + "]"
		identity(t, []byte(`{"type":"message","role":"`+role+`","content":`+content+`}`))
		identity(t, []byte(`{"type":"function_call_output","call_id":"c","output":`+content+`}`))
	}))
}

// drawItem draws an item of any type with members of all.
func drawItem(t *rapid.T) []byte {
	return drawObject(t, []string{
		`"message"`, `"agent_message"`, `"reasoning"`, `"function_call"`, `"custom_tool_call"`, `"local_shell_call"`, `"tool_search_call"`, `"web_search_call"`,
		`"image_generation_call"`, `"function_call_output"`, `"custom_tool_call_output"`, `"tool_search_output"`, `"compaction"`, `"other"`, `1`, `null`,
	}, []string{"id", "role", "call_id", "name", "namespace", "arguments", "input", "content", "output", "action", "summary", "tools", "encrypted_content", "result", "revised_prompt", "status", "execution", "phase"})
}

// drawPart draws a part of any type with members of all.
func drawPart(t *rapid.T) []byte {
	return drawObject(t, []string{`"input_text"`, `"output_text"`, `"text"`, `"input_image"`, `"input_file"`, `"refusal"`, `null`},
		[]string{"text", "text", "image_url", "file_data", "file_url", "filename", "annotations", "detail", "call_id"})
}

func drawObject(t *rapid.T, types, names []string) []byte {
	members := []string{`"type":` + rapid.SampledFrom(types).Draw(t, "type")}
	value := rapid.SampledFrom([]string{
		`"a"`, `"a"`, `""`, `"\n\u00e9"`, `"user"`, `"assistant"`, `"developer"`, `"completed"`, `"{\"a\": 1}"`, `"data:image/png;base64,AAAA"`, `"data:,x"`, `"data:image\/png;base64,"`,
		`null`, `true`, `1.0`, `{}`, `{"b":1,"a":[]}`, `[]`, `["a"]`, `[{"type":"input_text","text":"a"},{"type":"output_text","text":"b","x":1}]`, `[{"type":"summary_text","text":""}]`, `[{"type":"refusal"}]`,
	})
	for range rapid.IntRange(0, 6).Draw(t, "members") {
		members = append(members, `"`+rapid.SampledFrom(names).Draw(t, "name")+`":`+value.Draw(t, "value"))
	}
	return []byte("{" + strings.Join(rapid.Permutation(members).Draw(t, "order"), ",") + "}")
}

// Nothing that an item of a known type says gets lost: its members come out,
// modeled or not. Only the id goes, and a status that says nothing.
func TestEveryMemberComesOut(t *testing.T) {
	values := map[string]string{
		"role": `"user"`, "call_id": `"a"`, "name": `"b"`, "namespace": `"c"`, "arguments": `"{\"d\":1}"`, "input": `"e"`, "content": `[{"type":"input_text","text":"f"}]`, "output": `"g"`,
		"action": `{"h":1}`, "summary": `[{"type":"summary_text","text":"i"}]`, "tools": `[{"type":"j"}]`, "encrypted_content": `"k"`, "result": `"l"`, "revised_prompt": `"m"`, "status": `"incomplete"`, "other": `[1]`,
	}
	for _, typ := range []string{"message", "function_call", "custom_tool_call", "local_shell_call", "web_search_call", "function_call_output", "custom_tool_call_output", "other", "tool_search_call", "tool_search_output"} {
		t.Run(typ, func(t *testing.T) {
			in := `{"type":"` + typ + `"`
			for name, value := range values {
				in += `,"` + name + `":` + value
			}
			out, err := responses.AppendItem(nil, readItem(t, in+"}"))
			if err != nil {
				t.Fatal(err)
			}
			var got map[string]json.RawMessage
			if err := json.Unmarshal(out, &got); err != nil {
				t.Fatal(err)
			}
			for name, value := range values {
				if string(got[name]) != value {
					t.Errorf("%s is %s, want %s", name, got[name], value)
				}
			}
		})
	}
}

func FuzzReadItem(f *testing.F) {
	for _, x := range samples {
		f.Add([]byte(x.in))
	}
	f.Fuzz(func(t *testing.T, in []byte) { identity(t, in) })
}
