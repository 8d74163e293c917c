package gemini_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/dialect/gemini"
)

// gateway/K1: what the API says of an error, with how long to wait.
func TestErrors(t *testing.T) {
	for _, x := range []struct {
		name   string
		status int
		body   string
		want   canon.APIError
	}{
		{
			"quota", 429, `{"error":{"code":429,"message":"You exceeded your quota.","status":"RESOURCE_EXHAUSTED","details":[
			  {"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"quotaValue":"250"}]},
			  {"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"22.5s"}]}}`,
			canon.APIError{Status: 429, Kind: canon.ErrRateLimit, Message: "You exceeded your quota.", RetryAfter: 22500 * time.Millisecond},
		},
		{
			"a key", 400, `{"error":{"code":400,"message":"API key not valid.","status":"INVALID_ARGUMENT","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID","domain":"googleapis.com"}]}}`,
			canon.APIError{Status: 400, Kind: canon.ErrAuthentication, Code: "API_KEY_INVALID", Message: "API key not valid."},
		},
		{
			"a wrong field", 400, `{"error":{"code":400,"message":"Invalid JSON payload.","status":"INVALID_ARGUMENT","details":[{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[{"field":"tools[0]","description":"x"},{"field":"b"}]},{"requestId":"q"}]}}`,
			canon.APIError{Status: 400, Kind: canon.ErrInvalid, Param: "tools[0]", Message: "Invalid JSON payload.", RequestID: "q"},
		},
		{
			"too long a prompt", 400, `{"error":{"code":400,"message":"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}`,
			canon.APIError{Status: 400, Kind: canon.ErrInvalid, Code: "context_length_exceeded", Message: "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."},
		},
		{"a list", 503, `[{"error":{"code":503,"message":"busy","status":"UNAVAILABLE"}}]`, canon.APIError{Status: 503, Kind: canon.ErrOverloaded, Message: "busy"}},
		{"billing", 400, `{"error":{"code":400,"message":"enable billing","status":"FAILED_PRECONDITION"}}`, canon.APIError{Status: 400, Kind: canon.ErrInvalid, Message: "enable billing"}},
		{"an unknown word", 500, `{"error":{"code":500,"message":"x","status":"NEW"}}`, canon.APIError{Status: 500, Kind: canon.ErrInternal, Message: "x"}},
		{"cancelled", 499, `{"error":{"code":499,"message":"x","status":"CANCELLED"}}`, canon.APIError{Status: 499, Kind: canon.ErrInternal, Message: "x"}},
		{"odd details", 429, `{"error":{"code":true,"message":"x","details":[5,{"retryDelay":"soon"},{"retryDelay":"-1s"},{"fieldViolations":[5]},{"fieldViolations":5}]}}`, canon.APIError{Status: 429, Kind: canon.ErrRateLimit, Message: "x"}},
		{"in a stream", 0, `{"error":{"code":429,"message":"x"}}`, canon.APIError{Status: 429, Kind: canon.ErrRateLimit, Message: "x"}},
		{"in a stream, without a number", 0, `{"error":{"message":"x"}}`, canon.APIError{Kind: canon.ErrInternal, Message: "x"}},
		{"in a stream, with a word alone", 0, `{"error":{"status":"INVALID_ARGUMENT","message":"x"}}`, canon.APIError{Kind: canon.ErrInvalid, Message: "x"}},
		{"a text", 502, `bad gateway`, canon.APIError{Status: 502, Kind: canon.ErrInternal, Message: "bad gateway"}},
	} {
		t.Run(x.name, func(t *testing.T) {
			if diff := cmp.Diff(&x.want, gemini.New().DecodeError(x.status, []byte(x.body))); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// What an error says beside its message comes back.
func TestErrorsAreReadAsTheyWereWritten(t *testing.T) {
	want := &canon.APIError{Status: 429, Kind: canon.ErrRateLimit, Code: "slow_down", Param: "a", Message: "x \"y\"", RetryAfter: 1500 * time.Millisecond, RequestID: "q"}
	body := gemini.New().EncodeError(nil, want)
	if diff := cmp.Diff(want, gemini.New().DecodeError(429, body)); diff != "" {
		t.Errorf("%s\n-want +got:\n%s", body, diff)
	}
}
