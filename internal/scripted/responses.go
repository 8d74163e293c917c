package scripted

import (
	"encoding/json"
	"net/http"
)

// responses is OpenAI Responses.
type responses struct{}

type response struct {
	ID                string            `json:"id"`
	Object            string            `json:"object"`
	CreatedAt         int64             `json:"created_at"`
	Status            string            `json:"status"`
	Error             *responseError    `json:"error"`
	IncompleteDetails *incompleteDetail `json:"incomplete_details"`
	Model             string            `json:"model"`
	Output            []any             `json:"output"`
	ParallelToolCalls bool              `json:"parallel_tool_calls"`
	Store             bool              `json:"store"`
	ToolChoice        string            `json:"tool_choice"`
	Tools             []any             `json:"tools"`
	Usage             *responseUsage    `json:"usage"`
}

type responseError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

type incompleteDetail struct {
	Reason string `json:"reason"`
}

type responseUsage struct {
	Input         int                  `json:"input_tokens"`
	InputDetails  responseInputDetails `json:"input_tokens_details"`
	Output        int                  `json:"output_tokens"`
	OutputDetails reasoningDetails     `json:"output_tokens_details"`
	Total         int                  `json:"total_tokens"`
}

type responseInputDetails struct {
	Cached int `json:"cached_tokens"`
}

// responseEvent is the data of every event; each has some of the members.
type responseEvent struct {
	Type         string    `json:"type"`
	Sequence     int       `json:"sequence_number"`
	Response     *response `json:"response,omitempty"`
	ItemID       string    `json:"item_id,omitempty"`
	OutputIndex  *int      `json:"output_index,omitempty"`
	ContentIndex *int      `json:"content_index,omitempty"`
	SummaryIndex *int      `json:"summary_index,omitempty"`
	Item         any       `json:"item,omitempty"`
	Part         any       `json:"part,omitempty"`
	Delta        *string   `json:"delta,omitempty"`
	Text         *string   `json:"text,omitempty"`
	Name         string    `json:"name,omitempty"`
	Arguments    *string   `json:"arguments,omitempty"`
	Input        *string   `json:"input,omitempty"`
}

func (responses) errorBody(_ *reply, e apiError) any { return newOpenAIError(e) }

// unsupported names what a call has that p cannot say.
func unsupported(p protocol, c Tool) string {
	switch _, ok := p.(responses); {
	case ok:
		return ""
	case c.Item != nil:
		return "item"
	case c.Input != nil:
		return "input"
	case c.Namespace != "":
		return "namespace"
	default:
		return ""
	}
}

// responseHead is the response before it has output.
func (r *reply) responseHead() response {
	return response{
		ID: r.ids.mint("resp_"), Object: "response", CreatedAt: r.created, Status: "in_progress",
		Model: r.asked.model, Output: []any{}, ParallelToolCalls: true, ToolChoice: "auto", Tools: []any{},
	}
}

// finished is the response with its output.
func (r *reply) finished(head response, items []outputItem) response {
	head.Status = "completed"
	if reason := r.turn.stopReason().incomplete; reason != "" {
		head.Status, head.IncompleteDetails = "incomplete", &incompleteDetail{reason}
	}
	for _, it := range items {
		head.Output = append(head.Output, it.done())
	}
	u := r.turn.usage()
	head.Usage = &responseUsage{u.Input, responseInputDetails{u.Cached}, u.Output, reasoningDetails{u.Reasoning}, u.Input + u.Output}
	return head
}

func (responses) plain(r *reply) any {
	head := r.responseHead()
	return r.finished(head, r.outputItems())
}

func (responses) overload(r *reply, n int) frame {
	failed := r.responseHead()
	cause := newOpenAIError(apiError{status: http.StatusServiceUnavailable}).Error
	failed.Status, failed.Error = "failed", &responseError{*cause.Code, cause.Message}
	return frame{event: "response.failed", data: encode(responseEvent{Type: "response.failed", Sequence: n, Response: &failed})}
}

// eventList numbers events.
type eventList struct{ frameList }

func (l *eventList) emit(e responseEvent) {
	e.Sequence = len(l.frameList)
	l.add(e.Type, e)
}

func (responses) frames(r *reply) []frame {
	var l eventList
	head := r.responseHead()
	items := r.outputItems()
	l.emit(responseEvent{Type: "response.created", Response: &head})
	l.emit(responseEvent{Type: "response.in_progress", Response: &head})
	for i, it := range items {
		emit := func(e responseEvent) {
			e.OutputIndex = &i
			l.emit(e)
		}
		emit(responseEvent{Type: "response.output_item.added", Item: it.added()})
		it.stream(emit)
		emit(responseEvent{Type: "response.output_item.done", Item: it.done()})
	}
	final := r.finished(head, items)
	l.emit(responseEvent{Type: "response." + final.Status, Response: &final})
	l.last().terminal = true
	return l.frameList
}

// outputItem is one item of a response's output.
type outputItem interface {
	added() any                      // the empty item
	stream(emit func(responseEvent)) // what happens between added and done
	done() any                       // the whole item
}

// rawItem is an output item as the script has it.
type rawItem json.RawMessage

func (it rawItem) added() any                 { return json.RawMessage(it) }
func (it rawItem) done() any                  { return json.RawMessage(it) }
func (it rawItem) stream(func(responseEvent)) {}
