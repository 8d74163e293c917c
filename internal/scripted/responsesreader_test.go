package scripted

import (
	"encoding/json"
	"strings"

	"pgregory.net/rapid"
)

type openAIItem struct {
	ID, Type, Status, Arguments string
	Name                        string
	CallID                      string `json:"call_id"`
	Summary, Content            []struct{ Text string }
}

type openAIResponse struct {
	Status string
	Output []json.RawMessage
	Usage  *struct {
		Out int `json:"output_tokens"`
	}
}

func (s *said) addItem(it openAIItem) {
	switch it.Type {
	case "reasoning":
		s.Thinking += it.Summary[0].Text
	case "message":
		s.Text += it.Content[0].Text
	case "function_call":
		s.Calls = append(s.Calls, it.CallID+" "+it.Name+" "+it.Arguments)
	}
}

func readResponses(t *rapid.T, es []event) said {
	r := parse[openAIResponse](t, es[0].data)
	s := said{Stop: r.Status, Out: r.Usage.Out}
	for _, raw := range r.Output {
		s.addItem(parse[openAIItem](t, string(raw)))
	}
	return s
}

type openAIEvent struct {
	Type        string
	Sequence    int `json:"sequence_number"`
	Response    json.RawMessage
	ItemID      string `json:"item_id"`
	OutputIndex int    `json:"output_index"`
	Item        json.RawMessage
	Delta       string
	Text        string
	Arguments   string
}

// readResponsesStream takes the content from output_item.done, as Codex does, and
// holds deltas, .done events and the final response against it.
func readResponsesStream(t *rapid.T, es []event) said {
	var s said
	var open openAIItem
	var items []string
	deltas, whole, hasDelta := "", "", false
	for i, raw := range es {
		e := parse[openAIEvent](t, raw.data)
		if e.Type != raw.name || e.Sequence != i {
			t.Fatalf("event %d %q: %s", i, raw.name, raw.data)
		}
		switch {
		case i < 2:
			if want := []string{"response.created", "response.in_progress"}[i]; e.Type != want {
				t.Fatalf("event %d is %q", i, e.Type)
			}
		case e.Type == "response.output_item.added":
			if open = parse[openAIItem](t, string(e.Item)); e.OutputIndex != len(items) || open.Arguments != "" || len(open.Summary)+len(open.Content) > 0 {
				t.Fatalf("item added: %s", raw.data)
			}
			deltas, whole, hasDelta = "", "", false
		case e.Type == "response.output_item.done":
			it := parse[openAIItem](t, string(e.Item))
			var one said
			one.addItem(it)
			content := one.Thinking + one.Text + it.Arguments
			if it.ID != open.ID || e.OutputIndex != len(items) || whole != content || hasDelta && deltas != content {
				t.Fatalf("item done: %s\ndeltas %q, done %q", raw.data, deltas, whole)
			}
			s.addItem(it)
			items = append(items, string(e.Item))
			open = openAIItem{}
		case i == len(es)-1:
			r := parse[openAIResponse](t, string(e.Response))
			if e.Type != "response."+r.Status || open.ID != "" || len(r.Output) != len(items) {
				t.Fatalf("end: %s", raw.data)
			}
			for k, it := range r.Output {
				if string(it) != items[k] {
					t.Fatalf("item %d is %s at the end, was %s", k, it, items[k])
				}
			}
			s.Stop, s.Out = r.Status, r.Usage.Out
		default:
			if e.ItemID != open.ID || e.OutputIndex != len(items) {
				t.Fatalf("outside its item: %s", raw.data)
			}
			hasDelta = hasDelta || strings.HasSuffix(e.Type, ".delta")
			deltas += e.Delta
			whole += e.Text + e.Arguments
		}
	}
	return s
}
