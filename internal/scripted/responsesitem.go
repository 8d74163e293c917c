package scripted

import "encoding/json"

type textPart struct {
	Type        string `json:"type"`
	Annotations *[]any `json:"annotations,omitempty"`
	Text        string `json:"text"`
}

func outputText(text string) textPart { return textPart{"output_text", &[]any{}, text} }

func summaryText(text string) textPart { return textPart{Type: "summary_text", Text: text} }

type messageItem struct {
	ID      string     `json:"id"`
	Type    string     `json:"type"`
	Status  string     `json:"status"`
	Content []textPart `json:"content"`
	Role    string     `json:"role"`
}

type reasoningItem struct {
	ID      string     `json:"id"`
	Type    string     `json:"type"`
	Summary []textPart `json:"summary"`
	Sealed  string     `json:"encrypted_content,omitempty"`
}

// callItem is a function_call with arguments, or a custom_tool_call with input.
type callItem struct {
	ID        string  `json:"id"`
	Type      string  `json:"type"`
	Status    string  `json:"status"`
	Arguments *string `json:"arguments,omitempty"`
	Input     *string `json:"input,omitempty"`
	CallID    string  `json:"call_id"`
	Name      string  `json:"name"`
	Namespace string  `json:"namespace,omitempty"`
}

// outputItems is the turn's content; the ids are minted here, once.
func (r *reply) outputItems() []outputItem {
	var items []outputItem
	if r.turn.Thinking != "" {
		it := reasoningOutput{reasoningItem{r.ids.mint("rs_"), "reasoning", []textPart{summaryText(r.turn.Thinking)}, ""}, r.pieces(r.turn.Thinking)}
		if r.asked.sealed {
			it.item.Sealed = r.seal("reasoning")
		}
		items = append(items, it)
	}
	status := func(last bool) string {
		if last && r.turn.stopReason().incomplete != "" {
			return "incomplete"
		}
		return "completed"
	}
	if r.turn.Text != "" {
		it := messageItem{r.ids.mint("msg_"), "message", status(len(r.turn.Tools) == 0), []textPart{outputText(r.turn.Text)}, "assistant"}
		items = append(items, messageOutput{it, r.pieces(r.turn.Text)})
	}
	for i, c := range r.turn.Tools {
		if c.Item != nil {
			items = append(items, r.rawItem(c.Item))
			continue
		}
		items = append(items, r.callOutput(i, c, status(i == len(r.turn.Tools)-1)))
	}
	return items
}

func (r *reply) callOutput(i int, c Tool, status string) outputItem {
	it := callItem{Status: status, Name: c.Name, Namespace: c.Namespace}
	out := callOutput{cut: r.turn.cutsCall(i)}
	if c.Input != nil {
		text := r.callText(i, *c.Input)
		it.ID, it.Type, it.Input = r.ids.mint("ctc_"), "custom_tool_call", &text
		out.pieces = r.callPieces(i, *c.Input)
	} else {
		text := r.callText(i, string(c.args()))
		it.ID, it.Type, it.Arguments = r.ids.mint("fc_"), "function_call", &text
		out.pieces = r.callPieces(i, string(c.args()))
	}
	if r.turn.fault().ArgsOnlyInDone {
		out.pieces = nil
	}
	it.CallID = r.callID(c, "call_")
	out.item = it
	return out
}

// rawItem gives the item an id if it has none; every item of a response has one.
func (r *reply) rawItem(raw json.RawMessage) rawItem {
	var has struct {
		ID *string `json:"id"`
	}
	if err := json.Unmarshal(raw, &has); err == nil && has.ID == nil {
		raw = append(append(json.RawMessage(`{"id":`), encode(r.ids.mint("it_"))...), append([]byte(","), raw[1:]...)...)
	}
	return rawItem(raw)
}

type messageOutput struct {
	item   messageItem
	pieces []string
}

func (o messageOutput) added() any {
	it := o.item
	it.Status, it.Content = "in_progress", []textPart{}
	return it
}

func (o messageOutput) done() any { return o.item }

func (o messageOutput) stream(emit func(responseEvent)) {
	id, first, whole := o.item.ID, new(int), o.item.Content[0]
	emit(responseEvent{Type: "response.content_part.added", ItemID: id, ContentIndex: first, Part: outputText("")})
	for _, p := range o.pieces {
		emit(responseEvent{Type: "response.output_text.delta", ItemID: id, ContentIndex: first, Delta: &p})
	}
	emit(responseEvent{Type: "response.output_text.done", ItemID: id, ContentIndex: first, Text: &whole.Text})
	emit(responseEvent{Type: "response.content_part.done", ItemID: id, ContentIndex: first, Part: whole})
}

type reasoningOutput struct {
	item   reasoningItem
	pieces []string
}

func (o reasoningOutput) added() any {
	it := o.item
	it.Summary, it.Sealed = []textPart{}, ""
	return it
}

func (o reasoningOutput) done() any { return o.item }

func (o reasoningOutput) stream(emit func(responseEvent)) {
	id, first, whole := o.item.ID, new(int), o.item.Summary[0]
	emit(responseEvent{Type: "response.reasoning_summary_part.added", ItemID: id, SummaryIndex: first, Part: summaryText("")})
	for _, p := range o.pieces {
		emit(responseEvent{Type: "response.reasoning_summary_text.delta", ItemID: id, SummaryIndex: first, Delta: &p})
	}
	emit(responseEvent{Type: "response.reasoning_summary_text.done", ItemID: id, SummaryIndex: first, Text: &whole.Text})
	emit(responseEvent{Type: "response.reasoning_summary_part.done", ItemID: id, SummaryIndex: first, Part: whole})
}

type callOutput struct {
	item   callItem
	pieces []string
	cut    bool // by the output limit: there is no .done of its text
}

func (o callOutput) added() any {
	it := o.item
	it.Status = "in_progress"
	if it.Input != nil {
		it.Input = new(string)
	} else {
		it.Arguments = new(string)
	}
	return it
}

func (o callOutput) done() any { return o.item }

func (o callOutput) stream(emit func(responseEvent)) {
	kind, end := "response.function_call_arguments", responseEvent{Name: o.item.Name, Arguments: o.item.Arguments}
	if o.item.Input != nil {
		kind, end = "response.custom_tool_call_input", responseEvent{Input: o.item.Input}
	}
	for _, p := range o.pieces {
		emit(responseEvent{Type: kind + ".delta", ItemID: o.item.ID, Delta: &p})
	}
	if o.cut {
		return
	}
	end.Type, end.ItemID = kind+".done", o.item.ID
	emit(end)
}
