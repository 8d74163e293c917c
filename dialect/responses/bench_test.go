package responses_test

import (
	"strings"
	"testing"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/dialect/responses"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// bench returns a list of items of one megabyte: long texts, calls with arguments
// in a string, outputs with an image.
func bench() string {
	code := strings.Repeat(`func f() error {\n\treturn fmt.Errorf(\"read %q: %w\", name, err)\n}\n`, 100)
	item := `{"type":"message","role":"assistant","content":[{"type":"output_text","text":"` + strings.Repeat("A plain sentence of the answer. ", 60) + `"}]},` +
		`{"type":"function_call","name":"shell","arguments":"{\"command\":[\"apply_patch\",\"` + strings.Repeat(`+\\tif err != nil {\\n`, 300) + `\"]}","call_id":"call_1"},` +
		`{"type":"function_call_output","call_id":"call_1","output":[{"type":"input_text","text":"` + code + `"},{"type":"input_image","image_url":"data:image/png;base64,` + strings.Repeat("iVBORw0K", 1000) + `"}]}`
	return "[" + strings.Repeat(item+",", 1<<20/len(item)) + item + "]"
}

func readBench(d *jsonx.Decoder) (items []*canon.Message) {
	for range d.Elements() {
		items = append(items, responses.ReadItem(d))
	}
	return items
}

func BenchmarkDecode(b *testing.B) {
	line := []byte(bench())
	b.SetBytes(int64(len(line)))
	b.ReportAllocs()
	var d jsonx.Decoder
	for b.Loop() {
		if d.Reset(line); len(readBench(&d)) == 0 || d.Err() != nil {
			b.Fatal(d.Err())
		}
	}
}

func BenchmarkEncode(b *testing.B) {
	items := readBench(jsonx.NewDecoder([]byte(bench())))
	b.SetBytes(int64(len(bench())))
	b.ReportAllocs()
	var out []byte
	for b.Loop() {
		out = out[:0]
		for _, m := range items {
			var err error
			if out, err = responses.AppendItem(out, m); err != nil {
				b.Fatal(err)
			}
		}
	}
}
