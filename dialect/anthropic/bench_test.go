package anthropic_test

import (
	"strings"
	"testing"

	"github.com/crosswalk-agents/crosswalk/dialect/anthropic"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// bench returns the content of a message of one megabyte: long texts full of
// escapes, calls with edits, results with an image.
func bench() string {
	code := strings.Repeat(`func f() error {\n\treturn fmt.Errorf(\"read %q: %w\", name, err)\n}\n`, 100)
	block := `{"type":"text","text":"` + strings.Repeat("A plain sentence of the answer. ", 60) + `"},` +
		`{"type":"tool_use","id":"toolu_01","name":"Edit","input":{"file_path":"/w/a.go","old_string":"` + code + `","new_string":"` + code + `","replace_all":false}},` +
		`{"type":"tool_result","tool_use_id":"toolu_01","content":[{"type":"text","text":"` + code + `"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` + strings.Repeat("iVBORw0K", 1000) + `"}}],"is_error":false}`
	return "[" + strings.Repeat(block+",", 1<<20/len(block)) + block + "]"
}

func BenchmarkDecode(b *testing.B) {
	line := []byte(bench())
	b.SetBytes(int64(len(line)))
	b.ReportAllocs()
	var d jsonx.Decoder
	for b.Loop() {
		if d.Reset(line); len(anthropic.ReadContent(&d)) == 0 || d.Err() != nil {
			b.Fatal(d.Err())
		}
	}
}

func BenchmarkEncode(b *testing.B) {
	blocks := anthropic.ReadContent(jsonx.NewDecoder([]byte(bench())))
	b.SetBytes(int64(len(bench())))
	b.ReportAllocs()
	var out []byte
	for b.Loop() {
		var err error
		if out, err = anthropic.AppendContent(out[:0], blocks); err != nil {
			b.Fatal(err)
		}
	}
}
