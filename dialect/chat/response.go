package chat

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/dialect"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
	"github.com/crosswalk-agents/crosswalk/internal/sse"
)

// stopReasons lists the protocol's words for why an answer ended, and those that
// other servers write; for those that are an error see [failure].
var stopReasons = dialect.Words[canon.StopReason]{
	{Word: "stop", Means: canon.StopEnd},
	{Word: "tool_calls", Means: canon.StopToolCall},
	{Word: "function_call", Means: canon.StopToolCall},
	{Word: "length", Means: canon.StopLimit},
	{Word: "content_filter", Means: canon.StopRefusal},
	{Word: "model_length", Means: canon.StopContext}, // Mistral
	{Word: "eos", Means: canon.StopEnd},
	{Word: "end_turn", Means: canon.StopEnd},
	{Word: "tool_use", Means: canon.StopToolCall},
	{Word: "max_tokens", Means: canon.StopLimit},
}

// failure returns the error that a server hides in the reason for the end, nil if
// it is none: OpenRouter's error, and DeepSeek's when it has no capacity left.
func failure(word string) *canon.APIError {
	kind := canon.ErrInternal
	switch word {
	case "error":
	case "insufficient_system_resource":
		kind = canon.ErrOverloaded
	default:
		return nil
	}
	return &canon.APIError{Kind: kind, Code: word, Message: "the upstream ended its answer with " + strconv.Quote(word)}
}

// missingID returns an id for the n-th call of an answer that has none.
func missingID(answer string, n int) string {
	sum := sha256.Sum256([]byte(answer + "/" + strconv.Itoa(n)))
	return "call_" + hex.EncodeToString(sum[:12])
}

// DecodeResponse implements [dialect.Codec]. Some servers stream although they were
// not asked to: that is read, too. An error with a good status is an error.
func (Codec) DecodeResponse(body []byte, r *canon.Report) (*canon.Response, error) {
	for _, field := range [...]string{"data:", "event:", ":"} {
		if bytes.HasPrefix(bytes.TrimSpace(body), []byte(field)) {
			return fold(body, r)
		}
	}
	d := responseReader{report: r, a: new(canon.Response)}
	if err := d.read(jsonx.NewDecoder(body)); err != nil {
		return nil, fmt.Errorf("decode Chat Completions answer: %w", err)
	}
	switch {
	case d.failed:
		return nil, Codec{}.DecodeError(0, body)
	case d.err != nil:
		return nil, d.err
	case !d.chosen:
		return nil, errors.New("decode Chat Completions answer: it has no choices")
	}
	d.settle()
	return d.a, nil
}

// fold reads an answer that is streamed.
func fold(body []byte, r *canon.Report) (*canon.Response, error) {
	var f canon.Folder
	s := canon.NewSequencer(f.Add)
	d := newDecoder(r)
	frames := sse.NewReader(bytes.NewReader(body), len(body)+1)
	for {
		frame, err := frames.Next()
		if err != nil {
			break
		}
		if frame.Comment {
			continue
		}
		if err := d.Frame(frame, s.Next); err != nil {
			return nil, err
		}
	}
	if err := errors.Join(d.Close(s.Next), s.Finish(nil)); err != nil {
		return nil, err
	}
	return f.Response()
}

// responseReader reads one whole answer.
type responseReader struct {
	report *canon.Report
	a      *canon.Response
	// chosen says that there is a choice, failed that there is an error instead.
	chosen, failed bool
	refused        bool
	err            error
}

func (r *responseReader) read(d *jsonx.Decoder) error {
	for name := range d.Members() {
		switch string(name) {
		case "choices":
			if d.Kind() != jsonx.Array {
				continue
			}
			for i := range d.Elements() {
				if i == 0 && d.Kind() == jsonx.Object {
					r.choice(d)
				} else {
					loseChoice(r.report)
				}
			}
		case "usage":
			if u := readUsage(d); u != nil {
				r.a.Usage = u
			}
		case "error":
			r.failed = r.failed || d.Kind() == jsonx.Object || d.Kind() == jsonx.String
		default:
			readHead(d, r.a, name)
		}
	}
	if d.Err() == nil && d.More() {
		return fmt.Errorf("more text after the body at byte %d", d.Offset())
	}
	return d.Err()
}

// readHead reads a member that answers and the chunks of streamed ones have.
func readHead(d *jsonx.Decoder, a *canon.Response, name []byte) {
	switch string(name) {
	case "id":
		if s := d.OptStr(); s != "" {
			a.ID = s
		}
	case "model":
		if s := d.OptStr(); s != "" {
			a.Model = s
		}
	case "created":
		if n := d.OptInt(); n > 0 {
			a.Created = time.Unix(n, 0).UTC()
		}
	case "object", "obfuscation": // the latter is padding
	default:
		if d.Kind() != jsonx.Null {
			a.Ext.Read(d, Name, name)
		}
	}
}

func loseChoice(r *canon.Report) {
	r.Lose(canon.Loss{What: "choices", Action: canon.Dropped, Why: "an answer is one alone"})
}

func (r *responseReader) choice(d *jsonx.Decoder) {
	r.chosen = true
	for name := range d.Members() {
		switch string(name) {
		case "index":
		case "finish_reason":
			if word := d.OptStr(); word != "" {
				r.a.Stop = dialect.ReadStop(stopReasons, word)
				if api := failure(word); api != nil {
					r.err = api
				}
			}
		case "message", "delta":
			if d.Kind() == jsonx.Object {
				r.message(readFields(d))
			}
		case "usage": // as Kimi has it
			if u := readUsage(d); u != nil && r.a.Usage == nil {
				r.a.Usage = u
			}
		default:
			if d.Kind() != jsonx.Null {
				readWithin(&r.a.Ext, d, "choices", name)
			}
		}
	}
}

func (r *responseReader) message(m message) {
	blocks := m.answer()
	if text, ok := canon.PlainText(m.content); ok && m.plain {
		blocks = parted(blocks, text)
	}
	r.a.Blocks = blocks
	for _, b := range blocks {
		if t, ok := b.(*canon.TextBlock); ok && isRefusal(t) {
			r.refused = true
		}
	}
	for _, x := range append(m.ext.Members, m.own...) {
		add(&r.a.Ext, canon.Member{Name: "message." + x.Name, Value: x.Value})
	}
}

// parted parts the text of an answer from the reasoning that it begins with
// between tags, unless the server has done so.
func parted(blocks []canon.Block, text canon.Text) []canon.Block {
	if len(blocks) == 0 || blocks[0].Kind() != canon.KindText {
		return blocks
	}
	var k thinker
	var thoughts, others []canon.Text
	say := func(isThought bool, t canon.Text) error {
		if isThought {
			thoughts = append(thoughts, t)
		} else {
			others = append(others, t)
		}
		return nil
	}
	_ = errors.Join(k.feed(text, say), k.end(say)) // say has no errors
	thought, rest := canon.Join(thoughts...), canon.Join(others...)
	if thought.IsEmpty() && rest.Equal(text) {
		return blocks
	}
	var out []canon.Block
	if !thought.IsEmpty() {
		out = append(out, &canon.ReasoningBlock{Text: thought, Capsule: canon.Capsule{Issuer: Name}})
	}
	if !rest.IsEmpty() {
		out = append(out, &canon.TextBlock{Text: rest})
	}
	return append(out, blocks[1:]...)
}

// settle gives what is left out: ids of calls, and a stop that fits.
func (r *responseReader) settle() {
	n := 0
	for _, b := range r.a.Blocks {
		if c, ok := b.(*canon.ToolCallBlock); ok {
			if c.CallID == "" {
				c.CallID = missingID(r.a.ID, n)
			}
			n++
		}
	}
	r.a.Stop = settle(r.a.Stop, r.refused, canon.CallsClient(r.a.Blocks))
}

// settle returns the stop that fits an answer. One that refuses has ended like any
// other for OpenAI.
func settle(s canon.Stop, refused, calls bool) canon.Stop {
	if refused && (s.Reason == canon.StopEnd || s.Reason == "") {
		s.Reason = canon.StopRefusal
	}
	return s.Settle(calls)
}

// EncodeResponse implements [dialect.Codec].
func (Codec) EncodeResponse(dst []byte, a *canon.Response, r *canon.Report) ([]byte, error) {
	dialect.Leave(&a.Ext, Name, r)
	w := responseWriter{answer: answer{report: r}}
	for _, b := range a.Blocks {
		w.block(b)
	}
	word := w.stop(a.Stop)
	dst = appendHead(append(dst, '{'), a, "chat.completion")
	dst = append(dst, `,"choices":[{"index":0,"message":`...)
	dst = w.append(dst, &a.Ext)
	if a.Ext.Dialect != Name || a.Ext.Get("choices.logprobs") == nil {
		dst = append(dst, `,"logprobs":null`...)
	}
	dst = append(dst, `,"finish_reason":"`...)
	dst = append(dst, word...)
	dst = append(appendWithin(append(dst, '"'), &a.Ext, "choices"), "}]"...)
	if a.Usage != nil {
		dst = append(dst, `,"usage":`...)
		dst = appendUsage(dst, a.Usage)
	}
	return append(appendBeside(dst, &a.Ext, "choices", "message"), '}'), nil
}

// appendHead appends the members that answers and the chunks of streamed ones begin
// with.
func appendHead(dst []byte, a *canon.Response, object string) []byte {
	dst = append(dst, `"id":`...)
	dst = jsonx.AppendQuote(dst, a.ID)
	dst = append(dst, `,"object":"`+object+`","created":`...)
	var created int64
	if !a.Created.IsZero() {
		created = a.Created.Unix()
	}
	dst = strconv.AppendInt(dst, created, 10)
	dst = append(dst, `,"model":`...)
	return jsonx.AppendQuote(dst, a.Model)
}

// responseWriter gathers what the message of a whole answer says.
type responseWriter struct {
	answer
	contents, refusals, thoughts []canon.Text
	list                         []byte // the calls, each behind a comma
}

func (w *responseWriter) block(b canon.Block) {
	if !w.begin(b) {
		return
	}
	switch b := b.(type) {
	case *canon.TextBlock:
		switch {
		case b.Text.IsEmpty():
		case isRefusal(b):
			w.refusals = append(w.refusals, b.Text)
		default:
			w.contents = append(w.contents, w.text(b.Text))
		}
	case *canon.ReasoningBlock:
		w.piece(canon.PartText, 0, b.Text)
		for i, s := range b.Summary {
			w.piece(canon.PartSummary, i, s)
		}
		w.piece(canon.PartSealed, 0, b.Capsule.Sealed)
	case *canon.ToolCallBlock:
		w.list = append(appendCall(append(w.list, ','), b, w.call(b)), '}')
	}
}

func (w *responseWriter) piece(part canon.Part, n int, t canon.Text) {
	if !t.IsEmpty() {
		w.thoughts = append(w.thoughts, w.reasoning(&canon.Event{Part: part, Summary: n, Text: t}))
	}
}

// append appends the message.
func (w *responseWriter) append(dst []byte, ext *canon.Ext) []byte {
	content, refusal, thought := canon.Join(w.contents...), canon.Join(w.refusals...), canon.Join(w.thoughts...)
	dst = append(dst, `{"role":"assistant","content":`...)
	if content.IsEmpty() && (w.list != nil || !refusal.IsEmpty()) {
		dst = append(dst, "null"...)
	} else {
		dst = content.AppendQuoted(dst)
	}
	dst = append(dst, `,"refusal":`...)
	if refusal.IsEmpty() {
		dst = append(dst, "null"...)
	} else {
		dst = refusal.AppendQuoted(dst)
	}
	if !thought.IsEmpty() {
		dst = append(dst, `,"reasoning_content":`...)
		dst = thought.AppendQuoted(dst)
	}
	if w.list != nil {
		dst = append(dst, `,"tool_calls":[`...)
		dst = append(append(dst, w.list[1:]...), ']')
	}
	if ext.Dialect == Name {
		for _, m := range ext.Members {
			if inner, ok := strings.CutPrefix(m.Name, "message."); ok && inner != "tool_calls" && inner != "refusal" {
				dst = appendMember(dst, inner, m.Value)
			}
		}
	}
	return append(dst, '}')
}
