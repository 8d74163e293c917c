package chat

import (
	"strings"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/dialect"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// errorTypes lists the words for the kinds of error: the type, and the code that
// goes with it if the error has none of its own. OpenAI's reference has the codes;
// the types that it does not have are those that compatible servers write.
var errorTypes = [...]struct {
	kind      canon.ErrorKind
	typ, code string
}{
	{canon.ErrInvalid, "invalid_request_error", ""},
	{canon.ErrAuthentication, "authentication_error", "invalid_api_key"},
	{canon.ErrBilling, "insufficient_quota", "insufficient_quota"},
	{canon.ErrPermission, "permission_error", "permission_denied"},
	{canon.ErrNotFound, "not_found_error", "model_not_found"},
	{canon.ErrTooLarge, "request_too_large", "request_too_large"},
	{canon.ErrRateLimit, "rate_limit_error", "rate_limit_exceeded"},
	{canon.ErrInternal, "server_error", ""},
	{canon.ErrOverloaded, "service_unavailable_error", "server_is_overloaded"},
	{canon.ErrTimeout, "timeout_error", "timeout"},
}

// otherWords lists words that are read and not written. Those that are said of
// anything, as invalid_request_error and server_error, only count where there is
// no status.
var otherWords = dialect.Words[canon.ErrorKind]{
	{Word: "slow_down", Means: canon.ErrOverloaded},
	{Word: "overloaded_error", Means: canon.ErrOverloaded},
	{Word: "engine_overloaded_error", Means: canon.ErrOverloaded}, // Kimi
	{Word: "rate_limit_reached_error", Means: canon.ErrRateLimit}, // Kimi
	{Word: "exceeded_current_quota_error", Means: canon.ErrBilling},
	{Word: "invalid_authentication_error", Means: canon.ErrAuthentication},
}

// errorKind returns the kind that an error's words stand for, "" if that is left
// to the status.
func errorKind(status int, b *dialect.ErrorBody) canon.ErrorKind {
	for _, word := range [...]string{b.Code, b.Type} {
		if word == "" {
			continue
		}
		for _, t := range errorTypes {
			if t.code == word || t.typ == word && t.kind != canon.ErrInvalid && t.kind != canon.ErrInternal {
				return t.kind
			}
		}
		if kind, ok := otherWords.Meaning(word); ok {
			return kind
		}
	}
	if status != 0 || b.Number >= 400 {
		return ""
	}
	switch b.Type {
	case "invalid_request_error", "BadRequestError":
		return canon.ErrInvalid
	}
	return canon.ErrInternal
}

// overflow is the code for a prompt that is longer than the model's context.
const overflow = "context_length_exceeded"

// DecodeError implements [dialect.Codec].
func (Codec) DecodeError(status int, body []byte) *canon.APIError {
	e := dialect.ReadError(status, body, func(b *dialect.ErrorBody) canon.ErrorKind { return errorKind(status, b) })
	if e.Code == "" && strings.Contains(e.Message, "maximum context length") { // as vLLM says it
		e.Code = overflow
	}
	return e
}

// EncodeError implements [dialect.Codec].
func (Codec) EncodeError(dst []byte, e *canon.APIError) []byte {
	typ, code := "server_error", ""
	for _, t := range errorTypes {
		if t.kind == e.Kind {
			typ, code = t.typ, t.code
		}
	}
	if e.Code != "" {
		code = e.Code
	}
	dst = append(dst, `{"error":{"message":`...)
	dst = jsonx.AppendQuote(dst, e.Message)
	dst = append(dst, `,"type":"`...)
	dst = append(dst, typ...)
	dst = append(dst, `","param":`...)
	dst = appendOrNull(dst, e.Param)
	dst = append(dst, `,"code":`...)
	dst = appendOrNull(dst, code)
	return append(dst, "}}"...)
}

func appendOrNull(dst []byte, s string) []byte {
	if s == "" {
		return append(dst, "null"...)
	}
	return jsonx.AppendQuote(dst, s)
}
