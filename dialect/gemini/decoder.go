package gemini

import (
	"bytes"
	"fmt"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
	"github.com/crosswalk-agents/crosswalk/internal/sse"
)

// decoder reads a streamed answer: frames that are responses of their own. The
// answer has ended when one has said why and the stream is over: what frames say
// behind that, such as the usage, still counts.
type decoder struct {
	report  *canon.Report
	dec     jsonx.Decoder
	answer  answer
	parts   streamed
	started bool
	over    bool
	left    map[string]bool // members that are listed as lost
}

// Frame implements [dialect.Decoder].
func (d *decoder) Frame(f *sse.Event, emit func(*canon.Event) error) error {
	data := bytes.TrimSpace(f.Data)
	if len(data) == 0 || string(data) == "[DONE]" || d.over {
		return nil
	}
	d.dec.Reset(data)
	if d.dec.Kind() != jsonx.Array {
		return d.frame(&d.dec, data, emit)
	}
	for range d.dec.Elements() {
		one := d.dec.Raw()
		if d.dec.Err() != nil {
			break
		}
		if err := d.frame(jsonx.NewDecoder(one), one, emit); err != nil {
			return err
		}
	}
	return d.fault(&d.dec)
}

func (d *decoder) fault(dec *jsonx.Decoder) error {
	if err := dec.Err(); err != nil {
		return fmt.Errorf("decode Gemini stream: %w", err)
	}
	return nil
}

func (d *decoder) frame(dec *jsonx.Decoder, data []byte, emit func(*canon.Event) error) error {
	if d.over {
		return nil
	}
	d.answer.leave = d.leave
	candidate, isError := d.answer.read(dec)
	if err := d.fault(dec); err != nil {
		return err
	}
	if isError {
		d.over = true
		return emit(&canon.Event{Kind: canon.EventError, Err: decodeError(0, data)})
	}
	if candidate == nil && d.answer.end.blocked == "" && d.answer.id == "" {
		return nil
	}
	if err := d.start(emit); err != nil || candidate == nil {
		return err
	}
	d.parts.emit = emit
	d.answer.candidate(candidate, &d.parts)
	return d.parts.err
}

func (d *decoder) start(emit func(*canon.Event) error) error {
	if d.started {
		return nil
	}
	d.started = true
	return emit(&canon.Event{Kind: canon.EventStart, Response: d.answer.head()})
}

// leave lists a member as lost, once for all frames that have it.
func (d *decoder) leave(_ *jsonx.Decoder, name string) {
	if d.left[name] {
		return
	}
	if d.left == nil {
		d.left = make(map[string]bool)
	}
	if len(d.left) < canon.MaxListed {
		d.left[name] = true
	}
	if name == "candidate" {
		d.report.Lose(otherCandidate)
		return
	}
	d.report.Lose(canon.Loss{What: name, Action: canon.Dropped, Why: "exists only in the " + Name + " dialect"})
}

// Close implements [dialect.Decoder].
func (d *decoder) Close(emit func(*canon.Event) error) error {
	if d.over || !d.answer.end.isKnown() {
		return nil
	}
	d.over = true
	if err := d.start(emit); err != nil {
		return err
	}
	d.parts.emit = emit
	d.parts.close()
	if d.parts.err != nil {
		return d.parts.err
	}
	stop, failed := d.answer.end.stop(d.parts.said)
	if failed != nil {
		return emit(&canon.Event{Kind: canon.EventError, Err: failed})
	}
	return emit(&canon.Event{Kind: canon.EventEnd, Response: &canon.Response{Stop: stop, Usage: d.answer.usage.usage()}})
}

// streamed is a sink that makes events.
type streamed struct {
	decoder *decoder
	emit    func(*canon.Event) error
	err     error
	open    canon.BlockKind // of the open block, which is a text or thoughts; "" for none
	index   int             // of the open block, or of the next one
	said    bool            // there was more than thoughts
	event   canon.Event
}

func (s *streamed) send(e canon.Event) {
	if s.err == nil {
		s.event = e
		s.event.Index = s.index
		s.err = s.emit(&s.event)
	}
}

func (s *streamed) inText() bool { return s.open == canon.KindText }

// goesOn reports whether more can be added to the open block.
func (s *streamed) goesOn(k canon.BlockKind, ext *canon.Ext) bool {
	return s.open == k && len(ext.Members) == 0
}

// begin opens a block.
func (s *streamed) begin(b canon.Block) {
	s.close()
	s.open = b.Kind()
	s.said = s.said || says(b)
	s.send(canon.Event{Kind: canon.EventBlock, Block: b})
}

func (s *streamed) close() {
	if s.open != "" {
		s.open = ""
		s.end()
	}
}

func (s *streamed) end() {
	s.send(canon.Event{Kind: canon.EventBlockEnd})
	s.index++
}

func (s *streamed) text(t canon.Text, ext canon.Ext) {
	if t.IsEmpty() {
		return
	}
	if !s.goesOn(canon.KindText, &ext) {
		s.begin(&canon.TextBlock{BlockMeta: canon.BlockMeta{Ext: ext}})
	}
	s.send(canon.Event{Kind: canon.EventDelta, Part: canon.PartText, Text: t})
}

func (s *streamed) thought(t canon.Text, ext canon.Ext) {
	if t.IsEmpty() {
		return
	}
	if !s.goesOn(canon.KindReasoning, &ext) {
		s.begin(&canon.ReasoningBlock{BlockMeta: canon.BlockMeta{Ext: ext}, Capsule: canon.Capsule{Issuer: Name}})
	}
	s.send(canon.Event{Kind: canon.EventDelta, Part: canon.PartText, Text: t})
}

func (s *streamed) seal(t canon.Text) {
	if s.open != canon.KindReasoning {
		s.begin(&canon.ReasoningBlock{Capsule: canon.Capsule{Issuer: Name}})
	}
	s.send(canon.Event{Kind: canon.EventDelta, Part: canon.PartSealed, Text: t})
	s.close()
}

func (s *streamed) block(b canon.Block) {
	s.close()
	s.said = true
	s.send(canon.Event{Kind: canon.EventBlock, Block: b})
	s.end()
}

func (s *streamed) call(b *canon.ToolCallBlock) {
	s.decoder.answer.named(b)
	s.close()
	s.said = true
	input := b.Input.Text
	if b.Input.JSON != nil {
		input = canon.NewText(string(b.Input.JSON))
	}
	b.Input = canon.Input{}
	s.send(canon.Event{Kind: canon.EventBlock, Block: b})
	s.send(canon.Event{Kind: canon.EventDelta, Part: canon.PartInput, Text: input})
	s.end()
}

func (s *streamed) response(b *canon.ToolResultBlock, _ string) { s.block(b) }
