package chat

import (
	"strconv"

	"github.com/crosswalk-agents/crosswalk/canon"
)

// answer follows the blocks of an answer to the few places that the protocol has
// for them. Whole answers and streams go through it, so that both say the same and
// lose the same.
type answer struct {
	report *canon.Report
	// said and thought say that there is content and reasoning, calls counts those.
	said, thought bool
	calls         int
	// last is the kind of the block before, if anything was written of it.
	last canon.BlockKind
	// fresh says that nothing of the open block was written.
	fresh bool
	// parts counts the parts of the open reasoning's summary; full says that it has
	// a text, beside which the summary is left out.
	parts       int
	full, short bool
	// sealed goes with the next call; sealing says that it is the open block's.
	sealed  canon.Text
	sealing bool
}

func (a *answer) lose(what string, act canon.Action, why string) {
	a.report.Lose(canon.Loss{What: what, Action: act, Why: why})
}

// begin begins a block and reports whether the protocol has a place for it.
func (a *answer) begin(b canon.Block) bool {
	a.fresh, a.parts, a.full, a.short, a.sealing = true, 0, false, false, false
	switch b := b.(type) {
	case *canon.TextBlock, *canon.ReasoningBlock:
		return true
	case *canon.ToolCallBlock:
		if b.Call == canon.CallProvider {
			a.lose(string(b.Kind()), canon.Dropped, "the client would run what the vendor has run")
			return false
		}
		if b.Namespace != "" || b.Call == canon.CallShell {
			a.lose(string(b.Kind()), canon.Moved, "a "+string(b.Call)+" call in namespace "+strconv.Quote(b.Namespace)+" becomes a call of a function")
		}
		return true
	case *canon.OpaqueBlock:
		a.lose(string(b.Kind()), canon.Dropped, strconv.Quote(b.Type)+" has no place in an answer")
	case *canon.ToolResultBlock, *canon.ImageBlock, *canon.DocumentBlock, *canon.CompactionBlock:
		a.lose(string(b.Kind()), canon.Dropped, "an answer cannot hold it")
	}
	return false
}

// text returns what a piece of text adds to the content. Texts that follow each
// other are one, as vendors part a text where they cite; others are parted.
func (a *answer) text(t canon.Text) canon.Text {
	if a.fresh && a.said {
		why := "the texts of an answer become one"
		if a.calls > 0 {
			why = "what stands behind a call stands before it"
		}
		a.lose(string(canon.KindText), canon.Moved, why)
		if a.last != canon.KindText {
			t = canon.Join(canon.NewText(between), t)
		}
	} else if a.fresh && a.calls > 0 {
		a.lose(string(canon.KindText), canon.Moved, "what stands behind a call stands before it")
	}
	a.fresh, a.said, a.last = false, true, canon.KindText
	return t
}

// reasoning returns what a piece of reasoning adds to it.
func (a *answer) reasoning(e *canon.Event) (t canon.Text) {
	t = e.Text
	switch e.Part {
	case canon.PartSealed:
		if !a.sealing {
			a.unsealed()
			a.sealing = true
		}
		a.sealed = canon.Join(a.sealed, t.Clone())
		return canon.Text{}
	case canon.PartSummary:
		if a.full {
			if !a.short {
				a.lose("summary", canon.Dropped, "the full text of the reasoning is there")
			}
			a.short = true
			return canon.Text{}
		}
		if e.Summary >= a.parts {
			if a.parts > 0 {
				t = canon.Join(canon.NewText(between), t)
			}
			a.parts = e.Summary + 1
		}
	case canon.PartText, canon.PartInput:
		a.full = true
	}
	if a.fresh && (a.said || a.thought || a.calls > 0) {
		a.lose(string(canon.KindReasoning), canon.Moved, "reasoning stands as one text before the answer")
	}
	if a.fresh && a.thought {
		t = canon.Join(canon.NewText(between), t)
	}
	a.fresh, a.thought, a.last = false, true, canon.KindReasoning
	return t
}

// call counts a call and returns what its vendor sealed for it.
func (a *answer) call(b *canon.ToolCallBlock) (sealed canon.Text) {
	a.calls++
	a.last = canon.KindToolCall
	if b.Ext.Dialect == Name && b.Ext.Get("extra_content") != nil {
		return sealed
	}
	sealed, a.sealed = a.sealed, canon.Text{}
	return sealed
}

// unsealed lists what a vendor sealed as left out, if no call took it.
func (a *answer) unsealed() {
	if !a.sealed.IsEmpty() {
		a.lose(string(canon.KindReasoning), canon.Dropped, sealedWhy)
	}
	a.sealed = canon.Text{}
}

// stop ends the answer and returns the word for why.
func (a *answer) stop(s canon.Stop) string {
	a.unsealed()
	s = s.Settle(a.calls > 0)
	if !s.Sequence.IsEmpty() {
		a.lose("stop_sequence", canon.Dropped, "the protocol does not tell which one it was")
	}
	if s.Detail != "" {
		a.lose("stop detail", canon.Dropped, "the protocol has none")
	}
	switch s.Reason {
	case canon.StopToolCall:
		return "tool_calls"
	case canon.StopContext:
		a.lose("stop", canon.Downgraded, "the end of the context is a limit here")
		return "length"
	case canon.StopLimit:
		return "length"
	case canon.StopRefusal:
		return "content_filter"
	case canon.StopPause:
		a.lose("stop", canon.Downgraded, "a pause is an end here")
	case canon.StopEnd, canon.StopSequence:
	}
	return "stop"
}
