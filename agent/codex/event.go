package codex

import (
	"hash/maphash"

	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// typedMembers calls f for every other member of an object once it knows what
// its "type" says; f reads the member's value or leaves it. The client writes
// the type first, other programs where they like.
func typedMembers(d *jsonx.Decoder, f func(d *jsonx.Decoder, typ, name string)) (typ string) {
	start := d.Next()
	early := false
	for name := range d.Members() {
		switch {
		case string(name) == "type":
			typ = d.OptStr()
		case typ == "":
			early = true
		default:
			f(d, typ, string(name))
		}
	}
	if !early || typ == "" {
		return typ
	}
	again := jsonx.NewDecoder(d.Slice(start))
	known := false
	for name := range again.Members() {
		switch {
		case string(name) == "type":
			known = true
			again.Skip()
		case !known: // what follows was read in the first place
			f(again, typ, string(name))
		}
	}
	return typ
}

// event reads an event_msg.
func (r *headReader) event(d *jsonx.Decoder) {
	switch typ := typedMembers(d, r.eventMember); typ {
	case "user_message":
		r.head.typ = recTyped
	case "agent_message":
		r.head.typ = recAnswer
	case "thread_rolled_back":
		r.head.typ = recRollback
	default:
		if !isEvent(typ) {
			r.facts.unknownRecord("event_msg/" + typ)
		}
	}
	if r.head.typ == recTyped && r.head.text != 0 {
		r.facts.addTyped(r.head.text)
	}
}

// isEvent reports whether a type is that of an event which shows what the items
// hold, or is bookkeeping. (Codex 0.171.0 and before.)
func isEvent(typ string) bool {
	switch typ {
	case "token_count", "agent_reasoning", "agent_reasoning_raw_content", "agent_reasoning_section_break",
		"agent_message_delta", "agent_message_content_delta", "agent_reasoning_delta", "agent_reasoning_raw_content_delta",
		"reasoning_content_delta", "reasoning_raw_content_delta", "plan_delta", "plan_update",
		"task_started", "task_complete", "turn_started", "turn_complete", "turn.completed", "turn_aborted", "turn_diff",
		"thread_settings_applied", "thread_name_updated", "thread_goal_updated", "session_configured", "shutdown_complete",
		"item_started", "item_completed", "raw_response_item", "context_compacted", "undo_started", "undo_completed",
		"entered_review_mode", "exited_review_mode", "hook_started", "hook_completed",
		"patch_apply_begin", "patch_apply_updated", "patch_apply_end", "apply_patch_approval_request",
		"exec_command_begin", "exec_command_output_delta", "exec_command_end", "exec_approval_request", "terminal_interaction",
		"mcp_tool_call_begin", "mcp_tool_call_end", "mcp_startup_update", "mcp_startup_complete", "mcp_list_tools_response",
		"web_search_begin", "web_search_end", "image_generation_begin", "image_generation_end", "view_image_tool_call",
		"dynamic_tool_call_request", "dynamic_tool_call_response", "elicitation_request", "request_user_input", "request_permissions",
		"guardian_assessment", "guardian_warning", "sub_agent_activity",
		"collab_agent_spawn_begin", "collab_agent_spawn_end", "collab_agent_interaction_begin", "collab_agent_interaction_end",
		"collab_waiting_begin", "collab_waiting_end", "collab_close_begin", "collab_close_end",
		"collab_resume_begin", "collab_resume_end",
		"error", "stream_error", "warning", "background_event", "deprecation_notice", "model_reroute", "model_verification",
		"skills_update_available", "list_skills_response", "list_custom_prompts_response", "get_history_entry_response",
		"conversation_path", "realtime_conversation_started", "realtime_conversation_realtime", "realtime_conversation_closed":
		return true
	}
	return false
}

func (r *headReader) eventMember(d *jsonx.Decoder, typ, name string) {
	switch {
	case name == "message" && typ == "user_message":
		r.head.text = r.message(d)
	case name == "num_turns" && typ == "thread_rolled_back":
		r.head.turns = d.OptInt()
	case name == "item" && typ == "item_completed" && d.Kind() == jsonx.Object:
		typedMembers(d, r.completedMember)
	case (name == "thread_name" || name == "name") && typ == "thread_name_updated":
		r.facts.name = d.OptStr()
	case name == "agent_thread_id" && typ == "sub_agent_activity", name == "new_thread_id" && typ == "collab_agent_spawn_end":
		r.facts.agent(d.OptStr())
	case name == "goal" && typ == "thread_goal_updated" && d.Kind() == jsonx.Object:
		r.facts.readGoal(d)
	}
}

// imageMessage is what our own events say of a prompt that is an image and
// nothing else.
const imageMessage = "[Image]"

// message hashes the text of a prompt's event and keeps the first one.
func (r *headReader) message(d *jsonx.Decoder) uint64 {
	if d.Kind() != jsonx.String {
		d.Skip()
		return 0
	}
	text := r.decoded(d)
	r.facts.prompt(text)
	if string(text) == imageMessage {
		r.facts.addTyped(maphash.Bytes(r.seed, nil))
	}
	return maphash.Bytes(r.seed, text)
}

// completedMember reads the item of an item_completed event of a paginated
// rollout.
func (r *headReader) completedMember(d *jsonx.Decoder, typ, name string) {
	switch {
	case name != "content":
	case typ == "UserMessage":
		r.head.typ = recTyped
		r.texts(d)
	case typ == "AgentMessage":
		r.head.typ = recAnswer
	}
}
