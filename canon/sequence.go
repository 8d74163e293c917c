package canon

import (
	"errors"
	"fmt"
)

// ErrUnfinished is matched by the error for a stream that broke off: it neither
// ended nor failed.
var ErrUnfinished = errors.New("the answer broke off before its end")

// maxWaiting is how much a [Sequencer] holds back, in bytes.
const maxWaiting = 32 << 20

// Sequencer puts the events of an upstream into the one order that callers take:
// one start, one block open at a time and none twice, one end. Events of a block
// that begins while another is open are held until that has ended; only an
// upstream that writes several calls at once makes it hold any.
type Sequencer struct {
	emit    func(*Event) error
	started bool
	over    bool
	calls   bool
	said    bool // anything at all was said
	// open is the upstream's number of the block that is open, -1 for none; next
	// is the number that the next block gets.
	open, next int
	// waiting are the blocks that wait for open to end, in order.
	waiting []*heldBlock
	held    int
	ended   map[int]bool
}

// heldBlock is a block that has begun while another one was open.
type heldBlock struct {
	index  int
	events []Event
	ended  bool
}

// NewSequencer returns a sequencer that gives each event to emit, whose errors
// come back from Next and Finish.
func NewSequencer(emit func(*Event) error) *Sequencer {
	return &Sequencer{emit: emit, open: -1, ended: make(map[int]bool)}
}

// Over reports whether the end or an error was emitted.
func (s *Sequencer) Over() bool { return s.over }

// Next takes the next event of the upstream. After the end it does nothing.
func (s *Sequencer) Next(e *Event) error {
	if s.over {
		return nil
	}
	switch e.Kind {
	case EventStart:
		if s.started {
			return nil
		}
		s.started = true
		return s.emit(e)
	case EventPing:
		if !s.started {
			return nil
		}
		return s.emit(e)
	case EventBlock:
		return s.block(e)
	case EventDelta, EventBlockEnd:
		return s.within(e)
	case EventEnd:
		return s.end(e)
	case EventError:
		return s.fail(e)
	}
	return nil
}

// Finish says that the upstream sends nothing more; err is why, if it broke off.
// Unless the answer has ended it ends in an error: a stream that breaks off is
// never a clean end.
func (s *Sequencer) Finish(err error) error {
	if s.over {
		return nil
	}
	failed := &APIError{Kind: ErrInternal, Message: "the upstream's answer broke off before its end"}
	var api *APIError
	switch {
	case errors.As(err, &api):
		failed = api
	case err != nil:
		failed.Message += ": " + err.Error()
	case !s.said:
		failed.Message = "the upstream's answer is empty"
	}
	return s.fail(&Event{Kind: EventError, Err: failed})
}

func (s *Sequencer) start() error {
	if s.started {
		return nil
	}
	s.started = true
	return s.emit(&Event{Kind: EventStart, Response: &Response{}})
}

func (s *Sequencer) block(e *Event) error {
	if err := s.start(); err != nil {
		return err
	}
	s.said = true
	if s.open >= 0 {
		return s.hold(e)
	}
	return s.begin(e)
}

// begin opens a block.
func (s *Sequencer) begin(e *Event) error {
	s.open = e.Index
	if c, ok := e.Block.(*ToolCallBlock); ok && c.Call != CallProvider {
		s.calls = true
	}
	out := *e
	out.Index = s.next
	s.next++
	return s.emit(&out)
}

// within handles what belongs to a block that has begun.
func (s *Sequencer) within(e *Event) error {
	switch {
	case e.Index == s.open:
		out := *e
		out.Index = s.next - 1
		if err := s.emit(&out); err != nil || e.Kind == EventDelta {
			return err
		}
		return s.advance()
	case s.ended[e.Index]:
		return nil
	}
	for _, w := range s.waiting {
		if w.index == e.Index && !w.ended {
			return s.add(w, e)
		}
	}
	return nil // of a block that never began
}

// hold makes a block wait.
func (s *Sequencer) hold(e *Event) error {
	w := &heldBlock{index: e.Index}
	s.waiting = append(s.waiting, w)
	return s.add(w, e)
}

// add keeps an event of a block that waits.
func (s *Sequencer) add(w *heldBlock, e *Event) error {
	w.ended = w.ended || e.Kind == EventBlockEnd
	s.held += e.Text.Size() + 64
	if s.held > maxWaiting {
		return fmt.Errorf("the upstream writes several blocks at once, of more than %d MB together", maxWaiting>>20)
	}
	kept := *e
	kept.Text = e.Text.Clone() // e's memory is used again
	if e.Block != nil {
		kept.Block = CloneBlock(e.Block)
	}
	w.events = append(w.events, kept)
	return nil
}

// advance emits what has waited for the open block to end.
func (s *Sequencer) advance() error {
	s.ended[s.open] = true
	s.open = -1
	for s.open < 0 && len(s.waiting) > 0 {
		w := s.waiting[0]
		s.waiting = s.waiting[1:]
		for i := range w.events {
			e := w.events[i]
			s.held -= e.Text.Size() + 64
			if e.Kind == EventBlock {
				if err := s.begin(&e); err != nil {
					return err
				}
				continue
			}
			e.Index = s.next - 1
			if err := s.emit(&e); err != nil {
				return err
			}
		}
		if w.ended {
			s.ended[w.index] = true
			s.open = -1
		}
	}
	return nil
}

// close ends all blocks.
func (s *Sequencer) close() error {
	for s.open >= 0 {
		if err := s.emit(&Event{Kind: EventBlockEnd, Index: s.next - 1}); err != nil {
			return err
		}
		if err := s.advance(); err != nil {
			return err
		}
	}
	return nil
}

func (s *Sequencer) end(e *Event) error {
	if err := errors.Join(s.start(), s.close()); err != nil {
		return err
	}
	s.over = true
	r := *e.Response
	r.Stop = r.Stop.Settle(s.calls)
	return s.emit(&Event{Kind: EventEnd, Response: &r})
}

func (s *Sequencer) fail(e *Event) error {
	s.over = true
	return s.emit(e)
}
