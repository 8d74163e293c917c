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
var codes = [...]struct {
	code string
	kind canon.ErrorKind
}{
	{"invalid_prompt", canon.ErrInvalid},
	{"invalid_api_key", canon.ErrAuthentication},
	{"insufficient_quota", canon.ErrBilling},
	{"permission_denied", canon.ErrPermission},
	{"model_not_found", canon.ErrNotFound},
	{"request_too_large", canon.ErrTooLarge},
	{"rate_limit_exceeded", canon.ErrRateLimit},
	{"server_error", canon.ErrInternal},
	{"server_is_overloaded", canon.ErrOverloaded},
	{"timeout", canon.ErrTimeout},
	{overflow, canon.ErrInvalid},
	{"invalid_request_error", canon.ErrInvalid},
	{"cyber_policy", canon.ErrInvalid},
	{"billing_hard_limit_reached", canon.ErrBilling},
	{"usage_not_included", canon.ErrBilling},
	{"usage_limit_reached", canon.ErrRateLimit},
	{"slow_down", canon.ErrOverloaded},
	{"internal_error", canon.ErrInternal},
}

// overflow is the code for a prompt that is longer than the model's context, on
// which clients compact.
const overflow = "context_length_exceeded"

// types lists what the protocol calls the kinds of error, those that are written
// first.
var types = [...]struct {
	typ  string
	kind canon.ErrorKind
}{
	{"invalid_request_error", canon.ErrInvalid},
	{"authentication_error", canon.ErrAuthentication},
	{"insufficient_quota", canon.ErrBilling},
	{"permission_error", canon.ErrPermission},
	{"not_found_error", canon.ErrNotFound},
	{"request_too_large", canon.ErrTooLarge},
	{"rate_limit_error", canon.ErrRateLimit},
	{"server_error", canon.ErrInternal},
	{"service_unavailable_error", canon.ErrOverloaded},
	{"timeout_error", canon.ErrTimeout},
	{"overloaded_error", canon.ErrOverloaded},
	{"tokens", canon.ErrRateLimit},
	{"requests", canon.ErrRateLimit},
}

// streamedKind tells the kind of an error that has no status by its code, or else
// by its type.
func streamedKind(b *dialect.ErrorBody) canon.ErrorKind {
	for _, c := range codes {
		if c.code == b.Code {
			return c.kind
		}
	}
	for _, t := range types {
		if t.typ == b.Type {
			return t.kind
		}
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
	for _, c := range codes {
		if c.kind == e.Kind {
			return c.code
		}
	}
	return "server_error"
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
	typ := "server_error"
	for _, t := range types {
		if t.kind == e.Kind {
			typ = t.typ
			break
		}
	}
	dst = append(dst, `{"error":{"message":`...)
	dst = jsonx.AppendQuote(dst, e.Message)
	dst = append(dst, `,"type":"`...)
	dst = append(dst, typ...)
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
