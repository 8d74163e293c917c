package canon_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/crosswalk-agents/crosswalk/canon"
)

// apiRefuses says what a vendor's API would refuse msgs for, if anything.
func apiRefuses(msgs []*canon.Message) error {
	called, open := make(map[string]bool), make(map[string]bool)
	answered := false // since the oldest open call
	for i, m := range msgs {
		if m.IsScaffolding() {
			continue
		}
		if len(m.Blocks) == 0 {
			return fmt.Errorf("message %d is empty", i)
		}
		if m.Role == canon.Assistant && len(open) > 0 && answered {
			return fmt.Errorf("message %d: an answer before the results for %v", i, open)
		}
		provided := make(map[string]bool) // calls of the provider in this message
		for _, b := range m.Blocks {
			switch b := b.(type) {
			case *canon.ToolCallBlock:
				switch {
				case m.Role != canon.Assistant:
					return fmt.Errorf("message %d: a call by the %s", i, m.Role)
				case b.CallID == "" || called[b.CallID]:
					return fmt.Errorf("message %d: the id %q is missing or repeated", i, b.CallID)
				case b.Call == canon.CallProvider:
					provided[b.CallID] = true
				case len(open) == 0:
					answered = false
					fallthrough
				default:
					open[b.CallID] = true
				}
				called[b.CallID] = true
			case *canon.ToolResultBlock:
				switch {
				case m.Role == canon.Assistant && provided[b.CallID]:
					delete(provided, b.CallID)
				case m.Role == canon.Assistant || !open[b.CallID]:
					return fmt.Errorf("message %d: a result for %q, which is not open", i, b.CallID)
				default:
					delete(open, b.CallID)
					answered = true
				}
			default:
				if m.Role != canon.Assistant && len(open) > 0 && b.Meta().Tag == "" {
					return fmt.Errorf("message %d: %s before the results for %v", i, formatBlock(b), open)
				}
			}
		}
	}
	if len(open) > 0 {
		return fmt.Errorf("no results for %v", open)
	}
	return nil
}

// drawMessages draws messages of a session that went wrong in all ways. Each
// text is one of its own, such as "t7".
func drawMessages(t *rapid.T) []*canon.Message {
	n := 0
	word := func() string { n++; return fmt.Sprint("t", n) }
	id := func() string { return rapid.SampledFrom([]string{"a", "a", "b", "c", "a_x2", ""}).Draw(t, "id") }
	meta := func(b canon.Block) canon.Block {
		b.Meta().ItemID = fmt.Sprint("item", n)
		return b
	}
	text := func() canon.Block { return meta(&canon.TextBlock{Text: canon.NewText(word())}) }
	block := func(kind string) canon.Block {
		switch kind {
		case "call":
			return &canon.ToolCallBlock{CallID: id(), Name: "Read", Call: rapid.SampledFrom([]canon.CallKind{canon.CallFunction, canon.CallCustom, canon.CallShell}).Draw(t, "kind")}
		case "provider":
			return &canon.ToolCallBlock{CallID: id(), Name: "search", Call: canon.CallProvider}
		case "result":
			r := &canon.ToolResultBlock{CallID: id()}
			for range rapid.IntRange(0, 2).Draw(t, "parts") {
				r.Content = append(r.Content, rapid.SampledFrom([]func() canon.Block{
					text, func() canon.Block { return &canon.TextBlock{Text: canon.NewText(" \n")} }, func() canon.Block { return &canon.ImageBlock{} },
				}).Draw(t, "part")())
			}
			return r
		case "image":
			return &canon.ImageBlock{}
		case "scaffold":
			return &canon.TextBlock{BlockMeta: canon.BlockMeta{Tag: "reminder"}, Text: canon.NewText("s" + word())}
		case "reasoning":
			return &canon.ReasoningBlock{Redacted: rapid.Bool().Draw(t, "redacted")}
		}
		return text()
	}
	shapes := map[canon.Role][]string{
		canon.Assistant: {"call", "call", "call", "text", "provider", "result", "reasoning"},
		canon.User:      {"result", "result", "result", "result", "text", "scaffold", "image"},
		canon.System:    {"text", "scaffold"},
	}
	var out []*canon.Message
	for i := range rapid.IntRange(0, 14).Draw(t, "messages") {
		m := &canon.Message{ID: fmt.Sprint("m", i), Line: i + 1, Role: rapid.SampledFrom([]canon.Role{canon.Assistant, canon.Assistant, canon.User, canon.User, canon.User, canon.System}).Draw(t, "role")}
		for range rapid.IntRange(1, 4).Draw(t, "blocks") {
			m.Blocks = append(m.Blocks, block(rapid.SampledFrom(shapes[m.Role]).Draw(t, "block")))
		}
		out = append(out, m)
	}
	return out
}

// said is a text of a stream: where it stands, and whether in a result.
type said struct {
	word   string
	line   int
	result bool
}

// texts lists what msgs say, but for scaffolding and what a stage made.
func texts(msgs []*canon.Message) (out []said) {
	add := func(m *canon.Message, b canon.Block, result bool) {
		t, ok := b.(*canon.TextBlock)
		if !ok || t.Tag != "" {
			return
		}
		word := strings.TrimSpace(strings.TrimPrefix(t.Text.String(), canon.OrphanResultPrefix))
		if word != "" && word != canon.InterruptedResult && word != strings.TrimSpace(canon.OrphanResultPrefix) {
			out = append(out, said{word, m.Line, result})
		}
	}
	for _, m := range msgs {
		for _, b := range m.Blocks {
			if r, ok := b.(*canon.ToolResultBlock); ok {
				for _, inner := range r.Content {
					add(m, inner, true)
				}
				continue
			}
			add(m, b, false)
		}
	}
	return out
}

// TestAnySequenceComesOutWellFormed is the whole promise of Heal.
func TestAnySequenceComesOutWellFormed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		msgs := drawMessages(t)
		index := indexOf(msgs)
		before := texts(msgs)
		var input strings.Builder
		for _, m := range msgs {
			input.WriteString(formatMessage(m))
		}
		out, r := heal(t, msgs, index) // balances
		fail := func(format string, args ...any) {
			var b strings.Builder
			for _, m := range out {
				b.WriteString(formatMessage(m))
			}
			t.Fatalf("%s\n--- in\n%s--- out\n%s--- report\n%s", fmt.Sprintf(format, args...), &input, &b, formatReport(r))
		}
		if err := apiRefuses(out); err != nil {
			fail("%v", err)
		}
		after := texts(out)
		inResult := make(map[string]bool)
		for _, s := range after {
			inResult[s.word] = s.result
		}
		outside := func(list []said) (words []string) {
			for _, s := range list {
				if !inResult[s.word] {
					words = append(words, s.word)
				}
			}
			return words
		}
		if len(before) != len(after) {
			fail("%d texts became %d", len(before), len(after))
		}
		if b, a := outside(before), outside(after); !slices.Equal(b, a) {
			fail("the order of texts changed from %v to %v", b, a)
		}
		// What a result overtook is counted as moved.
		moved := make(map[string]bool)
		for _, l := range r.Losses {
			moved[l.Where] = moved[l.Where] || l.Action == canon.Moved
		}
		at := make(map[string]int)
		for i, s := range after {
			at[s.word] = i
		}
		for i, text := range before {
			for _, result := range before[i+1:] {
				if !inResult[text.word] && inResult[result.word] && at[result.word] < at[text.word] && !moved[fmt.Sprint("line ", text.line)] {
					fail("%s was overtaken by %s and not counted", text.word, result.word)
				}
			}
		}
	})
}

// Healing what is healed changes nothing.
func TestWhatIsHealedStaysAsItIs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		msgs := drawMessages(t)
		once, _ := heal(t, msgs, indexOf(msgs))
		var want []string
		for _, m := range once {
			want = append(want, formatMessage(m))
		}
		twice, r := heal(t, once, indexOf(once))
		var got []string
		for _, m := range twice {
			got = append(got, formatMessage(m))
		}
		if !slices.Equal(want, got) || len(r.Losses) > 0 {
			t.Fatalf("once:\n%stwice:\n%s%s", strings.Join(want, ""), strings.Join(got, ""), formatReport(r))
		}
	})
}

// A message that is parted has its id and unknown members once.
func TestAPartedMessageIsOneRecordStill(t *testing.T) {
	msgs := parseMessages(t, "assistant: call a | call b\nuser: result a ok | text more\nuser: result b ok")
	msgs[1].Ext = canon.Ext{Dialect: "d", Members: []canon.Member{{Name: "x", Value: canon.Raw("1")}}}
	out, _ := heal(t, msgs, indexOf(msgs))
	ids := make(map[string]int)
	members := 0
	for _, m := range out {
		ids[m.ID]++
		members += len(m.Ext.Members)
	}
	if ids["m2"] != 1 || ids[""] != 1 || members != 1 {
		t.Errorf("ids %v, %d unknown members", ids, members)
	}
}
