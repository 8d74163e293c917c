package anthropic

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/dialect"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// stopReasons lists the protocol's words for why an answer ended.
var stopReasons = dialect.Words[canon.StopReason]{
	{Word: "end_turn", Means: canon.StopEnd},
	{Word: "stop_sequence", Means: canon.StopSequence},
	{Word: "tool_use", Means: canon.StopToolCall},
	{Word: "max_tokens", Means: canon.StopLimit},
	{Word: "model_context_window_exceeded", Means: canon.StopContext},
	{Word: "refusal", Means: canon.StopRefusal},
	{Word: "pause_turn", Means: canon.StopPause},
}

// DecodeResponse implements [dialect.Codec]. An error in the place of an answer is
// a [*canon.APIError].
func (Codec) DecodeResponse(body []byte, _ *canon.Report) (*canon.Response, error) {
	a := new(canon.Response)
	d := jsonx.NewDecoder(body)
	isMessage := readHead(d, a)
	if err := d.Err(); err != nil {
		return nil, fmt.Errorf("decode Anthropic answer: %w", err)
	}
	if d.More() {
		return nil, fmt.Errorf("decode Anthropic answer: more text after the body at byte %d", d.Offset())
	}
	if !isMessage {
		if k := a.Ext.Get("error").Kind(); k == jsonx.Object || k == jsonx.String {
			return nil, Codec{}.DecodeError(0, body)
		}
		return nil, errors.New("decode Anthropic answer: it has no content")
	}
	return a, nil
}

// readHead reads a message object: a whole answer, or the head of a streamed one.
// It reports whether that has content, as messages have and errors have not.
func readHead(d *jsonx.Decoder, a *canon.Response) (isMessage bool) {
	var sequence canon.Text
	for name := range d.Members() {
		switch string(name) {
		case "id":
			a.ID = d.OptStr()
		case "model":
			a.Model = d.OptStr()
		case "content":
			a.Blocks, isMessage = ReadContent(d), true
		case "stop_reason":
			if d.Kind() == jsonx.String {
				a.Stop = dialect.ReadStop(stopReasons, d.Str())
			}
		case "stop_sequence":
			sequence = canon.ReadOptText(d)
		case "usage":
			a.Usage = ReadUsage(d)
		case "type", "role":
		default:
			a.Ext.Read(d, Name, name)
		}
	}
	a.Stop.Sequence = sequence
	return isMessage
}

// EncodeResponse implements [dialect.Codec].
func (Codec) EncodeResponse(dst []byte, a *canon.Response, r *canon.Report) ([]byte, error) {
	dst = appendHead(dst, a)
	dst = append(dst, `,"content":[`...)
	first := true
	for _, b := range a.Blocks {
		b, ok := answerBlock(b, r)
		if !ok {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		var err error
		if dst, err = appendAnswerBlock(dst, b); err != nil {
			return dst, err
		}
	}
	dst = append(dst, `],"stop_reason":"`...)
	dst = append(dst, stopReasons.For(a.Stop.Reason, "end_turn")...)
	dst = append(dst, `","stop_sequence":`...)
	dst = appendSequence(dst, a.Stop)
	dst = append(dst, `,"usage":`...)
	dst = appendUsage(dst, a.Usage)
	dialect.Leave(&a.Ext, Name, r)
	return append(a.Ext.AppendMembers(dst, Name), '}'), nil
}

// appendHead begins a message object.
func appendHead(dst []byte, a *canon.Response) []byte {
	dst = append(dst, `{"id":`...)
	dst = jsonx.AppendQuote(dst, a.ID)
	dst = append(dst, `,"type":"message","role":"assistant","model":`...)
	return jsonx.AppendQuote(dst, a.Model)
}

func appendSequence(dst []byte, s canon.Stop) []byte {
	if s.Reason != canon.StopSequence || s.Sequence.IsEmpty() {
		return append(dst, "null"...)
	}
	return s.Sequence.AppendQuoted(dst)
}

// appendUsage appends a usage object. What the cache read and wrote is no part of
// the protocol's input_tokens. An unknown usage is none.
func appendUsage(dst []byte, u *canon.Usage) []byte {
	if u == nil {
		u = new(canon.Usage)
	}
	dst = append(dst, `{"input_tokens":`...)
	dst = strconv.AppendInt(dst, max(u.Input-u.CacheRead-u.CacheWrite, 0), 10)
	dst = append(dst, `,"cache_creation_input_tokens":`...)
	dst = strconv.AppendInt(dst, u.CacheWrite, 10)
	dst = append(dst, `,"cache_read_input_tokens":`...)
	dst = strconv.AppendInt(dst, u.CacheRead, 10)
	dst = append(dst, `,"output_tokens":`...)
	dst = strconv.AppendInt(dst, u.Output, 10)
	return append(dst, '}')
}

// answerBlock returns b in the form that an answer of this protocol has for it;
// ok is false if it has none.
func answerBlock(b canon.Block, r *canon.Report) (out canon.Block, ok bool) {
	lose := func(a canon.Action, why string) {
		r.Lose(canon.Loss{What: string(b.Kind()), Action: a, Why: why})
	}
	switch b := b.(type) {
	case *canon.TextBlock, *canon.ReasoningBlock:
		return b, true
	case *canon.ToolCallBlock:
		if b.Call != canon.CallProvider && (b.Call != canon.CallFunction && b.Call != "" || b.Namespace != "") {
			lose(canon.Moved, "a "+string(b.Call)+" call in namespace "+strconv.Quote(b.Namespace)+" becomes a call of a function")
		}
		return b, true
	case *canon.OpaqueBlock:
		if b.Dialect == Name {
			return b, true
		}
		lose(canon.Dropped, "exists only in the "+b.Dialect+" dialect")
	case *canon.ToolResultBlock, *canon.ImageBlock, *canon.DocumentBlock, *canon.CompactionBlock:
		lose(canon.Dropped, "an answer cannot hold it")
	}
	return nil, false
}

// appendAnswerBlock appends a whole block of an answer.
func appendAnswerBlock(dst []byte, b canon.Block) ([]byte, error) {
	switch b := b.(type) {
	case *canon.ReasoningBlock:
		return appendThinking(dst, b), nil
	case *canon.ToolCallBlock:
		dst = appendCallHead(dst, b)
		switch in := answerInput(b); {
		case in.JSON != nil:
			dst = jsonx.AppendRaw(dst, in.JSON)
		default: // what the model wrote is no JSON: the client is to see that
			dst = in.Text.AppendQuoted(dst)
		}
		return append(b.Ext.AppendMembers(dst, Name), '}'), nil
	}
	return AppendBlock(dst, b)
}

// appendThinking appends reasoning, whoever issued its capsule: the client gives
// it back as it is.
func appendThinking(dst []byte, b *canon.ReasoningBlock) []byte {
	if b.Redacted {
		dst = append(dst, `{"type":"redacted_thinking","data":`...)
		dst = b.Capsule.Sealed.AppendQuoted(dst)
	} else {
		dst = append(dst, `{"type":"thinking","thinking":`...)
		dst = b.Shown().AppendQuoted(dst)
		dst = append(dst, `,"signature":`...)
		dst = b.Capsule.Sealed.AppendQuoted(dst)
	}
	return append(b.Ext.AppendMembers(dst, Name), '}')
}

// appendCallHead begins a call's object, up to its input.
func appendCallHead(dst []byte, b *canon.ToolCallBlock) []byte {
	typ := `{"type":"tool_use","id":`
	if b.Call == canon.CallProvider {
		typ = `{"type":"server_tool_use","id":`
	}
	dst = append(dst, typ...)
	dst = jsonx.AppendQuote(dst, b.CallID)
	dst = append(dst, `,"name":`...)
	name := b.Name
	if b.Namespace != "" {
		name = b.Namespace + "__" + name
	}
	dst = jsonx.AppendQuote(dst, name)
	return append(dst, `,"input":`...)
}

func answerInput(b *canon.ToolCallBlock) canon.Input {
	if b.Call == canon.CallCustom && b.Input.JSON == nil {
		return dialect.ObjectInput(b.Input)
	}
	return b.Input
}
