package codex_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/agent/agenttest"
	"github.com/crosswalk-agents/crosswalk/agent/codex"
	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/fixture"
)

// mostMemory is what reading may take of any file, beside three times its
// longest record.
const mostMemory = 64 << 20

// Reports of 10 to 37 GB concern growth by repetition: what is tested is that
// memory does not follow the size, and that what is repeated is not read.
func TestLargeFilesTakeBoundedMemory(t *testing.T) {
	filler := strings.Repeat("x", 4000)
	image := strings.Repeat("A", 1<<20)
	long := strings.Repeat("x", 500_000)
	for name, tt := range map[string]struct {
		size   int64
		record func(i int) string
		view   agent.View
		want   int // messages; 0 is many
		last   string
	}{
		"openai/codex#28866": {100 << 20, func(i int) string {
			if i == 0 {
				return meta(threadID)
			}
			return prompt(fmt.Sprint("prompt ", i)) + answer(filler)
		}, "", 0, ""},
		"openai/codex#30932": {100 << 20, func(i int) string {
			if i == 0 {
				return meta(threadID) + prompt("go") + answer("ok")
			}
			return compacted(fmt.Sprint("kept ", i), long)
		}, "", 2, "kept"},
		"openai/codex#24948": {50 << 20, func(i int) string {
			if i == 0 {
				return meta(threadID)
			}
			return prompt(fmt.Sprint("prompt ", i)) + compacted(fmt.Sprint("kept ", i), long)
		}, "", 2, "kept"},
		"openai/codex#24948, full view": {50 << 20, func(i int) string {
			if i == 0 {
				return meta(threadID)
			}
			return prompt(fmt.Sprint("prompt ", i)) + compacted(fmt.Sprint("kept ", i), long)
		}, agent.FullView, 0, ""},
		"openai/codex#34863": {100 << 20, func(i int) string {
			if i == 0 {
				return meta(threadID) + prompt("look")
			}
			return item(fmt.Sprintf(`{"type":"function_call","name":"view_image","arguments":"{}","call_id":"c%d"}`, i)) +
				item(fmt.Sprintf(`{"type":"function_call_output","call_id":"c%d","output":[{"type":"input_image","image_url":"data:image/png;base64,`, i)+image+`"}]}`)
		}, "", 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), rollout(threadID))
			agenttest.Generate(t, path, tt.size, tt.record)
			start := time.Now()
			n, last := 0, ""
			peak := agenttest.PeakMemory(t, func() { n, last = drainCounting(t, path, tt.view) })
			if tt.want > 0 && n != tt.want || n == 0 || !strings.Contains(last, tt.last) {
				t.Errorf("%d messages, the last %q; want %d", n, last, tt.want)
			}
			if peak > mostMemory {
				t.Errorf("%d MB of memory", peak>>20)
			}
			t.Logf("%d messages, %d MB, %v", n, peak>>20, time.Since(start))
		})
	}
}

func compacted(kept, long string) string {
	return stamp + `"type":"compacted","payload":{"message":"","replacement_history":[{"type":"message","role":"user","content":[{"type":"input_text","text":"` + long +
		`"}]},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"` + kept + `"}]}]}}` + "\n"
}

func drainCounting(t *testing.T, path string, view agent.View) (n int, last string) {
	t.Helper()
	s, err := codex.New().Open(t.Context(), path, agent.OpenOptions{View: view, Report: new(canon.Report), Home: agent.Home{Dir: t.TempDir(), Getenv: noEnv}})
	must(t, err)
	for m, err := range s.Messages(t.Context()) {
		must(t, err)
		n++
		if b, ok := m.First().(*canon.TextBlock); ok {
			last = b.Text.Head(100)
		}
	}
	must(t, s.Close())
	return n, last
}

// A line of 40 MB is one record like any other; what the target cannot hold
// becomes a counted placeholder.
func TestLongLinesAreRead(t *testing.T) {
	const size = 40 << 20
	path := filepath.Join(t.TempDir(), rollout(threadID))
	image := strings.Repeat("A", size)
	agenttest.Generate(t, path, 0, func(int) string {
		return meta(threadID) + prompt("go") + item(`{"type":"message","role":"user","content":[{"type":"input_image","image_url":"data:image/png;base64,`+image+`"}]}`) + answer("ok")
	})
	n := 0
	if peak := agenttest.PeakMemory(t, func() { n, _ = drainCounting(t, path, "") }); peak > mostMemory+3*size {
		t.Errorf("%d MB of memory", peak>>20)
	}
	if n != 3 {
		t.Errorf("%d messages", n)
	}
	f := written(t, typed(text("go"), picture("image/png", image)), said(text("ok")))
	if f.report.Dropped[canon.CountKind(canon.KindImage)] != 1 || !strings.Contains(strings.Join(f.lines, "\n"), "image left out") {
		t.Errorf("dropped %v", f.report.Dropped)
	}
}

// Replays that would cost the square of their size take time in proportion.
func TestHostileReplaysCostNoMoreThanTheirSize(t *testing.T) {
	for name, record := range map[string]func(i int) string{
		"rollbacks of nothing": func(i int) string {
			return says("assistant", "x") + event(`{"type":"thread_rolled_back","num_turns":1}`)
		},
		"rollbacks of all": func(i int) string {
			return says("user", "x") + event(`{"type":"thread_rolled_back","num_turns":4294967295}`)
		},
		"rollbacks of one": func(i int) string {
			return says("user", "x") + says("user", "y") + event(`{"type":"thread_rolled_back","num_turns":1}`)
		},
		"compactions of prompts": func(i int) string {
			return says("user", "x") + stamp + `"type":"compacted","payload":{"message":"s"}}` + "\n"
		},
		"compactions without end": func(i int) string {
			return compacted("k", "x") + stamp + `"type":"compacted","payload":{"message":"s"}}` + "\n"
		},
		"sealed compactions": func(i int) string {
			return strings.Replace(compacted("k", "x"), `{"type":"message"`, `{"type":"compaction","encrypted_content":"g"},{"type":"message"`, 1)
		},
		"models that change": func(i int) string {
			return stamp + fmt.Sprintf(`"type":"turn_context","payload":{"model":"m%d"}}`, i) + "\n" + says("assistant", "x")
		},
		"metas": func(i int) string { return meta(fmt.Sprint("other", i)) },
		"negative and huge counts": func(i int) string {
			return says("user", "x") + event(`{"type":"thread_rolled_back","num_turns":-1}`) + event(`{"type":"thread_rolled_back","num_turns":1e99}`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			fixture.InProportion(t, 30_000, func(n int) time.Duration {
				var b strings.Builder
				b.WriteString(meta(threadID))
				for i := range n {
					b.WriteString(record(i))
				}
				b.WriteString(says("user", "end"))
				path := put(t, b.String())
				return fixture.Time(func() { drainCounting(t, path, "") })
			})
		})
	}
}

// A compressed file that unpacks without end is refused.
func TestBombIsRefused(t *testing.T) {
	if testing.Short() {
		t.Skip("unpacks 64 MB")
	}
	path := filepath.Join(t.TempDir(), rollout(threadID)+".zst")
	agenttest.Generate(t, path, 0, func(int) string { return packed(t, meta(threadID)+strings.Repeat("\x00", 80<<20)) })
	s, err := codex.New().Open(context.Background(), path, agent.OpenOptions{})
	if err == nil {
		_ = s.Close()
		t.Fatal("opened")
	}
	if !strings.Contains(err.Error(), "unpacks to more than allowed") {
		t.Errorf("error %v", err)
	}
}
