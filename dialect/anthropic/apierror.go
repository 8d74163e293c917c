package anthropic

import (
	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/dialect"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// errorTypes lists the protocol's words for the kinds of error.
var errorTypes = dialect.Words[canon.ErrorKind]{
	{Word: "invalid_request_error", Means: canon.ErrInvalid},
	{Word: "authentication_error", Means: canon.ErrAuthentication},
	{Word: "billing_error", Means: canon.ErrBilling},
	{Word: "permission_error", Means: canon.ErrPermission},
	{Word: "not_found_error", Means: canon.ErrNotFound},
	{Word: "request_too_large", Means: canon.ErrTooLarge},
	{Word: "rate_limit_error", Means: canon.ErrRateLimit},
	{Word: "api_error", Means: canon.ErrInternal},
	{Word: "overloaded_error", Means: canon.ErrOverloaded},
	{Word: "timeout_error", Means: canon.ErrTimeout},
}

func errorKind(b *dialect.ErrorBody) canon.ErrorKind {
	kind, _ := errorTypes.Meaning(b.Type)
	return kind
}

// DecodeError implements [dialect.Codec].
func (Codec) DecodeError(status int, body []byte) *canon.APIError {
	return dialect.ReadError(status, body, errorKind)
}

// EncodeError implements [dialect.Codec].
func (Codec) EncodeError(dst []byte, e *canon.APIError) []byte {
	dst = append(dst, `{"type":"error","error":{"type":"`...)
	dst = append(dst, errorTypes.For(e.Kind, "api_error")...)
	dst = append(dst, `","message":`...)
	dst = jsonx.AppendQuote(dst, e.Message)
	dst = append(dst, '}')
	if e.RequestID != "" {
		dst = append(dst, `,"request_id":`...)
		dst = jsonx.AppendQuote(dst, e.RequestID)
	}
	return append(dst, '}')
}
