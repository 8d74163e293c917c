package all_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/dialect"
	"github.com/crosswalk-agents/crosswalk/dialect/all"
)

// session grows turn by turn, as the ones of agents do.
type session struct {
	r    *rand.Rand
	msgs []*canon.Message
	n    int
}

func (s *session) say(role canon.Role, blocks ...canon.Block) {
	m := &canon.Message{Role: role, Blocks: blocks}
	if role == canon.System {
		m.Authority = canon.AuthorityDeveloper
	}
	s.msgs = append(s.msgs, m)
}

func (s *session) text(what string) canon.Block {
	s.n++
	return &canon.TextBlock{Text: canon.NewText(fmt.Sprintf("%s %d <&> \u2028", what, s.n))}
}

func picture() canon.Block {
	return &canon.ImageBlock{Media: canon.Media{MediaType: "image/png", Data: canon.NewText("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")}}
}

func (s *session) user() {
	blocks := []canon.Block{s.text("ask")}
	if s.r.IntN(3) == 0 {
		blocks = append(blocks, picture(), s.text("more"))
	}
	s.say(canon.User, blocks...)
	if s.r.IntN(3) == 0 {
		s.say(canon.System, s.text("note"))
	}
}

// turn adds an answer and, if that calls tools, all results.
func (s *session) turn() {
	blocks := []canon.Block{s.text("answer")}
	var results []canon.Block
	for i := range s.r.IntN(4) {
		s.n++
		id := [...]string{"toolu_%d", "call:A|%d/é", "again", strings.Repeat("long", 40) + "%d"}[s.r.IntN(4)]
		if strings.Contains(id, "%") {
			id = fmt.Sprintf(id, s.n)
		}
		c := &canon.ToolCallBlock{CallID: id, Name: "Read", Call: canon.CallFunction, Input: canon.Input{JSON: canon.Raw(fmt.Sprintf(`{"a":%d.0}`, s.n))}}
		r := &canon.ToolResultBlock{CallID: id, Call: canon.CallFunction, Content: []canon.Block{s.text("result")}}
		switch s.r.IntN(4) {
		case 0:
			c.Name, c.Call, c.Input, r.Call = "apply_patch", canon.CallCustom, canon.Input{Text: canon.NewText("***\n\"x\"")}, canon.CallCustom
		case 1:
			r.IsError = true
		case 2:
			r.Content = append(r.Content, picture())
		}
		if blocks = append(blocks, c); i%2 == 0 {
			results = append(results, r)
		} else {
			results = append([]canon.Block{r}, results...)
		}
	}
	s.say(canon.Assistant, blocks...)
	if results == nil {
		s.user()
		return
	}
	if s.r.IntN(4) == 0 {
		s.say(canon.System, s.text("hook"))
	}
	s.say(canon.User, results...)
}

// copied returns blocks that an encoder may take over.
func copied(blocks []canon.Block) (out []canon.Block) {
	for _, b := range blocks {
		switch b := b.(type) {
		case *canon.TextBlock:
			c := *b
			out = append(out, &c)
		case *canon.ImageBlock:
			c := *b
			out = append(out, &c)
		case *canon.ToolCallBlock:
			c := *b
			out = append(out, &c)
		case *canon.ToolResultBlock:
			c := *b
			c.Content = copied(b.Content)
			out = append(out, &c)
		}
	}
	return out
}

// convert returns the tools and system text of the session as a request from one
// dialect to another has them, and the elements of its conversation.
func (s *session) convert(t *testing.T, from, to dialect.Codec, target *dialect.Target) (head []byte, elements []json.RawMessage) {
	t.Helper()
	read := canon.Request{Model: "m", MaxOutput: 100, Messages: []*canon.Message{{Role: canon.System, Authority: canon.AuthoritySystem, Blocks: []canon.Block{&canon.TextBlock{Text: canon.NewText("Be careful.")}}}}}
	read.Tools = []canon.Tool{{Name: "Read", Call: canon.CallFunction, Schema: canon.Raw(`{"type":"object"}`)}, {Name: "apply_patch", Call: canon.CallCustom}}
	for _, m := range s.msgs {
		c := *m
		c.Blocks = copied(m.Blocks)
		read.Messages = append(read.Messages, &c)
	}
	body, err := from.EncodeRequest(nil, &read, &dialect.Target{}, new(canon.Report))
	if err != nil {
		t.Fatal(err)
	}
	q, err := from.DecodeRequest(body)
	if err != nil {
		t.Fatal(err)
	}
	var r canon.Report
	if body, err = to.EncodeRequest(nil, q, target, &r); err != nil {
		t.Fatal(err)
	}
	if err := r.Balance(); err != nil {
		t.Error(err)
	}
	var out map[string]json.RawMessage
	if err := json.Unmarshal(body, &out); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"messages", "input", "contents"} {
		if list, ok := out[name]; ok {
			if err := json.Unmarshal(list, &elements); err != nil {
				t.Fatal(err)
			}
		}
	}
	return bytes.Join([][]byte{out["tools"], out["system"], out["instructions"], out["systemInstruction"]}, []byte("\n")), elements
}

// The caches of vendors hold the beginning of a prompt. What a session has said is
// converted in the same way however it goes on: parallel calls and their results
// in any order, errors, images, text of the system between them, ids that are no
// good or come again.
func TestALongerSessionBeginsWithTheShorterOne(t *testing.T) {
	for _, from := range all.Codecs() {
		for _, to := range all.Codecs() {
			t.Run(from.Name()+" on "+to.Name(), func(t *testing.T) {
				for seed := range uint64(60) {
					s := &session{r: rand.New(rand.NewPCG(seed, 1))} //nolint:gosec // the same each time
					target := &dialect.Target{LeadingSystem: seed%2 == 0}
					s.user()
					head, elements := s.convert(t, from, to, target)
					for range 6 {
						s.turn()
						moreHead, more := s.convert(t, from, to, target)
						if !bytes.Equal(head, moreHead) {
							t.Fatalf("seed %d: tools and system text were\n%s\nand are\n%s", seed, head, moreHead)
						}
						for i, e := range elements {
							if i >= len(more) || !bytes.Equal(e, more[i]) {
								t.Fatalf("seed %d: element %d was\n%s\nof %d and is among\n%s", seed, i, e, len(elements), more)
							}
						}
						head, elements = moreHead, more
					}
				}
			})
		}
	}
}
