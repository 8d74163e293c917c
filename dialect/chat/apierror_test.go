package chat_test

import (
	"testing"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/dialect/chat"
)

// TestErrors reads errors as servers write them. A word that is said of anything
// leaves the kind to the status.
func TestErrors(t *testing.T) {
	for name, tt := range map[string]struct {
		status int
		body   string
		want   canon.APIError
	}{
		"OpenAI, a wrong key": {
			401, `{"error":{"message":"Incorrect API key provided","type":"invalid_request_error","param":null,"code":"invalid_api_key"}}`,
			canon.APIError{Status: 401, Kind: canon.ErrAuthentication, Code: "invalid_api_key", Message: "Incorrect API key provided"},
		},
		"OpenAI, no such model": {
			404, `{"error":{"message":"The model does not exist","type":"invalid_request_error","param":null,"code":"model_not_found"}}`,
			canon.APIError{Status: 404, Kind: canon.ErrNotFound, Code: "model_not_found", Message: "The model does not exist"},
		},
		"OpenAI, a country": {
			403, `{"error":{"code":"unsupported_country_region_territory","message":"Country not supported","param":null,"type":"request_forbidden"}}`,
			canon.APIError{Status: 403, Kind: canon.ErrPermission, Code: "unsupported_country_region_territory", Message: "Country not supported"},
		},
		"OpenAI, a wrong parameter": {
			400, `{"error":{"message":"Unsupported value","type":"invalid_request_error","param":"temperature","code":"unsupported_value"}}`,
			canon.APIError{Status: 400, Kind: canon.ErrInvalid, Code: "unsupported_value", Param: "temperature", Message: "Unsupported value"},
		},
		"OpenAI, the context": {
			400, `{"error":{"message":"Too long","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`,
			canon.APIError{Status: 400, Kind: canon.ErrInvalid, Code: "context_length_exceeded", Param: "messages", Message: "Too long"},
		},
		"vLLM, the context": {
			400, `{"object":"error","message":"This model's maximum context length is 4096 tokens.","type":"BadRequestError","param":null,"code":400}`,
			canon.APIError{Status: 400, Kind: canon.ErrInvalid, Code: "context_length_exceeded", Message: "This model's maximum context length is 4096 tokens."},
		},
		"OpenAI, the quota": {
			429, `{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","param":null,"code":"insufficient_quota"}}`,
			canon.APIError{Status: 429, Kind: canon.ErrBilling, Code: "insufficient_quota", Message: "You exceeded your current quota"},
		},
		"OpenAI, the rate": {
			429, `{"error":{"message":"Rate limit reached","type":"tokens","param":null,"code":"rate_limit_exceeded"}}`,
			canon.APIError{Status: 429, Kind: canon.ErrRateLimit, Code: "rate_limit_exceeded", Message: "Rate limit reached"},
		},
		"gateway/K1: an overload stays one": {
			503, `{"error":{"message":"Busy","type":"server_error","param":null,"code":null}}`,
			canon.APIError{Status: 503, Kind: canon.ErrOverloaded, Message: "Busy"},
		},
		"gateway/K1: 529 stays 529": {
			529, `{"error":{"message":"Busy","type":"overloaded_error"}}`,
			canon.APIError{Status: 529, Kind: canon.ErrOverloaded, Message: "Busy"},
		},
		"Kimi, an overload": {
			429, `{"error":{"message":"The engine is overloaded","type":"engine_overloaded_error"}}`,
			canon.APIError{Status: 429, Kind: canon.ErrOverloaded, Message: "The engine is overloaded"},
		},
		"an error of the server within a stream": {
			0, `{"error":{"message":"Broken","type":"server_error"}}`,
			canon.APIError{Kind: canon.ErrInternal, Message: "Broken"},
		},
		"an error of nobody's words within a stream": {
			0, `{"error":{"message":"Broken","type":"novel"}}`,
			canon.APIError{Kind: canon.ErrInternal, Message: "Broken"},
		},
		"OpenRouter, a status within a stream": {
			0, `{"error":{"code":502,"message":"Provider disconnected"}}`,
			canon.APIError{Status: 502, Kind: canon.ErrInternal, Message: "Provider disconnected"},
		},
		"Gemini, in a list": {
			400, `[{"error":{"code":400,"message":"Invalid","status":"INVALID_ARGUMENT"}}]`,
			canon.APIError{Status: 400, Kind: canon.ErrInvalid, Message: "Invalid"},
		},
		"words that are no JSON": {
			502, `<html>Bad gateway</html>`,
			canon.APIError{Status: 502, Kind: canon.ErrInternal, Message: "<html>Bad gateway</html>"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got := chat.New().DecodeError(tt.status, []byte(tt.body)); *got != tt.want {
				t.Errorf("got  %+v\nwant %+v", *got, tt.want)
			}
		})
	}
}
