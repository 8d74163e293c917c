package scripted

import "net/http"

// chat is OpenAI Chat Completions.
type chat struct{}

type chatAnswer struct {
	ID      string       `json:"id"`
	Object  string       `json:"object"`
	Created int64        `json:"created"`
	Model   string       `json:"model"`
	Choices []chatChoice `json:"choices"`
	Usage   any          `json:"usage,omitempty"`
}

// chatChoice has a message in a plain answer, a delta in a chunk.
type chatChoice struct {
	Index        int     `json:"index"`
	Message      any     `json:"message,omitempty"`
	Delta        any     `json:"delta,omitempty"`
	FinishReason *string `json:"finish_reason"`
}

type chatMessage struct {
	Role      string     `json:"role"`
	Content   *string    `json:"content"`
	Refusal   *string    `json:"refusal"`
	Reasoning string     `json:"reasoning_content,omitempty"`
	ToolCalls []chatCall `json:"tool_calls,omitempty"`
}

type (
	chatFirst struct {
		Role    string  `json:"role"`
		Content *string `json:"content"`
	}
	chatDelta struct {
		Content   *string    `json:"content,omitempty"`
		Reasoning *string    `json:"reasoning_content,omitempty"`
		ToolCalls []chatCall `json:"tool_calls,omitempty"`
	}
)

// chatCall is a call of a message, or a fragment of one: fragments have an index,
// and id, type and name in the first only.
type chatCall struct {
	Index    *int         `json:"index,omitempty"`
	ID       string       `json:"id,omitempty"`
	Type     string       `json:"type,omitempty"`
	Function chatFunction `json:"function"`
}

type chatFunction struct {
	Name      string `json:"name,omitempty"`
	Arguments string `json:"arguments"`
}

type chatUsage struct {
	Prompt        int               `json:"prompt_tokens"`
	Completion    int               `json:"completion_tokens"`
	Total         int               `json:"total_tokens"`
	PromptDetails chatPromptDetails `json:"prompt_tokens_details"`
	OutputDetails reasoningDetails  `json:"completion_tokens_details"`
}

type chatPromptDetails struct {
	Cached int `json:"cached_tokens"`
}

// reasoningDetails is the same in Chat and Responses.
type reasoningDetails struct {
	Reasoning int `json:"reasoning_tokens"`
}

func (chat) errorBody(_ *reply, e apiError) any { return newOpenAIError(e) }

func (chat) overload(_ *reply, _ int) frame {
	return frame{data: encode(newOpenAIError(apiError{status: http.StatusServiceUnavailable}))}
}

func (r *reply) chatUsage() chatUsage {
	u := r.turn.usage()
	return chatUsage{u.Input, u.Output, u.Input + u.Output, chatPromptDetails{u.Cached}, reasoningDetails{u.Reasoning}}
}

func (r *reply) chatAnswer(object string) chatAnswer {
	return chatAnswer{ID: r.ids.mint("chatcmpl-"), Object: object, Created: r.created, Model: r.asked.model}
}

func (chat) plain(r *reply) any {
	a := r.chatAnswer("chat.completion")
	m := chatMessage{Role: "assistant", Reasoning: r.turn.Thinking}
	if r.turn.Text != "" {
		m.Content = &r.turn.Text
	}
	for i, c := range r.turn.Tools {
		m.ToolCalls = append(m.ToolCalls, chatCall{
			ID: r.callID(c, "call_"), Type: "function",
			Function: chatFunction{c.Name, r.callText(i, string(c.args()))},
		})
	}
	finish := r.turn.stopReason().chat
	a.Choices = []chatChoice{{Message: m, FinishReason: &finish}}
	a.Usage = r.chatUsage()
	return a
}

// noUsage stands in every chunk but the last when usage was asked for.
type noUsage struct{}

func (noUsage) MarshalJSON() ([]byte, error) { return []byte("null"), nil }

func (chat) frames(r *reply) []frame {
	var l frameList
	base := r.chatAnswer("chat.completion.chunk")
	if r.asked.includeUsage {
		base.Usage = noUsage{}
	}
	emit := func(delta any, finish *string) {
		c := base
		c.Choices = []chatChoice{{Delta: delta, FinishReason: finish}}
		l.add("", c)
	}
	first := chatFirst{Role: "assistant"}
	if r.turn.Text != "" || len(r.turn.Tools) == 0 {
		first.Content = new(string)
	}
	emit(first, nil)
	for _, p := range r.pieces(r.turn.Thinking) {
		emit(chatDelta{Reasoning: &p}, nil)
	}
	for _, p := range r.pieces(r.turn.Text) {
		emit(chatDelta{Content: &p}, nil)
	}
	var late []chatCall // fragments kept for the last chunk
	for i, c := range r.turn.Tools {
		emit(chatDelta{ToolCalls: []chatCall{{
			Index: &i, ID: r.callID(c, "call_"), Type: "function", Function: chatFunction{Name: c.Name},
		}}}, nil)
		if r.turn.fault().ArgsOnlyInDone {
			late = append(late, chatCall{Index: &i, Function: chatFunction{Arguments: r.callText(i, string(c.args()))}})
			continue
		}
		for _, p := range r.callPieces(i, string(c.args())) {
			emit(chatDelta{ToolCalls: []chatCall{{Index: &i, Function: chatFunction{Arguments: p}}}}, nil)
		}
	}
	finish := r.turn.stopReason().chat
	emit(chatDelta{ToolCalls: late}, &finish)
	if r.asked.includeUsage {
		c := base
		c.Choices, c.Usage = []chatChoice{}, r.chatUsage()
		l.add("", c)
	}
	return append(l, frame{data: []byte("[DONE]"), terminal: true})
}
