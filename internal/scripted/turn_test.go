package scripted

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestWhichRequestsSpendATurn(t *testing.T) {
	const tool = `"tools":[{"name":"a"}]`
	tests := []struct {
		name, path, body string
		want             TurnRef
	}{
		{"tools", "/v1/messages", `{` + tool + `}`, 0},
		{"no tools", "/v1/messages", `{}`, SideTurn},
		{"empty tools", "/v1/messages", `{"tools":[]}`, SideTurn},
		{"structured title of Claude Code", "/v1/messages", `{` + tool + `,"output_config":{"format":{"type":"json_schema"}}}`, SideTurn},
		{"effort only", "/v1/messages", `{` + tool + `,"output_config":{"effort":"high"}}`, 0},
		{"Responses tools", "/v1/responses", `{` + tool + `,"input":"hi","text":{"verbosity":"low"}}`, 0},
		{"tools among the input", "/v1/responses", `{"input":[{"type":"additional_tools","tools":[]}]}`, 0},
		{"other input", "/v1/responses", `{"input":[{"type":"message"},3]}`, SideTurn},
		{"structured title of Codex", "/v1/responses", `{` + tool + `,"text":{"format":{"type":"json_schema"}}}`, SideTurn},
		{"the default format", "/v1/responses", `{` + tool + `,"text":{"format":{"type":"text"}}}`, 0},
		{"Chat", "/v1/chat/completions", `{` + tool + `}`, 0},
		{"Gemini", "/v1/models/m:generateContent", `{"tools":[{"functionDeclarations":[]}]}`, 0},
		{"Gemini router", "/v1beta/models/m:generateContent", `{"generationConfig":{"responseMimeType":"application/json"}}`, SideTurn},
		{"count", "/v1/messages/count_tokens", `{` + tool + `}`, NoTurn},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newServer(t, `[{"text":"first"}]`, Options{})
			got := respond(t, s, http.MethodPost, tt.path, tt.body).Body.String()
			if ref := s.Requests()[0].Turn; ref != tt.want {
				t.Errorf("turn %d, want %d", ref, tt.want)
			}
			if want := map[TurnRef]string{0: `"first"`, SideTurn: `"ok"`, NoTurn: `42`}[tt.want]; !strings.Contains(got, want) {
				t.Errorf("answer %s has no %s", got, want)
			}
		})
	}
}

func TestAllRequestsSpendTurns(t *testing.T) {
	s := newServer(t, `[{"text":"first"}]`, Options{AllRequests: true})
	for _, want := range []string{`"first"`, `"done"`} {
		if got := respond(t, s, http.MethodPost, "/v1/messages", `{}`).Body.String(); !strings.Contains(got, want) {
			t.Errorf("answer %s has no %s", got, want)
		}
	}
	if refs := []TurnRef{s.Requests()[0].Turn, s.Requests()[1].Turn}; !slices.Equal(refs, []TurnRef{0, DoneTurn}) {
		t.Errorf("turns %v", refs)
	}
	if s.Unused() != 0 {
		t.Errorf("unused %d", s.Unused())
	}
}

// TestIDsOfTurns: what a turn mints depends on the seed and the turn alone, not on
// the side requests before it, and is never minted again.
func TestIDsOfTurns(t *testing.T) {
	const script = `[{"tools":[{"name":"a"},{"name":"b"}]},{"tools":[{"name":"a"}]}]`
	for _, a := range append(streamed(), plainAsked()...) {
		t.Run(a.name, func(t *testing.T) {
			run := func(sides int, seed string) []string {
				s := newServer(t, script, Options{Seed: seed})
				var out []string
				for range 2 {
					for range sides {
						respond(t, s, http.MethodPost, "/v1/messages", `{}`)
					}
					out = append(out, respond(t, s, http.MethodPost, a.path, a.body).Body.String())
				}
				return out
			}
			first := run(0, "one")
			if again := run(3, "one"); !slices.Equal(first, again) {
				t.Errorf("not deterministic:\n%s\n%s", first, again)
			}
			if strings.Contains(first[1], "one_t0_") || !strings.Contains(first[1], "one_t1_1") {
				t.Errorf("ids of the second turn: %s", first[1])
			}
			if other := run(0, "two"); strings.Contains(other[0], "one_") {
				t.Errorf("ids with another seed: %s", other[0])
			}
		})
	}
}

func TestConcurrentRequestsSpendEachTurnOnce(t *testing.T) {
	const n = 40
	script := make(Script, n)
	for i := range script {
		script[i].Text = fmt.Sprintf("turn %d.", i)
	}
	s, err := New(script, Options{Record: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	asked := streamed()
	answers := make([]string, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			a := asked[i%len(asked)]
			a.body = strings.Replace(a.body, "{", `{"n":"`+fmt.Sprint(i)+`",`, 1)
			answers[i] = respond(t, s, http.MethodPost, a.path, a.body).Body.String()
		})
	}
	wg.Wait()
	seen := map[TurnRef]bool{}
	for i, r := range s.Requests() {
		if r.Number != i+1 || seen[r.Turn] {
			t.Errorf("request %d has number %d and turn %d", i, r.Number, r.Turn)
		}
		seen[r.Turn] = true
		asker := decode[struct {
			N int `json:"n,string"`
		}](t, r.Body).N
		if mark := fmt.Sprintf("_t%d_1", r.Turn); !strings.Contains(answers[asker], mark) {
			t.Errorf("asker %d was answered with another turn than %d", asker, r.Turn)
		}
	}
	if len(seen) != n || s.Unused() != 0 {
		t.Errorf("%d turns spent, %d unused", len(seen), s.Unused())
	}
}

func TestWorkDirectory(t *testing.T) {
	const script = `[{"thinking":"$WORK/t","text":"$WORK/x","headers":{"x-a":"$WORK"},
	 "tools":[{"name":"a","args":{"p":"$WORK/a"}},{"name":"b","input":"$WORK/b"},{"item":{"type":"c","p":"$WORK/c"}}]},
	 {"status":400,"error":{"m":"$WORK/e"}}]`
	s := newServer(t, script, Options{Work: `C:\w "q"`})
	a := plainAsked()[1]
	w := respond(t, s, http.MethodPost, a.path, a.body)
	got := decode[struct {
		Output []struct {
			Summary   []struct{ Text string }
			Content   []struct{ Text string }
			Arguments string
			Input     string
			P         string
		}
	}](t, w.Body.Bytes()).Output
	const dir = `C:\w "q"`
	if got[0].Summary[0].Text != dir+"/t" || got[1].Content[0].Text != dir+"/x" || got[3].Input != dir+"/b" || got[4].P != dir+"/c" {
		t.Errorf("got %+v", got)
	}
	if p := decode[struct{ P string }](t, []byte(got[2].Arguments)).P; p != dir+"/a" || w.Header().Get("X-A") != dir {
		t.Errorf("arguments %q, header %q", p, w.Header().Get("X-A"))
	}
	if m := decode[struct{ M string }](t, respond(t, s, http.MethodPost, a.path, a.body).Body.Bytes()).M; m != dir+"/e" {
		t.Errorf("error %q", m)
	}
}

func TestDelays(t *testing.T) {
	var n naps
	s := newServer(t, `[{"text":"ab","delay_ms":7,"frame_delay_ms":3}]`, Options{Sleep: n.sleep})
	a := streamed()[3]
	respond(t, s, http.MethodPost, a.path, a.body)
	if want := []time.Duration{7 * time.Millisecond, 3 * time.Millisecond}; !slices.Equal(n.taken, want) {
		t.Errorf("slept %v, want %v", n.taken, want)
	}
}

func TestSplitAtRunes(t *testing.T) {
	tests := []struct {
		in   string
		n    int
		want []string
	}{
		{"", 2, nil},
		{"a", 2, []string{"a"}},
		{"abcde", 2, []string{"abc", "de"}},
		{"é🙂ü", 2, []string{"é🙂", "ü"}},
		{"abcdefgh", 3, []string{"abc", "def", "gh"}},
		{"abc", 9, []string{"a", "b", "c"}},
		{"abc", 1, []string{"abc"}},
	}
	for _, tt := range tests {
		if got := split(tt.in, tt.n); !slices.Equal(got, tt.want) {
			t.Errorf("split(%q, %d) = %q, want %q", tt.in, tt.n, got, tt.want)
		}
	}
}
