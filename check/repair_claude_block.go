package check

import "github.com/crosswalk-agents/crosswalk/internal/jsonx"

// fillIn is the text of a message whose only text was blank; it is what the
// client itself writes there.
const fillIn = "(no content)"

// blockMarks are the defects that shapeContent repairs.
const blockMarks = markBroken | markEmptyText | markBlank | markInput | markCallID | markToolName | markForeign | markImageType | markImageData |
	markResultInAnswer | markCallInUser | markUnsigned | markPlaceholder | markForeignSignature | markForeignThinking

// shapeContent repairs the blocks of one message.
func (r *repairer) shapeContent(line int, typ claudeType, marks claudeMark, raw jsonx.Raw) []jsonx.Raw {
	if marks&blockMarks == 0 {
		return []jsonx.Raw{raw}
	}
	for _, m := range claudeBlockMarks {
		if marks&m.mark&blockMarks != 0 {
			r.change(m.rule, line, "")
		}
	}
	message := get(raw, "message")
	var blocks []jsonx.Raw
	content := get(message, "content")
	switch {
	case content.Kind() == jsonx.String && marks&markBlank == 0:
		return []jsonx.Raw{raw}
	case content.Kind() == jsonx.String:
		blocks = []jsonx.Raw{textBlock(fillIn)}
	}
	foreign := foreignModel(getString(message, "model"))
	for _, b := range contentList(content) {
		if b = r.shapeBlock(b, foreign); b != nil {
			blocks = append(blocks, b)
		}
	}
	if len(blocks) == 0 {
		if marks&(markEmptyText|markBlank) != 0 && marks&markThinking == 0 && typ == ccUser {
			blocks = []jsonx.Raw{textBlock(fillIn)}
		} else {
			return []jsonx.Raw{note(raw, "[what was written here cannot be used any more]")}
		}
	}
	return r.split(raw, message, typ, blocks)
}

func textBlock(s string) jsonx.Raw {
	return object(member{"type", text("text")}, member{"text", text(s)})
}

// shapeBlock repairs one block; nil drops it.
func (r *repairer) shapeBlock(b jsonx.Raw, foreignModel bool) jsonx.Raw {
	if b.Kind() != jsonx.Object {
		return nil
	}
	switch typ := getString(b, "type"); typ {
	case "":
		return nil
	case "text":
		v := get(b, "text")
		if v.Kind() != jsonx.String || blank(jsonx.AppendUnquote(nil, v)) {
			return nil
		}
	case "thinking", "redacted_thinking":
		sealed := getString(b, "signature") + getString(b, "data")
		if foreignModel || sealed == "" || sealMark(sealed) != 0 {
			return nil
		}
	case "tool_use":
		return shapeCall(b)
	case "tool_result":
		return r.shapeResult(b)
	case "image":
		return r.shapeImage(b)
	case "input_text", "output_text", "summary_text", "refusal":
		return foreignText(b)
	case "input_image":
		return foreignImage(b)
	}
	return b
}

// shapeResult makes a result's id and images what the API takes.
func (r *repairer) shapeResult(b jsonx.Raw) jsonx.Raw {
	if id := getString(b, "tool_use_id"); !legalID(id) {
		b = set(b, member{"tool_use_id", text(legalCallID(id))})
	}
	list := elements(get(b, "content"))
	changed := false
	for i, inner := range list {
		if getString(inner, "type") == "image" {
			list[i] = r.shapeImage(inner)
			changed = changed || &list[i][0] != &inner[0]
		}
	}
	if !changed {
		return b
	}
	return set(b, member{"content", array(list)})
}

// shapeCall makes a call's id, name and input what the API takes.
func shapeCall(b jsonx.Raw) jsonx.Raw {
	var members []member
	if id := getString(b, "id"); !legalID(id) {
		members = append(members, member{"id", text(legalCallID(id))})
	}
	if name := getString(b, "name"); !legalName(name, claudeNameMax) {
		members = append(members, member{"name", text(legalAlias(name, claudeNameMax))})
	}
	switch input := get(b, "input"); input.Kind() {
	case jsonx.Object:
	case jsonx.Null, jsonx.End:
		members = append(members, member{"input", jsonx.Raw("{}")})
	default:
		members = append(members, member{"input", object(member{"input", input})})
	}
	if members == nil {
		return b
	}
	return set(b, members...)
}

// foreignText turns another vendor's text into a text block.
func foreignText(b jsonx.Raw) jsonx.Raw {
	for _, name := range [...]string{"text", "refusal"} {
		if v := get(b, name); v.Kind() == jsonx.String {
			if blank(jsonx.AppendUnquote(nil, v)) {
				return nil
			}
			return object(member{"type", text("text")}, member{"text", v})
		}
	}
	return nil
}

// foreignImage turns another vendor's image into an image block.
func foreignImage(b jsonx.Raw) jsonx.Raw {
	url := getString(b, "image_url")
	source := object(member{"type", text("url")}, member{"url", text(url)})
	if mediaType, data, ok := cutDataURL(url); ok {
		source = object(member{"type", text("base64")}, member{"media_type", text(mediaType)}, member{"data", text(data)})
	}
	return object(member{"type", text("image")}, member{"source", source})
}

// split writes blocks that belong to different roles as records of their own:
// calls are the assistant's and results the user's. The last one keeps the
// record's uuid, which others name; the first one keeps its parent.
func (r *repairer) split(raw, message jsonx.Raw, typ claudeType, blocks []jsonx.Raw) []jsonx.Raw {
	type part struct {
		typ    claudeType
		blocks []jsonx.Raw
	}
	var parts []part
	for _, b := range blocks {
		owner := typ
		switch getString(b, "type") {
		case "tool_use":
			owner = ccAssistant
		case "tool_result":
			owner = ccUser
		}
		if len(parts) == 0 || parts[len(parts)-1].typ != owner {
			parts = append(parts, part{typ: owner})
		}
		last := &parts[len(parts)-1]
		last.blocks = append(last.blocks, b)
	}
	var out []jsonx.Raw
	uuid, parent := get(raw, "uuid"), get(raw, "parentUuid")
	for i, p := range parts {
		id := uuid
		if i < len(parts)-1 {
			id = text(r.freshUUID())
		}
		members := []member{{"type", text(claudeRole(p.typ))}, {"uuid", id}, {"message", messageFor(message, typ, p.typ, p.blocks)}}
		if parent != nil {
			members = append(members, member{"parentUuid", parent})
		}
		out = append(out, set(raw, members...))
		parent = id
	}
	return out
}

// messageFor returns message with the blocks, for a record of type typ.
func messageFor(message jsonx.Raw, was, typ claudeType, blocks []jsonx.Raw) jsonx.Raw {
	if was == typ {
		return set(message, member{"content", array(blocks)})
	}
	if typ == ccUser {
		return object(member{"role", text("user")}, member{"content", array(blocks)})
	}
	return object(member{"type", text("message")}, member{"role", text("assistant")}, member{"model", text(syntheticName)}, member{"content", array(blocks)})
}
