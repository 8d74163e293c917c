package gemini

import (
	"slices"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/dialect"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// EncodeRequest implements [dialect.Codec]. Images and documents in results stand
// within the functionResponse, as models from the third generation on take them;
// for one of the generation before they stand behind the results.
func (Codec) EncodeRequest(dst []byte, q *canon.Request, t *dialect.Target, r *canon.Report) ([]byte, error) {
	c := Capacity(t)
	dialect.LeaveProviders(q, nil, r)
	dialect.Flatten(q, c, r)
	msgs, err := dialect.Prepare(q, c, r)
	if err != nil {
		return dst, err
	}
	e := &requestEncoder{dst: append(dst, '{'), q: q, t: t, r: r, first: true, names: make(map[string]string)}
	e.parts = partWriter{report: r, emit: e.part, apart: true}
	lead := slices.IndexFunc(msgs, func(m *canon.Message) bool { return m.Role != canon.System })
	if lead < 0 {
		lead = len(msgs)
	}
	e.system(msgs[:lead])
	e.tools()
	e.toolConfig()
	e.contents(msgs[lead:])
	e.config()
	e.rest()
	return append(e.dst, '}'), nil
}

// requestEncoder writes one request.
type requestEncoder struct {
	dst   []byte
	q     *canon.Request
	t     *dialect.Target
	r     *canon.Report
	first bool // no member was written
	// names are those of the functions by the ids of their calls.
	names map[string]string
	parts partWriter
	// written counts the parts of the content; unsigned says that it is the model's
	// and has had no call.
	written  int
	unsigned bool
}

func (e *requestEncoder) lose(what string, a canon.Action, why string) {
	e.r.Lose(canon.Loss{What: what, Action: a, Why: why})
}

func (e *requestEncoder) raw(s string) { e.dst = append(e.dst, s...) }

// member begins a member of the body.
func (e *requestEncoder) member(name string) {
	if !e.first {
		e.raw(",")
	}
	e.first = false
	e.raw(`"` + name + `":`)
}

// system writes the leading system messages.
func (e *requestEncoder) system(msgs []*canon.Message) {
	if len(msgs) == 0 {
		for _, m := range e.q.Ext.Members {
			if e.q.Ext.Dialect == Name && isWithin(m.Name, []string{systemMember}) {
				e.lose(m.Name, canon.Dropped, "there is no system instruction to which it belongs")
			}
		}
		return
	}
	e.member(systemMember)
	e.raw(`{"parts":[`)
	e.written, e.unsigned = 0, false
	for _, m := range msgs {
		if m.Authority == canon.AuthorityDeveloper {
			e.lose("authority", canon.Moved, "developer text becomes system text")
		}
		e.blocks(m.Blocks)
	}
	e.parts.finish(false)
	e.raw("]")
	e.dst = append(appendMembers(e.dst, &e.q.Ext, systemMember), '}')
}

func (e *requestEncoder) tools() {
	if len(e.q.Tools) == 0 {
		return
	}
	lost := make(map[string]bool)
	lose := func(keyword string) {
		if !lost[keyword] { // most tools of a client have the same ones
			lost[keyword] = true
			e.lose("tool schema "+keyword, canon.Dropped, "the API does not take the keyword")
		}
	}
	e.member("tools")
	e.raw("[")
	open := false // a list of functions is
	for i := range e.q.Tools {
		t := &e.q.Tools[i]
		if t.Raw != nil && open {
			e.raw("]}")
			open = false
		}
		if i > 0 {
			e.raw(",")
		}
		if t.Raw != nil {
			e.dst = jsonx.AppendRaw(e.dst, t.Raw)
			continue
		}
		if !open {
			e.raw(`{"` + declarationsMember + `":[`)
			open = true
		}
		e.tool(t, lose)
	}
	if open {
		e.raw("]}")
	}
	e.raw("]")
}

func (e *requestEncoder) tool(t *canon.Tool, lost func(string)) {
	e.raw(`{"name":`)
	e.dst = jsonx.AppendQuote(e.dst, t.Name)
	if !t.Description.IsEmpty() {
		e.raw(`,"description":`)
		e.dst = t.Description.AppendQuoted(e.dst)
	}
	if t.Schema != nil {
		e.raw(`,"parametersJsonSchema":`)
		e.dst = dialect.AppendSchema(e.dst, cleanSchema(t.Schema, lost), e.r)
	}
	if t.Strict == canon.FlagOn {
		e.lose("strict", canon.Dropped, "the protocol promises for no tool that its schema holds")
	}
	if t.Deferred {
		e.lose("defer_loading", canon.Dropped, "the protocol shows the model all of a tool at once")
	}
	dialect.Leave(&t.Ext, Name, e.r)
	e.dst = append(appendMembers(e.dst, &t.Ext, ""), '}')
}

// toolConfig writes the choice among the tools.
func (e *requestEncoder) toolConfig() {
	if e.q.OneCall {
		e.lose("parallel_tool_calls", canon.Dropped, "the protocol cannot forbid more than one call")
	}
	more := appendMembers(nil, &e.q.Ext, toolMember, callingMember)
	calling := appendMembers(nil, &e.q.Ext, callingMember)
	named := e.q.Ext.Dialect == Name && e.q.Ext.Get(callingMember+".mode") != nil
	mode := ""
	switch e.q.Choice.Mode {
	case canon.ChoiceUnset:
	case canon.ChoiceAuto:
		// Some of the functions can be named in this mode only.
		if mode = "AUTO"; len(e.q.Choice.Names) > 0 {
			mode = "VALIDATED"
		}
	case canon.ChoiceAny, canon.ChoiceOneOf:
		mode = "ANY"
	case canon.ChoiceNone:
		mode = "NONE"
	}
	if mode != "" && !named {
		calling = append([]byte(`,"mode":"`+mode+`"`), calling...)
	}
	if mode != "" && mode != "NONE" && len(e.q.Choice.Names) > 0 {
		calling = append(calling, `,"allowedFunctionNames":[`...)
		for i, n := range e.q.Choice.Names {
			if i > 0 {
				calling = append(calling, ',')
			}
			calling = jsonx.AppendQuote(calling, n.Name)
		}
		calling = append(calling, ']')
	}
	if len(calling) > 0 {
		calling = append(append([]byte(`,"functionCallingConfig":{`), calling[1:]...), '}')
	}
	if all := append(calling, more...); len(all) > 0 {
		e.member(toolMember)
		e.raw("{")
		e.dst = append(append(e.dst, all[1:]...), '}')
	}
}

// contents writes the conversation; neighbours of one role are one content, in
// which results stand first: the API wants as many as there were calls directly
// behind these.
func (e *requestEncoder) contents(msgs []*canon.Message) {
	e.member("contents")
	e.raw("[")
	for i := 0; i < len(msgs); {
		if i > 0 {
			e.raw(",")
		}
		m := msgs[i]
		blocks := m.Blocks
		for i++; i < len(msgs) && msgs[i].Role == m.Role && len(msgs[i].Ext.Members) == 0; i++ {
			blocks = append(slices.Clip(blocks), msgs[i].Blocks...)
		}
		role := "model"
		if m.Role != canon.Assistant {
			role = "user"
			slices.SortStableFunc(blocks, func(a, b canon.Block) int { return rank(a) - rank(b) })
			blocks = e.mediaBehind(blocks)
		}
		e.raw(`{"role":"` + role + `","parts":[`)
		e.written, e.unsigned = 0, m.Role == canon.Assistant
		e.blocks(blocks)
		e.parts.finish(false)
		e.raw("]")
		e.dst = append(m.Ext.AppendMembers(e.dst, Name), '}')
	}
	e.raw("]")
}

// rank puts results before what else a user says.
func rank(b canon.Block) int {
	if b.Kind() == canon.KindToolResult {
		return 0
	}
	return 1
}

// mediaBehind puts what results hold beside text and cannot behind the results.
func (e *requestEncoder) mediaBehind(blocks []canon.Block) []canon.Block {
	var media []canon.Block
	results := 0
	for _, b := range blocks {
		r, ok := b.(*canon.ToolResultBlock)
		if !ok {
			break
		}
		results++
		r.Content = slices.DeleteFunc(r.Content, func(inner canon.Block) bool {
			if !e.standsBehind(inner) {
				return false
			}
			e.lose(string(inner.Kind()), canon.Moved, "it stands behind the results, which cannot hold it")
			media = append(media, inner)
			return true
		})
	}
	return slices.Insert(slices.Clip(blocks), results, media...)
}

// standsBehind reports whether a result cannot hold the block. Models of the
// second generation take no media in results, later ones inline data alone.
func (e *requestEncoder) standsBehind(b canon.Block) bool {
	switch b := b.(type) {
	case *canon.ImageBlock:
		return e.t.Budgets || !b.URL.IsEmpty()
	case *canon.DocumentBlock:
		return e.t.Budgets || !b.URL.IsEmpty()
	}
	return false
}

// blocks writes blocks as parts.
func (e *requestEncoder) blocks(blocks []canon.Block) {
	for _, b := range blocks {
		switch b := b.(type) {
		case *canon.TextBlock:
			e.parts.begin(&b.Ext)
			e.parts.piece(textPart, b.Text)
		case *canon.ReasoningBlock:
			e.parts.begin(&b.Ext)
			e.parts.thoughts(b)
		case *canon.ToolCallBlock:
			e.names[b.CallID] = b.Name
			e.parts.call(b)
		case *canon.ToolResultBlock:
			e.result(b)
		case *canon.ImageBlock, *canon.DocumentBlock:
			e.unnamed(b)
			e.parts.media(b)
		case *canon.OpaqueBlock:
			e.parts.opaque(b)
		case *canon.CompactionBlock: // [canon.Fit] lets none through
		}
	}
}

// namelessMedia says why media lose their names: where the API has one, it means
// something in the text of the same result.
const namelessMedia = "the API takes no names of media"

// unnamed lists the name of an image or document as lost.
func (e *requestEncoder) unnamed(b canon.Block) {
	name := ""
	switch b := b.(type) {
	case *canon.ImageBlock:
		name = b.Name
	case *canon.DocumentBlock:
		name = b.Name
	}
	if name != "" {
		e.lose(string(b.Kind())+" name", canon.Dropped, namelessMedia)
	}
}

func (e *requestEncoder) result(b *canon.ToolResultBlock) {
	texts, behind := 0, false
	for i, inner := range b.Content {
		e.unnamed(inner)
		if inner.Kind() == canon.KindText {
			texts++
			behind = behind || i+1 > texts
		}
	}
	if texts > 1 || behind {
		e.lose(string(canon.KindToolResult), canon.Moved, "a result has one text, before all else")
	}
	e.parts.result(b, e.names[b.CallID])
}

// part writes a part of a content. The first call of the model's has a signature,
// if need be the one that stands for none.
func (e *requestEncoder) part(p *outPart) {
	if p.kind == callPart && e.unsigned {
		e.unsigned = false
		if p.signature.IsEmpty() && !e.t.Budgets {
			p.signature = canon.NewText(skipSignature)
			e.r.Note("calls-without-their-signature", 1)
		}
	}
	if e.written > 0 {
		e.raw(",")
	}
	e.written++
	e.dst = appendPart(e.dst, p)
}

// rest writes the members that canon does not model, and lists what the protocol
// does not have.
func (e *requestEncoder) rest() {
	if !e.q.User.IsEmpty() {
		e.lose("user", canon.Dropped, "the protocol has none")
	}
	if !e.q.CacheKey.IsEmpty() {
		e.lose("cache key", canon.Dropped, "the protocol finds the prefix by itself")
	}
	dialect.Leave(&e.q.Ext, Name, e.r)
	more := appendMembers(nil, &e.q.Ext, "", configMember, toolMember, systemMember)
	if len(more) > 0 && e.first {
		more = more[1:]
	}
	e.dst = append(e.dst, more...)
}
