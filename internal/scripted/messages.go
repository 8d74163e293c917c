package scripted

import "encoding/json"

// messages is Anthropic Messages.
type messages struct{}

type messagesAnswer struct {
	ID           string        `json:"id"`
	Type         string        `json:"type"`
	Role         string        `json:"role"`
	Model        string        `json:"model"`
	Content      []any         `json:"content"`
	StopReason   *string       `json:"stop_reason"`
	StopSequence *string       `json:"stop_sequence"`
	Usage        messagesUsage `json:"usage"`
}

type messagesUsage struct {
	Input      int `json:"input_tokens"`
	CacheWrite int `json:"cache_creation_input_tokens"`
	CacheRead  int `json:"cache_read_input_tokens"`
	Output     int `json:"output_tokens"`
}

type messagesThinking struct {
	Type      string `json:"type"`
	Thinking  string `json:"thinking"`
	Signature string `json:"signature"`
}

type messagesText struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

type messagesToolUse struct {
	Type  string          `json:"type"`
	ID    string          `json:"id"`
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input"`
}

// messagesEvent is the data of every event; index stands in block events only.
type messagesEvent struct {
	Type    string          `json:"type"`
	Message *messagesAnswer `json:"message,omitempty"`
	Index   *int            `json:"index,omitempty"`
	Block   any             `json:"content_block,omitempty"`
	Delta   any             `json:"delta,omitempty"`
	Usage   any             `json:"usage,omitempty"`
}

type (
	thinkingDelta struct {
		Type     string `json:"type"`
		Thinking string `json:"thinking"`
	}
	signatureDelta struct {
		Type      string `json:"type"`
		Signature string `json:"signature"`
	}
	inputDelta struct {
		Type        string `json:"type"`
		PartialJSON string `json:"partial_json"`
	}
	stopDelta struct {
		StopReason   *string `json:"stop_reason"`
		StopSequence *string `json:"stop_sequence"`
	}
	outputUsage struct {
		Output int `json:"output_tokens"`
	}
)

func (messages) errorBody(r *reply, e apiError) any { return newMessagesError(e, r.request()) }

func (messages) overload(_ *reply, _ int) frame {
	return frame{event: "error", data: encode(newMessagesError(apiError{status: statusOverloaded}, ""))}
}

func (messages) plain(r *reply) any {
	a := r.messagesAnswer()
	a.Content = []any{}
	if r.turn.Thinking != "" {
		a.Content = append(a.Content, messagesThinking{"thinking", r.turn.Thinking, r.seal("signature")})
	}
	if r.turn.Text != "" {
		a.Content = append(a.Content, messagesText{"text", r.turn.Text})
	}
	for i, c := range r.turn.Tools {
		input := c.args()
		if r.turn.cutsCall(i) {
			input = json.RawMessage("{}") // half an object cannot stand here
		}
		a.Content = append(a.Content, messagesToolUse{"tool_use", r.callID(c, "toolu_"), c.Name, input})
	}
	return a
}

func (r *reply) messagesAnswer() messagesAnswer {
	u := r.turn.usage()
	a := messagesAnswer{
		ID: r.ids.mint("msg_"), Type: "message", Role: "assistant", Model: r.asked.model,
		Usage: messagesUsage{u.Input - u.Cached - u.Written, u.Written, u.Cached, u.Output},
	}
	reason := r.turn.stopReason().messages
	a.StopReason = &reason
	if reason == StopSequence && r.asked.stopSequence != "" {
		a.StopSequence = &r.asked.stopSequence
	}
	return a
}

func (messages) frames(r *reply) []frame {
	var l frameList
	emit := func(e messagesEvent) { l.add(e.Type, e) }
	final := r.messagesAnswer()
	start := final
	start.Content, start.StopReason, start.StopSequence, start.Usage.Output = []any{}, nil, nil, 1
	emit(messagesEvent{Type: "message_start", Message: &start})
	emit(messagesEvent{Type: "ping"})

	index := 0
	block := func(start any, deltas ...any) {
		i := index
		index++
		emit(messagesEvent{Type: "content_block_start", Index: &i, Block: start})
		for _, d := range deltas {
			emit(messagesEvent{Type: "content_block_delta", Index: &i, Delta: d})
		}
		emit(messagesEvent{Type: "content_block_stop", Index: &i})
	}
	if r.turn.Thinking != "" {
		var deltas []any
		for _, p := range r.pieces(r.turn.Thinking) {
			deltas = append(deltas, thinkingDelta{"thinking_delta", p})
		}
		block(messagesThinking{Type: "thinking"}, append(deltas, signatureDelta{"signature_delta", r.seal("signature")})...)
	}
	if r.turn.Text != "" {
		var deltas []any
		for _, p := range r.pieces(r.turn.Text) {
			deltas = append(deltas, messagesText{"text_delta", p})
		}
		block(messagesText{Type: "text"}, deltas...)
	}
	for i, c := range r.turn.Tools {
		var deltas []any
		for _, p := range r.callPieces(i, string(c.args())) {
			deltas = append(deltas, inputDelta{"input_json_delta", p})
		}
		block(messagesToolUse{"tool_use", r.callID(c, "toolu_"), c.Name, json.RawMessage("{}")}, deltas...)
	}
	emit(messagesEvent{
		Type: "message_delta", Delta: stopDelta{final.StopReason, final.StopSequence},
		Usage: outputUsage{final.Usage.Output},
	})
	emit(messagesEvent{Type: "message_stop"})
	l.last().terminal = true
	return l
}
