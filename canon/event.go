package canon

import "iter"

// Event is one step of an answer that is streamed. Events come in this order:
//
//	EventStart
//	for each block, one after another: EventBlock, EventDelta…, EventBlockEnd
//	EventEnd, or EventError instead of it at any point
//
// An EventPing may stand anywhere. What decoders yield may be out of that order
// as upstreams are; a [Sequencer] puts it right. An event and what it refers to
// are valid until the next one.
type Event struct {
	Kind EventKind
	// Response tells, at the start, all but the blocks and the stop as far as it is
	// known by then, and at the end the stop and the usage.
	Response *Response
	// Index counts blocks in the order of their EventBlock, from 0.
	Index int
	// Block is, of EventBlock, the block with all that deltas do not bring: of a
	// text nothing, of a call its id and name, of an image everything.
	Block Block
	// Part says what of the block Text is added to.
	Part Part
	// Summary is the number of the part of a summary, from 0, for PartSummary.
	Summary int
	Text    Text
	Err     *APIError
}

// EventKind is a kind of [Event].
type EventKind uint8

// The kinds of event.
const (
	EventStart EventKind = iota + 1
	EventBlock
	EventDelta
	EventBlockEnd
	EventPing
	EventEnd
	EventError
)

// Part is what a delta adds to.
type Part uint8

// The parts of blocks.
const (
	// PartText is the text of a TextBlock, or the full text of reasoning.
	PartText Part = iota
	// PartSummary is a part of the summary of reasoning.
	PartSummary
	// PartSealed is the capsule of reasoning.
	PartSealed
	// PartInput is the input of a call: JSON text, or free text of a call that
	// takes it.
	PartInput
)

// Events yields r as a stream would have brought it. The blocks are those of r:
// events must not be changed.
func (r *Response) Events() iter.Seq[*Event] {
	return func(yield func(*Event) bool) {
		p := player{yield: yield}
		start := *r
		start.Blocks, start.Stop = nil, Stop{}
		p.emit(&Event{Kind: EventStart, Response: &start})
		for i, b := range r.Blocks {
			p.block(i, b)
		}
		p.emit(&Event{Kind: EventEnd, Response: &Response{Stop: r.Stop, Usage: r.Usage}})
	}
}

type player struct {
	yield func(*Event) bool
	over  bool
}

func (p *player) emit(e *Event) {
	if !p.over {
		p.over = !p.yield(e)
	}
}

func (p *player) block(i int, b Block) {
	delta := func(part Part, summary int, t Text) {
		if !t.IsEmpty() {
			p.emit(&Event{Kind: EventDelta, Index: i, Part: part, Summary: summary, Text: t})
		}
	}
	switch b := b.(type) {
	case *TextBlock:
		p.emit(&Event{Kind: EventBlock, Index: i, Block: &TextBlock{BlockMeta: b.BlockMeta}})
		delta(PartText, 0, b.Text)
	case *ReasoningBlock:
		p.emit(&Event{Kind: EventBlock, Index: i, Block: &ReasoningBlock{
			BlockMeta: b.BlockMeta, Redacted: b.Redacted, Capsule: Capsule{Issuer: b.Capsule.Issuer},
		}})
		delta(PartText, 0, b.Text)
		for n, s := range b.Summary {
			delta(PartSummary, n, s)
		}
		delta(PartSealed, 0, b.Capsule.Sealed)
	case *ToolCallBlock:
		call := *b
		call.Input = Input{}
		p.emit(&Event{Kind: EventBlock, Index: i, Block: &call})
		if b.Input.JSON != nil {
			delta(PartInput, 0, NewText(string(b.Input.JSON)))
		} else {
			delta(PartInput, 0, b.Input.Text)
		}
	default:
		p.emit(&Event{Kind: EventBlock, Index: i, Block: b})
	}
	p.emit(&Event{Kind: EventBlockEnd, Index: i})
}
