package check

import (
	"strings"

	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// codexItem is what is looked at in a response item.
type codexItem struct {
	typ, role, callID, name string
	sealed                  string
	// Kinds of members; End for those that are missing.
	roleKind, callKind, nameKind        jsonx.Kind
	arguments, output, input            jsonx.Kind
	content, summary, action, tools, id jsonx.Kind
	parts                               codexParts
	// length of the output's text in bytes.
	length int
}

// codexParts are the parts of a message's content or a call's output.
type codexParts struct {
	input, output, bad int
	image              string // why the client leaves out the last image that it does
	text               []byte // of the first part
}

// readCodexItem decodes an item.
func readCodexItem(d *jsonx.Decoder, payload jsonx.Raw) codexItem {
	var it codexItem
	d.Reset(payload)
	for name := range d.Members() {
		kind := d.Kind()
		switch string(name) {
		case "type":
			it.typ = d.OptStr()
		case "role":
			it.roleKind, it.role = kind, d.OptStr()
		case "call_id":
			it.callKind, it.callID = kind, d.OptStr()
		case "name":
			it.nameKind, it.name = kind, d.OptStr()
		case "arguments":
			it.arguments = kind
		case "input":
			it.input = kind
		case "output":
			it.output = kind
			it.length = it.parts.read(d)
		case "content":
			it.content = kind
			it.parts.read(d)
		case "summary":
			it.summary = kind
		case "action":
			it.action = kind
		case "tools":
			it.tools = kind
		case "id":
			it.id = kind
		case "encrypted_content":
			it.sealed = d.OptStr()
		}
	}
	return it
}

// read reads a string or a list of parts and returns the length of its text.
func (p *codexParts) read(d *jsonx.Decoder) int {
	switch d.Kind() {
	case jsonx.String:
		p.text = jsonx.AppendUnquote(nil, d.Literal())
		return len(p.text)
	case jsonx.Array:
	default:
		return 0
	}
	length := 0
	for range d.Elements() {
		length += p.part(d)
	}
	return length
}

func (p *codexParts) part(d *jsonx.Decoder) int {
	if d.Kind() != jsonx.Object {
		p.bad++
		return 0
	}
	var typ string
	var text []byte
	textKind, urlKind, url := jsonx.End, jsonx.End, ""
	for name := range d.Members() {
		switch string(name) {
		case "type":
			typ = d.OptStr()
		case "text":
			textKind = d.Kind()
			if textKind == jsonx.String {
				text = d.Literal()
			}
		case "image_url":
			urlKind, url = d.Kind(), d.OptStr()
		}
	}
	switch {
	case (typ == "input_text" || typ == "output_text") && textKind == jsonx.String:
		if typ == "input_text" {
			p.input++
		} else {
			p.output++
		}
		decoded := jsonx.AppendUnquote(nil, text)
		if p.text == nil {
			p.text = decoded
		}
		return len(decoded)
	case typ == "input_image" && urlKind == jsonx.String:
		if why, _ := codexImage(url); why != "" {
			p.image = why
		}
	case typ == "input_audio", typ == "encrypted_content":
	default:
		p.bad++
	}
	return 0
}

// misshaped returns the rule for what an item lacks of the form that its type
// demands, and what that is. The client drops such a line. (Codex 0.171.0.)
func (it *codexItem) misshaped() (rule, why string) {
	const shape = "codex-item-shape"
	if it.id != jsonx.End && it.id != jsonx.Null && it.id != jsonx.String {
		return shape, "id is no string"
	}
	switch it.typ {
	case "message":
		switch {
		case it.roleKind != jsonx.String:
			return shape, "a message without role"
		case it.content != jsonx.Array:
			return shape, "the content is no list"
		case it.parts.bad > 0:
			return shape, "the content has a part of another format"
		}
	case "function_call", "custom_tool_call":
		return it.misshapedCall()
	case "function_call_output", "custom_tool_call_output":
		switch {
		case it.callKind != jsonx.String:
			return shape, "an output without call_id"
		case it.output != jsonx.String && it.output != jsonx.Array || it.parts.bad > 0 || it.parts.output > 0:
			return "codex-output-kind", ""
		}
	case "local_shell_call":
		if it.action != jsonx.Object {
			return shape, "a shell call without action"
		}
	case "tool_search_output":
		if it.tools != jsonx.Array {
			return shape, "a search output without tools"
		}
	case "reasoning":
		if it.summary != jsonx.Array {
			return shape, "reasoning without summary"
		}
	}
	return "", ""
}

func (it *codexItem) misshapedCall() (rule, why string) {
	const shape = "codex-item-shape"
	body := it.arguments
	if it.typ == "custom_tool_call" {
		body = it.input
	}
	switch {
	case it.callKind != jsonx.String:
		return shape, "a call without call_id"
	case it.nameKind != jsonx.String:
		return shape, "a call without name"
	case body != jsonx.String && it.typ == "custom_tool_call":
		return "codex-arguments-not-string", "the input of a custom call"
	case body != jsonx.String:
		return "codex-arguments-not-string", ""
	}
	return "", ""
}

// callKind groups calls with the outputs that answer them.
type callKind uint8

const (
	callNone callKind = iota
	callFunction
	callCustom
	callSearch
)

// calls returns what the item calls or answers.
func (it *codexItem) calls() (call, output callKind) {
	switch it.typ {
	case "function_call", "local_shell_call":
		return callFunction, callNone
	case "custom_tool_call":
		return callCustom, callNone
	case "tool_search_call":
		return callSearch, callNone
	case "function_call_output":
		return callNone, callFunction
	case "custom_tool_call_output":
		return callNone, callCustom
	case "tool_search_output":
		return callNone, callSearch
	}
	return callNone, callNone
}

// sealedRule returns the rule that an item of sealed state breaks, if any.
func (it *codexItem) sealedRule(own bool) string {
	switch it.typ {
	case "reasoning", "compaction", "context_compaction":
	default:
		return ""
	}
	switch {
	case foreignSeal(it.sealed, agentCodex):
		return "codex-foreign-capsule"
	case !own:
		return "codex-foreign-reasoning"
	case it.sealed == "":
		return "codex-bare-reasoning"
	case placeholderSeal(it.sealed):
		return "codex-placeholder-reasoning"
	}
	return ""
}

// codexContext reports whether a user text was put in by the client. (Rollouts of
// 2025-05 to 0.171.0.)
func codexContext(text string) bool {
	text = strings.TrimLeft(text, " \t\r\n")
	for _, tag := range [...]string{
		"<environment_context>", "# AGENTS.md instructions", "<user_instructions>", "<turn_aborted>", "<skill", "<recommended_plugins>",
		"<ide_context>", "# Context from my IDE setup", "# Files mentioned by the user", "<hook_prompt", "<subagent_notification",
		"<EXTERNAL SESSION IMPORTED>", "<user_shell_command>",
	} {
		if strings.HasPrefix(text, tag) {
			return true
		}
	}
	return false
}

// typed reports whether the item is a prompt that a person typed, which begins
// a turn.
func (it *codexItem) typed() bool {
	return it.typ == "message" && it.role == "user" && !codexContext(string(it.parts.text[:min(len(it.parts.text), 64)]))
}
