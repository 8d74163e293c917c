package chat

import (
	"bytes"

	"github.com/crosswalk-agents/crosswalk/canon"
)

// openCall is a call of a streamed answer. It stays open to the end: servers may
// write several at once.
type openCall struct {
	index int64 // as the upstream counts, -1 if it does not
	id    string
	block int
	begun bool
	head  call
	// held is the input that came before the name.
	held []byte
}

// find returns the call that a piece belongs to, nil if it begins one.
func (d *decoder) find(c *call) *openCall {
	for i := len(d.calls) - 1; i >= 0; i-- {
		o := d.calls[i]
		switch {
		case c.index >= 0 && o.index >= 0 && o.index != c.index:
			continue
		case c.id != "" && o.id != "":
			if o.id == c.id {
				return o
			}
			if c.index >= 0 { // another id at the place of one is another call
				return nil
			}
			continue
		case c.index < 0 && c.name != "":
			return nil // neither a place nor an id, but a name
		case c.name != "" && o.begun && (c.name != o.head.name || c.id != ""):
			return nil
		}
		return o
	}
	return nil
}

// fragment adds a piece of a call, or a whole one.
func (d *decoder) fragment(c call, emit emitFunc) error {
	d.finished = false
	o := d.find(&c)
	if o == nil {
		o = &openCall{index: c.index, id: c.id, head: c}
		o.head.own()
		d.calls = append(d.calls, o)
	} else if !o.begun {
		more := c
		o.head.merge(&more)
	} else if !c.signature.IsEmpty() {
		d.lose("thought_signature")
	}
	if o.id == "" {
		o.id = c.id
	}
	input := c.arguments
	if c.object != nil {
		if input = canon.NewText(string(c.object)); string(c.object) == "{}" {
			input = canon.Text{} // as for a call without any
		}
	}
	if !o.begun && o.head.name == "" {
		o.held = input.AppendTo(o.held)
		return nil
	}
	if err := d.beginCall(o, emit); err != nil {
		return err
	}
	return d.input(o, input, emit)
}

// merge takes what a further piece tells of a call that has not begun.
func (c *call) merge(more *call) {
	if c.id == "" {
		c.id = more.id
	}
	if c.name == "" {
		c.name = more.name
	}
	more.own()
	if !more.signature.IsEmpty() {
		c.signature = more.signature
	}
	c.custom = c.custom || more.custom
	for _, m := range more.ext.Members {
		add(&c.ext, m)
	}
}

// own gives c memory of its own: a chunk's is used again.
func (c *call) own() {
	c.arguments, c.object = canon.Text{}, nil
	c.signature = c.signature.Clone()
	for i, m := range c.ext.Members {
		c.ext.Members[i].Value = bytes.Clone(m.Value)
	}
}

func (d *decoder) input(o *openCall, t canon.Text, emit emitFunc) error {
	if t.IsEmpty() {
		return nil
	}
	return emit(&canon.Event{Kind: canon.EventDelta, Index: o.block, Part: canon.PartInput, Text: t})
}

// beginCall announces a call, behind what its vendor sealed for it.
func (d *decoder) beginCall(o *openCall, emit emitFunc) error {
	if o.begun {
		return nil
	}
	o.begun = true
	if err := d.endThink(emit); err != nil {
		return err
	}
	if err := d.capsule(o.head.signature, emit); err != nil {
		return err
	}
	if err := d.closeText(emit); err != nil {
		return err
	}
	b := o.head.block()
	if b.CallID == "" {
		b.CallID = missingID(d.head.ID, d.place(o))
	}
	o.head.signature = canon.Text{}
	o.block = d.blocks
	if err := d.begin(b, emit); err != nil {
		return err
	}
	held := o.held
	o.held = nil
	return d.input(o, canon.NewText(string(held)), emit)
}

// place returns how many calls stand before o.
func (d *decoder) place(o *openCall) int {
	for i, x := range d.calls {
		if x == o {
			return i
		}
	}
	return len(d.calls)
}

// capsule adds what a vendor sealed for the next call, to the reasoning before it
// if that is the last that was said.
func (d *decoder) capsule(sealed canon.Text, emit emitFunc) error {
	if sealed.IsEmpty() {
		return nil
	}
	if d.openKind != canon.KindReasoning {
		if err := d.closeText(emit); err != nil {
			return err
		}
		d.open, d.openKind = d.blocks, canon.KindReasoning
		b := &canon.ReasoningBlock{Redacted: true, Capsule: canon.Capsule{Issuer: Name}}
		if err := d.begin(b, emit); err != nil {
			return err
		}
	}
	return emit(&canon.Event{Kind: canon.EventDelta, Index: d.open, Part: canon.PartSealed, Text: sealed})
}

// endCalls begins the calls that never got a name: the client is to see them.
func (d *decoder) endCalls(emit emitFunc) error {
	for _, o := range d.calls {
		if err := d.beginCall(o, emit); err != nil {
			return err
		}
	}
	return nil
}
