package scripted

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// said is what an answer means, whatever its protocol and form.
type said struct {
	Thinking, Text string
	Calls          []string // id, name and compact arguments
	Stop           string
	Out            int
}

func drawTurn(t *rapid.T) Turn {
	turn := Turn{
		Thinking: rapid.StringN(0, 12, -1).Draw(t, "thinking"),
		Text:     rapid.StringN(0, 12, -1).Draw(t, "text"),
		Chunks:   rapid.IntRange(0, 5).Draw(t, "chunks"),
		Fault:    &Fault{EmptyDeltas: rapid.Bool().Draw(t, "empty"), ArgsOnlyInDone: rapid.Bool().Draw(t, "late")},
		Usage:    &Usage{Input: 5, Output: rapid.IntRange(0, 99).Draw(t, "output")},
	}
	for range rapid.IntRange(0, 3).Draw(t, "calls") {
		args := encode(map[string]string{rapid.String().Draw(t, "key"): rapid.String().Draw(t, "value")})
		turn.Tools = append(turn.Tools, Tool{Name: rapid.StringMatching(`[a-z]{1,8}`).Draw(t, "name"), Args: args})
	}
	return turn
}

// TestStreamSaysWhatPlainSays reads random turns in both forms with a reader of
// its own and compares; on the way the readers check order and numbering.
func TestStreamSaysWhatPlainSays(t *testing.T) {
	readers := map[string][2]func(*rapid.T, []event) said{
		"messages":     {readMessagesStream, readMessages},
		"responses":    {readResponsesStream, readResponses},
		"chat":         {readChatStream, readChat},
		"gemini":       {readGemini, readGemini},
		"gemini array": {readGemini, readGemini},
	}
	for _, a := range streamed() {
		t.Run(a.name, rapid.MakeCheck(func(rt *rapid.T) {
			turn := drawTurn(rt)
			ask := func(a asking) []byte {
				s, err := New(Script{turn}, Options{Now: fixedNow})
				if err != nil {
					rt.Fatal(err)
				}
				return respond(t, s, http.MethodPost, a.path, a.body).Body.Bytes()
			}
			plain := plainAsked()[slices.IndexFunc(plainAsked(), func(p asking) bool { return strings.HasPrefix(a.name, p.name) })]
			want := readers[a.name][1](rt, []event{{data: string(ask(plain))}})
			got := readers[a.name][0](rt, events(t, a, ask(a)))
			if g, w := string(encode(got)), string(encode(want)); g != w {
				rt.Fatalf("stream %s\nplain  %s", g, w)
			}
			if want.Thinking != turn.Thinking || want.Text != turn.Text || len(want.Calls) != len(turn.Tools) || want.Out != turn.Usage.Output {
				rt.Fatalf("%+v became %+v", turn, want)
			}
			for i, c := range turn.Tools {
				if !strings.HasSuffix(want.Calls[i], " "+c.Name+" "+string(c.Args)) {
					rt.Fatalf("call %s became %s", c.Args, want.Calls[i])
				}
			}
		}))
	}
}

func parse[T any](t *rapid.T, s string) T {
	var v T
	if err := json.Unmarshal([]byte(s), &v); err != nil {
		t.Fatalf("%v in %s", err, s)
	}
	return v
}

type anthropicBlock struct {
	Type, Thinking, Signature, Text, ID, Name string
	Input                                     json.RawMessage
}

func (s *said) addBlock(b anthropicBlock) {
	switch b.Type {
	case "thinking":
		s.Thinking += b.Thinking
	case "text":
		s.Text += b.Text
	case "tool_use":
		s.Calls = append(s.Calls, b.ID+" "+b.Name+" "+string(b.Input))
	}
}

func readMessages(t *rapid.T, es []event) said {
	m := parse[struct {
		Content []anthropicBlock
		Stop    string `json:"stop_reason"`
		Usage   struct {
			Out int `json:"output_tokens"`
		}
	}](t, es[0].data)
	s := said{Stop: m.Stop, Out: m.Usage.Out}
	for _, b := range m.Content {
		s.addBlock(b)
	}
	return s
}

type anthropicEvent struct {
	Type  string
	Index int
	Block anthropicBlock `json:"content_block"`
	Delta struct {
		anthropicBlock
		Partial string `json:"partial_json"`
		Stop    string `json:"stop_reason"`
	}
	Usage struct {
		Out int `json:"output_tokens"`
	}
}

func readMessagesStream(t *rapid.T, es []event) said {
	var s said
	open, next, input := -1, 0, ""
	var block anthropicBlock
	var order []string
	for _, raw := range es {
		e := parse[anthropicEvent](t, raw.data)
		if e.Type != raw.name {
			t.Fatalf("event %q has type %q", raw.name, e.Type)
		}
		switch e.Type {
		case "content_block_start":
			if open >= 0 || e.Index != next {
				t.Fatalf("block %d starts; open is %d, next %d", e.Index, open, next)
			}
			open, block, input = e.Index, e.Block, ""
			next++
		case "content_block_delta":
			if open != e.Index {
				t.Fatalf("delta for block %d; open is %d", e.Index, open)
			}
			block.Thinking += e.Delta.Thinking
			block.Text += e.Delta.Text
			block.Signature += e.Delta.Signature
			input += e.Delta.Partial
		case "content_block_stop":
			if open != e.Index || block.Type == "thinking" && block.Signature == "" {
				t.Fatalf("block %d stops; open is %d, signature %q", e.Index, open, block.Signature)
			}
			block.Input = json.RawMessage(input)
			s.addBlock(block)
			open = -1
		case "message_delta":
			s.Stop, s.Out = e.Delta.Stop, e.Usage.Out
			order = append(order, e.Type)
		default:
			order = append(order, e.Type)
		}
	}
	if want := []string{"message_start", "ping", "message_delta", "message_stop"}; !slices.Equal(order, want) || es[len(es)-2].name != "message_delta" {
		t.Fatalf("order %q", order)
	}
	return s
}

type chatSaid struct {
	Content   string
	Reasoning string `json:"reasoning_content"`
	Calls     []struct {
		Index    int
		ID       string
		Function struct{ Name, Arguments string }
	} `json:"tool_calls"`
}

type chatBody struct {
	Choices []struct {
		Message, Delta chatSaid
		Finish         string `json:"finish_reason"`
	}
	Usage *struct {
		Out int `json:"completion_tokens"`
	}
}

func readChat(t *rapid.T, es []event) said {
	b := parse[chatBody](t, es[0].data)
	m := b.Choices[0].Message
	s := said{Thinking: m.Reasoning, Text: m.Content, Stop: b.Choices[0].Finish, Out: b.Usage.Out}
	for _, c := range m.Calls {
		s.Calls = append(s.Calls, c.ID+" "+c.Function.Name+" "+c.Function.Arguments)
	}
	return s
}

func readChatStream(t *rapid.T, es []event) said {
	var s said
	if !strings.Contains(es[0].data, `"delta":{"role":"assistant"`) || es[len(es)-1].data != "[DONE]" {
		t.Fatalf("first %s, last %s", es[0].data, es[len(es)-1].data)
	}
	for i, e := range es[:len(es)-1] {
		b := parse[chatBody](t, e.data)
		if last := i == len(es)-2; last != (b.Usage != nil) || last != (len(b.Choices) == 0) {
			t.Fatalf("usage or choices of chunk %d: %s", i, e.data)
		} else if last {
			s.Out = b.Usage.Out
			break
		}
		d := b.Choices[0].Delta
		s.Thinking, s.Text, s.Stop = s.Thinking+d.Reasoning, s.Text+d.Content, s.Stop+b.Choices[0].Finish
		for _, c := range d.Calls {
			if (c.ID != "") != (c.Index == len(s.Calls)) || (c.ID != "") != (c.Function.Name != "") {
				t.Fatalf("fragment %+v after %d calls", c, len(s.Calls))
			}
			if c.ID != "" {
				s.Calls = append(s.Calls, c.ID+" "+c.Function.Name+" ")
			}
			s.Calls[c.Index] += c.Function.Arguments
		}
	}
	return s
}

func readGemini(t *rapid.T, es []event) said {
	var s said
	for i, e := range es {
		a := parse[geminiAnswer](t, e.data)
		if last := i == len(es)-1; last != (a.Usage != nil) || last != (a.Candidates[0].FinishReason != "") {
			t.Fatalf("usage or finishReason of chunk %d: %s", i, e.data)
		} else if last {
			s.Stop, s.Out = a.Candidates[0].FinishReason, a.Usage.Candidates+a.Usage.Thoughts
		}
		for _, p := range a.Candidates[0].Content.Parts {
			switch {
			case p.Call != nil:
				s.Calls = append(s.Calls, p.Call.ID+" "+p.Call.Name+" "+string(p.Call.Args))
			case p.Thought:
				s.Thinking += *p.Text
			default:
				s.Text += *p.Text
			}
		}
	}
	return s
}
