package check

import "github.com/crosswalk-agents/crosswalk/internal/jsonx"

// beside makes a user record that stands beside raw.
func (p *claudePairer) beside(raw, uuid, parent, content jsonx.Raw) jsonx.Raw {
	kept := edit(raw, func(name string, value jsonx.Raw) jsonx.Raw {
		switch name {
		case "isSidechain", "userType", "cwd", "sessionId", "session_id", "version", "gitBranch", "timestamp", "slug", "entrypoint":
			return value
		}
		return nil
	})
	message := object(member{"role", text("user")}, member{"content", content})
	return set(kept, member{"parentUuid", parent}, member{"type", text("user")}, member{"message", message}, member{"uuid", uuid})
}

// results makes the content that answers calls.
func (p *claudePairer) results(plan *pairPlan) jsonx.Raw {
	var list []jsonx.Raw
	for _, id := range plan.settle {
		list = append(list, object(member{"type", text("tool_result")}, member{"tool_use_id", text(p.calls[id])},
			member{"content", text(noResult)}, member{"is_error", jsonx.Raw("true")}))
	}
	return array(list)
}

// rewrite applies a plan to a record.
func (p *claudePairer) rewrite(i int32, plan *pairPlan, value []byte) jsonx.Raw {
	message := get(value, "message")
	var members []member
	if plan.own != "" {
		members = append(members, member{"id", text(plan.own)})
	} else if plan.group >= 0 {
		id := p.groups[plan.group]
		if id == "" {
			id = "msg_" + p.r.freshUUID()
			p.groups[plan.group] = id
		}
		members = append(members, member{"id", text(id)})
	} else if id, ok := p.groups[i]; ok && id == "" {
		p.groups[i] = "msg_" + p.r.freshUUID()
		members = append(members, member{"id", text(p.groups[i])})
	}
	if plan.rename != nil || plan.stray != nil || plan.trim {
		blocks := p.blocks(plan, elements(get(message, "content")))
		if len(blocks) == 0 {
			return note(value, "[what was written here cannot be used any more]")
		}
		members = append(members, member{"content", array(blocks)})
	}
	if members == nil {
		return value
	}
	return set(value, member{"message", set(message, members...)})
}

func (p *claudePairer) blocks(plan *pairPlan, blocks []jsonx.Raw) []jsonx.Raw {
	var out []jsonx.Raw
	for _, b := range blocks {
		switch typ := getString(b, "type"); typ {
		case "tool_use":
			out = append(out, p.renamed(plan, b, "id"))
		case "tool_result":
			if id := p.hash(getString(b, "tool_use_id")); plan.stray[id] {
				out = append(out, strayBlocks(b)...)
				continue
			}
			out = append(out, p.renamed(plan, b, "tool_use_id"))
		default:
			out = append(out, b)
		}
	}
	for plan.trim && len(out) > 0 && isThinking(getString(out[len(out)-1], "type")) {
		out = out[:len(out)-1]
	}
	return out
}

// renamed gives a block the id that its call gets.
func (p *claudePairer) renamed(plan *pairPlan, b jsonx.Raw, name string) jsonx.Raw {
	id := getString(b, name)
	nth := plan.rename[p.hash(id)]
	if nth < 2 {
		return b
	}
	return set(b, member{name, text(nthCallID(id, nth, func(s string) bool { return p.taken[p.hash(s)] }))})
}

// strayBlocks turns a result into marked text; images stay images.
func strayBlocks(b jsonx.Raw) []jsonx.Raw {
	out := []jsonx.Raw{textBlock(strayResult)}
	switch content := get(b, "content"); content.Kind() {
	case jsonx.String:
		if !blank(jsonx.AppendUnquote(nil, content)) {
			out = append(out, object(member{"type", text("text")}, member{"text", content}))
		}
	case jsonx.Array:
		for _, inner := range elements(content) {
			if getString(inner, "type") != "text" || !blank([]byte(getString(inner, "text"))) {
				out = append(out, inner)
			}
		}
	case jsonx.Object, jsonx.Number, jsonx.True, jsonx.False:
		out = append(out, textBlock(string(canonical(content))))
	case jsonx.Null, jsonx.End:
	}
	return out
}
