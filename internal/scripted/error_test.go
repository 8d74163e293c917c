package scripted

import (
	"net/http"
	"strings"
	"testing"
)

func TestErrorBodiesOfEachProtocol(t *testing.T) {
	tests := []struct {
		status                 int
		messages, code, gemini string
	}{
		{400, "invalid_request_error", "null", "INVALID_ARGUMENT"},
		{401, "authentication_error", `"invalid_api_key"`, "UNAUTHENTICATED"},
		{402, "billing_error", "null", "INVALID_ARGUMENT"},
		{403, "permission_error", "null", "PERMISSION_DENIED"},
		{404, "not_found_error", `"model_not_found"`, "NOT_FOUND"},
		{409, "invalid_request_error", "null", "ABORTED"},
		{413, "request_too_large", "null", "INVALID_ARGUMENT"},
		{429, "rate_limit_error", `"rate_limit_exceeded"`, "RESOURCE_EXHAUSTED"},
		{500, "api_error", `"server_error"`, "INTERNAL"},
		{501, "api_error", `"server_error"`, "UNIMPLEMENTED"},
		{502, "api_error", `"server_error"`, "INTERNAL"},
		{503, "overloaded_error", `"server_is_overloaded"`, "UNAVAILABLE"},
		{504, "timeout_error", `"server_error"`, "DEADLINE_EXCEEDED"},
		{529, "overloaded_error", `"server_is_overloaded"`, "UNAVAILABLE"},
		{599, "api_error", `"server_error"`, "INTERNAL"},
	}
	for _, tt := range tests {
		for _, a := range append(streamed(), plainAsked()...) {
			w := respond(t, newServer(t, `[{"status":`+itoa(tt.status)+`}]`, Options{}), http.MethodPost, a.path, a.body)
			body := w.Body.String()
			if w.Code != tt.status || w.Header().Get("Content-Type") != "application/json" {
				t.Errorf("%s: status %d, %q", a.name, w.Code, w.Header())
			}
			var ok bool
			switch a.name {
			case "messages":
				ok = strings.HasPrefix(body, `{"type":"error","error":{"type":"`+tt.messages+`","message":"`) &&
					strings.HasSuffix(body, `,"request_id":"`+w.Header().Get("Request-Id")+`"}`)
			case "responses", "chat":
				ok = strings.HasPrefix(body, `{"error":{"message":"`) && strings.HasSuffix(body, `"param":null,"code":`+tt.code+`}}`)
			case "gemini":
				ok = strings.HasPrefix(body, `{"error":{"code":`+itoa(tt.status)+`,`) && strings.Contains(body, `"status":"`+tt.gemini+`"`)
			case "gemini array":
				ok = strings.HasPrefix(body, `[{"error":{"code":`+itoa(tt.status)+`,`) && strings.HasSuffix(body, "}]")
			}
			if !ok {
				t.Errorf("%d %s: %s", tt.status, a.name, body)
			}
		}
	}
}

func TestErrorTurns(t *testing.T) {
	const script = `[
 {"status":429,"headers":{"retry-after":"7","x-should-retry":"false"}},
 {"status":400,"error":{ "b": 1.0, "a": "<x>" }},
 {"status":502,"error":"<html>bad gateway</html>"},
 {"status":503,"error":"down","headers":{"content-type":"text/html"}},
 {"status":500,"error":null},
 {"text":"fine","headers":{"anthropic-ratelimit-requests-remaining":"3"}}]`
	s := newServer(t, script, Options{})
	a := plainAsked()[3]
	tests := []struct {
		status                int
		kind, body            string
		header, headerContent string
	}{
		{429, "application/json", `{"error":{"code":429,"message":"Too Many Requests","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"7s"}]}}`, "X-Should-Retry", "false"},
		{400, "application/json", `{ "b": 1.0, "a": "<x>" }`, "Content-Length", "24"},
		{502, "text/plain; charset=utf-8", `<html>bad gateway</html>`, "Retry-After", ""},
		{503, "text/html", `down`, "", ""},
		{500, "application/json", `null`, "", ""},
		{200, "application/json", `{"candidates":[{"content":{"parts":[{"text":"fine"}],"role":"model"},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":11,"candidatesTokenCount":7,"totalTokenCount":18},"modelVersion":"m-1","responseId":"cw_t5_1"}`, "Anthropic-Ratelimit-Requests-Remaining", "3"},
	}
	for i, tt := range tests {
		w := respond(t, s, http.MethodPost, a.path, a.body)
		if w.Code != tt.status || w.Body.String() != tt.body || w.Header().Get("Content-Type") != tt.kind || w.Header().Get(tt.header) != tt.headerContent {
			t.Errorf("turn %d: %d %q %s", i, w.Code, w.Header(), w.Body)
		}
	}
}

func TestStopReasons(t *testing.T) {
	tests := []struct {
		stop, messages, chat, responses, gemini string
	}{
		{StopEndTurn, `"end_turn"`, `"stop"`, `"completed"`, `"STOP"`},
		{StopSequence, `"stop_sequence"`, `"stop"`, `"completed"`, `"STOP"`},
		{StopToolUse, `"tool_use"`, `"tool_calls"`, `"completed"`, `"STOP"`},
		{StopMaxTokens, `"max_tokens"`, `"length"`, `"incomplete"`, `"MAX_TOKENS"`},
		{StopContextFull, `"model_context_window_exceeded"`, `"length"`, `"incomplete"`, `"MAX_TOKENS"`},
		{StopRefusal, `"refusal"`, `"content_filter"`, `"incomplete"`, `"SAFETY"`},
		{StopPause, `"pause_turn"`, `"stop"`, `"completed"`, `"STOP"`},
		{StopMalformedCall, `"end_turn"`, `"stop"`, `"completed"`, `"MALFORMED_FUNCTION_CALL"`},
	}
	for _, tt := range tests {
		wants := map[string]string{
			"messages": `"stop_reason":` + tt.messages, "chat": `"finish_reason":` + tt.chat,
			"responses": `"status":` + tt.responses + `,"error":null`, "gemini": `"finishReason":` + tt.gemini,
			"gemini array": `"finishReason":` + tt.gemini,
		}
		for _, a := range append(streamed(), plainAsked()...) {
			body := respond(t, newServer(t, `[{"text":"a","stop":"`+tt.stop+`"}]`, Options{}), http.MethodPost, a.path, a.body).Body.String()
			if !strings.Contains(body, wants[a.name]) {
				t.Errorf("%s %s: %s", tt.stop, a.name, body)
			}
			if end := "event: response." + strings.Trim(tt.responses, `"`) + "\n"; a.name == "responses" && strings.Contains(body, "event:") && !strings.Contains(body, end) {
				t.Errorf("%s: no %q in %s", tt.stop, end, body)
			}
		}
	}
	s := newServer(t, `[{"text":"a","stop":"stop_sequence"}]`, Options{})
	if body := respond(t, s, http.MethodPost, "/v1/messages", `{"tools":[1],"stop_sequences":["END","x"]}`).Body.String(); !strings.Contains(body, `"stop_sequence":"END"`) {
		t.Errorf("stop sequence: %s", body)
	}
}

func TestResponsesOnlyFieldsAreRefusedElsewhere(t *testing.T) {
	for field, tool := range map[string]string{
		"input": `{"name":"a","input":"x"}`, "namespace": `{"name":"a","namespace":"n"}`, "item": `{"item":{"type":"x"}}`,
	} {
		for _, a := range append(streamed(), plainAsked()...) {
			w := respond(t, newServer(t, `[{"tools":[`+tool+`]}]`, Options{}), http.MethodPost, a.path, a.body)
			if refused := strings.Contains(w.Body.String(), "scripted turn t0: tools[0]."+field+" exists in Responses only"); refused != (a.name != "responses") || refused != (w.Code == 400) {
				t.Errorf("%s in %s: %d %s", field, a.name, w.Code, w.Body)
			}
		}
	}
}
