package gemini

import (
	"strings"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// finishReasons lists the protocol's words for why an answer ended. The first of
// a reason is written for it, others only if they were read. (ai.google.dev/api,
// generateContent, FinishReason and BlockReason, 2026-11.)
var finishReasons = [...]struct {
	word   string
	reason canon.StopReason
	broken bool // the model wrote what cannot be taken for an answer
}{
	{word: "STOP", reason: canon.StopEnd},
	{word: "MAX_TOKENS", reason: canon.StopLimit},
	{word: "SAFETY", reason: canon.StopRefusal},
	{word: "RECITATION", reason: canon.StopRefusal},
	{word: "BLOCKLIST", reason: canon.StopRefusal},
	{word: "PROHIBITED_CONTENT", reason: canon.StopRefusal},
	{word: "SPII", reason: canon.StopRefusal},
	{word: "MODEL_ARMOR", reason: canon.StopRefusal},
	{word: "JAILBREAK", reason: canon.StopRefusal},
	{word: "IMAGE_SAFETY", reason: canon.StopRefusal},
	{word: "IMAGE_PROHIBITED_CONTENT", reason: canon.StopRefusal},
	{word: "IMAGE_RECITATION", reason: canon.StopRefusal},
	{word: "MALFORMED_FUNCTION_CALL", reason: canon.StopEnd, broken: true},
	{word: "UNEXPECTED_TOOL_CALL", reason: canon.StopEnd, broken: true},
	{word: "TOO_MANY_TOOL_CALLS", reason: canon.StopEnd, broken: true},
	{word: "MALFORMED_RESPONSE", reason: canon.StopEnd, broken: true},
	{word: "MISSING_THOUGHT_SIGNATURE", reason: canon.StopEnd, broken: true},
	{word: "LANGUAGE", reason: canon.StopEnd},
	{word: "OTHER", reason: canon.StopEnd},
	{word: "IMAGE_OTHER", reason: canon.StopEnd},
	{word: "NO_IMAGE", reason: canon.StopEnd},
}

// ending is what an answer says of its end.
type ending struct {
	word    string // the last finish reason that is one, "" for none
	message string // of the vendor, for people
	blocked string // why the prompt got no answer, "" if it got one
}

// read notes a finish reason. Servers write null or no reason before the last.
func (e *ending) read(d *jsonx.Decoder) {
	if word := d.OptStr(); word != "" && word != "FINISH_REASON_UNSPECIFIED" {
		e.word = word
	}
}

func (e *ending) isKnown() bool { return e.word != "" || e.blocked != "" }

// stop returns the stop. said says that the answer has more than thoughts: one
// that has not, because the model wrote what is none, is an error.
func (e *ending) stop(said bool) (canon.Stop, *canon.APIError) {
	word := e.word
	if word == "" && e.blocked != "" {
		return canon.Stop{Reason: canon.StopRefusal, Detail: e.blocked}, nil
	}
	s := canon.Stop{Reason: canon.StopEnd, Detail: word}
	if word == "" {
		return canon.Stop{}, nil
	}
	for _, f := range finishReasons {
		if f.word != word {
			continue
		}
		if f.broken && !said {
			return s, &canon.APIError{Kind: canon.ErrInternal, Code: word, Message: brokenMessage(word, e.message)}
		}
		s.Reason = f.reason
	}
	switch {
	case word == "STOP" || word == "MAX_TOKENS":
		s.Detail = ""
	case e.message != "":
		s.Detail += detailSep + e.message
	}
	return s, nil
}

// detailSep stands between the protocol's word and the vendor's message in what
// is for people.
const detailSep = ": "

func brokenMessage(word, message string) string {
	if message == "" {
		message = "the model's answer cannot be used"
	}
	return message + " (" + word + ")"
}

// finishReason returns the word for a stop, and the message beside it.
func finishReason(s canon.Stop) (word, message string) {
	word, message, _ = strings.Cut(s.Detail, detailSep)
	for _, f := range finishReasons {
		if f.word == word && f.reason == s.Reason {
			return word, message
		}
	}
	for _, f := range finishReasons {
		if f.reason == s.Reason {
			return f.word, ""
		}
	}
	if s.Reason == canon.StopContext {
		return "MAX_TOKENS", ""
	}
	return "STOP", ""
}

// loseStop lists what the protocol cannot say of a stop.
func loseStop(s canon.Stop, r *canon.Report) {
	lose := func(what string, a canon.Action, why string) {
		r.Lose(canon.Loss{What: what, Action: a, Why: why})
	}
	switch s.Reason {
	case canon.StopContext:
		lose("stop reason", canon.Downgraded, "the protocol has one word for all limits")
	case canon.StopPause:
		lose("stop reason", canon.Downgraded, "the protocol has no answer that goes on")
	case canon.StopSequence:
		lose("stop sequence", canon.Dropped, "the protocol does not tell which one ended the answer")
	case canon.StopEnd, canon.StopToolCall, canon.StopLimit, canon.StopRefusal:
	}
}
