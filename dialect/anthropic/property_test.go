package anthropic_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/dialect/anthropic"
	"github.com/crosswalk-agents/crosswalk/dialect/dialecttest"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// identity checks what holds for any block: what Append writes is one line of
// JSON, says the same when it is read again, and is written the same again.
func identity(t rapid.TB, in []byte) {
	t.Helper()
	d := jsonx.NewDecoder(in)
	b := anthropic.ReadBlock(d)
	if d.Err() != nil {
		return
	}
	out, err := anthropic.AppendBlock(nil, b)
	if err != nil {
		return // the writer is strict, the reader is not
	}
	if !json.Valid(out) || bytes.ContainsAny(out, "\n\r") {
		t.Fatalf("%s\nis written as %s", in, out)
	}
	again := anthropic.ReadBlock(jsonx.NewDecoder(out))
	if diff := dialecttest.Diff([]canon.Block{b}, []canon.Block{again}); diff != "" && !bytes.ContainsAny(in, "\n\r") {
		t.Fatalf("%s\nis read again (-first +second):\n%s", in, diff)
	}
	if digest(b) != digest(again) {
		t.Fatalf("%s\nhas another digest when it is read again", in)
	}
	if twice, err := anthropic.AppendBlock(nil, again); err != nil || !bytes.Equal(out, twice) {
		t.Fatalf("%s\nis written   %s\nand then %s, %v", in, out, twice, err)
	}
}

func TestBlocksAreWrittenAsTheyAreRead(t *testing.T) {
	for _, x := range samples {
		t.Run(x.name, func(t *testing.T) { identity(t, []byte(x.in)) })
	}
	t.Run("any members", rapid.MakeCheck(func(t *rapid.T) { identity(t, drawBlock(t)) }))
}

// drawBlock draws a block of any type with members of all.
func drawBlock(t *rapid.T) []byte {
	members := []string{`"type":` + rapid.SampledFrom([]string{
		`"text"`, `"thinking"`, `"redacted_thinking"`, `"image"`, `"document"`, `"tool_use"`, `"server_tool_use"`, `"tool_result"`, `"other"`, `1`,
	}).Draw(t, "type")}
	name := rapid.SampledFrom([]string{"text", "thinking", "signature", "data", "id", "name", "tool_use_id", "title", "input", "content", "source", "is_error", "cache_control"})
	value := rapid.SampledFrom([]string{
		`"a"`, `""`, `"\n\u00e9"`, `null`, `true`, `false`, `1.0`, `{}`, `{"b":1,"a":[]}`, `[]`, `["a"]`, `[{"type":"text","text":"a"},{"type":"text","text":"b","x":1}]`, `[{"type":"text","text":""}]`,
		`{"type":"base64","media_type":"image/png","data":"AAAA"}`, `{"type":"url","url":"https://example.com"}`, `{"type":"text","media_type":"text/plain","data":"a"}`, `{"type":"file","file_id":"f"}`,
	})
	for range rapid.IntRange(0, 6).Draw(t, "members") {
		members = append(members, `"`+name.Draw(t, "name")+`":`+value.Draw(t, "value"))
	}
	return []byte("{" + strings.Join(rapid.Permutation(members).Draw(t, "order"), ",") + "}")
}

// Nothing that a block of a known type says gets lost: its members come out,
// modeled or not.
func TestEveryMemberComesOut(t *testing.T) {
	values := map[string]string{"text": `"a"`, "thinking": `"b"`, "signature": `"c"`, "data": `"d"`, "id": `"e"`, "name": `"f"`, "tool_use_id": `"g"`, "title": `"h"`, "input": `{"i":1}`, "content": `"j"`, "source": `{"type":"url","url":"k"}`, "is_error": `true`, "other": `[1]`}
	for _, typ := range []string{"text", "thinking", "redacted_thinking", "image", "document", "tool_use", "server_tool_use", "tool_result", "other"} {
		t.Run(typ, func(t *testing.T) {
			in := `{"type":"` + typ + `"`
			for name, value := range values {
				in += `,"` + name + `":` + value
			}
			out, err := anthropic.AppendBlock(nil, readBlock(t, in+"}"))
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

func FuzzReadBlock(f *testing.F) {
	for _, x := range samples {
		f.Add([]byte(x.in))
	}
	f.Fuzz(func(t *testing.T, in []byte) { identity(t, in) })
}
