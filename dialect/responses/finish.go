package responses

import (
	"bytes"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// done takes in an item that is whole: as deltas announced it, or for the first
// time.
func (d *decoder) done(it *streamItem, item canon.Raw, emit emitter) error {
	if it.done {
		return nil
	}
	it.done = true
	if it.block < 0 { // its blocks may outlive the frame
		item = bytes.Clone(item)
	}
	read := readAnswerItem(jsonx.NewDecoder(item), d.report)
	d.refused = d.refused || read.refused
	if it.typ == "" {
		it.typ = read.typ
	}
	switch {
	case it.typ == "message":
		return d.message(it, read.blocks, emit)
	case it.block < 0 || len(read.blocks) != 1:
		return d.replay(read.blocks, emit)
	}
	if err := d.rest(it, read.blocks[0], emit); err != nil {
		return err
	}
	return emit(&canon.Event{Kind: canon.EventBlockEnd, Index: it.block})
}

// message emits what has not come yet of a message.
func (d *decoder) message(it *streamItem, blocks []canon.Block, emit emitter) error {
	for n, b := range blocks {
		t, ok := b.(*canon.TextBlock)
		if !ok {
			continue
		}
		p := it.piece(canon.PartText, n)
		if p.block < 0 {
			if err := d.replay([]canon.Block{t}, emit); err != nil {
				return err
			}
			p.ended = true
			continue
		}
		if err := d.settle(it, p, t.Text, emit); err != nil {
			return err
		}
		if err := d.endPiece(p, emit); err != nil {
			return err
		}
	}
	for _, p := range it.pieces {
		if err := d.endPiece(p, emit); err != nil {
			return err
		}
	}
	return nil
}

// rest emits what has not come yet of a call or of reasoning.
func (d *decoder) rest(it *streamItem, b canon.Block, emit emitter) error {
	switch b := b.(type) {
	case *canon.ToolCallBlock:
		in := b.Input.Text
		if b.Input.JSON != nil {
			in = canon.NewText(string(b.Input.JSON))
		}
		if string(b.Input.JSON) == "{}" {
			return nil // no input at all says the same
		}
		return d.settle(it, it.piece(canon.PartInput, 0), in, emit)
	case *canon.ReasoningBlock:
		for n, t := range b.Summary {
			if err := d.settle(it, it.piece(canon.PartSummary, n), t, emit); err != nil {
				return err
			}
		}
		if !it.has(canon.PartText) {
			if err := d.settle(it, it.piece(canon.PartText, 0), b.Text, emit); err != nil {
				return err
			}
		}
		return d.settle(it, it.piece(canon.PartSealed, 0), b.Capsule.Sealed, emit)
	}
	return nil
}

// has reports whether deltas brought a piece of the kind.
func (it *streamItem) has(kind canon.Part) bool {
	for _, p := range it.pieces {
		if p.kind == kind && p.block >= 0 {
			return true
		}
	}
	return false
}

// replay emits blocks that are whole.
func (d *decoder) replay(blocks []canon.Block, emit emitter) error {
	a := canon.Response{}
	for _, b := range blocks {
		if b != nil {
			a.Blocks = append(a.Blocks, b)
		}
	}
	first := d.blocks
	d.blocks += len(a.Blocks)
	for e := range a.Events() {
		if e.Kind == canon.EventStart || e.Kind == canon.EventEnd {
			continue
		}
		e.Index += first
		if err := emit(e); err != nil {
			return err
		}
	}
	return nil
}

// end takes in the end of the answer, with all its items once more.
func (d *decoder) end(fr *frame, emit emitter) error {
	if !d.started { // the head outlives the frame
		fr.response = bytes.Clone(fr.response)
	}
	var h head
	if fr.response != nil {
		h = readHead(jsonx.NewDecoder(fr.response))
	}
	if h.status == "" || h.status == inProgress {
		h.status = map[string]string{"response.failed": failed, "response.incomplete": incomplete, "response.cancelled": failed}[fr.typ]
	}
	if !d.started {
		d.started = true
		start := h.answer
		if err := emit(&canon.Event{Kind: canon.EventStart, Response: &start}); err != nil {
			return err
		}
	}
	if h.failure() != nil || fr.typ == "response.failed" {
		d.over = true
		return emit(&canon.Event{Kind: canon.EventError, Err: h.apiError()})
	}
	if err := d.remaining(&h, emit); err != nil {
		return err
	}
	d.over = true
	return emit(&canon.Event{Kind: canon.EventEnd, Response: &canon.Response{Stop: h.stop(d.refused), Usage: h.answer.Usage}})
}

// remaining takes in the items that have not come whole.
func (d *decoder) remaining(h *head, emit emitter) error {
	if h.output.Kind() == jsonx.Array {
		out := jsonx.NewDecoder(h.output)
		for i := range out.Elements() {
			item := out.Raw()
			it := d.find(&frame{item: item, output: int64(i)}, typeOf(item))
			if err := d.done(it, item, emit); err != nil {
				return err
			}
		}
	}
	for _, it := range d.items {
		if it.done || it.raw == nil {
			continue
		}
		if err := d.done(it, it.raw, emit); err != nil {
			return err
		}
	}
	return nil
}

// Close implements [dialect.Decoder]. An answer ends with its last event and never
// without it.
func (d *decoder) Close(func(*canon.Event) error) error { return nil }
