package responses

import (
	"strconv"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/dialect"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// The states of an item and of an answer.
const (
	inProgress = "in_progress"
	completed  = "completed"
	incomplete = "incomplete"
	failed     = "failed"
)

// answer writes the blocks of an answer as items, whole or streamed.
type answer struct {
	report *canon.Report
	id     string // the answer's
	output []byte // the items so far, in a list that is open
	items  int
}

func (a *answer) lose(what string, action canon.Action, why string) {
	a.report.Lose(canon.Loss{What: what, Action: action, Why: why})
}

// start begins an answer: r tells all but its blocks and its end.
func (a *answer) start(r *canon.Response) {
	a.id = r.ID
	dialect.Leave(&r.Ext, Name, a.report)
}

// itemType returns the type of the item for b and the prefix of its id; ok is false
// if an answer of this protocol has none.
func (a *answer) itemType(b canon.Block) (typ, prefix string, ok bool) {
	switch b := b.(type) {
	case *canon.TextBlock:
		return "message", "msg_", true
	case *canon.ReasoningBlock:
		return "reasoning", "rs_", true
	case *canon.CompactionBlock:
		return "compaction", "cmp_", true
	case *canon.ToolCallBlock:
		switch b.Call {
		case canon.CallCustom:
			return "custom_tool_call", "ctc_", true
		case canon.CallShell:
			return "local_shell_call", "lsh_", true
		case canon.CallProvider:
			if b.Name == NameWebSearch {
				return "web_search_call", "ws_", true
			}
			a.lose(string(canon.KindToolCall), canon.Dropped, "a call of the provider's own tool "+strconv.Quote(b.Name))
			return "", "", false
		case canon.CallFunction:
		}
		return "function_call", "fc_", true
	case *canon.OpaqueBlock:
		if b.Dialect == Name {
			return b.Type, "", true
		}
		a.lose(string(canon.KindOpaque), canon.Dropped, "exists only in the "+b.Dialect+" dialect")
	case *canon.ToolResultBlock, *canon.ImageBlock, *canon.DocumentBlock:
		a.lose(string(b.Kind()), canon.Dropped, "an answer cannot hold it")
	}
	return "", "", false
}

// begin admits a block: it returns the id and the type of its item.
func (a *answer) begin(b canon.Block) (id, typ string, ok bool) {
	typ, prefix, ok := a.itemType(b)
	if !ok {
		return "", "", false
	}
	dialect.Leave(&b.Meta().Ext, Name, a.report)
	if id = b.Meta().ItemID; id == "" {
		id = prefix + a.derived()
	}
	return id, typ, true
}

// derived returns what the ids of an item are made of: the same for the same item
// of the same answer.
func (a *answer) derived() string {
	const room = 40 // for the id of the answer
	id := canon.LegalID(a.id, canon.Grammar{Max: room, Extra: "_-"})
	return id + "_" + strconv.Itoa(a.items)
}

// callID returns the id of a call, which clients insist on.
func (a *answer) callID(b *canon.ToolCallBlock) string {
	if b.CallID != "" {
		return b.CallID
	}
	return "call_" + a.derived()
}

// add takes an item that is whole into the answer's list.
func (a *answer) add(item []byte) {
	if a.items > 0 {
		a.output = append(a.output, ',')
	}
	a.output = append(a.output, item...)
	a.items++
}

// whole appends the item for a block that is whole; ok is false if it has none
// after all.
func (a *answer) whole(dst []byte, b canon.Block, id, status string) (out []byte, ok bool) {
	switch b := b.(type) {
	case *canon.TextBlock:
		dst = appendHead(dst, "message", id, status)
		dst = append(dst, `,"role":"assistant","content":[`...)
		dst = appendText(dst, b)
		return append(dst, `]}`...), true
	case *canon.ReasoningBlock:
		dst = appendHead(dst, "reasoning", id, "")
		dst = append(dst, `,"summary":[`...)
		for i, t := range summaryOf(b) {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendSummary(dst, t)
		}
		dst = append(dst, ']')
		if !b.Capsule.Sealed.IsEmpty() { // whoever issued it: the client gives it back as it is
			dst = append(dst, `,"encrypted_content":`...)
			dst = b.Capsule.Sealed.AppendQuoted(dst)
		}
		return closeObject(dst, b.Ext), true
	case *canon.CompactionBlock:
		dst = appendHead(dst, "compaction", id, "")
		dst = append(dst, `,"encrypted_content":`...)
		return closeObject(b.Capsule.Sealed.AppendQuoted(dst), b.Ext), true
	case *canon.OpaqueBlock:
		return jsonx.AppendRaw(dst, b.Raw), true
	case *canon.ToolCallBlock:
		return a.call(dst, b, id, status)
	}
	return dst, false
}

// appendHead begins an item; status may be empty.
func appendHead(dst []byte, typ, id, status string) []byte {
	dst = append(dst, `{"type":`...)
	dst = jsonx.AppendQuote(dst, typ)
	dst = append(dst, `,"id":`...)
	dst = jsonx.AppendQuote(dst, id)
	if status != "" {
		dst = append(dst, `,"status":"`...)
		dst = append(append(dst, status...), '"')
	}
	return dst
}

func appendText(dst []byte, b *canon.TextBlock) []byte {
	dst = append(dst, `{"type":"output_text","text":`...)
	dst = b.Text.AppendQuoted(dst)
	if b.Ext.Dialect != Name || b.Ext.Get("annotations") == nil {
		dst = append(dst, `,"annotations":[]`...)
	}
	return closeObject(dst, b.Ext)
}

func appendSummary(dst []byte, t canon.Text) []byte {
	dst = append(dst, `{"type":"summary_text","text":`...)
	return append(t.AppendQuoted(dst), '}')
}

// summaryOf returns what an item shows of reasoning: clients show its summary, so
// the full text is a part of that.
func summaryOf(b *canon.ReasoningBlock) (parts []canon.Text) {
	for _, t := range append([]canon.Text{b.Text}, b.Summary...) {
		if !t.IsEmpty() {
			parts = append(parts, t)
		}
	}
	return parts
}

// appendCallHead begins the item of a call that has a name.
func appendCallHead(dst []byte, b *canon.ToolCallBlock, typ, id, callID, status string) []byte {
	dst = appendHead(dst, typ, id, status)
	dst = append(dst, `,"call_id":`...)
	dst = jsonx.AppendQuote(dst, callID)
	dst = append(dst, `,"name":`...)
	return appendName(dst, b)
}

func (a *answer) call(dst []byte, b *canon.ToolCallBlock, id, status string) (out []byte, ok bool) {
	switch b.Call {
	case canon.CallCustom:
		dst = appendCallHead(dst, b, "custom_tool_call", id, a.callID(b), status)
		dst = append(dst, `,"input":`...)
		dst = inputText(b).AppendQuoted(dst)
	case canon.CallShell:
		action := actionOf(b.Input)
		if action == nil {
			a.lose(string(canon.KindToolCall), canon.Dropped, "a shell call without a command line")
			return dst, false
		}
		dst = appendHead(dst, "local_shell_call", id, status)
		dst = append(dst, `,"call_id":`...)
		dst = jsonx.AppendQuote(dst, a.callID(b))
		dst = append(dst, `,"action":`...)
		dst = jsonx.AppendRaw(dst, action)
	case canon.CallProvider:
		if !isSearch(b.Input) {
			a.lose(string(canon.KindToolCall), canon.Dropped, "a call of the provider's own tool "+strconv.Quote(b.Name))
			return dst, false
		}
		dst = appendHead(dst, "web_search_call", id, status)
		if b.Input.JSON != nil {
			dst = append(dst, `,"action":`...)
			dst = jsonx.AppendRaw(dst, b.Input.JSON)
		}
	default:
		dst = appendCallHead(dst, b, "function_call", id, a.callID(b), status)
		dst = append(dst, `,"arguments":`...)
		dst = inputText(b).AppendQuoted(dst)
	}
	return closeObject(dst, b.Ext), true
}

// inputText returns the input as the item of a call with a name has it. No input
// at all is an empty object for a function: clients parse it.
func inputText(b *canon.ToolCallBlock) canon.Text {
	switch {
	case b.Input.JSON != nil:
		return canon.NewText(string(b.Input.JSON))
	case b.Call != canon.CallCustom && b.Input.Text.IsEmpty():
		return canon.NewText("{}")
	}
	return b.Input.Text
}

// actionOf returns the action of a shell call, also for the input of the function
// that stands for it in other dialects; nil if it has no command line.
func actionOf(in canon.Input) canon.Raw {
	if in.JSON == nil {
		in.JSON = canon.InputOf(canon.CallFunction, in.Text.AppendTo(nil)).JSON
	}
	if !isAction(in.JSON) || valueOf(in.JSON, "type") != nil {
		if !isAction(in.JSON) {
			return nil
		}
		return in.JSON
	}
	action := []byte(`{"type":"exec"`)
	d := jsonx.NewDecoder(in.JSON)
	for name := range d.Members() {
		action = append(action, ',')
		if string(name) == "workdir" {
			name = []byte("working_directory")
		}
		action = jsonx.AppendQuote(action, string(name))
		action = append(action, ':')
		action = append(action, d.Raw()...)
	}
	if valueOf(in.JSON, "env") == nil {
		action = append(action, `,"env":{}`...)
	}
	return append(action, '}')
}

// isCut reports whether the end of the answer cut the call off: its input is not
// whole, or may not be.
func isCut(b canon.Block) bool {
	c, ok := b.(*canon.ToolCallBlock)
	if !ok || c.Call == canon.CallProvider {
		return false
	}
	if c.Call == canon.CallCustom {
		return true
	}
	in := inputText(c).String()
	return in == "{}" || !canon.Raw(in).Valid()
}

// lastStatus returns the status of the item that an answer ends with.
func lastStatus(b canon.Block, stop canon.StopReason) string {
	if answerStatus(stop) == completed {
		return completed
	}
	if _, ok := b.(*canon.ToolCallBlock); ok && !isCut(b) {
		return completed
	}
	return incomplete
}

// answerStatus returns the status of an answer that ended.
func answerStatus(stop canon.StopReason) string {
	switch stop {
	case canon.StopLimit, canon.StopContext, canon.StopRefusal:
		return incomplete
	case canon.StopEnd, canon.StopSequence, canon.StopToolCall, canon.StopPause:
	}
	return completed
}
