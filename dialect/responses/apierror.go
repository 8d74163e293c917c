package responses

import (
	"cmp"
	"strings"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/dialect"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// codes lists the vendor's words for the kinds of error, those that are written
// first. Within a stream there is no status, and the word is all there is. Codex
// acts on most of them. (0.171.0.)
var codes = dialect.Words[canon.ErrorKind]{
	{Word: "invalid_prompt", Means: canon.ErrInvalid},
	{Word: "invalid_api_key", Means: canon.ErrAuthentication},
	{Word: "insufficient_quota", Means: canon.ErrBilling},
	{Word: "permission_denied", Means: canon.ErrPermission},
	{Word: "model_not_found", Means: canon.ErrNotFound},
	{Word: "request_too_large", Means: canon.ErrTooLarge},
	{Word: "rate_limit_exceeded", Means: canon.ErrRateLimit},
	{Word: "server_error", Means: canon.ErrInternal},
	{Word: "server_is_overloaded", Means: canon.ErrOverloaded},
	{Word: "timeout", Means: canon.ErrTimeout},
	{Word: overflow, Means: canon.ErrInvalid},
	{Word: "invalid_request_error", Means: canon.ErrInvalid},
	{Word: "cyber_policy", Means: canon.ErrInvalid},
	{Word: "billing_hard_limit_reached", Means: canon.ErrBilling},
	{Word: "usage_not_included", Means: canon.ErrBilling},
	{Word: "usage_limit_reached", Means: canon.ErrRateLimit},
	{Word: "slow_down", Means: canon.ErrOverloaded},
	{Word: "internal_error", Means: canon.ErrInternal},
}

// overflow is the code for a prompt that is longer than the model's context, on
// which clients compact.
const overflow = "context_length_exceeded"

// types lists what the protocol calls the kinds of error, those that are written
// first.
var types = dialect.Words[canon.ErrorKind]{
	{Word: "invalid_request_error", Means: canon.ErrInvalid},
	{Word: "authentication_error", Means: canon.ErrAuthentication},
	{Word: "insufficient_quota", Means: canon.ErrBilling},
	{Word: "permission_error", Means: canon.ErrPermission},
	{Word: "not_found_error", Means: canon.ErrNotFound},
	{Word: "request_too_large", Means: canon.ErrTooLarge},
	{Word: "rate_limit_error", Means: canon.ErrRateLimit},
	{Word: "server_error", Means: canon.ErrInternal},
	{Word: "service_unavailable_error", Means: canon.ErrOverloaded},
	{Word: "timeout_error", Means: canon.ErrTimeout},
	{Word: "overloaded_error", Means: canon.ErrOverloaded},
	{Word: "tokens", Means: canon.ErrRateLimit},
	{Word: "requests", Means: canon.ErrRateLimit},
}

// streamedKind tells the kind of an error that has no status by its code, or else
// by its type.
func streamedKind(b *dialect.ErrorBody) canon.ErrorKind {
	if kind, ok := codes.Meaning(b.Code); ok {
		return kind
	}
	if kind, ok := types.Meaning(b.Type); ok {
		return kind
	}
	return canon.ErrInternal
}

// errorKind leaves to the status what the words say only in general.
func errorKind(b *dialect.ErrorBody) canon.ErrorKind {
	switch kind := streamedKind(b); kind {
	case canon.ErrInternal, canon.ErrInvalid:
		return ""
	default:
		return kind
	}
}

// errorCode returns the vendor's word for e.
func errorCode(e *canon.APIError) string {
	if e.Code != "" {
		return e.Code
	}
	if isOverflow(e) {
		return overflow
	}
	return codes.For(e.Kind, "server_error")
}

// overflows are the words in which other vendors say that a prompt is longer than
// the model's context.
var overflows = [...]string{"prompt is too long", "exceed context limit", "context window", "maximum context length", "input token count"}

func isOverflow(e *canon.APIError) bool {
	if e.Kind != canon.ErrInvalid && e.Kind != canon.ErrTooLarge {
		return false
	}
	message := strings.ToLower(e.Message)
	for _, words := range overflows {
		if strings.Contains(message, words) {
			return true
		}
	}
	return false
}

// DecodeError implements [dialect.Codec].
func (Codec) DecodeError(status int, body []byte) *canon.APIError {
	return dialect.ReadError(status, body, errorKind)
}

// EncodeError implements [dialect.Codec].
func (Codec) EncodeError(dst []byte, e *canon.APIError) []byte {
	dst = append(dst, `{"error":{"message":`...)
	dst = jsonx.AppendQuote(dst, e.Message)
	dst = append(dst, `,"type":"`...)
	dst = append(dst, types.For(e.Kind, "server_error")...)
	dst = append(dst, `","param":`...)
	dst = appendOptional(dst, e.Param)
	dst = append(dst, `,"code":`...)
	code := e.Code
	if code == "" && (isOverflow(e) || e.Kind != canon.ErrInvalid) {
		code = errorCode(e)
	}
	return append(appendOptional(dst, code), "}}"...)
}

// appendOptional appends a string, or null for an empty one.
func appendOptional(dst []byte, s string) []byte {
	if s == "" {
		return append(dst, "null"...)
	}
	return jsonx.AppendQuote(dst, s)
}

// appendFailure appends the error of an answer that failed.
func appendFailure(dst []byte, e *canon.APIError) []byte {
	dst = append(dst, `{"code":`...)
	dst = jsonx.AppendQuote(dst, errorCode(e))
	dst = append(dst, `,"message":`...)
	dst = jsonx.AppendQuote(dst, cmp.Or(e.Message, string(e.Kind)))
	return append(dst, '}')
}
