package jsonx_test

import (
	"strings"
	"testing"

	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// line returns a record of one megabyte as session files have them: code with
// escapes, plain and foreign text, base64, and many short members.
func line() []byte {
	code := strings.Repeat(`func f() error {\n\treturn fmt.Errorf(\"read %q: %w\", name, err)\n}\n`, 100)
	block := `{"type":"text","text":"` + strings.Repeat("A plain sentence of the answer. ", 100) + `"},` +
		`{"type":"tool_use","id":"toolu_01","name":"Edit","input":{"file_path":"/w/a.go","new_string":"` + code + `"}},` +
		`{"type":"text","text":"` + strings.Repeat("Ein Satz über Größe; 日本語の文。 ", 50) + `"},` +
		`{"type":"image","source":{"type":"base64","data":"` + strings.Repeat("iVBORw0K", 1000) + `"}}`
	return []byte(`{"parentUuid":null,"isSidechain":false,"message":{"content":[` + strings.Repeat(block+",", 1<<20/len(block)) + block + `]},"uuid":"u"}`)
}

func BenchmarkDecode(b *testing.B) {
	text := line()
	for name, read := range map[string]func(*jsonx.Decoder){
		"skip": (*jsonx.Decoder).Skip,
		"walk": walkAll,
		"clean": func(d *jsonx.Decoder) {
			d.CleanRaw()
		},
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			var d jsonx.Decoder
			for b.Loop() {
				d.Reset(text)
				if read(&d); d.Err() != nil {
					b.Fatal(d.Err())
				}
			}
		})
	}
}

func walkAll(d *jsonx.Decoder) {
	switch d.Kind() {
	case jsonx.Object:
		for range d.Members() {
			walkAll(d)
		}
	case jsonx.Array:
		for range d.Elements() {
			walkAll(d)
		}
	case jsonx.String:
		d.Literal()
	default:
		d.Skip()
	}
}

func BenchmarkUnescape(b *testing.B) {
	lit := string(line())
	inside := lit[strings.Index(lit, "func"):]
	inside = inside[:strings.Index(inside, `"}`)]
	b.SetBytes(int64(len(inside)))
	b.ReportAllocs()
	var out []byte
	for b.Loop() {
		out = jsonx.AppendUnescape(out[:0], inside)
	}
}
