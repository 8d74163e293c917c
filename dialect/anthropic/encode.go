package anthropic

import (
	"slices"
	"strconv"
	"strings"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/dialect"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

const (
	// defaultMaxOutput is what a request gets that says none, for a model whose
	// limit is unknown: the API insists on a number. It is what Claude Code asks of
	// such models. (2.1.332.)
	defaultMaxOutput = 32_000
	// minBudget is the least budget for thinking that the API takes.
	minBudget = 1024
)

// EncodeRequest implements [dialect.Codec].
func (Codec) EncodeRequest(dst []byte, q *canon.Request, t *dialect.Target, r *canon.Report) ([]byte, error) {
	c := Capacity(t)
	dialect.LeaveProviders(q, isOwn, r)
	dialect.Flatten(q, c, r)
	msgs, err := dialect.Prepare(q, c, r)
	if err != nil {
		return dst, err
	}
	e := &requestEncoder{dst: dst, q: q, t: t, r: r}
	e.head()
	e.tools()
	lead := slices.IndexFunc(msgs, func(m *canon.Message) bool { return m.Role != canon.System })
	if lead < 0 {
		lead = len(msgs)
	}
	if err := e.system(msgs[:lead]); err != nil {
		return dst, err
	}
	if err := e.messages(msgs[lead:]); err != nil {
		return dst, err
	}
	e.reasoning()
	e.rest()
	return append(e.dst, '}'), nil
}

// requestEncoder writes one request.
type requestEncoder struct {
	dst []byte
	q   *canon.Request
	t   *dialect.Target
	r   *canon.Report
	max int64
}

func (e *requestEncoder) lose(what string, a canon.Action, why string) {
	e.r.Lose(canon.Loss{What: what, Action: a, Why: why})
}

func (e *requestEncoder) raw(s string) { e.dst = append(e.dst, s...) }

func (e *requestEncoder) head() {
	e.raw(`{"model":`)
	e.dst = jsonx.AppendQuote(e.dst, e.t.ModelOr(e.q.Model))
	if e.max = e.t.Limit(e.q, e.r); e.max == 0 {
		if e.max = e.t.MaxOutput; e.max == 0 {
			e.max = defaultMaxOutput
		}
		e.lose("max_tokens", canon.Synthesized, "the API insists on a limit")
	}
	e.raw(`,"max_tokens":`)
	e.dst = strconv.AppendInt(e.dst, e.max, 10)
	if e.q.Stream {
		e.raw(`,"stream":true`)
	}
}

func (e *requestEncoder) tools() {
	if len(e.q.Tools) == 0 {
		return
	}
	e.raw(`,"tools":[`)
	for i := range e.q.Tools {
		if i > 0 {
			e.raw(",")
		}
		e.tool(&e.q.Tools[i])
	}
	e.raw("]")
	mode := string(e.q.Choice.Mode)
	switch e.q.Choice.Mode {
	case canon.ChoiceUnset:
		if !e.q.OneCall {
			return
		}
		mode = "auto"
	case canon.ChoiceAuto, canon.ChoiceAny:
		if len(e.q.Choice.Names) > 0 {
			e.lose("tool_choice", canon.Dropped, "the protocol has no choice among some of the tools")
		}
	case canon.ChoiceOneOf:
		if mode = "tool"; len(e.q.Choice.Names) > 1 {
			mode = "any"
			e.lose("tool_choice", canon.Downgraded, "the protocol has no choice among some of the tools")
		}
	case canon.ChoiceNone:
	}
	e.raw(`,"tool_choice":{"type":"` + mode + `"`)
	if mode == "tool" {
		e.raw(`,"name":`)
		e.dst = jsonx.AppendQuote(e.dst, e.q.Choice.Names[0].Name)
	}
	if e.q.OneCall {
		e.raw(`,"disable_parallel_tool_use":true`)
	}
	e.raw("}")
}

func (e *requestEncoder) tool(t *canon.Tool) {
	if t.Raw != nil {
		e.dst = jsonx.AppendRaw(e.dst, t.Raw)
		return
	}
	e.raw(`{"name":`)
	e.dst = jsonx.AppendQuote(e.dst, t.Name)
	if !t.Description.IsEmpty() {
		e.raw(`,"description":`)
		e.dst = t.Description.AppendQuoted(e.dst)
	}
	e.raw(`,"input_schema":`)
	e.dst = dialect.AppendSchema(e.dst, t.Schema, e.r)
	if t.Strict == canon.FlagOn {
		e.raw(`,"strict":true`)
	}
	if t.Deferred {
		e.raw(`,"defer_loading":true`)
	}
	dialect.Leave(&t.Ext, Name, e.r)
	e.dst = t.Ext.AppendMembers(e.dst, Name)
	e.raw("}")
}

// system writes the leading system messages as the blocks of one field.
func (e *requestEncoder) system(msgs []*canon.Message) error {
	if len(msgs) == 0 {
		return nil
	}
	var blocks []canon.Block
	for _, m := range msgs {
		if m.Authority == canon.AuthorityDeveloper {
			e.lose("authority", canon.Moved, "developer text becomes system text")
		}
		blocks = append(blocks, m.Blocks...)
	}
	e.raw(`,"system":`)
	return e.blocks(blocks)
}

// messages writes the conversation; neighbours of one role are one message, in
// which results stand first.
func (e *requestEncoder) messages(msgs []*canon.Message) error {
	e.raw(`,"messages":[`)
	for i := 0; i < len(msgs); {
		if i > 0 {
			e.raw(",")
		}
		m := msgs[i]
		blocks := m.Blocks
		for i++; i < len(msgs) && msgs[i].Role == m.Role && len(msgs[i].Ext.Members) == 0; i++ {
			blocks = append(slices.Clip(blocks), msgs[i].Blocks...)
		}
		if m.Role == canon.User {
			slices.SortStableFunc(blocks, func(a, b canon.Block) int { return rank(a) - rank(b) })
		}
		if m.Role == canon.System && m.Authority == canon.AuthorityDeveloper {
			e.lose("authority", canon.Moved, "developer text becomes system text")
		}
		e.raw(`{"role":"` + string(m.Role) + `","content":`)
		if err := e.blocks(blocks); err != nil {
			return err
		}
		e.dst = m.Ext.AppendMembers(e.dst, Name)
		e.raw("}")
	}
	e.raw("]")
	return nil
}

// rank puts results before what else a user says: the API insists on it.
func rank(b canon.Block) int {
	if b.Kind() == canon.KindToolResult {
		return 0
	}
	return 1
}

func (e *requestEncoder) blocks(blocks []canon.Block) (err error) {
	for _, b := range blocks {
		switch b := b.(type) {
		case *canon.ToolCallBlock:
			if b.Input.JSON.Kind() != jsonx.Object {
				e.lose(string(canon.KindToolCall), canon.Moved, "an input that is no object becomes a member of one")
				b.Input = dialect.ObjectInput(b.Input)
			}
		case *canon.ReasoningBlock:
			b.Capsule.Issuer = Name // what the target does not take back is gone by now
		}
	}
	e.dst, err = AppendContent(e.dst, blocks)
	return err
}

// reasoning writes how much the model is to think, and the form of the answer.
func (e *requestEncoder) reasoning() {
	q := &e.q.Reasoning
	effort := q.Effort
	switch {
	case q.Mode == canon.ReasoningOff || effort == canon.EffortNone:
		e.raw(`,"thinking":{"type":"disabled"}`)
		effort = canon.EffortUnset
	case q.Budget > 0 || e.t.Budgets && (q.Mode == canon.ReasoningOn || effort != ""):
		e.budget()
		if e.t.Budgets {
			effort = canon.EffortUnset
		}
	case q.Mode == canon.ReasoningOn:
		e.raw(`,"thinking":{"type":"adaptive"`)
		e.display()
	}
	if effort != "" && e.t.Efforts != nil {
		if now := effort.Nearest(e.t.Efforts); now != effort {
			e.lose("effort", canon.Downgraded, "the model takes no effort "+strconv.Quote(string(effort)))
			effort = now
		}
	}
	e.outputConfig(effort)
}

// budget writes a budget of tokens to think with, which has to be less than
// what the answer may have.
func (e *requestEncoder) budget() {
	budget := e.q.Reasoning.Budget
	if budget == 0 {
		budget = e.q.Reasoning.Effort.Budget()
		e.lose("effort", canon.Downgraded, "the model takes a budget of tokens instead")
	}
	fits := max(min(budget, e.max-1), minBudget)
	if fits >= e.max {
		e.lose("thinking", canon.Dropped, "the answer may have fewer tokens than the least budget")
		return
	}
	if fits != e.q.Reasoning.Budget && e.q.Reasoning.Budget > 0 {
		e.lose("budget", canon.Downgraded, "the budget has to be at least 1024 tokens, and less than the answer may have")
	}
	e.raw(`,"thinking":{"type":"enabled","budget_tokens":`)
	e.dst = strconv.AppendInt(e.dst, fits, 10)
	e.display()
}

func (e *requestEncoder) display() {
	switch e.q.Reasoning.Show {
	case canon.ShowNothing:
		e.raw(`,"display":"omitted"`)
	case canon.ShowSummary:
		e.raw(`,"display":"summarized"`)
	case canon.ShowUnset:
	}
	e.raw("}")
}

func (e *requestEncoder) outputConfig(effort canon.Effort) {
	f := &e.q.Format
	open := `,"output_config":{`
	if effort != "" {
		e.raw(open + `"effort":`)
		e.dst = jsonx.AppendQuote(e.dst, string(effort))
		open = ","
	}
	switch f.Kind {
	case canon.FormatSchema:
		e.raw(open + `"format":{"type":"json_schema","schema":`)
		e.dst = jsonx.AppendRaw(e.dst, f.Schema)
		e.raw("}")
		open = ","
		if f.Name != "" || !f.Description.IsEmpty() {
			e.lose("format name", canon.Dropped, "the protocol has no name for a format")
		}
		if f.Strict == canon.FlagOff {
			e.lose("strict", canon.Dropped, "a schema always holds here")
		}
	case canon.FormatJSON:
		e.lose("format", canon.Dropped, "the protocol has no JSON without a schema")
	case canon.FormatText:
	}
	if open == "," {
		e.raw("}")
	}
}

// rest writes the other parameters.
func (e *requestEncoder) rest() {
	s := &e.q.Sampling
	if s.Temperature != nil {
		temperature := s.Temperature
		if f, err := strconv.ParseFloat(string(temperature), 64); err == nil && f > 1 {
			temperature = canon.Raw("1")
			e.lose("temperature", canon.Downgraded, "the API takes no more than 1")
		}
		e.number("temperature", temperature)
	}
	e.number("top_p", s.TopP)
	e.number("top_k", s.TopK)
	for _, x := range []struct {
		name  string
		value canon.Raw
	}{{"seed", s.Seed}, {"frequency_penalty", s.FrequencyPenalty}, {"presence_penalty", s.PresencePenalty}} {
		if x.value != nil {
			e.lose(x.name, canon.Dropped, "the protocol has none")
		}
	}
	open := `,"stop_sequences":[`
	for _, t := range e.q.Stop {
		if strings.TrimSpace(t.String()) == "" {
			e.lose("stop", canon.Dropped, "the API takes no stop sequence of white space")
			continue
		}
		e.raw(open)
		e.dst = t.AppendQuoted(e.dst)
		open = ","
	}
	if open == "," {
		e.raw("]")
	}
	if !e.q.User.IsEmpty() {
		e.raw(`,"metadata":{"user_id":`)
		e.dst = e.q.User.AppendQuoted(e.dst)
		e.raw("}")
	}
	if !e.q.CacheKey.IsEmpty() {
		e.lose("cache key", canon.Dropped, "the protocol marks the prefix instead")
	}
	dialect.Leave(&e.q.Ext, Name, e.r)
	if e.q.Ext.Dialect == Name {
		e.q.Ext.Members = slices.DeleteFunc(e.q.Ext.Members, func(m canon.Member) bool {
			within := strings.Contains(m.Name, ".")
			if within {
				e.lose(m.Name, canon.Dropped, "it is not known what it stands for")
			}
			return within
		})
	}
	e.dst = e.q.Ext.AppendMembers(e.dst, Name)
}

func (e *requestEncoder) number(name string, n canon.Raw) {
	if n == nil {
		return
	}
	e.raw(`,"` + name + `":`)
	e.dst = append(e.dst, n...)
}
