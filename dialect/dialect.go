package dialect

import (
	"cmp"
	"hash/maphash"
	"slices"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/sse"
)

// Codec translates one wire protocol. It is safe for concurrent use. What is
// decoded shares the memory of what it was decoded from.
type Codec interface {
	// Name is the dialect's name.
	Name() string

	// Capacity says what requests to the target can hold.
	Capacity(t *Target) *canon.Capacity
	// DecodeRequest reads the body of a request. What the protocol puts into the
	// path stays empty.
	DecodeRequest(body []byte) (*canon.Request, error)
	// EncodeRequest appends the body of a request and lists in r what the protocol
	// or the target cannot hold. It takes the messages of q over.
	EncodeRequest(dst []byte, q *canon.Request, t *Target, r *canon.Report) ([]byte, error)

	// DecodeResponse reads the body of an answer that was not streamed, and lists in r
	// what canon cannot hold of it.
	DecodeResponse(body []byte, r *canon.Report) (*canon.Response, error)
	// EncodeResponse appends the body of an answer that is not streamed.
	EncodeResponse(dst []byte, a *canon.Response, r *canon.Report) ([]byte, error)

	// DecodeError reads the body of an answer with an error status, whatever it
	// holds.
	DecodeError(status int, body []byte) *canon.APIError
	// EncodeError appends the body of an answer with an error status.
	EncodeError(dst []byte, e *canon.APIError) []byte

	// SpliceRequest appends a request's body with the edits made, SpliceResponse an
	// answer's that is not streamed, and SpliceFrame a frame of one that is. All
	// other bytes stay as they are.
	SpliceRequest(dst, body []byte, edits []canon.Edit) ([]byte, error)
	SpliceResponse(dst, body []byte, edits []canon.Edit) ([]byte, error)
	SpliceFrame(dst []byte, f *sse.Event, edits []canon.Edit) ([]byte, error)

	// NewDecoder returns a decoder for one streamed answer, which lists in r what
	// canon cannot hold of it.
	NewDecoder(r *canon.Report) Decoder
	// NewEncoder returns an encoder for one streamed answer, whose events come from
	// a [canon.Sequencer].
	NewEncoder(o StreamOptions, r *canon.Report) Encoder
}

// Decoder reads a streamed answer.
type Decoder interface {
	// Frame reads the next frame and gives emit the events that it brings. An error
	// of emit comes back; any other says that the frame cannot be read.
	Frame(f *sse.Event, emit func(*canon.Event) error) error
	// Close says that the upstream has closed the stream in good order, and gives
	// emit the end, if the answer has one by then.
	Close(emit func(*canon.Event) error) error
}

// Encoder writes a streamed answer.
type Encoder interface {
	// Encode appends the frames for the event.
	Encode(dst []byte, e *canon.Event) ([]byte, error)
}

// StreamOptions say how an answer is streamed.
type StreamOptions struct {
	// Usage says that a caller who has to ask for the usage has asked.
	Usage bool
}

// Target is what is known of the model that a request goes to. The zero value
// is a model of the dialect's vendor that takes all the dialect has.
type Target struct {
	// Model replaces the request's model, if not empty.
	Model string
	// MaxOutput is the most tokens that the model answers with; 0 if unknown.
	MaxOutput int64
	// Efforts lists those that the model takes; nil if unknown.
	Efforts []canon.Effort
	// Budgets says that the model takes budgets of tokens for its reasoning, and no
	// efforts.
	Budgets bool
	// LeadingSystem says that system text may stand only before the conversation.
	LeadingSystem bool
	// NoImages says that the model takes no images.
	NoImages bool
	// NoCustom says that the model has functions alone, and no tools that take free
	// text.
	NoCustom bool
	// NoDeveloper says that developer text has to be system text.
	NoDeveloper bool
	// Issuer tells the vendor's reasoning from others' of the same dialect; empty
	// is the dialect's name.
	Issuer string
}

// IssuerOr returns the issuer of the reasoning that the target takes back.
func (t *Target) IssuerOr(dialect string) string { return cmp.Or(t.Issuer, dialect) }

// ModelOr returns the model to name: the target's, or else the request's.
func (t *Target) ModelOr(model string) string { return cmp.Or(t.Model, model) }

// Limit returns the most tokens that q may be answered with, no more than the
// model answers with, or 0 if q sets no limit.
func (t *Target) Limit(q *canon.Request, r *canon.Report) int64 {
	if q.MaxOutput <= 0 || t.MaxOutput <= 0 || q.MaxOutput <= t.MaxOutput {
		return max(q.MaxOutput, 0)
	}
	r.Lose(canon.Loss{What: "max_tokens", Action: canon.Downgraded, Why: "the model answers with fewer tokens"})
	return t.MaxOutput
}

// Prepare returns the messages of q as c takes them: paired, in order, and of
// what c cannot hold nothing. It counts them in r and takes them over.
func Prepare(q *canon.Request, c *canon.Capacity, r *canon.Report) ([]*canon.Message, error) {
	index := canon.NewCallIndex(maphash.MakeSeed())
	for _, m := range q.Messages {
		index.AddMessage(m)
		r.Ingest(m)
	}
	var msgs []*canon.Message
	stream := func(yield func(*canon.Message, error) bool) {
		for _, m := range q.Messages {
			if !yield(m, nil) {
				return
			}
		}
	}
	for m, err := range canon.InCallOrder(canon.Fit(canon.Heal(stream, index, r), c, nil, r), r) {
		if err != nil {
			return nil, err
		}
		r.Emit(m)
		msgs = append(msgs, m)
	}
	q.Messages = nil
	return msgs, nil
}

// LeaveProviders leaves out the calls of tools that another vendor ran, with their
// results, and lists them in r: for this one a call is the client's to answer, after
// the whole turn. Those that isOwn says are the target's vendor's stay; nil says it
// of none.
func LeaveProviders(q *canon.Request, isOwn func(*canon.ToolCallBlock) bool, r *canon.Report) {
	for _, m := range q.Messages {
		if m.Role != canon.Assistant {
			continue
		}
		ran := make(map[string]bool)
		m.Blocks = slices.DeleteFunc(m.Blocks, func(b canon.Block) bool {
			switch b := b.(type) {
			case *canon.ToolCallBlock:
				if b.Call != canon.CallProvider || isOwn != nil && isOwn(b) {
					return false
				}
				ran[b.CallID] = true
			case *canon.ToolResultBlock:
				if !ran[b.CallID] {
					return false
				}
			default:
				return false
			}
			r.Change(m, string(b.Kind()), canon.Dropped, "only its own vendor knows a tool that the provider ran")
			return true
		})
	}
}

// ObjectInput makes an object of an input that is none, where a dialect has no
// other.
func ObjectInput(in canon.Input) canon.Input {
	const open = `{"` + inputMember + `":`
	if in.JSON != nil {
		return canon.Input{JSON: append(append([]byte(open), in.JSON...), '}')}
	}
	return canon.Input{JSON: append(in.Text.AppendQuoted([]byte(open)), '}')}
}

// Leave lists in r the members of e, which are another dialect's, as left out.
func Leave(e *canon.Ext, dialect string, r *canon.Report) {
	if e.Dialect == dialect {
		return
	}
	for _, m := range e.Members {
		r.Lose(canon.Loss{What: m.Name, Action: canon.Dropped, Why: "exists only in the " + e.Dialect + " dialect"})
	}
}
