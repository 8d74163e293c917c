package chat_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/dialect"
	"github.com/crosswalk-agents/crosswalk/dialect/chat"
	"github.com/crosswalk-agents/crosswalk/dialect/dialecttest"
)

// drawBlock draws a block of an answer; some have no place in one.
func drawBlock(t *rapid.T) canon.Block {
	word := rapid.SampledFrom([]string{"", "a", "b\n", "\"é😀", " ", "\\"})
	switch rapid.SampledFrom([]string{"text", "refusal", "reasoning", "call", "custom", "provider", "image"}).Draw(t, "kind") {
	case "text":
		return text(word.Draw(t, "text"))
	case "refusal":
		b := text(word.Draw(t, "text"))
		b.Ext = canon.Ext{Dialect: chat.Name, Members: []canon.Member{{Name: "refusal", Value: canon.Raw("true")}}}
		return b
	case "reasoning":
		b := thought(word.Draw(t, "text"), word.Draw(t, "sealed"))
		for range rapid.IntRange(0, 2).Draw(t, "summary") {
			b.Summary = append(b.Summary, canon.NewText(word.Draw(t, "part")))
		}
		return b
	case "call":
		return call(rapid.SampledFrom([]string{"c1", "c2", ""}).Draw(t, "id"), "f", rapid.SampledFrom([]string{`{}`, `{"a":1.0}`, `[]`}).Draw(t, "input"))
	case "custom":
		return &canon.ToolCallBlock{CallID: "c3", Name: "g", Call: canon.CallCustom, Input: canon.Input{Text: canon.NewText(word.Draw(t, "input"))}}
	case "provider":
		return &canon.ToolCallBlock{CallID: "c4", Name: "h", Call: canon.CallProvider, Input: canon.Input{JSON: canon.Raw(`{}`)}}
	}
	return image()
}

// gathered is what a client has of an answer that puts the pieces of a kind
// together, as this protocol's clients do.
func gathered(a *canon.Response) string {
	var content, refusal, thought string
	var calls []string
	for _, b := range a.Blocks {
		switch b := b.(type) {
		case *canon.TextBlock:
			if b.Ext.Get("refusal") != nil {
				refusal += b.Text.String()
			} else {
				content += b.Text.String()
			}
		case *canon.ReasoningBlock:
			thought += b.Text.String()
			if s := b.Capsule.Sealed.String(); s != "" {
				calls = append(calls, "sealed "+s)
			}
		case *canon.ToolCallBlock:
			calls = append(calls, dialecttest.FormatBlock(b))
		}
	}
	return strings.Join(append([]string{content, refusal, thought, string(a.Stop.Reason)}, calls...), "\n")
}

// Whatever the blocks of an answer and their order, a stream says what the whole
// answer says, and loses what that loses.
func TestAStreamSaysWhatTheWholeAnswerSays(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		a := &canon.Response{
			ID: "r1", Model: "m", Blocks: rapid.SliceOfN(rapid.Custom(drawBlock), 0, 6).Draw(rt, "blocks"),
			Stop: canon.Stop{Reason: rapid.SampledFrom([]canon.StopReason{canon.StopEnd, canon.StopToolCall, canon.StopLimit, canon.StopRefusal, canon.StopPause}).Draw(rt, "stop")},
		}
		var whole, streamed canon.Report
		body, err := chat.New().EncodeResponse(nil, a, &whole)
		if err != nil {
			rt.Fatal(err)
		}
		frames := encodeStream(t, a, dialect.StreamOptions{}, &streamed)
		if diff := cmp.Diff(dialecttest.FormatLosses(&whole), dialecttest.FormatLosses(&streamed)); diff != "" {
			rt.Errorf("losses: -whole +streamed:\n%s\n%s", diff, frames)
		}
		want, err := chat.New().DecodeResponse(body, new(canon.Report))
		if err != nil {
			rt.Fatal(err)
		}
		got, err := dialecttest.Read(chat.New(), strings.NewReader(frames))
		if err != nil {
			rt.Fatal(err)
		}
		if diff := cmp.Diff(gathered(want), gathered(got)); diff != "" {
			rt.Errorf("-whole +streamed:\n%s\n%s\n%s", diff, body, frames)
		}
	})
}
