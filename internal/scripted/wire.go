package scripted

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// output writes one answer.
type output struct {
	w     http.ResponseWriter
	rc    *http.ResponseController
	ctx   context.Context // the request's; an output lives no longer
	sleep func(context.Context, time.Duration) error
}

// pause sleeps; if the client or the server goes meanwhile the answer is cut, for
// a return would send an empty 200.
func (o *output) pause(ms int) {
	if ms > 0 && o.sleep(o.ctx, time.Duration(ms)*time.Millisecond) != nil {
		o.cut()
	}
}

// cut closes the connection without an end.
func (o *output) cut() { panic(http.ErrAbortHandler) }

func (o *output) flush() {
	if o.rc.Flush() != nil {
		o.cut()
	}
}

// write sends p, byte by byte if asked, so that it arrives now.
func (o *output) write(p []byte, drip bool) {
	step := len(p)
	if drip {
		step = 1
	}
	for len(p) > 0 {
		if _, err := o.w.Write(p[:step]); err != nil || o.ctx.Err() != nil {
			o.cut()
		}
		p = p[step:]
		o.flush()
	}
}

// answer plays a turn.
func (o *output) answer(r *reply) {
	t, f := r.turn, r.turn.fault()
	o.pause(t.DelayMS)
	if f.SilentMS > 0 && f.SilentAtFrame == nil {
		o.pause(f.SilentMS)
		if t.Status == 0 {
			t.Status = http.StatusGatewayTimeout
		}
	}
	for i, c := range t.Tools {
		if field := unsupported(r.route.protocol, c); field != "" {
			o.fail(r, apiError{status: http.StatusBadRequest, message: fmt.Sprintf("scripted turn %s: tools[%d].%s exists in Responses only", r.ids.place, i, field)})
			return
		}
	}
	switch {
	case t.Status != 0:
		o.fail(r, apiError{status: t.Status, retryAfter: header(t.Headers, "Retry-After")})
	case !r.asked.stream && f.OverloadInStream:
		status := http.StatusServiceUnavailable
		if _, ok := r.route.protocol.(messages); ok {
			status = statusOverloaded
		}
		o.fail(r, apiError{status: status})
	case r.asked.stream:
		o.stream(r)
	default:
		body := encode(r.route.protocol.plain(r))
		if f.GarbageFrameAt != nil {
			body = []byte(garbage)
		}
		if n := f.HugeLine - len(body); n > 0 {
			body = padObject(body, n)
		}
		o.body(r, http.StatusOK, "application/json", body)
	}
}

func header(headers map[string]string, name string) string {
	for k, v := range headers {
		if http.CanonicalHeaderKey(k) == name {
			return v
		}
	}
	return ""
}

// fail answers with an error: the turn's own body, or the protocol's.
func (o *output) fail(r *reply, e apiError) {
	own := r.turn.Error
	if own == nil || e.status != r.turn.Status {
		o.body(r, e.status, "application/json", encode(r.route.protocol.errorBody(r, e)))
		return
	}
	var text string
	if own[0] == '"' && json.Unmarshal(own, &text) == nil {
		o.body(r, e.status, "text/plain; charset=utf-8", []byte(text))
		return
	}
	o.body(r, e.status, "application/json", own)
}

// body sends a plain answer.
func (o *output) body(r *reply, status int, contentType string, body []byte) {
	f := r.turn.fault()
	o.head(r, status, contentType, len(body))
	if f.SilentAtFrame != nil {
		o.flush()
		o.pause(f.SilentMS)
	}
	if f.CutAfterFrames != nil {
		o.write(body[:len(body)/2], f.Drip)
		o.flush()
		o.cut()
	}
	o.write(body, f.Drip)
}

// head sends status and headers; length is -1 for a stream.
func (o *output) head(r *reply, status int, contentType string, length int) {
	h := o.w.Header()
	h.Set("Content-Type", contentType)
	if length >= 0 {
		h.Set("Content-Length", strconv.Itoa(length))
	}
	if name := requestHeader(r.route.protocol); name != "" {
		h.Set(name, r.request())
	}
	for name, value := range r.turn.Headers {
		h.Set(name, value)
	}
	o.w.WriteHeader(status)
}

func (o *output) stream(r *reply) {
	t, f := r.turn, r.turn.fault()
	contentType := "text/event-stream; charset=utf-8"
	if r.route.array {
		contentType = "application/json; charset=UTF-8"
	} else {
		o.w.Header().Set("Cache-Control", "no-cache")
	}
	frames := misbehave(r, r.route.protocol.frames(r))
	layout := layout{array: r.route.array, eol: "\n"}
	if f.CRLF {
		layout.eol = "\r\n"
	}
	o.head(r, http.StatusOK, contentType, -1)
	o.flush()
	for i, fr := range frames {
		if f.CutAfterFrames != nil && i == *f.CutAfterFrames {
			o.cut()
		}
		if i > 0 {
			o.pause(t.FrameDelayMS)
		}
		if f.SilentAtFrame != nil && i == *f.SilentAtFrame {
			o.pause(f.SilentMS)
		}
		o.write(layout.render(i, fr, f.hugeAt(i)), f.Drip)
	}
	if f.CutAfterFrames != nil {
		o.cut()
	}
	if r.route.array && !f.NoDone {
		o.write([]byte(layout.eol+"]"+layout.eol), f.Drip)
	}
}
