package session

import "math/rand/v2"

// words are what all texts are made of.
var words = [...]string{
	"adapter", "after", "again", "anchor", "answer", "arrow", "balance", "batch", "before", "bench", "bound", "branch", "bridge", "bucket",
	"buffer", "cache", "canvas", "carry", "chain", "check", "close", "column", "commit", "compare", "copy", "count", "cursor", "decode",
	"depth", "digest", "drain", "edge", "encode", "entry", "equal", "error", "event", "fetch", "field", "filter", "first", "flag", "flush",
	"folder", "format", "frame", "group", "handle", "header", "height", "hold", "index", "inner", "insert", "invoice", "journal", "keep",
	"kernel", "label", "latch", "layer", "ledger", "length", "limit", "line", "link", "list", "lock", "marker", "match", "measure", "merge",
	"message", "meter", "module", "motor", "number", "offset", "open", "order", "outer", "owner", "packet", "parse", "patch", "pause",
	"peek", "place", "point", "pool", "prefix", "press", "probe", "queue", "range", "reader", "record", "reduce", "remote", "repeat",
	"reply", "report", "result", "retry", "review", "ring", "route", "scan", "scope", "seed", "select", "shape", "share", "signal", "size",
	"slice", "slot", "sort", "source", "span", "split", "stack", "stage", "state", "step", "store", "stream", "string", "sum", "table",
	"target", "test", "thread", "timer", "total", "trace", "tree", "turn", "union", "unit", "update", "value", "vector", "view", "watch",
	"width", "window", "write", "writer", "zone",
}

// foreign are texts with characters beyond ASCII.
var foreign = [...]string{
	"先读取索引，再比较两个分支的长度。", "この行は後で書き直します。", "测试全部通过 ✅ 可以提交。", "キャッシュの大きさを確認する。",
	"결과를 다시 확인하세요.", "Größe der Warteschlange prüfen — später.", "«приёмник» закрыт раньше срока…", "🚀 → done, naïve façade kept 😀",
}

// codeLines are the beginnings and ends of lines of source, escaped for JSON.
var codeLines = [...][2]string{
	{`\tif `, ` != nil {`},
	{`\t\treturn fmt.Errorf(\"`, `: %w\", err)`},
	{`func (s *store) `, `() error {`},
	{`\t// `, ``},
	{`\tconst `, ` = \"on\"`},
	{`    def `, `(self, value):`},
	{`        self.`, `[\"key\"] = None`},
	{`import { `, ` } from './lib';`},
	{`  <div class=\"row\">`, `</div>`},
	{`\t}`, ``},
}

// source makes up what sessions hold. Texts are appended as the inside of JSON
// strings, escapes included.
type source struct{ r *rand.Rand }

func newSource(seed uint64) *source { return &source{r: rand.New(rand.NewPCG(seed, 0x5e55_1015))} }

// word returns one of the words.
func (s *source) word() string { return words[s.r.Uint32N(uint32(len(words)))] }

// phrase appends n words.
func (s *source) phrase(b []byte, n int) []byte {
	for i := range n {
		if i > 0 {
			b = append(b, ' ')
		}
		b = append(b, s.word()...)
	}
	return b
}

// prose appends about n bytes of what people and models say.
func (s *source) prose(b []byte, n int) []byte {
	for end := len(b) + n; len(b) < end; {
		switch d := s.r.Uint32N(100); {
		case d < 9:
			b = append(b, foreign[s.r.Uint32N(uint32(len(foreign)))]...)
			b = append(b, ' ')
		case d < 15:
			b = append(append(append(b, '`'), s.word()...), "` "...)
		case d < 19:
			b = append(s.phrase(append(b, `\"`...), 2), `\" `...)
		case d < 27:
			b = append(b, `\n\n`...)
		case d < 33:
			b = append(s.phrase(append(b, `\n- **`...), 2), "** "...)
		default:
			b = append(s.phrase(b, 5+int(s.r.Uint32N(9))), ". "...)
		}
	}
	return b
}

// code appends about n bytes of source text.
func (s *source) code(b []byte, n int) []byte {
	for end := len(b) + n; len(b) < end; {
		if s.r.Uint32N(100) < 4 {
			b = append(append(b, `\t// `...), foreign[s.r.Uint32N(uint32(len(foreign)))]...)
		} else {
			line := codeLines[s.r.Uint32N(uint32(len(codeLines)))]
			b = append(s.phrase(append(b, line[0]...), 1+int(s.r.Uint32N(8))), line[1]...)
		}
		b = append(b, `\n`...)
	}
	return b
}

// output appends about n bytes of what programs print.
func (s *source) output(b []byte, n int) []byte {
	for end := len(b) + n; len(b) < end; {
		switch d := s.r.Uint32N(100); {
		case d < 5:
			b = append(b, foreign[s.r.Uint32N(uint32(len(foreign)))]...)
		case d < 40:
			b = append(s.path(b), ':')
			b = s.number(b, 900)
			b = s.phrase(append(b, ": "...), 3+int(s.r.Uint32N(8)))
		case d < 48:
			b = append(s.phrase(append(b, `{\"name\": \"`...), 1), `\", \"count\": `...)
			b = append(s.number(b, 100_000), '}')
		default:
			b = s.phrase(b, 6+int(s.r.Uint32N(12)))
		}
		b = append(b, `\n`...)
	}
	return b
}

// path appends a relative path.
func (s *source) path(b []byte) []byte {
	for range 1 + s.r.Uint32N(3) {
		b = append(append(b, s.word()...), '/')
	}
	b = append(append(b, s.word()...), '_')
	return append(append(b, s.word()...), ".go"...)
}

// number appends a number below most.
func (s *source) number(b []byte, most uint32) []byte { return appendInt(b, int(s.r.Uint32N(most))) }

const (
	hexDigits    = "0123456789abcdef"
	base64Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	idDigits     = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
)

// digits appends n of the digits.
func (s *source) digits(b []byte, n int, digits string) []byte {
	var bits uint64
	for i := range n {
		if i%8 == 0 {
			bits = s.r.Uint64()
		}
		b = append(b, digits[int(bits&0xff)*len(digits)>>8])
		bits >>= 8
	}
	return b
}

// base64 appends n base64 digits; n is cut to whole groups of four.
func (s *source) base64(b []byte, n int) []byte { return s.digits(b, n&^3, base64Digits) }

// uuid returns a random UUID.
func (s *source) uuid() string {
	b := s.digits(make([]byte, 0, 36), 32, hexDigits)
	b[12] = '4'
	out := make([]byte, 0, 36)
	for i, n := 0, 0; n < 5; n++ {
		if n > 0 {
			out = append(out, '-')
		}
		part := [...]int{8, 4, 4, 4, 12}[n]
		out = append(out, b[i:i+part]...)
		i += part
	}
	return string(out)
}

// id returns an id with a prefix.
func (s *source) id(prefix string, n int) string {
	return string(s.digits([]byte(prefix), n, idDigits))
}

// resultSize draws how long a tool result is: most are short, few hold most of
// the bytes.
func (s *source) resultSize() int {
	switch d := s.r.Uint32N(100); {
	case d < 50:
		return 80 + int(s.r.Uint32N(1400))
	case d < 80:
		return 1500 + int(s.r.Uint32N(4500))
	case d < 95:
		return 6000 + int(s.r.Uint32N(14_000))
	}
	return 20_000 + int(s.r.Uint32N(25_000))
}

// chance reports true in percent of all cases.
func (s *source) chance(percent uint32) bool { return s.r.Uint32N(100) < percent }

// between draws a number from low to high-1.
func (s *source) between(low, high int) int { return low + int(s.r.Uint32N(uint32(high-low))) }
