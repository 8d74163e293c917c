package canon_test

import (
	"errors"
	"flag"
	"fmt"
	"hash/maphash"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/fixture"
)

var update = flag.Bool("update", false, "rewrite the expectations of transcripts")

// parseMessages reads messages as transcripts write them, one a line:
//
//	assistant: text on it | call a | provider p
//	user: result a done | error b failed | image
//
// A block named scaffold is scaffolding; a result without text has no content.
func parseMessages(t *testing.T, s string) []*canon.Message {
	t.Helper()
	var out []*canon.Message
	for i, line := range strings.Split(strings.TrimSpace(s), "\n") {
		role, rest, ok := strings.Cut(line, ":")
		if !ok {
			t.Fatalf("line %d: %q", i+1, line)
		}
		m := &canon.Message{Role: canon.Role(role), Line: i + 1, ID: fmt.Sprint("m", i+1)}
		if m.Role == canon.System {
			m.Authority = canon.AuthorityDeveloper
		}
		for item := range strings.SplitSeq(rest, "|") {
			kind, arg, _ := strings.Cut(strings.TrimSpace(item), " ")
			m.Blocks = append(m.Blocks, parseBlock(t, kind, arg))
		}
		out = append(out, m)
	}
	return out
}

func parseBlock(t *testing.T, kind, arg string) canon.Block {
	t.Helper()
	id, text, has := strings.Cut(arg, " ")
	if id == `""` {
		id = ""
	}
	switch kind {
	case "text":
		return &canon.TextBlock{Text: canon.NewText(arg)}
	case "scaffold":
		return &canon.TextBlock{Text: canon.NewText(arg), BlockMeta: canon.BlockMeta{Tag: "reminder"}}
	case "image":
		return &canon.ImageBlock{Media: canon.Media{MediaType: "image/png", Data: canon.NewText("AAAA")}}
	case "call":
		return &canon.ToolCallBlock{CallID: id, Name: "Read", Call: canon.CallFunction, Input: canon.Input{JSON: canon.Raw(`{}`)}}
	case "custom":
		return &canon.ToolCallBlock{CallID: id, Name: "exec", Call: canon.CallCustom, Input: canon.Input{Text: canon.NewText("ls")}}
	case "provider":
		return &canon.ToolCallBlock{CallID: id, Name: "search", Call: canon.CallProvider}
	case "result", "error":
		r := &canon.ToolResultBlock{CallID: id, IsError: kind == "error"}
		if has {
			r.Content = []canon.Block{&canon.TextBlock{Text: canon.NewText(text)}}
		}
		return r
	case "imageresult":
		return &canon.ToolResultBlock{CallID: id, Content: []canon.Block{parseBlock(t, "image", "")}}
	}
	t.Fatalf("no block is called %q", kind)
	return nil
}

func formatBlock(b canon.Block) string {
	switch b := b.(type) {
	case *canon.TextBlock:
		if b.Tag != "" {
			return "scaffold " + b.Text.String()
		}
		return "text " + b.Text.String()
	case *canon.ToolCallBlock:
		return strings.TrimSpace(map[canon.CallKind]string{canon.CallFunction: "call", canon.CallCustom: "custom", canon.CallProvider: "provider"}[b.Call] + " " + b.CallID)
	case *canon.ToolResultBlock:
		kind := "result "
		if b.IsError {
			kind = "error "
		}
		var content []string
		for _, inner := range b.Content {
			content = append(content, strings.TrimPrefix(formatBlock(inner), "text "))
		}
		return strings.TrimSpace(kind + b.CallID + " " + strings.Join(content, ", "))
	}
	return string(b.Kind())
}

func formatMessage(m *canon.Message) string {
	var blocks []string
	for _, b := range m.Blocks {
		blocks = append(blocks, formatBlock(b))
	}
	return string(m.Role) + ": " + strings.Join(blocks, " | ") + "\n"
}

// stream yields msgs and then err, if it is not nil.
func stream(msgs []*canon.Message, err error) canon.Messages {
	return func(yield func(*canon.Message, error) bool) {
		for _, m := range msgs {
			if !yield(m, nil) {
				return
			}
		}
		if err != nil {
			yield(nil, err)
		}
	}
}

// indexOf indexes the results of msgs as a reader does.
func indexOf(msgs []*canon.Message) *canon.CallIndex {
	x := canon.NewCallIndex(maphash.MakeSeed())
	for _, m := range msgs {
		x.AddMessage(m)
	}
	return x
}

// heal heals msgs and returns what came out, and the report over both ends.
func heal(t interface{ Fatal(...any) }, msgs []*canon.Message, x *canon.CallIndex) (out []*canon.Message, r *canon.Report) {
	r = new(canon.Report)
	for _, m := range msgs {
		r.Ingest(m)
	}
	for m, err := range canon.Heal(stream(msgs, nil), x, r) {
		if err != nil {
			t.Fatal(err)
		}
		r.Emit(m)
		out = append(out, m)
	}
	if err := r.Balance(); err != nil {
		t.Fatal(err)
	}
	return out, r
}

func formatReport(r *canon.Report) string {
	var b strings.Builder
	for _, l := range r.Losses {
		fmt.Fprintf(&b, "%s: %s %s: %s\n", l.Where, l.What, l.Action, l.Why)
	}
	for _, name := range slices.Sorted(maps.Keys(r.Notes)) {
		fmt.Fprintf(&b, "note %s: %d\n", name, r.Notes[name])
	}
	return b.String()
}

// TestHealTranscripts reads messages, heals them and compares what comes out
// and what the report lists.
func TestHealTranscripts(t *testing.T) {
	fixture.Transcripts(t, "testdata/heal", *update, func(t *testing.T, a *txtar.Archive) []txtar.File {
		msgs := parseMessages(t, string(a.Files[0].Data))
		out, r := heal(t, msgs, indexOf(msgs))
		var got strings.Builder
		for _, m := range out {
			got.WriteString(formatMessage(m))
		}
		return []txtar.File{a.Files[0], {Name: "out", Data: []byte(got.String())}, {Name: "report", Data: []byte(formatReport(r))}}
	})
}

func TestHealPassesAnErrorOn(t *testing.T) {
	broken := errors.New("broken")
	msgs := parseMessages(t, "assistant: call a\nuser: text x\nuser: result a ok")
	var got []string
	var last error
	for m, err := range canon.Heal(stream(msgs[:2], broken), indexOf(msgs), new(canon.Report)) {
		if last = err; err == nil {
			got = append(got, formatMessage(m))
		}
	}
	if !errors.Is(last, broken) || len(got) != 1 {
		t.Errorf("messages %q, error %v", got, last)
	}
}

func TestHealEndsWhereItsReaderEnds(t *testing.T) {
	const in = "user: text a\nassistant: call a | call b\nuser: text b\nuser: result b ok\nassistant: call b\nuser: text c\nsystem: text d"
	msgs := parseMessages(t, in)
	all, _ := heal(t, msgs, indexOf(msgs))
	for n := 1; n <= len(all); n++ {
		msgs := parseMessages(t, in)
		got := 0
		for range canon.Heal(stream(msgs, nil), indexOf(msgs), new(canon.Report)) {
			if got++; got == n {
				break
			}
		}
		if got != n {
			t.Errorf("%d messages, want %d", got, n)
		}
	}
}

// An index that promises results which never come delays and loses nothing.
func TestHealSurvivesAnIndexThatIsWrong(t *testing.T) {
	for name, change := range map[string]func(*canon.CallIndex){
		"promises too much": func(x *canon.CallIndex) { x.AddResult("a"); x.AddResult("b"); x.AddResult("b") },
		"knows nothing":     func(x *canon.CallIndex) { *x = *canon.NewCallIndex(maphash.MakeSeed()) },
	} {
		t.Run(name, func(t *testing.T) {
			msgs := parseMessages(t, "assistant: call a | call b\nuser: text x\nassistant: text y\nuser: result a ok\nuser: text z")
			x := indexOf(msgs)
			change(x)
			out, _ := heal(t, msgs, x)
			if err := apiRefuses(out); err != nil {
				t.Error(err)
			}
			var all strings.Builder
			for _, m := range out {
				all.WriteString(formatMessage(m))
			}
			for _, want := range []string{"text x", "text y", "text z", "ok"} {
				if !strings.Contains(all.String(), want) {
					t.Errorf("%q is lost in\n%s", want, &all)
				}
			}
		})
	}
}

// However long the wait for a result is, the memory for it is bounded.
func TestHealHoldsFewMessages(t *testing.T) {
	var lines []string
	lines = append(lines, "assistant: call a")
	for i := range 2000 {
		lines = append(lines, fmt.Sprintf("user: text %d", i))
		if i%7 == 0 {
			lines = append(lines, fmt.Sprintf("assistant: call c%d", i), "user: text "+fmt.Sprint("t", i), fmt.Sprintf("user: result c%d ok", i))
		}
	}
	lines = append(lines, "user: result a late")
	msgs := parseMessages(t, strings.Join(lines, "\n"))
	read, emitted, most := 0, 0, 0
	counted := func(yield func(*canon.Message, error) bool) {
		for _, m := range msgs {
			read++
			if !yield(m, nil) {
				return
			}
		}
	}
	r := new(canon.Report)
	var last *canon.Message
	for m, err := range canon.Heal(counted, indexOf(msgs), r) {
		if err != nil {
			t.Fatal(err)
		}
		last = m
		emitted++
		most = max(most, read-emitted)
	}
	if most > 300 {
		t.Errorf("%d messages were held", most)
	}
	if got := formatMessage(last); !strings.Contains(got, canon.OrphanResultPrefix+"late") {
		t.Errorf("the late result became %q", got)
	}
	if n := r.Notes["settled-tool-calls"]; n != 1 {
		t.Errorf("%d calls were settled, want the one that waited too long", n)
	}
}
