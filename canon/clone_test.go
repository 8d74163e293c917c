package canon_test

import (
	"strings"
	"testing"

	"github.com/crosswalk-agents/crosswalk/canon"
)

// page is memory that a reader of frames uses again.
type page struct{ parts [][]byte }

func (p *page) raw(s string) canon.Raw {
	b := []byte(s)
	p.parts = append(p.parts, b)
	return b
}

func (p *page) text(s string) canon.Text {
	t, _ := canon.LiteralText(p.raw(`"` + s + `"`))
	return t
}

// reuse writes something else there.
func (p *page) reuse() {
	for _, b := range p.parts {
		copy(b, strings.Repeat("X", len(b)))
	}
}

// blocksOn makes a block of every kind whose content is on a page.
func blocksOn(p *page) map[string]canon.Block {
	meta := func() canon.BlockMeta {
		return canon.BlockMeta{Ext: canon.Ext{Dialect: "d", Members: []canon.Member{{Name: "more", Value: p.raw(`{"a":"kept"}`)}}}}
	}
	media := func() canon.Media { return canon.Media{MediaType: "t", Data: p.text("kept"), Plain: p.text("kept")} }
	sealed := func() canon.Capsule { return canon.Capsule{Issuer: "d", Sealed: p.text("kept")} }
	call := func() *canon.ToolCallBlock {
		return &canon.ToolCallBlock{BlockMeta: meta(), CallID: "c", Input: canon.Input{JSON: p.raw(`{"a":"kept"}`)}}
	}
	return map[string]canon.Block{
		"text": &canon.TextBlock{BlockMeta: meta(), Text: p.text("kept")}, "image": &canon.ImageBlock{BlockMeta: meta(), Media: media()},
		"document":  &canon.DocumentBlock{BlockMeta: meta(), Media: media()},
		"reasoning": &canon.ReasoningBlock{BlockMeta: meta(), Text: p.text("kept"), Summary: []canon.Text{p.text("kept")}, Capsule: sealed()},
		"call":      call(), "result": &canon.ToolResultBlock{BlockMeta: meta(), Content: []canon.Block{call(), &canon.TextBlock{Text: p.text("kept")}}},
		"compaction": &canon.CompactionBlock{BlockMeta: meta(), Capsule: sealed()},
		"opaque":     &canon.OpaqueBlock{BlockMeta: meta(), Dialect: "d", Raw: p.raw(`{"a":"kept"}`)},
	}
}

// spoiled reports whether something of a block was not kept.
func spoiled(t *testing.T, b canon.Block) bool {
	t.Helper()
	var said strings.Builder
	say := func(texts ...canon.Text) {
		for _, x := range texts {
			said.WriteString(x.String())
		}
	}
	switch b := b.(type) {
	case *canon.TextBlock:
		say(b.Text)
	case *canon.ImageBlock:
		say(b.Data, b.Plain)
	case *canon.DocumentBlock:
		say(b.Data, b.Plain)
	case *canon.ReasoningBlock:
		say(append(b.Summary, b.Text, b.Capsule.Sealed)...)
	case *canon.ToolCallBlock:
		said.Write(b.Input.JSON)
	case *canon.ToolResultBlock:
		for _, inner := range b.Content {
			if spoiled(t, inner) {
				return true
			}
		}
	case *canon.CompactionBlock:
		say(b.Capsule.Sealed)
	case *canon.OpaqueBlock:
		said.Write(b.Raw)
	}
	for _, m := range b.Meta().Ext.Members {
		said.Write(m.Value)
	}
	return strings.Contains(said.String(), "X") || b.Kind() != canon.KindToolResult && !strings.Contains(said.String(), "kept")
}

// An event is valid until the next one: who keeps a block keeps all of it.
func TestBlocksOutliveTheFramesTheyWereReadFrom(t *testing.T) {
	for kind := range blocksOn(new(page)) {
		t.Run("folded "+kind, func(t *testing.T) {
			var p page
			var f canon.Folder
			for _, e := range []func() *canon.Event{
				func() *canon.Event {
					ext := canon.Ext{Dialect: "d", Members: []canon.Member{{Name: "more", Value: p.raw(`"kept"`)}}}
					return &canon.Event{Kind: canon.EventStart, Response: &canon.Response{Ext: ext}}
				},
				func() *canon.Event { return &canon.Event{Kind: canon.EventBlock, Block: blocksOn(&p)[kind]} },
				func() *canon.Event { return &canon.Event{Kind: canon.EventBlockEnd} },
				func() *canon.Event {
					stop := canon.Stop{Reason: canon.StopSequence, Sequence: p.text("kept")}
					return &canon.Event{Kind: canon.EventEnd, Response: &canon.Response{Stop: stop}}
				},
			} {
				if err := f.Add(e()); err != nil {
					t.Fatal(err)
				}
				p.reuse()
			}
			a, err := f.Response()
			if err != nil {
				t.Fatal(err)
			}
			if spoiled(t, a.Blocks[0]) || a.Stop.Sequence.String() != "kept" || strings.Contains(string(a.Ext.Members[0].Value), "X") {
				t.Errorf("%+v of %+v", a.Blocks[0], a)
			}
		})
		t.Run("held "+kind, func(t *testing.T) {
			var p page
			held := canon.Block(nil)
			s := canon.NewSequencer(func(e *canon.Event) error {
				if e.Kind == canon.EventBlock && e.Index == 1 && spoiled(t, e.Block) {
					t.Errorf("%+v", e.Block)
				}
				if e.Kind == canon.EventBlock && e.Index == 1 {
					held = e.Block
				}
				return nil
			})
			for _, e := range []*canon.Event{
				{Kind: canon.EventBlock, Block: &canon.TextBlock{}},
				{Kind: canon.EventBlock, Index: 1, Block: blocksOn(&p)[kind]},
				{Kind: canon.EventBlockEnd},
			} {
				if err := s.Next(e); err != nil {
					t.Fatal(err)
				}
				if e.Index == 1 {
					p.reuse()
				}
			}
			if held == nil {
				t.Error("the block did not come")
			}
		})
	}
}

// However an answer comes, what it holds is counted: its size has a limit.
func TestASizeCountsWhatBlocksBring(t *testing.T) {
	long := canon.NewText(strings.Repeat("x", 1000))
	for name, b := range map[string]canon.Block{
		"image": &canon.ImageBlock{Media: canon.Media{Data: long}}, "document": &canon.DocumentBlock{Media: canon.Media{Plain: long}},
		"opaque": &canon.OpaqueBlock{Raw: canon.Raw(long.String())}, "result": &canon.ToolResultBlock{Content: []canon.Block{&canon.ImageBlock{Media: canon.Media{URL: long}}}},
		"members": &canon.TextBlock{BlockMeta: canon.BlockMeta{Ext: canon.Ext{Members: []canon.Member{{Name: "m", Value: canon.Raw(long.String())}}}}},
	} {
		var f canon.Folder
		if err := f.Add(&canon.Event{Kind: canon.EventBlock, Block: b}); err != nil || f.Size() < 1000 {
			t.Errorf("%s: %d, %v", name, f.Size(), err)
		}
	}
	var f canon.Folder
	for i := range 1000 {
		if err := f.Add(&canon.Event{Kind: canon.EventBlock, Index: i, Block: &canon.TextBlock{}}); err != nil {
			t.Fatal(err)
		}
	}
	if f.Size() < 1000 {
		t.Errorf("1000 blocks are %d bytes", f.Size())
	}
}
