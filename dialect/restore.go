package dialect

import (
	"github.com/crosswalk-agents/crosswalk/canon"
)

// Response gives the calls of an answer the names and forms that the caller
// declared.
func (f *Flat) Response(a *canon.Response) {
	for _, b := range a.Blocks {
		if c, ok := b.(*canon.ToolCallBlock); ok {
			f.Restore(c)
		}
	}
}

// Events returns a function that takes the events of a [canon.Sequencer] and
// gives them to emit with the calls named and formed as the caller declared
// them. The input of a call that takes free text is held until it is whole.
func (f *Flat) Events(emit func(*canon.Event) error) func(*canon.Event) error {
	if f.IsEmpty() {
		return emit
	}
	s := &restorer{flat: f, emit: emit}
	return s.next
}

// restorer holds the input of one call at most: blocks come one after another.
type restorer struct {
	flat *Flat
	emit func(*canon.Event) error
	// open is the call whose input is held, nil if there is none.
	open  *canon.ToolCallBlock
	input []byte
}

func (s *restorer) next(e *canon.Event) error {
	switch e.Kind {
	case canon.EventBlock:
		c, ok := e.Block.(*canon.ToolCallBlock)
		if !ok {
			break
		}
		call := *c
		s.flat.Restore(&call)
		if call.Call == canon.CallCustom && c.Call != canon.CallCustom {
			s.open, s.input = &call, s.input[:0]
		}
		out := *e
		out.Block = &call
		return s.emit(&out)
	case canon.EventDelta:
		if s.open != nil && e.Part == canon.PartInput {
			s.input = e.Text.AppendTo(s.input)
			return nil
		}
	case canon.EventBlockEnd:
		if s.open != nil {
			s.open = nil
			in := formOf(canon.InputOf(canon.CallFunction, s.input))
			if err := s.emit(&canon.Event{Kind: canon.EventDelta, Index: e.Index, Part: canon.PartInput, Text: in.Text}); err != nil {
				return err
			}
		}
	case canon.EventStart, canon.EventPing, canon.EventEnd, canon.EventError:
	}
	return s.emit(e)
}

// formOf returns the free text that a function's input carries: its one member,
// or all of it if the model wrote something else.
func formOf(in canon.Input) canon.Input {
	if in.JSON == nil {
		return in
	}
	if text, ok := unwrapInput(in.JSON); ok {
		return canon.Input{Text: text}
	}
	return canon.Input{Text: canon.NewText(string(in.JSON))}
}
