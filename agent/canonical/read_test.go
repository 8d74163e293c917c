package canonical

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/jsonl"
)

const (
	header = `{"crosswalk":1,"thread":{"id":"s1","agent":"claude"}}`
	hello  = `{"type":"message","message":{"role":"user","blocks":[{"type":"text","text":"hello"}]}}`
	answer = `{"type":"message","message":{"role":"assistant","blocks":[{"type":"text","text":"world"}]}}`
)

// texts lists what messages say, one string each.
func texts(msgs []*canon.Message) []string {
	var out []string
	for _, m := range msgs {
		var parts []string
		for _, b := range m.Blocks {
			switch b := b.(type) {
			case *canon.TextBlock:
				parts = append(parts, b.Text.String())
			default:
				parts = append(parts, string(b.Kind()))
			}
		}
		out = append(out, strings.Join(parts, "+"))
	}
	return out
}

func TestDamagedFilesAreReadAndCounted(t *testing.T) {
	both := []string{"hello", "world"}
	for _, c := range []struct {
		name, file string
		want       []string
		notes      map[string]int
		losses     int
	}{
		{"whole", header + "\n" + hello + "\n" + answer + "\n", both, nil, 0},
		{"no final newline", header + "\n" + hello + "\n" + answer, both, map[string]int{"damage-no-final-newline": 1}, 0},
		{"byte order mark and CRLF", "\xEF\xBB\xBF" + header + "\r\n" + hello + "\r\n" + answer + "\r\n", both, map[string]int{"damage-bom": 1, "damage-crlf": 1}, 0},
		{"NUL bytes", header + "\n\x00\x00" + hello + "\n" + answer + "\n", both, map[string]int{"damage-nul": 1}, 0},
		{"glued records", header + hello + answer + "\n", both, map[string]int{"damage-glued": 2}, 0},
		{"torn last line", header + "\n" + hello + "\n" + answer + "\n" + answer[:40], both, map[string]int{"damage-torn": 1}, 1},
		{"cut record with another behind", header + "\n" + hello[:30] + hello + "\n" + answer + "\n", both, map[string]int{"damage-cut": 1}, 1},
		{"malformed line", header + "\n" + hello + "\nnonsense\n" + answer + "\n", both, map[string]int{"damage-malformed": 1}, 1},
		{"blank lines", "\n" + header + "\n\n" + hello + "\n   \n" + answer + "\n", both, nil, 0},
		{"records of another type", header + "\n{\"type\":\"event\"}\n17\n" + hello + "\n" + answer + "\n", both, map[string]int{"unknown-records": 2}, 0},
		{"a message without a known role", header + "\n" + hello + "\n" + strings.Replace(answer, "assistant", "root", 1) + "\n", both[:1], map[string]int{"unknown-records": 1}, 0},
		{
			"invalid UTF-8 and a lone surrogate", header + "\n" + strings.Replace(hello, "hello", "a\xffb", 1) + "\n" + strings.Replace(answer, "world", `\ud800`, 1) + "\n",
			[]string{"a\uFFFDb", "\uFFFD"},
			map[string]int{"repaired-characters": 2},
			0,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := new(canon.Report)
			_, msgs := decode(t, []byte(c.file), agent.OpenOptions{Report: r})
			if d := cmp.Diff(c.want, texts(msgs)); d != "" {
				t.Errorf("messages (-want +got):\n%s", d)
			}
			if d := cmp.Diff(c.notes, r.Notes); d != "" {
				t.Errorf("notes (-want +got):\n%s", d)
			}
			if len(r.Losses) != c.losses {
				t.Errorf("losses: %v", r.Losses)
			}
			if err := r.Balance(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestUnknownAndWrongValuesAreNoted(t *testing.T) {
	for _, c := range []struct {
		name, message string
		want          *canon.Message
		unknown       int
	}{
		{
			"members", `{"role":"user","mood":1,"blocks":[{"type":"text","text":"x","font":{"a":[]}}]}`,
			&canon.Message{Role: canon.User, Blocks: []canon.Block{&canon.TextBlock{Text: canon.NewText("x")}}}, 2,
		},
		{"a kind of message counts as injected", `{"role":"user","kind":"dream","blocks":[]}`, &canon.Message{Role: canon.User, Kind: canon.Injected}, 1},
		{"an authority counts as the lower one", `{"role":"system","authority":"root"}`, &canon.Message{Role: canon.System, Authority: canon.AuthorityDeveloper}, 1},
		{
			"a block of a later version is kept", `{"role":"user","blocks":[{"type":"video","data":"AA=="}]}`,
			&canon.Message{Role: canon.User, Blocks: []canon.Block{&canon.OpaqueBlock{Dialect: Dialect, Type: "video", Raw: canon.Raw(`{"type":"video","data":"AA=="}`)}}}, 1,
		},
		{
			"what is no block is kept", `{"role":"user","blocks":[7]}`,
			&canon.Message{Role: canon.User, Blocks: []canon.Block{&canon.OpaqueBlock{Dialect: Dialect, Raw: canon.Raw(`7`)}}}, 1,
		},
		{"values of another kind", `{"id":1,"role":"user","line":"x","time":"noon","usage":[],"ext":7,"blocks":{}}`, &canon.Message{Role: canon.User}, 4},
		{
			"an input that is no JSON becomes text", `{"role":"assistant","blocks":[{"type":"tool_call","call":"function","input":{"json_text":"{\"a\":"}}]}`,
			&canon.Message{Role: canon.Assistant, Blocks: []canon.Block{&canon.ToolCallBlock{Call: canon.CallFunction, Input: canon.Input{Text: canon.NewText(`{"a":`)}}}}, 1,
		},
		{
			"members in another order", `{"blocks":[{"text":"x","type":"text"}],"role":"user"}`,
			&canon.Message{Role: canon.User, Blocks: []canon.Block{&canon.TextBlock{Text: canon.NewText("x")}}}, 0,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := new(canon.Report)
			_, msgs := decode(t, []byte(header+"\n"+`{"type":"message","message":`+c.message+"}\n"), agent.OpenOptions{Report: r})
			if d := cmp.Diff([]*canon.Message{c.want}, msgs, equal()); d != "" {
				t.Errorf("message (-want +got):\n%s", d)
			}
			if r.Notes["unknown-members"] != c.unknown {
				t.Errorf("notes: %v, want %d unknown members", r.Notes, c.unknown)
			}
		})
	}
}

func TestRefusedFiles(t *testing.T) {
	foreign := strings.Repeat(`{"parentUuid":null,"uuid":"u","type":"user","message":{"role":"user","content":"x"}}`+"\n", headerWithin)
	for _, c := range []struct {
		name, file string
		is         error
		says       string
	}{
		{"empty", "", agent.ErrNoConversation, "the file is empty"},
		{"header alone", header + "\n", agent.ErrNoConversation, "no record of it is a message"},
		{"header of another kind", `{"crosswalk":"one","thread":{}}` + "\n" + hello + "\n", agent.ErrForeign, "not a session file of"},
		{"messages without a header", hello + "\n", agent.ErrForeign, "not a session file of"},
		{"a session of Claude Code", foreign, agent.ErrForeign, "session file of Claude Code, not of Crosswalk"},
		{"a header behind a long foreign file", foreign + header + "\n" + hello + "\n", agent.ErrForeign, "session file of Claude Code, not of Crosswalk"},
		{"a session of Codex", `{"timestamp":"","type":"session_meta","payload":{}}` + "\n", agent.ErrForeign, "session file of Codex, not of Crosswalk"},
		{"no JSON", "PK\x03\x04", agent.ErrForeign, "not a session file of"},
		{"a later version", strings.Replace(header, "1", "2", 1) + "\n" + hello + "\n", nil, "update crosswalk"},
		{"two sessions", header + "\n" + hello + "\n" + header + "\n" + answer + "\n", nil, "another session begins at line 3"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "session.jsonl")
			if err := os.WriteFile(path, []byte(c.file), 0o600); err != nil {
				t.Fatal(err)
			}
			s, err := New().Open(t.Context(), path, agent.OpenOptions{})
			if err == nil {
				t.Fatalf("opened: %v", messages(t, s))
			}
			if c.is != nil && !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("error %q, want %v: %q", err, c.is, c.says)
			}
		})
	}
}

func TestIdentified(t *testing.T) {
	got, err := agent.Identify(jsonl.FromBytes("x", []byte(header+"\n"+hello+"\n")))
	if got != ID || err != nil {
		t.Errorf("identified as %q, %v", got, err)
	}
}

func TestBranchIsRefused(t *testing.T) {
	if _, err := New().Open(t.Context(), "nowhere.jsonl", agent.OpenOptions{Branch: "b"}); err == nil || !strings.Contains(err.Error(), "no branches") {
		t.Errorf("error: %v", err)
	}
}

func TestManifest(t *testing.T) {
	m, err := New().Manifest()
	if err != nil || m.ID != ID {
		t.Fatalf("%+v, %v", m, err)
	}
	for e, err := range New().Sessions(t.Context(), agent.Home{}, agent.Query{}) {
		t.Errorf("listed %v, %v", e, err)
	}
}

// An index that is too small would make Heal settle the call, one that is too
// large would make it hold messages back.
func TestCallsIndexesTheResultsOfTheStream(t *testing.T) {
	call := func(id string) *canon.Message {
		return &canon.Message{Role: canon.Assistant, Blocks: []canon.Block{&canon.ToolCallBlock{CallID: id, Name: "T", Call: canon.CallFunction}}}
	}
	result := func(id string) *canon.Message {
		nested := &canon.ToolResultBlock{CallID: "never"}
		return &canon.Message{Role: canon.User, Blocks: []canon.Block{&canon.ToolResultBlock{CallID: id, Content: []canon.Block{nested}}}}
	}
	prompt := &canon.Message{Role: canon.User, Blocks: []canon.Block{&canon.TextBlock{Text: canon.NewText("go on")}}}
	file := encode(t, canon.Thread{}, call("late é"), prompt, result("late é"), call("never"), prompt)
	s, err := open(t.Context(), jsonl.FromBytes("x", file), "x", agent.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // each index is a fresh one
		r := new(canon.Report)
		var order []string
		for m, err := range canon.Heal(s.Messages(t.Context()), s.Calls(), r) {
			if err != nil {
				t.Fatal(err)
			}
			order = append(order, texts([]*canon.Message{m})...)
		}
		want := []string{"tool_call", "tool_result", "go on", "tool_call", "tool_result", "go on"}
		if d := cmp.Diff(want, order); d != "" {
			t.Errorf("healed (-want +got):\n%s", d)
		}
	}
}

// A provider's answer to its own tool is nothing that a later call of the same
// id may wait for.
func TestCallsLeavesOutWhatAProviderAnswersItself(t *testing.T) {
	call := func(kind canon.CallKind) canon.Block { return &canon.ToolCallBlock{CallID: "x", Name: "T", Call: kind} }
	result := func(text string) canon.Block {
		return &canon.ToolResultBlock{CallID: "x", Content: []canon.Block{&canon.TextBlock{Text: canon.NewText(text)}}}
	}
	file := encode(
		t, canon.Thread{},
		&canon.Message{Role: canon.Assistant, Blocks: []canon.Block{call(canon.CallProvider), result("own")}},
		&canon.Message{Role: canon.Assistant, Blocks: []canon.Block{call(canon.CallFunction)}},
		&canon.Message{Role: canon.User, Blocks: []canon.Block{&canon.TextBlock{Text: canon.NewText("go on")}}},
		&canon.Message{Role: canon.Assistant, Blocks: []canon.Block{call(canon.CallFunction)}},
		&canon.Message{Role: canon.User, Blocks: []canon.Block{result("real")}},
	)
	s, err := open(t.Context(), jsonl.FromBytes("x", file), "x", agent.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var results []string
	for m, err := range canon.Heal(s.Messages(t.Context()), s.Calls(), new(canon.Report)) {
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range m.Blocks {
			if r, ok := b.(*canon.ToolResultBlock); ok {
				results = append(results, r.Content[0].(*canon.TextBlock).Text.String())
			}
		}
	}
	if d := cmp.Diff([]string{"own", canon.InterruptedResult, "real"}, results); d != "" {
		t.Errorf("results (-want +got):\n%s", d)
	}
}

func TestCancelled(t *testing.T) {
	file := []byte(header + "\n" + hello + "\n" + answer + "\n")
	s, err := open(t.Context(), jsonl.FromBytes("x", file), "x", agent.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for m, err := range s.Messages(ctx) {
		if m != nil || err == nil {
			t.Errorf("message %v, error %v", m, err)
		}
	}
}

// What a session takes while it is read must not grow with what it holds.
func TestOpenKeepsOnlyPlaces(t *testing.T) {
	m := &canon.Message{Role: canon.User, Blocks: []canon.Block{&canon.TextBlock{Text: canon.NewText(strings.Repeat("x", 1<<16))}}}
	var b bytes.Buffer
	e := NewEncoder(&b, canon.Thread{})
	const n = 500
	for range n {
		if err := e.Message(m); err != nil {
			t.Fatal(err)
		}
	}
	before := heap()
	s, err := open(t.Context(), jsonl.FromBytes("x", b.Bytes()), "x", agent.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if grown := heap() - before; grown > 1<<20 {
		t.Errorf("an open session of %d bytes holds %d", b.Len(), grown)
	}
	if got := len(messages(t, s)); got != n {
		t.Errorf("%d messages of %d", got, n)
	}
}

func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func ExampleNewEncoder() {
	e := NewEncoder(os.Stdout, canon.Thread{ID: "s1", Agent: "claude", Dir: "/work"})
	err := e.Message(&canon.Message{Role: canon.User, Line: 3, Blocks: []canon.Block{&canon.TextBlock{Text: canon.NewText("hello")}}})
	fmt.Println(err)
	// Output:
	// {"crosswalk":1,"thread":{"id":"s1","agent":"claude","cwd":"/work"}}
	// {"type":"message","message":{"role":"user","line":3,"blocks":[{"type":"text","text":"hello"}]}}
	// <nil>
}

// Depth costs stack and nothing else.
func TestDeeplyNestedResults(t *testing.T) {
	const depth = 2000
	file := header + "\n" + `{"type":"message","message":{"role":"user","blocks":[` +
		strings.Repeat(`{"type":"tool_result","content":[`, depth) + strings.Repeat("]}", depth) + "]}}\n"
	th, msgs := decode(t, []byte(file), agent.OpenOptions{})
	again, _ := decode(t, encode(t, th, msgs...), agent.OpenOptions{})
	if again.ID != th.ID {
		t.Error("not the same session")
	}
	tooDeep := header + "\n" + hello + "\n" + `{"type":"message","message":{"role":"user","blocks":[` + strings.Repeat("[", 20000) + "\n"
	if _, msgs := decode(t, []byte(tooDeep), agent.OpenOptions{}); len(msgs) != 1 {
		t.Errorf("%d messages", len(msgs))
	}
}
