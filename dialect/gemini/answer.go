package gemini

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"time"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// answer is what an answer says beside its parts, read as a whole or frame by
// frame.
type answer struct {
	id, model string
	created   time.Time
	usage     counts
	end       ending
	begun     bool // there was a candidate
	calls     int
	// leave reads a member that canon does not model.
	leave func(d *jsonx.Decoder, name string)
}

// candidatesMember is the member that holds the answer itself. What canon does not
// model of it is a member of the answer under both names: "candidates.x".
const candidatesMember = "candidates"

// read reads a response object. The candidate, which is nil if there is none, has
// to be read after it: what it means depends on members that stand behind it.
func (a *answer) read(d *jsonx.Decoder) (candidate canon.Raw, isError bool) {
	for name := range d.Members() {
		if d.Kind() == jsonx.Null {
			continue
		}
		switch string(camel(name)) {
		case candidatesMember:
			if r := a.first(d); r != nil {
				candidate = r
			}
		case "promptFeedback":
			a.feedback(d)
		case "usageMetadata":
			a.usage.read(d)
		case "modelVersion":
			a.model = d.OptStr()
		case "responseId":
			a.id = d.OptStr()
		case "createTime":
			a.created = d.OptTime()
		case "error":
			isError = true
		default:
			a.leave(d, string(name))
		}
	}
	return candidate, isError
}

// first returns the first candidate; canon has one answer.
func (a *answer) first(d *jsonx.Decoder) (candidate canon.Raw) {
	if d.Kind() != jsonx.Array {
		return nil
	}
	for i := range d.Elements() {
		switch {
		case d.Kind() != jsonx.Object:
		case i == 0:
			candidate = d.Raw()
			a.begun = true
		default:
			a.leave(d, "candidate")
		}
	}
	return candidate
}

// feedback reads why a prompt got no answer.
func (a *answer) feedback(d *jsonx.Decoder) {
	if d.Kind() != jsonx.Object {
		return
	}
	for name := range d.Members() {
		if string(camel(name)) != "blockReason" {
			continue
		}
		if word := d.OptStr(); word != "" && word != "BLOCK_REASON_UNSPECIFIED" && word != "BLOCKED_REASON_UNSPECIFIED" {
			a.end.blocked = word
		}
	}
}

// candidate gives s the parts of a candidate and notes how it ends.
func (a *answer) candidate(raw canon.Raw, s sink) {
	d := jsonx.NewDecoder(raw)
	for name := range d.Members() {
		switch string(camel(name)) {
		case "content":
			if d.Kind() != jsonx.Object {
				continue
			}
			for member := range d.Members() {
				if string(member) == "parts" {
					readParts(d, s)
				}
			}
		case "finishReason":
			a.end.read(d)
		case "finishMessage":
			a.end.message = d.OptStr()
		case "index":
		default:
			if d.Kind() != jsonx.Null {
				a.leave(d, candidatesMember+"."+string(name))
			}
		}
	}
}

// named gives a call an id if it has none: the same for the same call of the same
// answer. An answer without an id has that of the call's input.
func (a *answer) named(b *canon.ToolCallBlock) {
	a.calls++
	if b.CallID != "" {
		return
	}
	of := a.id
	if of == "" {
		sum := sha256.Sum256(b.Input.JSON)
		of = hex.EncodeToString(sum[:6])
	}
	b.CallID = canon.LegalID("call_"+of+"_p"+strconv.Itoa(a.calls), canon.Grammar{Max: 64, Extra: "_-"})
}

// head returns what stands beside the parts of an answer.
func (a *answer) head() *canon.Response {
	return &canon.Response{ID: a.id, Model: a.model, Created: a.created}
}
