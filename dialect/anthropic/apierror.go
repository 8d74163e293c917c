package anthropic

import (
	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/dialect"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// errorTypes lists the protocol's words for the kinds of error.
var errorTypes = [...]struct {
	typ  string
	kind canon.ErrorKind
}{
	{"invalid_request_error", canon.ErrInvalid},
	{"authentication_error", canon.ErrAuthentication},
	{"billing_error", canon.ErrBilling},
	{"permission_error", canon.ErrPermission},
	{"not_found_error", canon.ErrNotFound},
	{"request_too_large", canon.ErrTooLarge},
	{"rate_limit_error", canon.ErrRateLimit},
	{"api_error", canon.ErrInternal},
	{"overloaded_error", canon.ErrOverloaded},
	{"timeout_error", canon.ErrTimeout},
}

func errorKind(b *dialect.ErrorBody) canon.ErrorKind {
	for _, t := range errorTypes {
		if t.typ == b.Type {
			return t.kind
		}
	}
	return ""
}

func errorType(kind canon.ErrorKind) string {
	for _, t := range errorTypes {
		if t.kind == kind {
			return t.typ
		}
	}
	return "api_error"
}

// DecodeError implements [dialect.Codec].
func (Codec) DecodeError(status int, body []byte) *canon.APIError {
	return dialect.ReadError(status, body, errorKind)
}

// EncodeError implements [dialect.Codec].
func (Codec) EncodeError(dst []byte, e *canon.APIError) []byte {
	dst = append(dst, `{"type":"error","error":{"type":"`...)
	dst = append(dst, errorType(e.Kind)...)
	dst = append(dst, `","message":`...)
	dst = jsonx.AppendQuote(dst, e.Message)
	dst = append(dst, '}')
	if e.RequestID != "" {
		dst = append(dst, `,"request_id":`...)
		dst = jsonx.AppendQuote(dst, e.RequestID)
	}
	return append(dst, '}')
}
