package canon

// Edit is a change that is addressed to a place which every dialect has. On the
// way from one dialect to another it is applied to the canonical form; within a
// dialect a codec makes it in the bytes and leaves all others as they are.
type Edit struct {
	Op EditOp
	// From is what is changed: the name of a tool, or for EditDrop that of a member
	// of the request's body.
	From string
	// To is what stands there afterwards: a name of a model or tool, or the text
	// that EditSystem adds.
	To string
}

// EditOp is what an [Edit] does.
type EditOp uint8

// The edits.
const (
	// EditModel names another model, in a request or an answer that names one.
	EditModel EditOp = iota + 1
	// EditTool names a tool otherwise wherever it is declared, called or chosen.
	EditTool
	// EditSystem adds a system text behind those that are there.
	EditSystem
	// EditDrop leaves a member of the request's body out.
	EditDrop
)

// ApplyRequest makes edits in q.
func ApplyRequest(q *Request, edits []Edit) {
	for _, e := range edits {
		switch e.Op {
		case EditModel:
			if q.Model != "" {
				q.Model = e.To
			}
		case EditTool:
			q.renameTool(e.From, e.To)
		case EditSystem:
			q.addSystem(e.To)
		case EditDrop:
			q.drop(e.From)
		}
	}
}

func (q *Request) renameTool(from, to string) {
	for i := range q.Tools {
		if q.Tools[i].Name == from {
			q.Tools[i].Name = to
		}
	}
	for i := range q.Choice.Names {
		if q.Choice.Names[i].Name == from {
			q.Choice.Names[i].Name = to
		}
	}
	for _, m := range q.Messages {
		renameCalls(m.Blocks, from, to)
	}
}

func renameCalls(blocks []Block, from, to string) {
	for _, b := range blocks {
		if c, ok := b.(*ToolCallBlock); ok && c.Name == from {
			c.Name = to
		}
	}
}

// addSystem puts a text behind the leading system messages.
func (q *Request) addSystem(text string) {
	lead := 0
	for lead < len(q.Messages) && q.Messages[lead].Role == System {
		lead++
	}
	m := &Message{Role: System, Authority: AuthoritySystem, Blocks: []Block{&TextBlock{Text: NewText(text)}}}
	q.Messages = append(q.Messages[:lead:lead], append([]*Message{m}, q.Messages[lead:]...)...)
}

// drop leaves out a parameter by the name that dialects have for it.
func (q *Request) drop(name string) {
	switch name {
	case "temperature":
		q.Sampling.Temperature = nil
	case "top_p", "topP":
		q.Sampling.TopP = nil
	case "top_k", "topK":
		q.Sampling.TopK = nil
	case "seed":
		q.Sampling.Seed = nil
	case "frequency_penalty", "frequencyPenalty":
		q.Sampling.FrequencyPenalty = nil
	case "presence_penalty", "presencePenalty":
		q.Sampling.PresencePenalty = nil
	case "parallel_tool_calls":
		q.OneCall = false
	case "thinking", "reasoning", "reasoning_effort", "thinkingConfig":
		q.Reasoning = Reasoning{}
	case "output_config":
		q.Reasoning.Effort, q.Format = EffortUnset, Format{}
	case "metadata", "user", "safety_identifier":
		q.User = Text{}
	case "prompt_cache_key":
		q.CacheKey = Text{}
	}
	members := q.Ext.Members[:0]
	for _, m := range q.Ext.Members {
		if m.Name != name {
			members = append(members, m)
		}
	}
	q.Ext.Members = members
}

// ApplyResponse makes edits in a.
func ApplyResponse(a *Response, edits []Edit) {
	for _, e := range edits {
		switch e.Op {
		case EditModel:
			if a.Model != "" {
				a.Model = e.To
			}
		case EditTool:
			renameCalls(a.Blocks, e.From, e.To)
		case EditSystem, EditDrop:
		}
	}
}
