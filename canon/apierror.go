package canon

import (
	"strconv"
	"time"
)

// APIError is an error that a model API answers with.
type APIError struct {
	// Status is the HTTP status; 0 for an error within a stream that has none.
	Status int
	Kind   ErrorKind
	// Code is the vendor's own word for the error, such as
	// "context_length_exceeded"; "" if it has none.
	Code string
	// Param names the part of the request that is wrong, if the vendor does.
	Param   string
	Message string
	// RetryAfter is how long to wait before the next try; 0 if unknown.
	RetryAfter time.Duration
	// RequestID is the vendor's.
	RequestID string
}

// Error implements error.
func (e *APIError) Error() string {
	s := string(e.Kind)
	if e.Status != 0 {
		s += " (" + strconv.Itoa(e.Status) + ")"
	}
	if e.Message != "" {
		s += ": " + e.Message
	}
	return s
}

// ErrorKind is a kind of [APIError] that every dialect has a word for.
type ErrorKind string

// The kinds of error, with the status that goes with each.
const (
	ErrInvalid        ErrorKind = "invalid request"       // 400
	ErrAuthentication ErrorKind = "authentication failed" // 401
	ErrBilling        ErrorKind = "billing"               // 402
	ErrPermission     ErrorKind = "permission denied"     // 403
	ErrNotFound       ErrorKind = "not found"             // 404
	ErrTooLarge       ErrorKind = "request too large"     // 413
	ErrRateLimit      ErrorKind = "rate limit"            // 429
	ErrInternal       ErrorKind = "internal error"        // 500
	ErrOverloaded     ErrorKind = "overloaded"            // 503, 529
	ErrTimeout        ErrorKind = "timeout"               // 504
)

// kinds lists the kinds with their statuses.
var kinds = [...]struct {
	status int
	kind   ErrorKind
}{
	{400, ErrInvalid},
	{401, ErrAuthentication},
	{402, ErrBilling},
	{403, ErrPermission},
	{404, ErrNotFound},
	{413, ErrTooLarge},
	{429, ErrRateLimit},
	{500, ErrInternal},
	{503, ErrOverloaded},
	{529, ErrOverloaded},
	{504, ErrTimeout},
	{408, ErrTimeout},
}

// KindOfStatus returns the kind of error that an HTTP status stands for.
func KindOfStatus(status int) ErrorKind {
	for _, k := range kinds {
		if k.status == status {
			return k.kind
		}
	}
	if status >= 500 {
		return ErrInternal
	}
	return ErrInvalid
}

// HTTPStatus returns e's status, or that of its kind.
func (e *APIError) HTTPStatus() int {
	if e.Status != 0 {
		return e.Status
	}
	for _, k := range kinds {
		if k.kind == e.Kind {
			return k.status
		}
	}
	return 500
}
