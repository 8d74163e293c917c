package chat

import (
	"slices"
	"strconv"
	"strings"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/dialect"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// maxStop is how many stop sequences the API takes.
const maxStop = 4

// efforts are the words that the API has; what a model takes of them is for the
// target to say.
var efforts = [...]canon.Effort{
	canon.EffortNone, canon.EffortMinimal, canon.EffortLow, canon.EffortMedium, canon.EffortHigh, canon.EffortXHigh, canon.EffortMax,
}

// EncodeRequest implements [dialect.Codec].
func (Codec) EncodeRequest(dst []byte, q *canon.Request, t *dialect.Target, r *canon.Report) ([]byte, error) {
	c := Capacity(t)
	dialect.Flatten(q, c, r)
	msgs, err := dialect.Prepare(q, c, r)
	if err != nil {
		return dst, err
	}
	e := &requestEncoder{dst: dst, q: q, t: t, r: r}
	effort := e.effort()
	e.head(effort)
	e.tools()
	if err := e.messages(msgs); err != nil {
		return dst, err
	}
	if effort != canon.EffortUnset {
		e.raw(`,"reasoning_effort":`)
		e.dst = jsonx.AppendQuote(e.dst, string(effort))
	}
	e.format()
	e.rest()
	return append(e.dst, '}'), nil
}

// requestEncoder writes one request.
type requestEncoder struct {
	dst []byte
	q   *canon.Request
	t   *dialect.Target
	r   *canon.Report
	// some says that a message was written.
	some bool
	// media are those of results that wait for the last result of the turn.
	media []resultMedia
}

func (e *requestEncoder) lose(what string, a canon.Action, why string) {
	e.r.Lose(canon.Loss{What: what, Action: a, Why: why})
}

func (e *requestEncoder) raw(s string) { e.dst = append(e.dst, s...) }

func (e *requestEncoder) head(effort canon.Effort) {
	e.raw(`{"model":`)
	e.dst = jsonx.AppendQuote(e.dst, e.t.ModelOr(e.q.Model))
	if limit := e.t.Limit(e.q, e.r); limit > 0 {
		if effort == canon.EffortUnset {
			e.raw(`,"max_tokens":`)
		} else { // OpenAI's reasoning models refuse the other name
			e.raw(`,"max_completion_tokens":`)
		}
		e.dst = strconv.AppendInt(e.dst, limit, 10)
	}
	if e.q.Stream { // the usage is always of use; whether the caller gets it is the answer's matter
		e.raw(`,"stream":true,"stream_options":{"include_usage":true}`)
	}
}

// effort returns the word for how much the model is to think: the protocol has no
// other one for it.
func (e *requestEncoder) effort() canon.Effort {
	q := &e.q.Reasoning
	effort := q.Effort
	if q.Show != canon.ShowUnset {
		e.lose("display", canon.Dropped, "the protocol cannot say what of the reasoning is shown")
	}
	switch {
	case q.Mode == canon.ReasoningOff:
		if effort != canon.EffortUnset && effort != canon.EffortNone {
			e.lose("effort", canon.Dropped, "reasoning is off")
		}
		effort = canon.EffortNone
	case effort == canon.EffortUnset && q.Budget > 0:
		effort = canon.EffortOf(q.Budget)
		if effort == canon.EffortNone { // which would be off
			effort = canon.EffortMinimal
		}
		e.lose("budget", canon.Downgraded, "the protocol has efforts instead of budgets")
	case q.Budget > 0:
		e.lose("budget", canon.Dropped, "the effort stands for it")
	case effort == canon.EffortUnset && q.Mode == canon.ReasoningOn:
		e.lose("thinking", canon.Dropped, "the protocol has no word for reasoning without an effort")
	}
	if effort == canon.EffortUnset {
		return effort
	}
	if e.t.Budgets {
		e.lose("effort", canon.Dropped, "the model takes budgets alone, and the protocol has none")
		return canon.EffortUnset
	}
	takes := e.t.Efforts
	if takes == nil {
		takes = efforts[:]
	}
	now := effort.Nearest(takes)
	switch {
	case now == canon.EffortUnset:
		e.lose("effort", canon.Dropped, "the model takes no effort")
	case now != effort:
		e.lose("effort", canon.Downgraded, "the model takes no effort "+strconv.Quote(string(effort)))
	}
	return now
}

func (e *requestEncoder) tools() {
	if len(e.q.Tools) == 0 {
		if e.q.OneCall {
			e.lose("parallel_tool_calls", canon.Dropped, "there is no tool to call")
		}
		return
	}
	e.raw(`,"tools":[`)
	for i := range e.q.Tools {
		if i > 0 {
			e.raw(",")
		}
		e.dst = appendTool(e.dst, &e.q.Tools[i], e.r)
	}
	e.raw("]")
	e.dst = appendChoice(e.dst, e.q)
	if e.q.OneCall {
		e.raw(`,"parallel_tool_calls":false`)
	}
}

// formatNames is the grammar of names of formats, and unnamed the name of one that
// has none: the API insists on it.
var formatNames = canon.Grammar{Max: 64, Extra: "_-"}

const unnamed = "answer"

// format writes the form of the answer.
func (e *requestEncoder) format() {
	f := &e.q.Format
	switch f.Kind {
	case canon.FormatText:
	case canon.FormatJSON:
		e.raw(`,"response_format":{"type":"json_object"}`)
	case canon.FormatSchema:
		name := f.Name
		switch {
		case name == "":
			name = unnamed
			e.lose("format name", canon.Synthesized, "the API insists on a name")
		case !formatNames.Legal(name):
			name = canon.LegalID(name, formatNames)
			e.lose("format name", canon.Renamed, "the API refuses the name")
		}
		e.raw(`,"response_format":{"type":"json_schema","json_schema":{"name":`)
		e.dst = jsonx.AppendQuote(e.dst, name)
		if !f.Description.IsEmpty() {
			e.raw(`,"description":`)
			e.dst = f.Description.AppendQuoted(e.dst)
		}
		if f.Schema != nil {
			e.raw(`,"schema":`)
			e.dst = jsonx.AppendRaw(e.dst, f.Schema)
		}
		switch f.Strict {
		case canon.FlagOn:
			e.raw(`,"strict":true`)
		case canon.FlagOff:
			e.raw(`,"strict":false`)
		case canon.FlagUnset:
		}
		e.raw("}}")
	}
}

// rest writes the other parameters.
func (e *requestEncoder) rest() {
	s := &e.q.Sampling
	e.number("temperature", s.Temperature)
	e.number("top_p", s.TopP)
	if s.TopK != nil {
		e.lose("top_k", canon.Dropped, "the protocol has none")
	}
	e.number("frequency_penalty", s.FrequencyPenalty)
	e.number("presence_penalty", s.PresencePenalty)
	e.number("seed", s.Seed)
	e.stop()
	if !e.q.User.IsEmpty() {
		e.raw(`,"user":`)
		e.dst = dialect.Identifier(e.q.User, "user", e.r).AppendQuoted(e.dst)
	}
	if !e.q.CacheKey.IsEmpty() {
		e.raw(`,"prompt_cache_key":`)
		e.dst = dialect.Identifier(e.q.CacheKey, "prompt_cache_key", e.r).AppendQuoted(e.dst)
	}
	dialect.Leave(&e.q.Ext, Name, e.r)
	if e.q.Ext.Dialect == Name {
		e.q.Ext.Members = slices.DeleteFunc(e.q.Ext.Members, func(m canon.Member) bool {
			within := strings.HasPrefix(m.Name, "stream_options.") || strings.HasPrefix(m.Name, "response_format.")
			if within {
				e.lose(m.Name, canon.Dropped, "it is not known what it stands for")
			}
			return within || len(e.q.Tools) == 0 && e.isOfTools(m.Name)
		})
	}
	e.dst = e.q.Ext.AppendMembers(e.dst, Name)
}

// isOfTools lists a member as left out that means nothing without tools, which the
// API refuses then.
func (e *requestEncoder) isOfTools(name string) bool {
	if name != "tool_choice" {
		return false
	}
	e.lose(name, canon.Dropped, "there is no tool to choose")
	return true
}

func (e *requestEncoder) stop() {
	n := 0
	for _, t := range e.q.Stop {
		switch {
		case t.IsEmpty():
			e.lose("stop", canon.Dropped, "the API takes no empty stop sequence")
			continue
		case n == maxStop:
			e.lose("stop", canon.Dropped, "the API takes no more than four stop sequences")
			continue
		case n == 0:
			e.raw(`,"stop":[`)
		default:
			e.raw(",")
		}
		e.dst = t.AppendQuoted(e.dst)
		n++
	}
	if n > 0 {
		e.raw("]")
	}
}

func (e *requestEncoder) number(name string, n canon.Raw) {
	if n == nil {
		return
	}
	e.raw(`,"` + name + `":`)
	e.dst = append(e.dst, n...)
}
