package scripted

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

const faultTurn = `"thinking":"think","text":"text é","tools":[{"name":"a","args":{"k":"v"}},{"name":"b"}]`

func faulty(fault string) string { return `[{` + faultTurn + `,"fault":{` + fault + `}}]` }

// clean is the answer without the fault.
func clean(t *testing.T, a asking) []byte {
	t.Helper()
	return respond(t, newServer(t, faulty(""), Options{}), http.MethodPost, a.path, a.body).Body.Bytes()
}

func TestFaultCutAfterFrames(t *testing.T) {
	for _, a := range streamed() {
		all := events(t, a, clean(t, a))
		for _, n := range []int{0, 1, 3, 99} {
			_, body, err := over(t, newServer(t, faulty(`"cut_after_frames":`+itoa(n)), Options{}), a)
			if !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("%s after %d: ended with %v", a.name, n, err)
			}
			if strings.HasSuffix(a.name, "array") {
				if body = append(body, ']'); n == 0 {
					body = []byte("[]")
				}
			}
			if got := events(t, a, body); !slices.Equal(got, all[:min(n, len(all))]) {
				t.Errorf("%s after %d: %d frames arrived", a.name, n, len(got))
			}
		}
	}
	for _, a := range plainAsked() {
		whole := clean(t, a)
		_, body, err := over(t, newServer(t, faulty(`"cut_after_frames":0`), Options{}), a)
		if !errors.Is(err, io.ErrUnexpectedEOF) || !bytes.Equal(body, whole[:len(whole)/2]) {
			t.Errorf("%s plain: %v, %s", a.name, err, body)
		}
	}
}

func itoa(n int) string { return string(encode(n)) }

func TestFaultOverloadInStream(t *testing.T) {
	wants := map[string]string{
		"messages":     `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`,
		"responses":    `"status":"failed","error":{"code":"server_is_overloaded","message":"Service Unavailable"}`,
		"chat":         `{"error":{"message":"Service Unavailable","type":"server_error","param":null,"code":"server_is_overloaded"}}`,
		"gemini":       `{"error":{"code":503,"message":"Service Unavailable","status":"UNAVAILABLE"}}`,
		"gemini array": `{"error":{"code":503,"message":"Service Unavailable","status":"UNAVAILABLE"}}`,
	}
	names := map[string]string{"messages": "error", "responses": "response.failed"}
	for _, a := range streamed() {
		all := events(t, a, clean(t, a))
		for _, n := range []int{0, 2} {
			status, body, err := over(t, newServer(t, faulty(`"overload_in_stream":true,"overload_at_frame":`+itoa(n)), Options{}), a)
			got := events(t, a, body)
			if err != nil || status != http.StatusOK || len(got) != n+1 || !slices.Equal(got[:n], all[:n]) {
				t.Fatalf("%s at %d: %v, %d, %s", a.name, n, err, status, body)
			}
			last := got[n]
			if last.name != names[a.name] || !strings.Contains(last.data, wants[a.name]) {
				t.Errorf("%s at %d: %+v", a.name, n, last)
			}
			if a.name == "responses" && !strings.Contains(last.data, `"sequence_number":`+itoa(n)+`,`) {
				t.Errorf("sequence number: %s", last.data)
			}
		}
	}
	for i, status := range []int{statusOverloaded, 503, 503, 503} {
		a := plainAsked()[i]
		if w := respond(t, newServer(t, faulty(`"overload_in_stream":true`), Options{}), http.MethodPost, a.path, a.body); w.Code != status {
			t.Errorf("%s plain: %d, want %d", a.name, w.Code, status)
		}
	}
}

func TestFaultGarbageFrame(t *testing.T) {
	for _, a := range streamed() {
		body := respond(t, newServer(t, faulty(`"garbage_frame_at":1`), Options{}), http.MethodPost, a.path, a.body).Body.Bytes()
		if strings.HasSuffix(a.name, "array") {
			if rest := bytes.Replace(body, []byte("\n,\n"+garbage), nil, 1); !bytes.Equal(rest, clean(t, a)) {
				t.Errorf("%s: %s", a.name, body)
			}
			continue
		}
		all, got := events(t, a, clean(t, a)), events(t, a, body)
		if got[1].data != garbage || got[1].name != all[1].name || !slices.Equal(slices.Delete(got, 1, 2), all) {
			t.Errorf("%s: %s", a.name, body)
		}
	}
	for _, a := range plainAsked() {
		if w := respond(t, newServer(t, faulty(`"garbage_frame_at":1`), Options{}), http.MethodPost, a.path, a.body); w.Code != 200 || w.Body.String() != garbage {
			t.Errorf("%s plain: %s", a.name, w.Body)
		}
	}
}

func TestFaultCRLF(t *testing.T) {
	for _, a := range streamed() {
		body := respond(t, newServer(t, faulty(`"crlf":true`), Options{}), http.MethodPost, a.path, a.body).Body.Bytes()
		if !bytes.Equal(body, bytes.ReplaceAll(clean(t, a), []byte("\n"), []byte("\r\n"))) {
			t.Errorf("%s: %q", a.name, body)
		}
	}
}

func TestFaultNoDone(t *testing.T) {
	for _, a := range streamed() {
		_, body, err := over(t, newServer(t, faulty(`"no_done":true`), Options{}), a)
		if err != nil {
			t.Errorf("%s: the connection ends with %v", a.name, err)
		}
		all := events(t, a, clean(t, a))
		if a.name == "gemini array" {
			if bytes.HasSuffix(bytes.TrimSpace(body), []byte("]")) {
				t.Errorf("%s is closed: %s", a.name, body)
			}
			body = append(body, ']')
		}
		got := events(t, a, body)
		if strings.HasPrefix(a.name, "gemini") {
			all[len(all)-1].data = strings.Replace(all[len(all)-1].data, `"finishReason":"STOP",`, "", 1)
		} else {
			all = all[:len(all)-1]
		}
		if !slices.Equal(got, all) {
			t.Errorf("%s: %s", a.name, body)
		}
	}
}

func TestFaultArgsOnlyInDone(t *testing.T) {
	for _, a := range streamed() {
		body := respond(t, newServer(t, faulty(`"args_only_in_done":true`), Options{}), http.MethodPost, a.path, a.body).Body.String()
		switch a.name {
		case "responses":
			if strings.Contains(body, "arguments.delta") || !strings.Contains(body, `"name":"a","arguments":"{\"k\":\"v\"}"`) {
				t.Errorf("%s: %s", a.name, body)
			}
		case "chat":
			want := `"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"k\":\"v\"}"}},{"index":1,"function":{"arguments":"{}"}}]},"finish_reason":"tool_calls"`
			if strings.Count(body, `\"k\"`) != 1 || !strings.Contains(body, want) {
				t.Errorf("%s: %s", a.name, body)
			}
		default:
			if body != string(clean(t, a)) {
				t.Errorf("%s changed: %s", a.name, body)
			}
		}
	}
	custom := `[{"tools":[{"name":"p","input":"xyz"}],"fault":{"args_only_in_done":true}}]`
	a := streamed()[1]
	if body := respond(t, newServer(t, custom, Options{}), http.MethodPost, a.path, a.body).Body.String(); strings.Contains(body, "input.delta") || !strings.Contains(body, `"input":"xyz"`) {
		t.Errorf("custom: %s", body)
	}
}

func TestFaultRepeatIDs(t *testing.T) {
	ids := map[string]string{"messages": `"id":"toolu_cw_r"`, "responses": `"call_id":"call_cw_r"`, "chat": `"id":"call_cw_r"`, "gemini": `"responseId":"cw_r"`}
	two := `[{` + faultTurn + `,"fault":{"repeat_ids":true}},{` + faultTurn + `,"fault":{"repeat_ids":true}}]`
	for _, a := range plainAsked() {
		s := newServer(t, two, Options{})
		first := respond(t, s, http.MethodPost, a.path, a.body).Body.String()
		second := respond(t, s, http.MethodPost, a.path, a.body).Body.String()
		want := 2
		if a.name == "gemini" {
			want = 1
		}
		for _, body := range []string{first, second} {
			if strings.Count(body, ids[a.name]) != want {
				t.Errorf("%s: %s", a.name, body)
			}
		}
	}
}

func TestFaultEmptyDeltas(t *testing.T) {
	empties := map[string][]string{
		"messages":     {`"thinking_delta","thinking":""`, `"text_delta","text":""`, `"partial_json":""`},
		"responses":    {`reasoning_summary_text.delta`, `output_text.delta`, `function_call_arguments.delta`},
		"chat":         {`"delta":{"reasoning_content":""}`, `"delta":{"content":""}`, `{"index":0,"function":{"arguments":""}}`},
		"gemini":       {`{"text":"","thought":true}`, `{"text":""}`},
		"gemini array": {`{"text":"","thought":true}`, `{"text":""}`},
	}
	for _, a := range streamed() {
		body := respond(t, newServer(t, faulty(`"empty_deltas":true`), Options{}), http.MethodPost, a.path, a.body).Body.Bytes()
		for _, want := range empties[a.name] {
			found := slices.ContainsFunc(events(t, a, body), func(e event) bool {
				return strings.Contains(e.data, want) && (a.name != "responses" || strings.Contains(e.data, `"delta":""`))
			})
			if !found {
				t.Errorf("%s has no %s: %s", a.name, want, body)
			}
		}
		if len(events(t, a, body)) <= len(events(t, a, clean(t, a))) {
			t.Errorf("%s: not more frames", a.name)
		}
	}
}

func TestFaultSilence(t *testing.T) {
	for _, a := range append(streamed(), plainAsked()...) {
		for script, status := range map[string]int{
			`[{"fault":{"silent_ms":60000}}]`:              504,
			`[{"status":529,"fault":{"silent_ms":60000}}]`: 529,
		} {
			var n naps
			w := respond(t, newServer(t, script, Options{Sleep: n.sleep}), http.MethodPost, a.path, a.body)
			if w.Code != status || !slices.Equal(n.taken, []time.Duration{time.Minute}) {
				t.Errorf("%s: status %d after %v", a.name, w.Code, n.taken)
			}
		}
		var n naps
		w := respond(t, newServer(t, faulty(`"silent_ms":60000,"silent_at_frame":1`), Options{Sleep: n.sleep}), http.MethodPost, a.path, a.body)
		if !bytes.Equal(w.Body.Bytes(), clean(t, a)) || !slices.Equal(n.taken, []time.Duration{time.Minute}) {
			t.Errorf("%s: slept %v, then %s", a.name, n.taken, w.Body)
		}
	}
}

func TestFaultHugeLine(t *testing.T) {
	const size = 3 << 20
	for _, a := range streamed() {
		for _, as := range []string{"field", "comment"} {
			body := respond(t, newServer(t, faulty(`"huge_line":`+itoa(size)+`,"huge_line_as":"`+as+`"`), Options{}), http.MethodPost, a.path, a.body).Body.Bytes()
			all, got := events(t, a, clean(t, a)), events(t, a, body)
			end := bytes.Index(body, []byte("\n\n")) + 2
			if strings.HasSuffix(a.name, "array") {
				end = bytes.Index(body, []byte("\n,\n"))
			}
			if end != size || len(got) != len(all) || !slices.Equal(got[1:], all[1:]) {
				t.Errorf("%s as %s: first frame has %d bytes of %d, %d frames of %d", a.name, as, end, size, len(got), len(all))
			}
			if comment := bytes.HasPrefix(body, []byte(":")); comment != (as == "comment" && a.name != "gemini array") {
				t.Errorf("%s as %s: starts with %q", a.name, as, body[:20])
			}
			decode[map[string]any](t, []byte(got[0].data))
		}
	}
	for _, a := range plainAsked() {
		body := respond(t, newServer(t, faulty(`"huge_line":5000`), Options{}), http.MethodPost, a.path, a.body).Body.Bytes()
		if decode[map[string]any](t, body); len(body) != 5000 {
			t.Errorf("%s plain: %d bytes", a.name, len(body))
		}
	}
}

// countingWriter counts writes of the body.
type countingWriter struct {
	http.ResponseWriter
	sizes   []int
	flushes int
}

func (w *countingWriter) Write(p []byte) (int, error) {
	w.sizes = append(w.sizes, len(p))
	return w.ResponseWriter.Write(p)
}

func (w *countingWriter) Flush() { w.flushes++ }

func TestFaultDrip(t *testing.T) {
	for _, a := range append(streamed(), plainAsked()...) {
		s := newServer(t, faulty(`"drip":true`), Options{})
		var counted *countingWriter
		w := captured(t, a, func(w http.ResponseWriter, r *http.Request) {
			counted = &countingWriter{ResponseWriter: w}
			s.ServeHTTP(counted, r)
		})
		want := clean(t, a)
		if !bytes.Equal(w, want) || len(counted.sizes) != len(want) || counted.flushes < len(want) {
			t.Errorf("%s: %d writes and %d flushes of %d bytes", a.name, len(counted.sizes), counted.flushes, len(want))
		}
	}
}
