package check

import (
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// codexHistory collects what is wrong with the items that the model sees. A
// compaction replaces those before it and a rollback takes turns away, with
// whatever was wrong in them.
type codexHistory struct {
	max     int
	line    int
	rec     int // number of the record, from 0
	turn    int
	items   int // of the model's side, since the last compaction
	pending []historyFinding
	// more counts findings of a rule beyond those kept.
	more  map[string]int
	count map[string]int
	pairs codexPairs
}

// historyFinding waits for the end of the file.
type historyFinding struct {
	rule, detail string
	line, turn   int
}

// at moves to the record of a line.
func (h *codexHistory) at(line, rec int) { h.line, h.rec = line, rec }

// reset forgets everything, as a compaction makes the client do.
func (h *codexHistory) reset() {
	h.pending, h.items = nil, 0
	h.more, h.count = make(map[string]int), make(map[string]int)
	h.pairs.reset()
}

func (h *codexHistory) add(rule string, line int, detail string) {
	if h.count[rule]++; h.count[rule] > h.max {
		h.more[rule]++
		return
	}
	h.pending = append(h.pending, historyFinding{rule, detail, line, h.turn})
}

// rollBack takes the last n turns away.
func (h *codexHistory) rollBack(n int) {
	if n <= 0 {
		return
	}
	h.turn = max(h.turn-n, 0)
	k := len(h.pending)
	for ; k > 0 && h.pending[k-1].turn > h.turn; k-- {
		h.count[h.pending[k-1].rule]--
	}
	h.pending = h.pending[:k]
	h.pairs.rollBack(h.turn)
}

// end reports what is left.
func (h *codexHistory) end(found *collector) {
	h.pairs.end()
	for _, f := range h.pairs.faults {
		if !f.silent {
			h.add(f.rule, f.line, "")
		}
	}
	for _, f := range h.pending {
		if f.detail == "" {
			found.add(f.rule, f.line, "")
		} else {
			found.add(f.rule, f.line, "%s", f.detail)
		}
	}
	for rule, n := range h.more {
		found.counts[rule] += n
		found.omitted[rule] += n
	}
}

// item examines one response item.
func (c *codexFile) item(payload jsonx.Raw) {
	it := readCodexItem(&c.dec, payload)
	h := &c.history
	if !knownCodexItem(it.typ) {
		h.add("codex-unknown-item", h.line, it.typ)
		return
	}
	if it.typ == "message" && (it.role == "user" || it.role == "assistant") {
		c.messages++
	}
	if it.typed() {
		h.turn++
	}
	c.items++
	if it.role != "user" {
		h.items++
	}
	c.itemRules(&it)
	if call, output := it.calls(); call != callNone {
		h.pairs.call(&it, call, h)
	} else if output != callNone {
		h.pairs.output(&it, output, h)
	}
}

// itemRules reports the defects of an item by itself.
func (c *codexFile) itemRules(it *codexItem) {
	h := &c.history
	if rule, why := it.misshaped(); rule != "" {
		h.add(rule, h.line, why)
		return
	}
	if rule := it.sealedRule(c.meta.own()); rule != "" {
		h.add(rule, h.line, "")
	}
	if it.parts.image != "" {
		h.add("codex-image", h.line, it.parts.image)
	}
	switch it.typ {
	case "message":
		switch {
		case it.role != "user" && it.role != "assistant" && it.role != "developer" && it.role != "system":
			h.add("codex-message-role", h.line, it.role)
		case it.role == "assistant" && it.parts.input > 0, it.role != "assistant" && it.parts.output > 0:
			h.add("codex-content-side", h.line, "")
		}
	case "function_call", "custom_tool_call":
		if !legalName(it.name, codexNameMax) {
			h.add("codex-illegal-tool-name", h.line, it.name)
		}
	case "function_call_output", "custom_tool_call_output":
		if it.length > longOutput {
			h.add("codex-long-output", h.line, "")
		}
	}
	if call, _ := it.calls(); call != callNone && it.callKind == jsonx.String && (it.callID == "" || len(it.callID) > codexIDMax) {
		h.add("codex-illegal-call-id", h.line, "")
	}
}

// longOutput is how many bytes of a call's output the client keeps when it
// resumes. (Codex 0.171.0: 48,000 are kept, 48,500 are cut.)
const longOutput = 48000

// compacted examines a compaction.
func (c *codexFile) compacted(payload jsonx.Raw) {
	h := &c.history
	message, replacement := jsonx.End, jsonx.Raw(nil)
	c.dec.Reset(payload)
	for name := range c.dec.Members() {
		switch string(name) {
		case "message":
			message = c.dec.Kind()
		case "replacement_history":
			replacement = c.dec.Raw()
		}
	}
	if message != jsonx.String {
		return // the client skips the line, and the history stays
	}
	if replacement.Kind() != jsonx.Array {
		if replacement != nil && replacement.Kind() != jsonx.Null {
			return
		}
		if h.items > 0 {
			h.add("codex-no-replacement", h.line, "")
		}
		h.items = 0
		h.pairs.reset()
		return
	}
	items, ok := replacementItems(&c.dec, replacement)
	if !ok {
		return
	}
	h.reset()
	for _, it := range items {
		if rule := it.sealedRule(c.meta.own()); rule != "" {
			h.add(rule, h.line, "in a replacement history")
		}
		if it.parts.image != "" {
			h.add("codex-image", h.line, it.parts.image+"; in a replacement history")
		}
		if call, output := it.calls(); call != callNone {
			h.pairs.call(&it, call, h)
		} else if output != callNone {
			h.pairs.output(&it, output, h)
		}
	}
	h.pairs.inherit()
	if len(items) > 0 {
		c.items++
		h.items++
	}
}

// replacementItems decodes a replacement history; ok says that every item has
// the form that the client demands.
func replacementItems(d *jsonx.Decoder, raw jsonx.Raw) (items []codexItem, ok bool) {
	var list []jsonx.Raw
	d.Reset(raw)
	for range d.Elements() {
		if d.Kind() != jsonx.Object {
			return nil, false
		}
		list = append(list, d.Raw())
	}
	for _, raw := range list {
		it := readCodexItem(d, raw)
		it.parts.text = nil
		if rule, _ := it.misshaped(); rule != "" {
			return nil, false
		}
		items = append(items, it)
	}
	return items, true
}
