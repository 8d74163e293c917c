package responses

import (
	"slices"
	"strconv"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/dialect"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// EncodeRequest implements [dialect.Codec].
func (Codec) EncodeRequest(dst []byte, q *canon.Request, t *dialect.Target, r *canon.Report) ([]byte, error) {
	c := Capacity(t)
	dialect.Flatten(q, c, r)
	prepare(q, c, r)
	msgs, err := dialect.Prepare(q, c, r)
	if err != nil {
		return dst, err
	}
	e := &requestEncoder{dst: dst, q: q, t: t, r: r, converted: q.Ext.Dialect != Name}
	e.head()
	lead := leading(msgs)
	e.instructions(msgs[:lead])
	e.tools()
	if err := e.input(msgs[lead:]); err != nil {
		return dst, err
	}
	e.reasoning()
	e.text()
	e.rest()
	return append(e.dst, '}'), nil
}

// requestEncoder writes one request. What the prompt begins with stands first and
// in the same form each time: caches go by it.
type requestEncoder struct {
	dst []byte
	q   *canon.Request
	t   *dialect.Target
	r   *canon.Report
	// converted says that the request comes from another dialect.
	converted bool
}

func (e *requestEncoder) lose(what string, a canon.Action, why string) {
	e.r.Lose(canon.Loss{What: what, Action: a, Why: why})
}

func (e *requestEncoder) raw(s string) { e.dst = append(e.dst, s...) }

func (e *requestEncoder) quote(s string) { e.dst = jsonx.AppendQuote(e.dst, s) }

func (e *requestEncoder) head() {
	e.raw(`{"model":`)
	e.quote(e.t.ModelOr(e.q.Model))
	if e.q.Stream {
		e.raw(`,"stream":true`)
	}
}

// tools writes the tools; those of a namespace stand together.
func (e *requestEncoder) tools() {
	if len(e.q.Tools) == 0 {
		if e.q.OneCall {
			e.lose("parallel_tool_calls", canon.Dropped, "there is no tool to call")
		}
		return
	}
	e.raw(`,"tools":[`)
	spaces := make(map[string]bool)
	first := true
	for i := range e.q.Tools {
		t := &e.q.Tools[i]
		if spaces[t.Namespace] {
			continue
		}
		if !first {
			e.raw(",")
		}
		first = false
		if t.Namespace == "" {
			e.tool(t)
			continue
		}
		spaces[t.Namespace] = true
		e.namespace(e.q.Tools[i:], t.Namespace)
	}
	e.raw("]")
	if e.q.Choice.Mode != canon.ChoiceUnset {
		e.raw(`,"tool_choice":`)
		e.choice(&e.q.Choice)
	}
	if e.q.OneCall {
		e.raw(`,"parallel_tool_calls":false`)
	}
}

// namespace writes those of the tools that are in the namespace. OpenAI's
// reference asks for a description of it.
func (e *requestEncoder) namespace(tools []canon.Tool, name string) {
	e.raw(`{"type":"namespace","name":`)
	e.quote(name)
	said := make(map[string]bool)
	for i := range tools {
		for _, m := range tools[i].Ext.Members {
			if inner, ok := within(&tools[i].Ext, m, namespacePrefix); ok && tools[i].Namespace == name && !said[inner] {
				said[inner] = true
				e.member(inner, m.Value)
			}
		}
	}
	if !said["description"] && e.converted {
		e.raw(`,"description":`)
		e.quote("Tools of " + name + ".")
		e.lose("tool", canon.Synthesized, "the API asks for a description of the namespace")
	}
	e.raw(`,"tools":[`)
	for i, first := 0, true; i < len(tools); i++ {
		if tools[i].Namespace != name {
			continue
		}
		if !first {
			e.raw(",")
		}
		first = false
		e.tool(&tools[i])
	}
	e.raw("]}")
}

// member writes a member that this dialect brought.
func (e *requestEncoder) member(name string, value canon.Raw) {
	e.raw(",")
	e.quote(name)
	e.raw(":")
	e.dst = jsonx.AppendRaw(e.dst, value)
}

func (e *requestEncoder) tool(t *canon.Tool) {
	switch {
	case t.Raw != nil:
		e.dst = jsonx.AppendRaw(e.dst, t.Raw)
		return
	case t.Call == canon.CallShell:
		e.raw(`{"type":"` + NameLocalShell + `"}`)
		return
	case t.Call == canon.CallCustom:
		e.raw(`{"type":"custom","name":`)
	default:
		e.raw(`{"type":"function","name":`)
	}
	e.quote(t.Name)
	if !t.Description.IsEmpty() {
		e.raw(`,"description":`)
		e.dst = t.Description.AppendQuoted(e.dst)
	}
	if t.Call == canon.CallCustom {
		if t.Grammar != nil {
			e.member("format", t.Grammar)
		}
	} else {
		e.raw(`,"parameters":`)
		e.dst = dialect.AppendSchema(e.dst, t.Schema, e.r)
		if t.Strict == canon.FlagUnset && !e.converted {
			e.lose("strict", canon.Synthesized, "of a tool that does not say, the API would try to hold the schema")
		}
		e.raw(`,"strict":` + strconv.FormatBool(t.Strict == canon.FlagOn))
	}
	if t.Deferred {
		e.raw(`,"defer_loading":true`)
	}
	dialect.Leave(&t.Ext, Name, e.r)
	for _, m := range t.Ext.Members {
		if _, ok := within(&t.Ext, m, namespacePrefix); !ok && t.Ext.Dialect == Name {
			e.member(m.Name, m.Value)
		}
	}
	e.raw("}")
}

func (e *requestEncoder) choice(c *canon.ToolChoice) {
	mode := "auto"
	switch c.Mode {
	case canon.ChoiceNone:
		mode = "none"
	case canon.ChoiceAny, canon.ChoiceOneOf:
		mode = "required"
	case canon.ChoiceAuto, canon.ChoiceUnset:
	}
	switch {
	case len(c.Names) == 0 || c.Mode == canon.ChoiceNone:
		e.quote(mode)
		return
	case c.Mode == canon.ChoiceOneOf && len(c.Names) == 1:
		e.chosen(c.Names[0])
		return
	}
	e.raw(`{"type":"allowed_tools","mode":"` + mode + `","tools":[`)
	for i, n := range c.Names {
		if i > 0 {
			e.raw(",")
		}
		e.chosen(n)
	}
	e.raw("]}")
}

// chosen names a tool that is declared: one of the provider's by its type alone.
func (e *requestEncoder) chosen(n canon.ToolName) {
	i := slices.IndexFunc(e.q.Tools, func(t canon.Tool) bool { return t.Name == n.Name && t.Namespace == n.Namespace })
	typ := "function"
	if i >= 0 {
		switch t := &e.q.Tools[i]; t.Call {
		case canon.CallCustom:
			typ = "custom"
		case canon.CallShell:
			typ = NameLocalShell
		case canon.CallProvider:
			typ = n.Name
			if of := valueOf(t.Raw, "type"); of.Kind() == jsonx.String {
				typ = jsonx.Unquote(of)
			}
		case canon.CallFunction:
		}
	}
	e.raw(`{"type":`)
	e.quote(typ)
	if typ != n.Name {
		e.raw(`,"name":`)
		e.quote(n.Name)
	}
	if n.Namespace != "" {
		e.raw(`,"namespace":`)
		e.quote(n.Namespace)
	}
	e.raw("}")
}
