package scripted

// Stop reasons a turn may name, in the words of Anthropic Messages where it has
// one.
const (
	StopEndTurn       = "end_turn"
	StopSequence      = "stop_sequence" // Messages tells the request's first stop sequence
	StopToolUse       = "tool_use"
	StopMaxTokens     = "max_tokens"
	StopContextFull   = "model_context_window_exceeded"
	StopRefusal       = "refusal"
	StopPause         = "pause_turn"
	StopMalformedCall = "malformed_function_call"
)

// stopReason is one reason in the words of each protocol. incomplete is the
// incomplete_details.reason of Responses; empty means the status is completed.
type stopReason struct{ messages, chat, incomplete, gemini string }

// stopReasons follows the vendors' API references.
func stopReasons() map[string]stopReason {
	return map[string]stopReason{
		StopEndTurn:       {StopEndTurn, "stop", "", "STOP"},
		StopSequence:      {StopSequence, "stop", "", "STOP"},
		StopToolUse:       {StopToolUse, "tool_calls", "", "STOP"},
		StopMaxTokens:     {StopMaxTokens, "length", "max_output_tokens", "MAX_TOKENS"},
		StopContextFull:   {StopContextFull, "length", "max_output_tokens", "MAX_TOKENS"},
		StopRefusal:       {StopRefusal, "content_filter", "content_filter", "SAFETY"},
		StopPause:         {StopPause, "stop", "", "STOP"},
		StopMalformedCall: {StopEndTurn, "stop", "", "MALFORMED_FUNCTION_CALL"},
	}
}

func (t *Turn) stopReason() stopReason {
	stop := t.Stop
	switch {
	case stop != "":
	case len(t.Tools) > 0:
		stop = StopToolUse
	default:
		stop = StopEndTurn
	}
	return stopReasons()[stop]
}

// cutsCall tells whether call i is the one that an output limit leaves unfinished.
func (t *Turn) cutsCall(i int) bool {
	return (t.Stop == StopMaxTokens || t.Stop == StopContextFull) && i == len(t.Tools)-1 && t.Chunks != 1
}
