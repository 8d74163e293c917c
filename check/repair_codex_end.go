package check

import (
	"context"
	"slices"

	"github.com/crosswalk-agents/crosswalk/internal/jsonl"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// codexEnd shows the first prompt to the picker, gives messages that stand in
// events only an item each, and numbers the lines of a paginated thread.
func (r *repairer) codexEnd(ctx context.Context) error {
	found := newCollector(0)
	named, _ := codexName(r.out)
	c := newCodexFile(found, r.cur.File, named)
	if _, err := c.scan(ctx); err != nil {
		return err
	}
	if c.records == 0 {
		return nil
	}
	c.judge(&r.o)
	prompt, err := r.firstPrompt(ctx)
	if err != nil {
		return err
	}
	e := codexEnding{paged: c.paged, items: found.has("codex-no-items")}
	for _, rule := range [...]string{"codex-no-events", "codex-listing-window"} {
		if found.has(rule) && prompt != nil {
			e.prompt = prompt
			r.change(rule, 0, "")
		}
	}
	for _, rule := range [...]string{"codex-final-ordinal", "codex-ordinal-missing", "codex-ordinal-gap", "codex-ordinal-kind"} {
		if found.has(rule) {
			e.number = true
			r.change(rule, 0, "")
		}
	}
	if e.items {
		r.change("codex-no-items", 0, "")
	}
	if !e.items && e.prompt == nil && !e.number {
		return nil
	}
	return r.step(func(s *stage) error {
		e.s = s
		return r.each(ctx, e.line)
	})
}

// firstPrompt returns the text of the first prompt as it is written, or nil.
func (r *repairer) firstPrompt(ctx context.Context) (jsonx.Raw, error) {
	var prompt jsonx.Raw
	err := r.each(ctx, func(_ int, _ jsonl.Record, value []byte) error {
		if prompt != nil || getString(value, "type") != "response_item" {
			return nil
		}
		payload := get(value, "payload")
		var d jsonx.Decoder
		if it := readCodexItem(&d, payload); !it.typed() {
			return nil
		}
		for _, part := range elements(get(payload, "content")) {
			if v := get(part, "text"); v.Kind() == jsonx.String && !blank(jsonx.AppendUnquote(nil, v)) {
				prompt = slices.Clone(v)
				return nil
			}
		}
		return nil
	})
	return prompt, err
}

// codexEnding writes the last step.
type codexEnding struct {
	s      *stage
	prompt jsonx.Raw // to be shown behind the first line
	items  bool      // events become items as well
	paged  bool
	number bool
	n      uint64
}

func (e *codexEnding) line(line int, _ jsonl.Record, value []byte) error {
	if err := e.put(line, value); err != nil {
		return err
	}
	stamp := getString(value, "timestamp")
	if e.prompt != nil && e.n == 1 {
		event := object(member{"type", text("user_message")}, member{"message", e.prompt})
		return e.put(line, codexWrap(stamp, "event_msg", event))
	}
	if !e.items || getString(value, "type") != "event_msg" {
		return nil
	}
	role, content := shown(get(value, "payload"))
	if role == "" {
		return nil
	}
	part := object(member{"type", text(textType(role))}, member{"text", content})
	item := object(member{"type", text("message")}, member{"role", text(role)}, member{"content", array([]jsonx.Raw{part})})
	return e.put(line, codexWrap(stamp, "response_item", item))
}

// put writes a line with its number.
func (e *codexEnding) put(line int, value jsonx.Raw) error {
	n := e.n
	e.n++
	if !e.paged {
		if old := get(value, "ordinal"); old != nil && !wholeNumber(old) {
			value = edit(value, func(name string, v jsonx.Raw) jsonx.Raw {
				if name == "ordinal" {
					return nil
				}
				return v
			})
		}
		return e.s.put(line, value)
	}
	if old := get(value, "ordinal"); string(old) != string(number(n)) {
		value = set(value, member{"ordinal", number(n)})
	}
	return e.s.put(line, value)
}

// shown returns the message that an event shows.
func shown(event jsonx.Raw) (role string, content jsonx.Raw) {
	switch getString(event, "type") {
	case "user_message":
		role = "user"
	case "agent_message":
		role = "assistant"
	case "item_completed":
		item := get(event, "item")
		switch getString(item, "type") {
		case "UserMessage":
			role = "user"
		case "AgentMessage":
			role = "assistant"
		default:
			return "", nil
		}
		for _, part := range elements(get(item, "content")) {
			if v := get(part, "text"); v.Kind() == jsonx.String {
				return role, v
			}
		}
		return "", nil
	default:
		return "", nil
	}
	if content = get(event, "message"); content.Kind() != jsonx.String {
		return "", nil
	}
	return role, content
}

func wholeNumber(raw jsonx.Raw) bool {
	for _, b := range raw {
		if b < '0' || b > '9' {
			return false
		}
	}
	return true
}
