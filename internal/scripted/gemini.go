package scripted

import (
	"encoding/json"
	"net/http"
)

// gemini is Gemini generateContent.
type gemini struct{}

type geminiAnswer struct {
	Candidates   []geminiCandidate `json:"candidates"`
	Usage        *geminiUsage      `json:"usageMetadata,omitempty"`
	ModelVersion string            `json:"modelVersion"`
	ResponseID   string            `json:"responseId"`
}

type geminiCandidate struct {
	Content      geminiContent `json:"content"`
	FinishReason string        `json:"finishReason,omitempty"`
	Index        int           `json:"index"`
}

type geminiContent struct {
	Parts []geminiPart `json:"parts,omitempty"`
	Role  string       `json:"role"`
}

type geminiPart struct {
	Text      *string     `json:"text,omitempty"`
	Thought   bool        `json:"thought,omitempty"`
	Call      *geminiCall `json:"functionCall,omitempty"`
	Signature string      `json:"thoughtSignature,omitempty"`
}

// geminiCall has an id only if the script gives one: the field is optional.
type geminiCall struct {
	ID   string          `json:"id,omitempty"`
	Name string          `json:"name"`
	Args json.RawMessage `json:"args"`
}

type geminiUsage struct {
	Prompt     int `json:"promptTokenCount"`
	Cached     int `json:"cachedContentTokenCount,omitempty"`
	Candidates int `json:"candidatesTokenCount"`
	Thoughts   int `json:"thoughtsTokenCount,omitempty"`
	Total      int `json:"totalTokenCount"`
}

// errorBody is a list of one where a JSON array was asked for.
func (gemini) errorBody(r *reply, e apiError) any {
	if r.route.array {
		return []geminiError{newGeminiError(e)}
	}
	return newGeminiError(e)
}

func (gemini) overload(_ *reply, _ int) frame {
	return frame{data: encode(newGeminiError(apiError{status: http.StatusServiceUnavailable}))}
}

func (r *reply) geminiAnswer(id string, parts ...geminiPart) geminiAnswer {
	return geminiAnswer{
		Candidates:   []geminiCandidate{{Content: geminiContent{parts, "model"}}},
		ModelVersion: r.asked.model, ResponseID: id,
	}
}

// finish makes an answer the last one. Reasoning is counted apart from candidates.
func (r *reply) geminiFinish(a *geminiAnswer) {
	u := r.turn.usage()
	a.Usage = &geminiUsage{u.Input, u.Cached, u.Output - u.Reasoning, u.Reasoning, u.Input + u.Output}
	a.Candidates[0].FinishReason = r.turn.stopReason().gemini
}

// geminiCalls are whole: a call that is cut by the output limit is not there. The
// first carries the signature, as Gemini 3 does with parallel calls.
func (r *reply) geminiCalls() []geminiPart {
	var parts []geminiPart
	for i, c := range r.turn.Tools {
		if r.turn.cutsCall(i) {
			continue
		}
		p := geminiPart{Call: &geminiCall{c.ID, c.Name, c.args()}}
		if len(parts) == 0 {
			p.Signature = r.seal("signature")
		}
		parts = append(parts, p)
	}
	return parts
}

// geminiSeal is the empty text that carries the signature of a turn without calls.
func (r *reply) geminiSeal() geminiPart {
	return geminiPart{Text: new(string), Signature: r.seal("signature")}
}

func (gemini) plain(r *reply) any {
	var parts []geminiPart
	if r.turn.Thinking != "" {
		parts = append(parts, geminiPart{Text: &r.turn.Thinking, Thought: true})
	}
	calls := r.geminiCalls()
	if r.turn.Text != "" {
		parts = append(parts, geminiPart{Text: &r.turn.Text})
	}
	parts = append(parts, calls...)
	if r.turn.Thinking != "" && len(calls) == 0 {
		parts = append(parts, r.geminiSeal())
	}
	a := r.geminiAnswer(r.ids.mint(""), parts...)
	r.geminiFinish(&a)
	return a
}

func (gemini) frames(r *reply) []frame {
	id := r.ids.mint("")
	var answers []geminiAnswer
	emit := func(p geminiPart) { answers = append(answers, r.geminiAnswer(id, p)) }
	for _, p := range r.pieces(r.turn.Thinking) {
		emit(geminiPart{Text: &p, Thought: true})
	}
	for _, p := range r.pieces(r.turn.Text) {
		emit(geminiPart{Text: &p})
	}
	calls := r.geminiCalls()
	for _, p := range calls {
		if r.turn.fault().EmptyDeltas {
			emit(geminiPart{Text: new(string)})
		}
		emit(p)
	}
	switch {
	case r.turn.Thinking != "" && len(calls) == 0:
		emit(r.geminiSeal())
	case len(answers) == 0:
		answers = append(answers, r.geminiAnswer(id))
	}
	last := &answers[len(answers)-1]
	r.geminiFinish(last)
	if r.turn.fault().NoDone {
		last.Candidates[0].FinishReason = ""
	}
	var l frameList
	for _, a := range answers {
		l.add("", a)
	}
	return l
}
