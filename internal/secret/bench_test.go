package secret

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"
)

// plain is what sessions consist of, without a secret: prose, code, logs,
// listings, JSON.
const plain = `I'll start by looking at the failing test and the parser it exercises, then check whether the fix
belongs in the scanner. The error message says that the third record is torn, which should not happen
because the writer holds the lock until the line is complete.

func (s *scanner) lines(b []byte, searched int) []byte {
	for {
		n := bytes.IndexByte(b[searched:], '\n')
		if n < 0 {
			return b
		}
		if err := s.line(b[:searched+n], true); err != nil {
			return fmt.Errorf("read %q at byte %d: %w", s.path, s.off, err)
		}
		b, searched = b[searched+n+1:], 0
	}
}

   142→  const handler = async (request: Request, options?: HandlerOptions): Promise<Response> => {
   143→    const { searchParams } = new URL(request.url, "https://localhost:3000/");
   144→    return Response.json({ items: await load(searchParams.get("page") ?? "1") });
   145→  };
2026-03-01T09:30:00.123Z INFO  [worker-3] processed batch id=3f2504e0-4f89-41d3-9a0c-0305e82c3301 items=128 elapsed=41.7ms
2026-03-01T09:30:00.165Z WARN  [worker-1] retrying upstream status=503 attempt=2 backoff=400ms
-rw-r--r-- 1 dev dev  12034 Mar  1 09:12 internal/session/scanner_test.go
--- PASS: TestScanner/glued_records (0.02s)
{"type":"assistant","message":{"id":"msg_01AbCdEfGh","content":[{"type":"text","text":"Done."}],"usage":{"input_tokens":1234}}}
diff --git a/src/components/list.tsx b/src/components/list.tsx
index 8a1f2c3..b4d5e6f 100644
@@ -10,7 +10,7 @@ export function List({ items }: Props) {
-      {items.map((item) => <Row key={item.id} {...item} />)}
+      {visible.map((item) => <Row key={item.id} {...item} selected={item.id === current} />)}
`

func TestCleanTextCostsNoAllocation(t *testing.T) {
	text := []byte(strings.Repeat(plain, 4))
	for name, f := range map[string]*Finder{"": New(Options{}), "deep": New(Options{Deep: true})} {
		if got := f.Find(text); got != nil || f.Suspects(text) {
			t.Fatalf("%s: %v, suspected: %v", name, got, f.Suspects(text))
		}
		if n := testing.AllocsPerRun(20, func() { f.Find(text); f.Suspects(text) }); n > 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

// BenchmarkFind is to be read against its units: newlines (a vectorised pass) and
// words (a load of every eight bytes).
func BenchmarkFind(b *testing.B) {
	text := []byte(strings.Repeat(plain, 256<<10/len(plain)))
	always, deep := New(Options{}), New(Options{Deep: true})
	blocks := bytes.SplitAfter(text, []byte("\n"))
	for _, bench := range []struct {
		name string
		run  func()
	}{
		{"newlines", func() { bytes.Count(text, []byte("\n")) }},
		{"words", func() {
			var sum uint64
			for s := text; len(s) >= 8; s = s[8:] {
				sum ^= binary.LittleEndian.Uint64(s)
			}
			if sum == 1 {
				b.Fatal(sum)
			}
		}},
		{"find", func() { always.Find(text) }},
		{"find/lines", func() {
			for _, block := range blocks {
				always.Find(block)
			}
		}},
		{"deep", func() { deep.Find(text) }},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				bench.run()
			}
		})
	}
}

func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		New(Options{})
	}
}
