package chat_test

import (
	"bytes"
	"testing"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/dialect/chat"
)

// TestStops holds what becomes of reasons to end, on the way out.
func TestStops(t *testing.T) {
	for _, tt := range []struct {
		name   string
		stop   canon.Stop
		blocks []canon.Block
		want   string
		losses int
	}{
		{"gateway/F1: an end", canon.Stop{Reason: canon.StopEnd}, nil, "stop", 0},
		{"gateway/F1: a stop sequence", canon.Stop{Reason: canon.StopSequence}, nil, "stop", 0},
		{"gateway/F1: which stop sequence it was", canon.Stop{Reason: canon.StopSequence, Sequence: canon.NewText("END")}, nil, "stop", 1},
		{"gateway/F1: a call", canon.Stop{Reason: canon.StopToolCall}, []canon.Block{call("c", "f", `{}`)}, "tool_calls", 0},
		{"gateway/F1: a call in spite of the reason", canon.Stop{Reason: canon.StopEnd}, []canon.Block{call("c", "f", `{}`)}, "tool_calls", 0},
		{"gateway/B4: a call that is not there", canon.Stop{Reason: canon.StopToolCall}, []canon.Block{text("a")}, "stop", 0},
		{"a call that the vendor ran", canon.Stop{Reason: canon.StopToolCall}, []canon.Block{&canon.ToolCallBlock{Call: canon.CallProvider}}, "stop", 1},
		{"gateway/F1: the limit", canon.Stop{Reason: canon.StopLimit}, []canon.Block{call("c", "f", `{}`)}, "length", 0},
		{"gateway/F1: the context", canon.Stop{Reason: canon.StopContext}, nil, "length", 1},
		{"gateway/F1: a refusal", canon.Stop{Reason: canon.StopRefusal, Detail: "policy"}, nil, "content_filter", 1},
		{"gateway/F1: a pause", canon.Stop{Reason: canon.StopPause}, nil, "stop", 1},
		{"no reason at all", canon.Stop{}, nil, "stop", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var r canon.Report
			a := &canon.Response{Blocks: tt.blocks, Stop: tt.stop}
			out, err := chat.New().EncodeResponse(nil, a, &r)
			if err != nil {
				t.Fatal(err)
			}
			if want := `"finish_reason":"` + tt.want + `"`; !bytes.Contains(out, []byte(want)) || len(r.Losses) != tt.losses {
				t.Errorf("%s, losses %v, want %s", out, r.Losses, want)
			}
		})
	}
}

// gateway/E3: the whole prompt is counted, what the cache read and wrote included,
// and once.
func TestUsage(t *testing.T) {
	t.Run("gateway/E3", func(t *testing.T) {
		a := &canon.Response{Usage: &canon.Usage{Input: 120, CacheRead: 100, CacheWrite: 7, Output: 30, Reasoning: 11}}
		out, err := chat.New().EncodeResponse(nil, a, new(canon.Report))
		want := `"usage":{"prompt_tokens":120,"completion_tokens":30,"total_tokens":150,"prompt_tokens_details":{"cached_tokens":100,"cache_write_tokens":7},"completion_tokens_details":{"reasoning_tokens":11}}`
		if err != nil || !bytes.Contains(out, []byte(want)) {
			t.Errorf("%s, %v", out, err)
		}
		back, err := chat.New().DecodeResponse(out, new(canon.Report))
		if err != nil || *back.Usage != *a.Usage {
			t.Errorf("%+v, %v", back.Usage, err)
		}
	})
}
