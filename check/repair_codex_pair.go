package check

import (
	"context"
	"slices"

	"github.com/crosswalk-agents/crosswalk/internal/jsonl"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// codexPlan is what becomes of a line so that calls and outputs pair.
type codexPlan struct {
	rule   string
	nth    int  // rename to the nth call of this id
	stray  bool // an output becomes a message
	settle bool // an output is put behind
	move   bool // an output goes behind its call
	bring  []int
}

// codexPairs answers calls, turns stray outputs into text, moves those that
// stand before their call and renames repeated ids.
func (r *repairer) codexPairs(ctx context.Context) error {
	c := newCodexFile(newCollector(0), r.cur.File, "")
	if _, err := c.scan(ctx); err != nil {
		return err
	}
	h := &c.history
	h.pairs.end()
	if len(h.pairs.faults) == 0 {
		return nil
	}
	plan, moved := codexPlans(h.pairs.faults)
	w := &codexPairer{r: r, moved: moved, pairs: &h.pairs}
	return r.step(func(s *stage) error {
		if err := w.gather(ctx); err != nil {
			return err
		}
		n := -1
		return r.each(ctx, func(line int, _ jsonl.Record, value []byte) error {
			n++
			return w.line(s, line, plan[n], value)
		})
	})
}

// codexPlans turns faults into plans by the number of the record; moved names
// the outputs that go elsewhere.
func codexPlans(faults []codexFault) (plan map[int]*codexPlan, moved map[int]jsonx.Raw) {
	plan, moved = make(map[int]*codexPlan), make(map[int]jsonx.Raw)
	at := func(rec int, rule string) *codexPlan {
		p := plan[rec]
		if p == nil {
			p = &codexPlan{}
			plan[rec] = p
		}
		if p.rule == "" {
			p.rule = rule
		}
		return p
	}
	for _, f := range faults {
		rule := f.rule
		if f.silent {
			rule = ""
		}
		p := at(f.rec, rule)
		switch f.rule {
		case "codex-unanswered-call":
			p.settle = true
		case "codex-orphan-output", "codex-repeated-output":
			p.stray = true
		case "codex-repeated-call-id":
			p.nth = f.nth
		case "codex-output-before-call":
			p.move = true
			moved[f.rec] = nil
			call := at(f.other, "")
			call.bring = append(call.bring, f.rec)
		}
	}
	return plan, moved
}

// codexPairer writes what was planned.
type codexPairer struct {
	r     *repairer
	moved map[int]jsonx.Raw
	pairs *codexPairs
}

// gather reads the outputs that are moved.
func (w *codexPairer) gather(ctx context.Context) error {
	if len(w.moved) == 0 {
		return nil
	}
	n := -1
	return w.r.each(ctx, func(_ int, _ jsonl.Record, value []byte) error {
		n++
		if _, ok := w.moved[n]; ok {
			w.moved[n] = slices.Clone(value)
		}
		return nil
	})
}

func (w *codexPairer) line(s *stage, line int, p *codexPlan, value []byte) error {
	if p == nil {
		return s.put(line, value)
	}
	if p.rule != "" {
		w.r.change(p.rule, line, "")
	}
	if p.move {
		return nil
	}
	payload := get(value, "payload")
	if p.nth > 1 {
		id := getString(payload, "call_id")
		fresh := nthCallID(id, p.nth, func(s string) bool {
			_, taken := w.pairs.calls[w.pairs.key(s)]
			return taken
		})
		payload = set(payload, member{"call_id", text(fresh)})
		value = set(value, member{"payload", payload})
	}
	if p.stray {
		value = set(value, member{"payload", strayMessage(payload)})
	}
	if err := s.put(line, value); err != nil {
		return err
	}
	for _, n := range p.bring {
		if err := s.put(line, w.moved[n]); err != nil {
			return err
		}
	}
	if p.settle {
		return s.put(line, codexWrap(getString(value, "timestamp"), "response_item", settled(payload)))
	}
	return nil
}

// settled makes the output that answers a call.
func settled(call jsonx.Raw) jsonx.Raw {
	typ := "function_call_output"
	switch getString(call, "type") {
	case "custom_tool_call":
		typ = "custom_tool_call_output"
	case "tool_search_call":
		return object(member{"type", text("tool_search_output")}, member{"call_id", get(call, "call_id")}, member{"status", text("completed")},
			member{"execution", text("client")}, member{"tools", array(nil)})
	}
	return object(member{"type", text(typ)}, member{"call_id", get(call, "call_id")}, member{"output", text(noResult)})
}

// strayMessage turns an output into a marked message.
func strayMessage(output jsonx.Raw) jsonx.Raw {
	part := func(v jsonx.Raw) jsonx.Raw { return object(member{"type", text("input_text")}, member{"text", v}) }
	list := []jsonx.Raw{part(text(strayResult))}
	switch v := get(output, "output"); v.Kind() {
	case jsonx.Array:
		list = append(list, elements(v)...)
	case jsonx.String:
		list = append(list, part(v))
	default:
		list = append(list, part(text(string(canonical(output)))))
	}
	return object(member{"type", text("message")}, member{"role", text("user")}, member{"content", array(list)})
}
