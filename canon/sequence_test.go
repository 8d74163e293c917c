package canon_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/crosswalk-agents/crosswalk/canon"
)

// orderly fails on the first event that is out of order.
type orderly struct {
	t             rapid.TB
	started, over bool
	open          bool
	blocks        int
}

func (o *orderly) add(e *canon.Event) error {
	bad := ""
	switch {
	case o.over:
		bad = "behind the end"
	case !o.started && e.Kind != canon.EventStart && e.Kind != canon.EventError:
		bad = "before the start"
	}
	switch e.Kind {
	case canon.EventStart:
		if o.started {
			bad = "a second start"
		}
		o.started = true
	case canon.EventBlock:
		if o.open || e.Index != o.blocks {
			bad = "a block at the wrong place"
		}
		o.open = true
		o.blocks++
	case canon.EventDelta:
		if !o.open || e.Index != o.blocks-1 {
			bad = "text outside its block"
		}
	case canon.EventBlockEnd:
		if !o.open || e.Index != o.blocks-1 {
			bad = "an end without a block"
		}
		o.open = false
	case canon.EventEnd:
		if o.open {
			bad = "the end within a block"
		}
		o.over = true
	case canon.EventError:
		o.over = true
	case canon.EventPing:
	}
	if bad != "" {
		o.t.Fatalf("%s: %+v", bad, e)
	}
	return nil
}

// However an upstream mixes its blocks, repeats and leaves out, callers get one
// well-formed answer with every block's text in it.
func TestSequencerPutsEventsInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		check := &orderly{t: t}
		var f canon.Folder
		s := canon.NewSequencer(func(e *canon.Event) error { return errors.Join(check.add(e), f.Add(e)) })
		next := func(e canon.Event) {
			if err := s.Next(&e); err != nil {
				t.Fatal(err)
			}
		}
		var want []string
		var ended []bool
		for range rapid.IntRange(0, 40).Draw(t, "steps") {
			switch rapid.IntRange(0, 5).Draw(t, "step") {
			case 0:
				next(canon.Event{Kind: canon.EventStart, Response: &canon.Response{ID: "r"}})
			case 1:
				next(canon.Event{Kind: canon.EventPing})
			case 2:
				next(canon.Event{Kind: canon.EventBlock, Index: len(want), Block: &canon.TextBlock{}})
				want, ended = append(want, ""), append(ended, false)
			case 3:
				i := rapid.IntRange(0, len(want)+1).Draw(t, "block")
				text := rapid.StringMatching(`[a-z]{1,3}`).Draw(t, "text")
				next(canon.Event{Kind: canon.EventDelta, Index: i, Text: canon.NewText(text)})
				if i < len(want) && !ended[i] {
					want[i] += text
				}
			case 4:
				i := rapid.IntRange(0, len(want)).Draw(t, "block")
				next(canon.Event{Kind: canon.EventBlockEnd, Index: i})
				if i < len(want) {
					ended[i] = true
				}
			case 5:
				next(canon.Event{Kind: canon.EventBlockEnd, Index: 99})
			}
		}
		if rapid.Bool().Draw(t, "cut") {
			if err := s.Finish(nil); err != nil {
				t.Fatal(err)
			}
			if _, err := f.Response(); err == nil {
				t.Fatal("a stream that broke off ended well")
			}
			return
		}
		next(canon.Event{Kind: canon.EventEnd, Response: &canon.Response{Stop: canon.Stop{Reason: canon.StopToolCall}}})
		next(canon.Event{Kind: canon.EventEnd, Response: &canon.Response{}})
		if err := s.Finish(nil); err != nil {
			t.Fatal(err)
		}
		r, err := f.Response()
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, b := range r.Blocks {
			got = append(got, b.(*canon.TextBlock).Text.String())
		}
		if strings.Join(got, "|") != strings.Join(want, "|") || len(got) != len(want) || r.Stop.Reason != canon.StopEnd {
			t.Fatalf("%q, stop %s, want %q", got, r.Stop.Reason, want)
		}
	})
}

func TestSequencerSettlesWhyAnAnswerEnded(t *testing.T) {
	function, provider := &canon.ToolCallBlock{Call: canon.CallFunction}, &canon.ToolCallBlock{Call: canon.CallProvider}
	for _, tt := range []struct {
		block canon.Block
		says  canon.StopReason
		want  canon.StopReason
	}{
		{&canon.TextBlock{}, canon.StopToolCall, canon.StopEnd},
		{&canon.TextBlock{}, "", canon.StopEnd},
		{provider, canon.StopToolCall, canon.StopEnd},
		{function, canon.StopEnd, canon.StopToolCall},
		{function, "", canon.StopToolCall},
		{function, canon.StopSequence, canon.StopToolCall},
		{function, canon.StopLimit, canon.StopLimit},
		{function, canon.StopRefusal, canon.StopRefusal},
		{&canon.TextBlock{}, canon.StopSequence, canon.StopSequence},
		{&canon.TextBlock{}, canon.StopPause, canon.StopPause},
	} {
		t.Run(fmt.Sprintf("%s and %q", tt.block.Kind(), tt.says), func(t *testing.T) {
			var f canon.Folder
			s := canon.NewSequencer(f.Add)
			for _, e := range []*canon.Event{{Kind: canon.EventBlock, Block: tt.block}, {Kind: canon.EventEnd, Response: &canon.Response{Stop: canon.Stop{Reason: tt.says}}}} {
				if err := s.Next(e); err != nil {
					t.Fatal(err)
				}
			}
			if r, err := f.Response(); err != nil || r.Stop.Reason != tt.want {
				t.Errorf("%+v, %v", r, err)
			}
		})
	}
}

func TestSequencerFailsWithWhatTheUpstreamSaid(t *testing.T) {
	for name, tt := range map[string]struct {
		err  error
		said bool
		want canon.APIError
	}{
		"closed early":   {nil, true, canon.APIError{Kind: canon.ErrInternal, Message: "the upstream's answer broke off before its end"}},
		"empty":          {nil, false, canon.APIError{Kind: canon.ErrInternal, Message: "the upstream's answer is empty"}},
		"reset":          {errors.New("reset"), true, canon.APIError{Kind: canon.ErrInternal, Message: "the upstream's answer broke off before its end: reset"}},
		"an API's error": {fmt.Errorf("x: %w", &canon.APIError{Status: 529, Kind: canon.ErrOverloaded, Message: "busy"}), true, canon.APIError{Status: 529, Kind: canon.ErrOverloaded, Message: "busy"}},
	} {
		t.Run(name, func(t *testing.T) {
			var f canon.Folder
			s := canon.NewSequencer(f.Add)
			if tt.said {
				if err := s.Next(&canon.Event{Kind: canon.EventBlock, Block: &canon.TextBlock{}}); err != nil {
					t.Fatal(err)
				}
			}
			if err := s.Finish(tt.err); err != nil || !s.Over() {
				t.Fatal(err)
			}
			_, err := f.Response()
			var api *canon.APIError
			if !errors.As(err, &api) || *api != tt.want {
				t.Errorf("%+v, want %+v", err, tt.want)
			}
		})
	}
}

func TestSequencerHoldsOnlySoMuch(t *testing.T) {
	s := canon.NewSequencer(func(*canon.Event) error { return nil })
	block := func(i int) error {
		return s.Next(&canon.Event{Kind: canon.EventBlock, Index: i, Block: &canon.TextBlock{}})
	}
	if err := errors.Join(block(0), block(1)); err != nil {
		t.Fatal(err)
	}
	long := canon.NewText(strings.Repeat("x", 1<<20))
	for range 40 {
		if err := s.Next(&canon.Event{Kind: canon.EventDelta, Index: 1, Text: long}); err != nil {
			return
		}
	}
	t.Error("40 MB are held back")
}

// An upstream chooses the numbers of a summary's parts.
func TestFolderBoundsWhatAnUpstreamNumbers(t *testing.T) {
	for _, e := range []*canon.Event{
		{Kind: canon.EventDelta, Part: canon.PartSummary, Summary: 3_000_000, Text: canon.NewText("x")},
		{Kind: canon.EventDelta, Part: canon.PartSummary, Summary: -1, Text: canon.NewText("x")},
		{Kind: canon.EventDelta, Index: -1, Text: canon.NewText("x")},
		{Kind: canon.EventDelta, Index: 1, Text: canon.NewText("x")},
	} {
		var f canon.Folder
		if err := f.Add(&canon.Event{Kind: canon.EventBlock, Block: &canon.ReasoningBlock{}}); err != nil {
			t.Fatal(err)
		}
		if f.Add(e) == nil {
			t.Errorf("%+v is taken", e)
		}
	}
}

func TestEffortIsTheNearestThatIsSupported(t *testing.T) {
	some := []canon.Effort{canon.EffortLow, canon.EffortHigh}
	for _, tt := range []struct {
		is        canon.Effort
		supported []canon.Effort
		want      canon.Effort
	}{
		{canon.EffortLow, some, canon.EffortLow},
		{canon.EffortMedium, some, canon.EffortHigh}, // of two as near the greater
		{canon.EffortMinimal, some, canon.EffortLow},
		{canon.EffortUltra, some, canon.EffortHigh},
		{canon.EffortMinimal, []canon.Effort{"auto", canon.EffortHigh}, canon.EffortHigh},
		{canon.EffortHigh, nil, canon.EffortUnset},
		{"turbo", some, "turbo"},
	} {
		if got := tt.is.Nearest(tt.supported); got != tt.want {
			t.Errorf("%s of %v: %s, want %s", tt.is, tt.supported, got, tt.want)
		}
	}
	for budget, want := range map[int64]canon.Effort{0: canon.EffortNone, 1024: canon.EffortLow, 31_999: canon.EffortMax, 1_000_000: canon.EffortUltra, 768: canon.EffortLow} {
		if got := canon.EffortOf(budget); got != want {
			t.Errorf("%d tokens: %s, want %s", budget, got, want)
		}
	}
}

// What waits for its turn outlives the event that brought it.
func TestTextThatWaitsIsKept(t *testing.T) {
	var f canon.Folder
	s := canon.NewSequencer(f.Add)
	frame := []byte(`"held back"`)
	text, _ := canon.LiteralText(frame)
	for _, e := range []*canon.Event{
		{Kind: canon.EventBlock, Block: &canon.TextBlock{}},
		{Kind: canon.EventBlock, Index: 1, Block: &canon.TextBlock{}},
		{Kind: canon.EventDelta, Index: 1, Text: text},
	} {
		if err := s.Next(e); err != nil {
			t.Fatal(err)
		}
	}
	for i := range frame {
		frame[i] = '#'
	}
	if err := s.Next(&canon.Event{Kind: canon.EventEnd, Response: &canon.Response{}}); err != nil {
		t.Fatal(err)
	}
	a, err := f.Response()
	if err != nil {
		t.Fatal(err)
	}
	if got := a.Blocks[1].(*canon.TextBlock).Text.String(); got != "held back" {
		t.Errorf("it became %q", got)
	}
}
