package claude_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/agent/agenttest"
	"github.com/crosswalk-agents/crosswalk/agent/claude"
	"github.com/crosswalk-agents/crosswalk/canon"
)

// mostMemory is what reading may take of any file, beside three times its
// longest record.
const mostMemory = 64 << 20

// drainCounting reads all messages of path without keeping them.
func drainCounting(t *testing.T, path string, r *canon.Report) (n int) {
	t.Helper()
	s, err := claude.New().Open(t.Context(), path, agent.OpenOptions{Report: r, Home: agent.Home{Dir: t.TempDir(), Getenv: noEnv}})
	must(t, err)
	for _, err := range s.Messages(t.Context()) {
		must(t, err)
		n++
	}
	must(t, s.Close())
	return n
}

// Subagents blew a file up to 102 MB, and the client said that there was no
// conversation in it.
func TestLargeFilesTakeBoundedMemory(t *testing.T) {
	filler := `"` + strings.Repeat("x", 4000) + `"`
	long := `"` + strings.Repeat("x", 400_000) + `"`
	for name, tt := range map[string]struct {
		record func(i int) string
		want   int
	}{
		"anthropics/claude-code#23373": {func(i int) string {
			if i == 0 {
				return user("u1", "", "go") + answer("a1", "u1", "ok")
			}
			return fmt.Sprintf(`{"type":"assistant","uuid":"s%d","parentUuid":"s%d","isSidechain":true,"agentId":"x","message":{"content":[{"type":"text","text":`, i, i-1) + filler + "}]}}\n"
		}, 2},
		"one long branch": {func(i int) string {
			return fmt.Sprintf(`{"type":"user","uuid":"u%d","parentUuid":"u%d","message":{"role":"user","content":`, i, i-1) + filler + "}}\n"
		}, 0},
		"snapshots": {func(i int) string {
			if i == 0 {
				return user("u1", "", "go")
			}
			return fmt.Sprintf(`{"type":"file-history-snapshot","messageId":"m%d","snapshot":{"x":`, i) + long + "}}\n"
		}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), sessionID+".jsonl")
			agenttest.Generate(t, path, 100<<20, tt.record)
			var r canon.Report
			start := time.Now()
			n := 0
			peak := agenttest.PeakMemory(t, func() { n = drainCounting(t, path, &r) })
			if tt.want > 0 && n != tt.want || n == 0 {
				t.Errorf("%d messages, want %d", n, tt.want)
			}
			if peak > mostMemory {
				t.Errorf("%d MB of memory", peak>>20)
			}
			t.Logf("%d messages, %d MB, %v", n, peak>>20, time.Since(start))
		})
	}
}

// A line of 40 MB is one record like any other.
func TestLongLinesAreRead(t *testing.T) {
	const size = 40 << 20
	image := strings.Repeat("A", size)
	path := filepath.Join(t.TempDir(), sessionID+".jsonl")
	agenttest.Generate(t, path, 0, func(int) string {
		return user("u0", "", "go") + line("user", "u1", "u0", `"message":{"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"`+image+`"}}]}`) + answer("a1", "u1", "ok")
	})
	n := 0
	if peak := agenttest.PeakMemory(t, func() { n = drainCounting(t, path, nil) }); peak > mostMemory+3*size {
		t.Errorf("%d MB of memory", peak>>20)
	}
	if n != 3 {
		t.Errorf("%d messages", n)
	}
}
