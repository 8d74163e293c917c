package check

import (
	"context"

	"github.com/crosswalk-agents/crosswalk/internal/jsonl"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// codexItems brings items into the form that the client and the API want, each
// by itself.
func (r *repairer) codexItems(ctx context.Context) error {
	own, items := false, 0
	return r.step(func(s *stage) error {
		return r.each(ctx, func(line int, _ jsonl.Record, value []byte) error {
			payload := get(value, "payload")
			switch getString(value, "type") {
			case "session_meta":
				if items == 0 {
					var d jsonx.Decoder
					m := readCodexMeta(&d, payload)
					own = m.own()
				}
			case "response_item":
				items++
				fixed := r.codexItem(line, payload, own)
				if fixed == nil {
					return nil
				}
				if &fixed[0] != &payload[0] {
					value = set(value, member{"payload", fixed})
				}
			case "compacted":
				value = r.codexCompacted(line, value, payload, own)
			}
			return s.put(line, value)
		})
	})
}

// codexItem repairs one item; nil drops it, and what is right is returned as it
// is.
func (r *repairer) codexItem(line int, payload jsonx.Raw, own bool) jsonx.Raw {
	var d jsonx.Decoder
	it := readCodexItem(&d, payload)
	if !knownCodexItem(it.typ) {
		return payload
	}
	if rule := it.sealedRule(own); rule != "" {
		r.change(rule, line, "")
		return nil
	}
	if rule, _ := it.misshaped(); rule != "" {
		r.change(rule, line, "")
		if payload = reshape(&it, payload); payload == nil {
			return nil
		}
		it = readCodexItem(&d, payload)
	}
	if it.parts.image != "" {
		r.change("codex-image", line, "")
		payload = r.shapeItem(&it, payload)
	}
	var members []member
	switch it.typ {
	case "message":
		role := it.role
		if role != "user" && role != "assistant" && role != "developer" && role != "system" {
			r.change("codex-message-role", line, "")
			role = "user"
			members = append(members, member{"role", text(role)})
		}
		if role == "assistant" && it.parts.input > 0 || role != "assistant" && it.parts.output > 0 {
			r.change("codex-content-side", line, "")
			members = append(members, member{"content", sided(payload, role)})
		}
	case "function_call", "custom_tool_call":
		if !legalName(it.name, codexNameMax) {
			r.change("codex-illegal-tool-name", line, "")
			members = append(members, member{"name", text(legalAlias(it.name, codexNameMax))})
		}
	}
	if call, output := it.calls(); (call != callNone || output != callNone) && it.callKind == jsonx.String && (it.callID == "" || len(it.callID) > codexIDMax) {
		if call != callNone {
			r.change("codex-illegal-call-id", line, "")
		}
		members = append(members, member{"call_id", text(legalCallID(it.callID))})
	}
	if members == nil {
		return payload
	}
	return set(payload, members...)
}

// shapeItem repairs the images of an item.
func (r *repairer) shapeItem(it *codexItem, payload jsonx.Raw) jsonx.Raw {
	name, kind := "output", "input_text"
	if it.typ == "message" {
		name, kind = "content", textType(it.role)
	}
	return set(payload, member{name, r.shapeParts(get(payload, name), kind)})
}

// sided returns a message's content with text of the type that its role wants.
func sided(payload jsonx.Raw, role string) jsonx.Raw {
	var list []jsonx.Raw
	for _, part := range elements(get(payload, "content")) {
		if typ := getString(part, "type"); typ == "input_text" || typ == "output_text" {
			part = set(part, member{"type", text(textType(role))})
		}
		list = append(list, part)
	}
	return array(list)
}

func textType(role string) string {
	if role == "assistant" {
		return "output_text"
	}
	return "input_text"
}

// reshape gives an item the members that its type demands; nil if nothing of it
// can be kept.
func reshape(it *codexItem, payload jsonx.Raw) jsonx.Raw {
	var members []member
	if it.id != jsonx.End && it.id != jsonx.Null && it.id != jsonx.String {
		members = append(members, member{"id", null()})
	}
	switch it.typ {
	case "message":
		role := it.role
		if it.roleKind != jsonx.String {
			role = "user"
			members = append(members, member{"role", text(role)})
		}
		members = append(members, member{"content", contentParts(get(payload, "content"), textType(role))})
	case "function_call", "custom_tool_call":
		name := "arguments"
		if it.typ == "custom_tool_call" {
			name = "input"
		}
		if v := get(payload, name); v.Kind() != jsonx.String {
			if len(v) == 0 || v.Kind() == jsonx.Null {
				v = jsonx.Raw("{}")
			}
			members = append(members, member{name, text(string(canonical(v)))})
		}
		if it.nameKind != jsonx.String {
			members = append(members, member{"name", text(legalAlias("", codexNameMax))})
		}
		if it.callKind != jsonx.String {
			members = append(members, member{"call_id", text(legalCallID(string(payload)))})
		}
	case "function_call_output", "custom_tool_call_output":
		if it.callKind != jsonx.String {
			members = append(members, member{"call_id", text(legalCallID(string(payload)))})
		}
		members = append(members, member{"output", outputOf(get(payload, "output"))})
	case "reasoning":
		return nil
	case "local_shell_call":
		members = append(members, member{"action", object(member{"type", text("exec")}, member{"command", array([]jsonx.Raw{text(string(get(payload, "action")))})})})
	case "tool_search_output":
		members = append(members, member{"tools", array(nil)})
	}
	return set(payload, members...)
}

// outputOf returns a call's output in a form that the client reads.
func outputOf(v jsonx.Raw) jsonx.Raw {
	switch v.Kind() {
	case jsonx.String:
		return v
	case jsonx.Array:
		return contentParts(v, "input_text")
	case jsonx.Null, jsonx.End:
		return text("")
	default:
	}
	return text(string(canonical(v)))
}

// contentParts returns content as a list of parts that the client reads; what it
// knows no part for becomes text.
func contentParts(content jsonx.Raw, textType string) jsonx.Raw {
	part := func(v jsonx.Raw) jsonx.Raw { return object(member{"type", text(textType)}, member{"text", v}) }
	switch content.Kind() {
	case jsonx.String:
		return array([]jsonx.Raw{part(content)})
	case jsonx.Number, jsonx.True, jsonx.False:
		return array([]jsonx.Raw{part(text(string(canonical(content))))})
	default:
	}
	var list []jsonx.Raw
	for _, b := range contentList(content) {
		switch typ := getString(b, "type"); {
		case typ == "text" || typ == "input_text" || typ == "output_text":
			if v := get(b, "text"); v.Kind() == jsonx.String {
				list = append(list, part(v))
			}
		case typ == "input_image" && get(b, "image_url").Kind() == jsonx.String, typ == "input_audio":
			list = append(list, b)
		case typ == "image":
			list = append(list, imagePart(b))
		default:
			list = append(list, part(text(string(canonical(b)))))
		}
	}
	return array(list)
}

// imagePart turns an image block of the Messages API into a part.
func imagePart(b jsonx.Raw) jsonx.Raw {
	source := get(b, "source")
	url := getString(source, "url")
	if data := getString(source, "data"); data != "" {
		url = "data:" + getString(source, "media_type") + ";base64," + data
	}
	return object(member{"type", text("input_image")}, member{"image_url", text(url)})
}

// codexCompacted repairs a compaction: sealed items leave its replacement
// history, images in it are repaired, and one without a replacement history becomes a message.
func (r *repairer) codexCompacted(line int, value, payload jsonx.Raw, own bool) jsonx.Raw {
	message, replacement := get(payload, "message"), get(payload, "replacement_history")
	if message.Kind() != jsonx.String {
		return value
	}
	if replacement == nil || replacement.Kind() == jsonx.Null {
		r.change("codex-no-replacement", line, "")
		content := array([]jsonx.Raw{object(member{"type", text("input_text")}, member{"text", message})})
		return set(value, member{"type", text("response_item")}, member{"payload", object(member{"type", text("message")}, member{"role", text("user")}, member{"content", content})})
	}
	var d jsonx.Decoder
	var list []jsonx.Raw
	changed := false
	for _, raw := range elements(replacement) {
		if raw.Kind() == jsonx.Object {
			it := readCodexItem(&d, raw)
			if rule := it.sealedRule(own); rule != "" {
				r.change(rule, line, "the item is dropped from a replacement history")
				changed = true
				continue
			}
			if it.parts.image != "" {
				r.change("codex-image", line, "an image of a replacement history is mended, or becomes a text")
				changed = true
				raw = r.shapeItem(&it, raw)
			}
		}
		list = append(list, raw)
	}
	if !changed {
		return value
	}
	return set(value, member{"payload", set(payload, member{"replacement_history", array(list)})})
}
