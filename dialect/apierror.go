package dialect

import (
	"bytes"
	"strings"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// maxErrorText is how much of a body that is no JSON becomes an error's message,
// in bytes.
const maxErrorText = 500

// ErrorBody is what the bodies of errors hold, whoever wrote them.
type ErrorBody struct {
	Type, Code, Status, Param, Message, RequestID string
	// Number is the code if it is a number, as gateways and Gemini have it: an HTTP
	// status.
	Number int
}

// ReadError reads the body of an answer with an error status, or an error within a
// stream, whose status is 0 unless it names one. kindOf tells the
// kind from the vendor's words; "" leaves it to the status.
func ReadError(status int, body []byte, kindOf func(*ErrorBody) canon.ErrorKind) *canon.APIError {
	var b ErrorBody
	d := jsonx.NewDecoder(body)
	if d.Kind() == jsonx.Array { // Gemini's error within a stream that is a list
		for range d.Elements() {
			b.read(d)
		}
	} else {
		b.read(d)
	}
	if d.Err() != nil || b.Message == "" && d.Kind() != jsonx.End {
		b.Message = plainText(body)
	}
	if status == 0 && b.Number >= 400 && b.Number < 600 {
		status = b.Number
	}
	e := &canon.APIError{Status: status, Kind: kindOf(&b), Code: b.Code, Param: b.Param, Message: b.Message, RequestID: b.RequestID}
	if e.Kind == "" {
		e.Kind = canon.KindOfStatus(status)
	}
	return e
}

// read reads an error or an object that holds one.
func (b *ErrorBody) read(d *jsonx.Decoder) {
	if d.Kind() != jsonx.Object {
		d.Skip()
		return
	}
	for name := range d.Members() {
		switch string(name) {
		case "error":
			if d.Kind() == jsonx.Object {
				b.read(d)
			} else if s := d.OptStr(); s != "" {
				b.Message = s
			}
		case "message", "detail":
			if s := d.OptStr(); s != "" {
				b.Message = s
			}
		case "type":
			b.Type = d.OptStr()
		case "code":
			if d.Kind() == jsonx.String {
				b.Code = d.Str()
			} else {
				b.Number = int(d.OptInt())
			}
		case "status":
			b.Status = d.OptStr()
		case "param":
			b.Param = d.OptStr()
		case "request_id":
			b.RequestID = d.OptStr()
		}
	}
}

func plainText(body []byte) string {
	if len(body) > maxErrorText {
		body = body[:maxErrorText]
	}
	return strings.TrimSpace(strings.ToValidUTF8(string(bytes.TrimSpace(body)), ""))
}
