package responses

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/dialect"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// The reasons for an answer that is not complete.
const (
	reasonLimit  = "max_output_tokens"
	reasonFilter = "content_filter"
)

// EncodeResponse implements [dialect.Codec].
func (Codec) EncodeResponse(dst []byte, r *canon.Response, report *canon.Report) ([]byte, error) {
	a := answer{report: report}
	a.start(r)
	for i, b := range r.Blocks {
		id, _, ok := a.begin(b)
		if !ok {
			continue
		}
		status := completed
		if i == len(r.Blocks)-1 {
			status = lastStatus(b, r.Stop.Reason)
		}
		if item, ok := a.whole(nil, b, id, status); ok {
			a.add(item)
		}
	}
	a.end(&r.Stop)
	return appendResponse(dst, r, answerStatus(r.Stop.Reason), a.output, &r.Stop, r.Usage, nil), nil
}

// end lists what the end of an answer says and this protocol cannot.
func (a *answer) end(s *canon.Stop) {
	switch s.Reason {
	case canon.StopContext:
		a.lose("stop reason", canon.Downgraded, "the end of the context is told as the limit of output tokens")
	case canon.StopPause:
		a.lose("stop reason", canon.Downgraded, "a pause is told as the end")
	case canon.StopSequence:
		a.lose("stop reason", canon.Downgraded, "a stop sequence is told as the end")
	case canon.StopEnd, canon.StopToolCall, canon.StopLimit, canon.StopRefusal:
	}
}

// appendResponse appends a response object. Of r it takes all but the blocks, the
// stop and the usage; stop is nil while it goes on, and err of one that failed.
func appendResponse(dst []byte, r *canon.Response, status string, output []byte, stop *canon.Stop, u *canon.Usage, err *canon.APIError) []byte {
	dst = append(dst, `{"id":`...)
	dst = jsonx.AppendQuote(dst, r.ID)
	dst = append(dst, `,"object":"response","created_at":`...)
	created := int64(0)
	if !r.Created.IsZero() {
		created = r.Created.Unix()
	}
	dst = strconv.AppendInt(dst, created, 10)
	dst = append(dst, `,"status":"`...)
	dst = append(dst, status...)
	dst = append(dst, `","error":`...)
	if err != nil {
		dst = appendFailure(dst, err)
	} else {
		dst = append(dst, "null"...)
	}
	dst = append(dst, `,"incomplete_details":`...)
	switch {
	case status != incomplete:
		dst = append(dst, "null"...)
	case stop.Reason == canon.StopRefusal:
		dst = append(dst, `{"reason":"`+reasonFilter+`"}`...)
	default:
		dst = append(dst, `{"reason":"`+reasonLimit+`"}`...)
	}
	dst = append(dst, `,"model":`...)
	dst = jsonx.AppendQuote(dst, r.Model)
	dst = append(dst, `,"output":[`...)
	dst = append(dst, output...)
	dst = append(dst, `],"usage":`...)
	if stop != nil {
		dst = appendUsage(dst, u)
	} else {
		dst = append(dst, "null"...)
	}
	return append(r.Ext.AppendMembers(dst, Name), '}')
}

// DecodeResponse implements [dialect.Codec]. An answer that says of itself that it
// failed is a [*canon.APIError].
func (Codec) DecodeResponse(body []byte, report *canon.Report) (*canon.Response, error) {
	d := jsonx.NewDecoder(body)
	h := readHead(d)
	if err := d.Err(); err != nil {
		return nil, fmt.Errorf("decode Responses answer: %w", err)
	}
	if d.More() {
		return nil, fmt.Errorf("decode Responses answer: more text after the body at byte %d", d.Offset())
	}
	if err := h.failure(); err != nil {
		return nil, err
	}
	if h.output == nil && h.status == "" {
		return nil, errors.New("decode Responses answer: it has no output")
	}
	r := h.answer
	refused := false
	if h.output.Kind() == jsonx.Array {
		out := jsonx.NewDecoder(h.output)
		for range out.Elements() {
			it := readAnswerItem(out, report)
			refused = refused || it.refused
			for _, b := range it.blocks {
				if b != nil {
					r.Blocks = append(r.Blocks, b)
				}
			}
		}
	}
	r.Stop = h.stop(refused).Settle(canon.CallsClient(r.Blocks))
	return &r, nil
}

// head is a response object, of which the output is not read yet.
type head struct {
	answer         canon.Response
	output         canon.Raw
	status, reason string
	err            canon.Raw // nil if there is none
}

// readHead reads a response object. What it repeats of the request is passed over.
func readHead(d *jsonx.Decoder) (h head) {
	r := &h.answer
	for name := range d.Members() {
		switch string(name) {
		case "id":
			r.ID = d.OptStr()
		case "model":
			r.Model = d.OptStr()
		case "created_at":
			r.Created = readTime(d)
		case "status":
			h.status = d.OptStr()
		case "output":
			h.output = d.Raw()
		case "usage":
			r.Usage = readUsage(d)
		case "error":
			h.err = readRaw(d)
		case "incomplete_details":
			if reason := valueOf(readRaw(d), "reason"); reason.Kind() == jsonx.String {
				h.reason = jsonx.Unquote(reason)
			}
		case "object", "type", "background", "completed_at", "conversation", "include", "instructions", "max_output_tokens", "max_tool_calls", "metadata", "output_text",
			"parallel_tool_calls", "previous_response_id", "prompt", "prompt_cache_key", "prompt_cache_retention", "reasoning", "safety_identifier", "service_tier", "store",
			"stream", "temperature", "text", "tool_choice", "tools", "top_logprobs", "top_p", "truncation", "user", "frequency_penalty", "presence_penalty":
		default:
			r.Ext.Read(d, Name, name)
		}
	}
	return h
}

// readTime reads a time in seconds since 1970, which some servers write with a
// fraction.
func readTime(d *jsonx.Decoder) time.Time {
	if d.Kind() != jsonx.Number {
		d.Skip()
		return time.Time{}
	}
	s, err := strconv.ParseFloat(string(d.Raw()), 64)
	if err != nil || s < 1 || s >= 1<<38 {
		return time.Time{}
	}
	return time.Unix(int64(s), 0).UTC()
}

// failure returns the error of an answer that failed, or nil.
func (h *head) failure() error {
	switch h.status {
	case failed, "cancelled":
	case "queued", inProgress:
		return fmt.Errorf("the answer is not there yet: its status is %q", h.status)
	default:
		if h.err == nil {
			return nil
		}
	}
	return h.apiError()
}

func (h *head) apiError() *canon.APIError {
	e := &canon.APIError{Kind: canon.ErrInternal}
	if h.err != nil {
		e = dialect.ReadError(0, h.err, streamedKind)
	}
	e.Message = cmp.Or(e.Message, "the answer failed, and does not say why")
	return e
}

// stop returns why the answer ended.
func (h *head) stop(refused bool) canon.Stop {
	switch {
	case h.status == incomplete && h.reason == reasonFilter:
		return canon.Stop{Reason: canon.StopRefusal}
	case h.status == incomplete && (h.reason == reasonLimit || h.reason == ""):
		return canon.Stop{Reason: canon.StopLimit}
	case h.status == incomplete:
		return canon.Stop{Reason: canon.StopLimit, Detail: h.reason}
	case refused:
		return canon.Stop{Reason: canon.StopRefusal}
	}
	return canon.Stop{Reason: canon.StopEnd}
}

// answerItem is an item of an answer as blocks: of a message one for each part of
// its content, nil for one that canon has no place for.
type answerItem struct {
	typ, id string
	blocks  []canon.Block
	refused bool
}

// readAnswerItem reads an item of an answer. Members that canon does not model are
// listed as lost: an answer that stays in this dialect is passed on as it is.
func readAnswerItem(d *jsonx.Decoder, report *canon.Report) answerItem {
	s, m := readItem(d)
	it := answerItem{typ: s.typ, id: s.id}
	leave := func(e *canon.Ext) {
		for _, x := range e.Members {
			if x.Name != "status" && string(x.Value) != "[]" && string(x.Value) != "null" {
				report.Lose(canon.Loss{What: x.Name, Action: canon.Dropped, Why: "exists only in the " + Name + " dialect"})
			}
		}
		*e = canon.Ext{}
	}
	if m.Role == canon.Assistant || s.typ != "message" && s.typ != "" {
		it.blocks = m.Blocks
	} else { // nobody else speaks in an answer
		report.Lose(canon.Loss{What: string(canon.CountMessage), Action: canon.Dropped, Why: "it is no message of the model's"})
	}
	isMessage := s.typ == "message" && s.odd&membersOf(s.typ) == 0 && (s.role == string(canon.Assistant) || s.role == "")
	if isMessage {
		it.blocks = s.content
	}
	leave(&m.Ext)
	for i, b := range it.blocks {
		meta := b.Meta()
		meta.ItemID = s.id
		leave(&meta.Ext)
		switch b := b.(type) {
		case *canon.OpaqueBlock:
			if isMessage {
				it.blocks[i] = it.part(b, report)
			}
		case *canon.ToolCallBlock:
			b.CallID = cmp.Or(b.CallID, s.id)
			if b.Call == canon.CallFunction && b.Input.JSON == nil {
				b.Input = canon.InputOf(canon.CallFunction, b.Input.Text.AppendTo(nil))
			}
		}
	}
	return it
}

// part returns the block for a part of a message that is no text: a refusal says
// something.
func (it *answerItem) part(b *canon.OpaqueBlock, report *canon.Report) canon.Block {
	if said := valueOf(b.Raw, "refusal"); b.Type == "refusal" && said.Kind() == jsonx.String {
		t, _ := canon.LiteralText(said)
		it.refused = true
		return &canon.TextBlock{BlockMeta: canon.BlockMeta{ItemID: b.ItemID}, Text: t}
	}
	report.Lose(canon.Loss{What: string(canon.KindOpaque), Action: canon.Dropped, Why: strconv.Quote(b.Type) + " exists only in the " + Name + " dialect"})
	return nil
}
