package canon

import (
	"fmt"
	"slices"

	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// Folder makes a whole answer of the events of a stream. The zero value is ready
// for the first event.
type Folder struct {
	r     Response
	open  []*folded
	ended bool
	err   *APIError
	held  int
}

// folded is a block in the making.
type folded struct {
	block             Block
	text, seal, input []byte
	summary           [][]byte
}

// maxSummary is how many parts a summary may have: an upstream chooses their
// numbers.
const maxSummary = 4096

// Add takes the next event. It keeps nothing of e's memory. An error says that
// the events are out of order.
func (f *Folder) Add(e *Event) error {
	switch e.Kind {
	case EventStart:
		blocks := f.r.Blocks
		f.r = *e.Response
		f.r.Blocks, f.r.Ext = blocks, e.Response.Ext.clone()
	case EventBlock:
		if e.Index != len(f.open) {
			return fmt.Errorf("block %d begins behind %d others", e.Index, len(f.open))
		}
		f.open = append(f.open, &folded{block: CloneBlock(e.Block)})
		f.held += sizeOf(e.Block)
	case EventDelta:
		if e.Index < 0 || e.Index >= len(f.open) {
			return fmt.Errorf("text for block %d of %d", e.Index, len(f.open))
		}
		if e.Summary < 0 || e.Summary >= maxSummary {
			return fmt.Errorf("text for part %d of a summary, which may have %d", e.Summary, maxSummary)
		}
		f.held += e.Text.Size()
		f.open[e.Index].add(e)
	case EventBlockEnd, EventPing:
	case EventEnd:
		f.ended = true
		f.r.Stop = e.Response.Stop
		f.r.Stop.Sequence = f.r.Stop.Sequence.Clone()
		if u := e.Response.Usage; u != nil {
			f.r.Usage = new(Usage)
			*f.r.Usage = *u
		}
	case EventError:
		f.err = e.Err
	}
	return nil
}

// Size is about how many bytes the answer holds by now.
func (f *Folder) Size() int { return f.held }

// sizeOf is about how many bytes a block holds that deltas do not bring.
func sizeOf(b Block) int {
	n := 64
	switch b := b.(type) {
	case *ImageBlock:
		n += b.Data.Size() + b.URL.Size()
	case *DocumentBlock:
		n += b.Data.Size() + b.Plain.Size()
	case *ToolResultBlock:
		for _, inner := range b.Content {
			n += sizeOf(inner)
		}
	case *OpaqueBlock:
		n += len(b.Raw)
	}
	for _, m := range b.Meta().Ext.Members {
		n += len(m.Name) + len(m.Value)
	}
	return n
}

// Response returns the answer. The error is that of the stream, or says that it
// has not ended.
func (f *Folder) Response() (*Response, error) {
	switch {
	case f.err != nil:
		return nil, f.err
	case !f.ended:
		return nil, ErrUnfinished
	}
	f.r.Blocks = nil
	for _, b := range f.open {
		f.r.Blocks = append(f.r.Blocks, b.whole())
	}
	return &f.r, nil
}

func (b *folded) add(e *Event) {
	switch e.Part {
	case PartText:
		b.text = e.Text.AppendTo(b.text)
	case PartSealed:
		b.seal = e.Text.AppendTo(b.seal)
	case PartInput:
		b.input = e.Text.AppendTo(b.input)
	case PartSummary:
		for len(b.summary) <= e.Summary {
			b.summary = append(b.summary, nil)
		}
		b.summary[e.Summary] = e.Text.AppendTo(b.summary[e.Summary])
	}
}

// whole returns the block with what the deltas brought.
func (b *folded) whole() Block {
	switch x := b.block.(type) {
	case *TextBlock:
		return &TextBlock{BlockMeta: x.BlockMeta, Text: added(x.Text, b.text)}
	case *ReasoningBlock:
		r := *x
		r.Text = added(x.Text, b.text)
		r.Capsule.Sealed = added(x.Capsule.Sealed, b.seal)
		r.Summary = slices.Clone(x.Summary)
		for i, s := range b.summary {
			if i < len(r.Summary) {
				r.Summary[i] = added(r.Summary[i], s)
			} else {
				r.Summary = append(r.Summary, NewText(string(s)))
			}
		}
		return &r
	case *ToolCallBlock:
		c := *x
		if len(b.input) > 0 || c.Input.JSON == nil && c.Input.Text.IsEmpty() {
			c.Input = InputOf(c.Call, b.input)
		}
		return &c
	}
	return b.block
}

func added(t Text, more []byte) Text {
	if len(more) == 0 {
		return t
	}
	return Join(t, NewText(string(more)))
}

// InputOf returns the input of a call that was written as text. No text at all
// is an empty object, unless the call takes free text.
func InputOf(call CallKind, text []byte) Input {
	if call == CallCustom {
		return Input{Text: NewText(string(text))}
	}
	if len(text) == 0 {
		return Input{JSON: Raw(`{}`)}
	}
	d := jsonx.NewDecoder(text)
	raw := d.CleanRaw()
	if d.Err() != nil || d.More() {
		return Input{Text: NewText(string(text))}
	}
	return Input{JSON: raw}
}
