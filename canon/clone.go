package canon

import (
	"bytes"
	"slices"
)

// CloneBlock returns b with memory of its own, for what outlives its event: what a
// decoder read of a frame is valid until the next one.
func CloneBlock(b Block) Block {
	switch b := b.(type) {
	case *TextBlock:
		c := *b
		c.Ext, c.Text = b.Ext.clone(), b.Text.Clone()
		return &c
	case *ImageBlock:
		c := *b
		c.Ext, c.Media = b.Ext.clone(), b.clone()
		return &c
	case *DocumentBlock:
		c := *b
		c.Ext, c.Media = b.Ext.clone(), b.clone()
		return &c
	case *ReasoningBlock:
		c := *b
		c.Ext, c.Text, c.Capsule.Sealed = b.Ext.clone(), b.Text.Clone(), b.Capsule.Sealed.Clone()
		c.Summary = slices.Clone(b.Summary)
		for i, s := range c.Summary {
			c.Summary[i] = s.Clone()
		}
		return &c
	case *ToolCallBlock:
		c := *b
		c.Ext, c.Input = b.Ext.clone(), Input{JSON: bytes.Clone(b.Input.JSON), Text: b.Input.Text.Clone()}
		return &c
	case *ToolResultBlock:
		c := *b
		c.Ext, c.Content = b.Ext.clone(), slices.Clone(b.Content)
		for i, inner := range c.Content {
			c.Content[i] = CloneBlock(inner)
		}
		return &c
	case *CompactionBlock:
		c := *b
		c.Ext, c.Capsule.Sealed = b.Ext.clone(), b.Capsule.Sealed.Clone()
		return &c
	case *OpaqueBlock:
		c := *b
		c.Ext, c.Raw, c.Words = b.Ext.clone(), bytes.Clone(b.Raw), b.Words.Clone()
		return &c
	}
	return b
}

// clone returns m with memory of its own.
func (m *Media) clone() Media {
	c := *m
	c.Data, c.URL, c.Plain = m.Data.Clone(), m.URL.Clone(), m.Plain.Clone()
	return c
}

// clone returns e with memory of its own.
func (e *Ext) clone() Ext {
	c := *e
	c.Members = slices.Clone(e.Members)
	for i := range c.Members {
		c.Members[i].Value = bytes.Clone(c.Members[i].Value)
	}
	return c
}
