package gemini

import (
	"strconv"
	"strings"
	"time"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/dialect"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// statuses lists Google's words for the status of a call, with the kinds of error.
// The first of a kind is written for it. (google/rpc/code.proto.)
var statuses = dialect.Words[canon.ErrorKind]{
	{Word: "INVALID_ARGUMENT", Means: canon.ErrInvalid},
	{Word: "UNAUTHENTICATED", Means: canon.ErrAuthentication},
	{Word: "FAILED_PRECONDITION", Means: canon.ErrBilling},
	{Word: "PERMISSION_DENIED", Means: canon.ErrPermission},
	{Word: "NOT_FOUND", Means: canon.ErrNotFound},
	{Word: "INVALID_ARGUMENT", Means: canon.ErrTooLarge},
	{Word: "RESOURCE_EXHAUSTED", Means: canon.ErrRateLimit},
	{Word: "INTERNAL", Means: canon.ErrInternal},
	{Word: "UNAVAILABLE", Means: canon.ErrOverloaded},
	{Word: "DEADLINE_EXCEEDED", Means: canon.ErrTimeout},
	{Word: "OUT_OF_RANGE", Means: canon.ErrInvalid},
	{Word: "ALREADY_EXISTS", Means: canon.ErrInvalid},
	{Word: "ABORTED", Means: canon.ErrInvalid},
	{Word: "UNIMPLEMENTED", Means: canon.ErrInvalid},
	{Word: "CANCELLED", Means: canon.ErrInternal},
	{Word: "UNKNOWN", Means: canon.ErrInternal},
	{Word: "DATA_LOSS", Means: canon.ErrInternal},
}

func errorKind(b *dialect.ErrorBody) canon.ErrorKind {
	if b.Status == "FAILED_PRECONDITION" {
		return canon.ErrInvalid // unless the number says that it is about billing
	}
	kind, _ := statuses.Meaning(b.Status)
	return kind
}

// DecodeError implements [dialect.Codec].
func (Codec) DecodeError(status int, body []byte) *canon.APIError { return decodeError(status, body) }

// The words in which the API says that a prompt is too long, and what other
// dialects call it.
const (
	tooLongBegins = "input token count"
	tooLongEnds   = "exceeds the maximum number of tokens"
	tooLongCode   = "context_length_exceeded"
)

// decodeError reads an error; a status of 0 is that of one within a stream, whose
// body tells the number.
func decodeError(status int, body []byte) *canon.APIError {
	var more errorDetails
	more.read(body)
	if status == 0 {
		status = more.code
	}
	e := dialect.ReadError(status, body, errorKind)
	e.RetryAfter, e.Param = more.retryAfter, more.field
	if e.Code == "" {
		e.Code = more.reason
	}
	if e.RequestID == "" {
		e.RequestID = more.requestID
	}
	switch {
	case more.code == 402 || status == 402:
		e.Kind = canon.ErrBilling
	case more.code == 413 || status == 413:
		e.Kind = canon.ErrTooLarge
	case more.reason == "API_KEY_INVALID": // with the status of a wrong argument
		e.Kind = canon.ErrAuthentication
	case status == 0 && errorKind(&dialect.ErrorBody{Status: more.word}) == "":
		e.Kind = canon.ErrInternal // it does not say
	}
	text := strings.ToLower(e.Message)
	if _, after, ok := strings.Cut(text, tooLongBegins); ok && e.Code == "" && strings.Contains(after, tooLongEnds) {
		e.Code = tooLongCode
	}
	return e
}

// errorDetails are what an error says beside its message.
type errorDetails struct {
	code                           int
	word, reason, field, requestID string
	retryAfter                     time.Duration
}

// read reads a body, which may be a list, as it is for a stream that is one. What
// is no error says nothing.
func (x *errorDetails) read(body []byte) {
	d := jsonx.NewDecoder(body)
	if d.Kind() == jsonx.Array {
		for range d.Elements() {
			x.body(d)
		}
		return
	}
	x.body(d)
}

func (x *errorDetails) body(d *jsonx.Decoder) {
	if d.Kind() != jsonx.Object {
		d.Skip()
		return
	}
	for name := range d.Members() {
		if string(name) != "error" || d.Kind() != jsonx.Object {
			continue
		}
		for member := range d.Members() {
			switch string(member) {
			case "code":
				if n := d.OptInt(); n >= 100 && n < 1000 {
					x.code = int(n)
				}
			case "status":
				x.word = d.OptStr()
			case "details":
				if d.Kind() != jsonx.Array {
					continue
				}
				for range d.Elements() {
					x.detail(d)
				}
			}
		}
	}
}

// detail reads one of google/rpc/error_details.proto: which of them it is follows
// from its members.
func (x *errorDetails) detail(d *jsonx.Decoder) {
	if d.Kind() != jsonx.Object {
		d.Skip()
		return
	}
	for name := range d.Members() {
		switch string(name) {
		case "reason":
			x.reason = d.OptStr()
		case "requestId":
			x.requestID = d.OptStr()
		case "retryDelay":
			// As protobuf writes a duration: seconds with a fraction, and an s.
			if t, err := time.ParseDuration(d.OptStr()); err == nil && t > 0 {
				x.retryAfter = t
			}
		case "fieldViolations":
			x.violations(d)
		}
	}
}

func (x *errorDetails) violations(d *jsonx.Decoder) {
	if d.Kind() != jsonx.Array {
		return
	}
	for range d.Elements() {
		if d.Kind() != jsonx.Object {
			continue
		}
		for name := range d.Members() {
			if string(name) == "field" && x.field == "" {
				x.field = d.OptStr()
			}
		}
	}
}

// EncodeError implements [dialect.Codec].
func (Codec) EncodeError(dst []byte, e *canon.APIError) []byte {
	dst = append(dst, `{"error":{"code":`...)
	dst = strconv.AppendInt(dst, int64(e.HTTPStatus()), 10)
	dst = append(dst, `,"message":`...)
	dst = jsonx.AppendQuote(dst, e.Message)
	dst = append(dst, `,"status":"`...)
	dst = append(append(dst, statuses.For(e.Kind, "UNKNOWN")...), '"')
	open := `,"details":[`
	detail := func(typ, members string) {
		dst = append(append(dst, open...), `{"@type":"type.googleapis.com/google.rpc.`...)
		dst = append(append(dst, typ...), `",`...)
		dst = append(append(dst, members...), '}')
		open = ","
	}
	quote := func(s string) string { return string(jsonx.AppendQuote(nil, s)) }
	if e.Code != "" {
		detail("ErrorInfo", `"reason":`+quote(e.Code))
	}
	if e.Param != "" {
		detail("BadRequest", `"fieldViolations":[{"field":`+quote(e.Param)+`,"description":`+quote(e.Message)+`}]`)
	}
	if e.RetryAfter > 0 {
		detail("RetryInfo", `"retryDelay":"`+strconv.FormatFloat(e.RetryAfter.Seconds(), 'f', -1, 64)+`s"`)
	}
	if e.RequestID != "" {
		detail("RequestInfo", `"requestId":`+quote(e.RequestID))
	}
	if open == "," {
		dst = append(dst, ']')
	}
	return append(dst, "}}"...)
}
