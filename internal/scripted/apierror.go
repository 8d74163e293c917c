package scripted

import (
	"fmt"
	"net/http"
)

// apiError is a failure before a protocol gives it its body.
type apiError struct {
	status     int
	message    string // empty means the status' own text
	retryAfter string // seconds, as in the header; Gemini repeats it in the body
}

func (e *apiError) text() string {
	switch {
	case e.message != "":
		return e.message
	case e.status == statusOverloaded:
		return "Overloaded"
	case http.StatusText(e.status) != "":
		return http.StatusText(e.status)
	default:
		return fmt.Sprintf("status %d", e.status)
	}
}

// statusOverloaded is Anthropic's own status.
const statusOverloaded = 529

type messagesError struct {
	Type      string        `json:"type"`
	Error     messagesCause `json:"error"`
	RequestID string        `json:"request_id,omitempty"`
}

type messagesCause struct {
	Type    string `json:"type"`
	Message string `json:"message"`
}

func newMessagesError(e apiError, requestID string) messagesError {
	kind := "invalid_request_error"
	switch e.status {
	case http.StatusUnauthorized:
		kind = "authentication_error"
	case http.StatusPaymentRequired:
		kind = "billing_error"
	case http.StatusForbidden:
		kind = "permission_error"
	case http.StatusNotFound:
		kind = "not_found_error"
	case http.StatusRequestEntityTooLarge:
		kind = "request_too_large"
	case http.StatusTooManyRequests:
		kind = "rate_limit_error"
	case http.StatusServiceUnavailable, statusOverloaded:
		kind = "overloaded_error"
	case http.StatusGatewayTimeout:
		kind = "timeout_error"
	default:
		if e.status >= 500 {
			kind = "api_error"
		}
	}
	return messagesError{"error", messagesCause{kind, e.text()}, requestID}
}

// openAIError is the body of Chat and Responses.
type openAIError struct {
	Error openAICause `json:"error"`
}

type openAICause struct {
	Message string  `json:"message"`
	Type    string  `json:"type"`
	Param   *string `json:"param"`
	Code    *string `json:"code"`
}

func newOpenAIError(e apiError) openAIError {
	kind, code := "invalid_request_error", ""
	switch e.status {
	case http.StatusUnauthorized:
		code = "invalid_api_key"
	case http.StatusForbidden:
		kind = "permission_error"
	case http.StatusNotFound:
		code = "model_not_found"
	case http.StatusTooManyRequests:
		kind, code = "requests", "rate_limit_exceeded"
	case http.StatusServiceUnavailable, statusOverloaded:
		kind, code = "server_error", "server_is_overloaded"
	default:
		if e.status >= 500 {
			kind, code = "server_error", "server_error"
		}
	}
	cause := openAICause{Message: e.text(), Type: kind}
	if code != "" {
		cause.Code = &code
	}
	return openAIError{cause}
}

type geminiError struct {
	Error geminiCause `json:"error"`
}

type geminiCause struct {
	Code    int           `json:"code"`
	Message string        `json:"message"`
	Status  string        `json:"status"`
	Details []geminiRetry `json:"details,omitempty"`
}

type geminiRetry struct {
	Type       string `json:"@type"`
	RetryDelay string `json:"retryDelay"`
}

func newGeminiError(e apiError) geminiError {
	cause := geminiCause{Code: e.status, Message: e.text(), Status: "INVALID_ARGUMENT"}
	switch e.status {
	case http.StatusUnauthorized:
		cause.Status = "UNAUTHENTICATED"
	case http.StatusForbidden:
		cause.Status = "PERMISSION_DENIED"
	case http.StatusNotFound:
		cause.Status = "NOT_FOUND"
	case http.StatusConflict:
		cause.Status = "ABORTED"
	case http.StatusTooManyRequests:
		cause.Status = "RESOURCE_EXHAUSTED"
		delay := e.retryAfter
		if delay == "" {
			delay = "1"
		}
		cause.Details = []geminiRetry{{"type.googleapis.com/google.rpc.RetryInfo", delay + "s"}}
	case http.StatusNotImplemented:
		cause.Status = "UNIMPLEMENTED"
	case http.StatusServiceUnavailable, statusOverloaded:
		cause.Status = "UNAVAILABLE"
	case http.StatusGatewayTimeout:
		cause.Status = "DEADLINE_EXCEEDED"
	default:
		if e.status >= 500 {
			cause.Status = "INTERNAL"
		}
	}
	return geminiError{cause}
}
