package check

import (
	"strconv"

	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// codexLine is one record of a rollout.
type codexLine struct {
	typ     string
	stamp   jsonx.Kind // of the timestamp; End without one
	ordinal jsonx.Kind // of the ordinal; End without one
	// number is the ordinal; whole says that it is one.
	number  uint64
	whole   bool
	payload jsonx.Raw // an object, or nil
	inner   string    // the payload's type
	// bare says that the record has the form of before October 2025: no payload.
	bare bool
}

// readCodexLine decodes a line.
func readCodexLine(d *jsonx.Decoder, value []byte) (codexLine, error) {
	var l codexLine
	d.Reset(value)
	if d.Kind() != jsonx.Object {
		return l, errNoRecord
	}
	hasPayload, old, members := false, false, 0
	for name := range d.Members() {
		members++
		switch string(name) {
		case "timestamp":
			l.stamp = d.Kind()
		case "ordinal":
			l.ordinal = d.Kind()
			n, err := strconv.ParseUint(string(d.Raw()), 10, 64)
			l.number, l.whole = n, err == nil
		case "type":
			l.typ = d.OptStr()
		case "payload":
			hasPayload = true
			if d.Kind() == jsonx.Object {
				l.payload = d.Raw()
			}
		case "record_type", "instructions", "content", "encrypted_content", "arguments", "call_id":
			old = true
		}
	}
	if err := d.Err(); err != nil {
		return l, err
	}
	l.bare = !hasPayload && old
	if l.payload != nil {
		d.Reset(l.payload)
		for name := range d.Members() {
			if string(name) == "type" {
				l.inner = d.OptStr()
				break
			}
		}
	}
	return l, nil
}

// knownCodexLine reports whether the client knows a type of line. (Codex 0.171.0.)
func knownCodexLine(typ string) bool {
	switch typ {
	case "session_meta", "response_item", "event_msg", "turn_context", "compacted", "world_state", "token_usage_record",
		"inter_agent_communication", "inter_agent_communication_metadata", "security_risk_score", "retained_context", "realtime_item":
		return true
	}
	return false
}

// knownCodexItem reports whether the client knows a type of item: one that it
// replays, or an old one that it skips on purpose. (Codex 0.171.0.)
func knownCodexItem(typ string) bool {
	switch typ {
	case "message", "reasoning", "function_call", "function_call_output", "custom_tool_call", "custom_tool_call_output",
		"local_shell_call", "tool_search_call", "tool_search_output", "web_search_call", "image_generation_call",
		"agent_message", "additional_tools", "compaction", "context_compaction", "compaction_summary", "ghost_snapshot":
		return true
	}
	return false
}
