package canon

import "time"

// Response is what a model answers a [Request] with.
type Response struct {
	ID    string
	Model string
	// Created is zero where the dialect does not say.
	Created time.Time
	// Blocks are the assistant's, in order.
	Blocks []Block
	Stop   Stop
	// Usage is nil if the answer does not tell.
	Usage *Usage
	// Ext holds the members that no field models.
	Ext Ext
}

// Stop tells why an answer ended.
type Stop struct {
	Reason StopReason
	// Sequence is the text that ended it, for StopSequence.
	Sequence Text
	// Detail is what the vendor says of a refusal or of an end that has no form
	// here; it is for people.
	Detail string
}

// StopReason is why an answer ended.
type StopReason string

// The stop reasons.
const (
	StopEnd      StopReason = "end"
	StopSequence StopReason = "stop_sequence"
	StopToolCall StopReason = "tool_call"
	// StopLimit is the limit of output tokens, StopContext the end of the model's
	// context.
	StopLimit   StopReason = "limit"
	StopContext StopReason = "context"
	// StopRefusal is the vendor's or the model's refusal to go on.
	StopRefusal StopReason = "refusal"
	// StopPause is a turn that the provider will go on with if asked again.
	StopPause StopReason = "pause"
)

// Settle returns the stop that fits what was answered: a tool call that is not
// there is no reason to stop, and one that is there is, unless a limit or a
// refusal is.
func (s Stop) Settle(calls bool) Stop {
	switch s.Reason {
	case StopToolCall, "":
		s.Reason = StopEnd
		if calls {
			s.Reason = StopToolCall
		}
	case StopEnd, StopSequence:
		if calls {
			s = Stop{Reason: StopToolCall}
		}
	case StopLimit, StopContext, StopRefusal, StopPause:
	}
	return s
}

// CallsClient reports whether blocks hold a call that the client is to run.
func CallsClient(blocks []Block) bool {
	for _, b := range blocks {
		if c, ok := b.(*ToolCallBlock); ok && c.Call != CallProvider {
			return true
		}
	}
	return false
}
