package check

import (
	"crypto/sha256"

	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// unit is the digest of one readable piece of content: a text, a call, an image.
// It covers the decoded content and nothing that a repair may change: not the
// kind of block, the role, ids, escaping, or the form in which a call's input is
// written. Reasoning is no unit: a repair may have to drop it.
type unit [16]byte

// units collects the units of records.
type units struct {
	add func(unit)
	buf []byte
}

func (u *units) put(kind string, parts ...[]byte) {
	u.buf = append(u.buf[:0], kind...)
	for _, p := range parts {
		n := len(p)
		u.buf = append(u.buf, 0, byte(n), byte(n>>8), byte(n>>16), byte(n>>24))
		u.buf = append(u.buf, p...)
	}
	sum := sha256.Sum256(u.buf)
	u.add(unit(sum[:16]))
}

// text adds a text that is not blank.
func (u *units) text(decoded []byte) {
	if !blank(decoded) {
		u.put("text", decoded)
	}
}

func (u *units) literal(raw jsonx.Raw) { u.text(jsonx.AppendUnquote(nil, raw)) }

// value adds any other value, whatever its white space and escaping.
func (u *units) value(raw jsonx.Raw) { u.put("value", canonical(raw)) }

// call adds a call. Its input may stand as JSON, as a string that holds JSON, or
// wrapped into an object.
func (u *units) call(name string, input jsonx.Raw) {
	u.put("call", []byte(legalAlias(name, codexNameMax)), inputOf(input))
}

// inputOf returns the content of a call's input in one form.
func inputOf(input jsonx.Raw) []byte {
	if inner := get(input, "input"); inner != nil && inner.Kind() != jsonx.Object && input.Kind() == jsonx.Object && len(memberNames(input)) == 1 {
		input = inner
	}
	if input.Kind() == jsonx.String {
		decoded := jsonx.AppendUnquote(nil, input)
		if !jsonx.Raw(decoded).Valid() {
			return decoded
		}
		input = decoded
	}
	if len(input) == 0 || input.Kind() == jsonx.Null {
		return []byte("{}")
	}
	return canonical(input)
}

func memberNames(raw jsonx.Raw) []string {
	var names []string
	d := jsonx.NewDecoder(raw)
	for name := range d.Members() {
		names = append(names, string(name))
	}
	return names
}

// canonical writes a JSON value without white space and with the fewest
// escapes; the order of members and the digits of numbers stay.
func canonical(raw jsonx.Raw) []byte {
	d := jsonx.NewDecoder(raw)
	out := appendCanonical(make([]byte, 0, len(raw)), d)
	if d.Err() != nil {
		return raw
	}
	return out
}

func appendCanonical(out []byte, d *jsonx.Decoder) []byte {
	switch d.Kind() {
	case jsonx.Object:
		out = append(out, '{')
		first := true
		for name := range d.Members() {
			if !first {
				out = append(out, ',')
			}
			first = false
			out = append(jsonx.AppendQuote(out, string(name)), ':')
			out = appendCanonical(out, d)
		}
		return append(out, '}')
	case jsonx.Array:
		out = append(out, '[')
		for i := range d.Elements() {
			if i > 0 {
				out = append(out, ',')
			}
			out = appendCanonical(out, d)
		}
		return append(out, ']')
	case jsonx.String:
		return jsonx.AppendQuote(out, d.Str())
	case jsonx.Null, jsonx.False, jsonx.True, jsonx.Number, jsonx.End:
	}
	return append(out, d.Raw()...)
}

// claude adds the units of a Claude Code record.
func (u *units) claude(value jsonx.Raw) {
	if a := get(value, "attachment"); a != nil {
		u.value(a)
	}
	switch content := get(get(value, "message"), "content"); content.Kind() {
	case jsonx.String:
		u.literal(content)
	default:
		for _, b := range contentList(content) {
			u.claudeBlock(b)
		}
	}
}

func (u *units) claudeBlock(b jsonx.Raw) {
	switch typ := getString(b, "type"); typ {
	case "thinking", "redacted_thinking", "":
	case "text", "output_text", "input_text", "refusal", "summary_text":
		u.part(b)
	case "tool_use":
		u.call(getString(b, "name"), get(b, "input"))
	case "tool_result":
		u.result(get(b, "content"))
	case "image", "input_image":
		u.image(b)
	default:
		u.value(b)
	}
}

// part adds the text of a block, in whichever member it stands.
func (u *units) part(b jsonx.Raw) {
	for _, name := range [...]string{"text", "refusal"} {
		if v := get(b, name); v.Kind() == jsonx.String {
			u.literal(v)
			return
		}
	}
}

// result adds the content of a result.
func (u *units) result(content jsonx.Raw) {
	switch content.Kind() {
	case jsonx.String:
		u.literal(content)
	case jsonx.Array:
		for _, b := range elements(content) {
			switch {
			case getString(b, "type") == "text" || getString(b, "type") == "input_text" || getString(b, "type") == "output_text":
				u.part(b)
			case getString(b, "type") == "image" || getString(b, "type") == "input_image" && get(b, "image_url").Kind() == jsonx.String:
				u.image(b)
			default:
				u.text(canonical(b))
			}
		}
	case jsonx.Object, jsonx.Number, jsonx.True, jsonx.False:
		u.text(canonical(content))
	case jsonx.End, jsonx.Null:
	}
}

// image adds an image by its data or address.
func (u *units) image(b jsonx.Raw) {
	if source := get(b, "source"); source != nil {
		if data := get(source, "data"); data != nil {
			u.imageData(getString(source, "data"))
			return
		}
		u.put("image", []byte(getString(source, "url")))
		return
	}
	url := getString(b, "image_url")
	if _, data, ok := cutDataURL(url); ok {
		u.imageData(data)
		return
	}
	u.put("image", []byte(url))
}

// imageData adds an image, however its base64 is written.
func (u *units) imageData(data string) {
	if image, ok := imageBytes(data); ok {
		u.put("image", image)
		return
	}
	u.put("image", []byte(data))
}

// codex adds the units of a rollout's line.
func (u *units) codex(value jsonx.Raw) {
	payload := get(value, "payload")
	typ := getString(value, "type")
	if payload.Kind() != jsonx.Object {
		if payload == nil && knownCodexItem(typ) {
			u.codexItem(value) // the form of before October 2025
		}
		return
	}
	inner := getString(payload, "type")
	switch {
	case typ == "compacted":
		u.literal(orEmpty(get(payload, "message")))
		for _, it := range elements(get(payload, "replacement_history")) {
			u.codexItem(it)
		}
	case typ == "event_msg":
		if v := get(payload, "message"); v.Kind() == jsonx.String {
			u.literal(v)
		}
	case typ == "response_item" || knownCodexItem(inner) && !knownCodexLine(typ):
		u.codexItem(payload)
	}
}

func orEmpty(raw jsonx.Raw) jsonx.Raw {
	if raw.Kind() != jsonx.String {
		return jsonx.Raw(`""`)
	}
	return raw
}

func (u *units) codexItem(it jsonx.Raw) {
	switch typ := getString(it, "type"); typ {
	case "reasoning", "compaction", "context_compaction", "ghost_snapshot":
	case "message":
		content := get(it, "content")
		if content.Kind() == jsonx.Object {
			content = array(contentList(content))
		}
		u.result(content)
	case "function_call":
		u.call(getString(it, "name"), get(it, "arguments"))
	case "custom_tool_call":
		u.call(getString(it, "name"), get(it, "input"))
	case "function_call_output", "custom_tool_call_output":
		u.result(get(it, "output"))
	case "local_shell_call":
		u.value(get(it, "action"))
	case "tool_search_call":
		u.value(get(it, "arguments"))
	case "tool_search_output":
		u.value(get(it, "tools"))
	default:
		u.value(it)
	}
}
