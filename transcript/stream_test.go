package transcript

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/fixture"
)

func prompt(text string) *canon.Message {
	return &canon.Message{Role: canon.User, Blocks: []canon.Block{&canon.TextBlock{Text: canon.NewText(text)}}}
}

func answer(text string) *canon.Message {
	m := prompt(text)
	m.Role = canon.Assistant
	return m
}

func TestTailKeepsTheLastTurns(t *testing.T) {
	var msgs []*canon.Message
	msgs = append(msgs, &canon.Message{Role: canon.System, Blocks: []canon.Block{&canon.TextBlock{Text: canon.NewText("before all")}}})
	for i := 1; i <= 5; i++ {
		scaffold := prompt("put in")
		scaffold.Blocks[0].Meta().Tag = "reminder"
		msgs = append(msgs, prompt(fmt.Sprintf("ask %d", i)), scaffold, answer(fmt.Sprintf("answer %d", i)))
	}
	for _, c := range []struct {
		tail      int
		has, lack string
		notes     []string
	}{
		{1, "answer 5", "ask 4", []string{"… 4 earlier turns not shown", "(1 piece of scaffolding not shown)"}},
		{4, "ask 2", "answer 1", []string{"… 1 earlier turn not shown", "(4 pieces of scaffolding not shown)"}},
		{5, "ask 1", "before all", []string{"(5 pieces"}},
		{6, "before all", "earlier", nil},
		{0, "before all", "earlier", nil},
	} {
		t.Run(fmt.Sprint(c.tail), func(t *testing.T) {
			var b bytes.Buffer
			if err := Text(&b, canon.Thread{}, stream(msgs), TextOptions{Tail: c.tail}); err != nil {
				t.Fatal(err)
			}
			out := b.String()
			if !strings.Contains(out, c.has) || strings.Contains(out, c.lack) {
				t.Errorf("has %q: %v, has %q: %v", c.has, strings.Contains(out, c.has), c.lack, strings.Contains(out, c.lack))
			}
			for _, n := range c.notes {
				if !strings.Contains(out, n) {
					t.Errorf("no %q in\n%s", n, out)
				}
			}
		})
	}
}

func TestTailIsBounded(t *testing.T) {
	var b bytes.Buffer
	out := tail{w: &b, n: 3, limit: 1000}
	for i := range 10000 {
		if err := out.add(i == 0 || i == 5000, fmt.Appendf(nil, "line %d\n", i), hidden{}); err != nil {
			t.Fatal(err)
		}
		if out.size > out.limit {
			t.Fatalf("%d bytes are kept", out.size)
		}
	}
	if err := out.end(); err != nil {
		t.Fatal(err)
	}
	if s := b.String(); !strings.HasSuffix(s, "line 9998\nline 9999\n") || !strings.Contains(s, "the beginning of this turn is not shown") || !strings.Contains(s, "… 1 earlier turn") {
		t.Errorf("%.200s", s)
	}
}

// Neither output holds more of a session than a message.
func TestSessionsOfAnySizeTakeTheSameMemory(t *testing.T) {
	const n = 3000
	var most int64
	long := strings.Repeat("a line of a result\n", 2000)
	endless := func(yield func(*canon.Message, error) bool) {
		before := heap()
		for i := range n {
			id := fmt.Sprint("call", i)
			call := &canon.ToolCallBlock{CallID: id, Name: "Bash", Input: canon.Input{JSON: canon.Raw(`{"command":"ls"}`)}}
			result := &canon.ToolResultBlock{CallID: id, Content: []canon.Block{&canon.TextBlock{Text: canon.NewText(strings.Clone(long))}}}
			if i%3 == 0 {
				result.CallID = "another" // the call stays open
			}
			m := prompt("go on")
			if i%1000 != 0 {
				m = answer("well")
			}
			m.Blocks = append(m.Blocks, call, result)
			if !yield(m, nil) {
				return
			}
			if i%500 == 499 {
				most = max(most, heap()-before)
			}
		}
	}
	for name, run := range map[string]func() error{
		"text": func() error { return Text(io.Discard, canon.Thread{}, endless, TextOptions{}) },
		"tail": func() error { return Text(io.Discard, canon.Thread{}, endless, TextOptions{Tail: 1}) },
		"html": func() error { return HTML(io.Discard, canon.Thread{}, endless) },
	} {
		t.Run(name, func(t *testing.T) {
			most = 0
			if err := run(); err != nil {
				t.Fatal(err)
			}
			if most > 4<<20 {
				t.Errorf("%d bytes of a session of %d are held", most, n*len(long))
			}
		})
	}
}

func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func TestAHugeLineTakesTimeInProportion(t *testing.T) {
	fixture.InProportion(t, 1<<20, func(n int) time.Duration {
		line := strings.Repeat("<x\u202e y> ", n)
		m := &canon.Message{Role: canon.User, Blocks: []canon.Block{&canon.TextBlock{Text: canon.NewText(line)}}}
		return fixture.Time(func() {
			if err := Text(io.Discard, canon.Thread{}, stream([]*canon.Message{m}), TextOptions{Width: 40}); err != nil {
				t.Fatal(err)
			}
			if err := HTML(io.Discard, canon.Thread{}, stream([]*canon.Message{m})); err != nil {
				t.Fatal(err)
			}
		})
	})
}

var errBroken = errors.New("broken")

type brokenWriter struct{ after int }

func (w *brokenWriter) Write(p []byte) (int, error) {
	if w.after -= len(p); w.after < 0 {
		return 0, errBroken
	}
	return len(p), nil
}

func TestErrorsAreReturned(t *testing.T) {
	broken := func(yield func(*canon.Message, error) bool) {
		if yield(prompt("before"), nil) {
			yield(nil, errBroken)
		}
	}
	many := make([]*canon.Message, 2000)
	for i := range many {
		many[i] = prompt("a prompt that is written")
	}
	for name, render := range map[string]func(io.Writer, canon.Messages) error{
		"text": func(w io.Writer, m canon.Messages) error { return Text(w, canon.Thread{}, m, TextOptions{}) },
		"tail": func(w io.Writer, m canon.Messages) error { return Text(w, canon.Thread{}, m, TextOptions{Tail: 2000}) },
		"html": func(w io.Writer, m canon.Messages) error { return HTML(w, canon.Thread{}, m) },
	} {
		t.Run(name+" of a session that breaks off", func(t *testing.T) {
			var b bytes.Buffer
			if err := render(&b, broken); !errors.Is(err, errBroken) {
				t.Errorf("error: %v", err)
			}
			if !strings.Contains(b.String(), "before") || name == "html" && !strings.HasSuffix(b.String(), "</html>\n") {
				t.Errorf("written: %s", b.String())
			}
		})
		t.Run(name+" to a writer that breaks", func(t *testing.T) {
			for _, after := range []int{0, 5000, 30000} {
				if err := render(&brokenWriter{after}, stream(many)); !errors.Is(err, errBroken) {
					t.Errorf("after %d bytes: %v", after, err)
				}
			}
		})
	}
}
