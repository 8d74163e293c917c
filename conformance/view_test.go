//go:build conformance

package conformance_test

import (
	"strings"
	"testing"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/agent/claude"
	"github.com/crosswalk-agents/crosswalk/agent/codex"
	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/conformance/rig"
)

// The model view of a session is what its own client sends when it resumes it:
// each block that our reader yields arrives in that order, and nothing of the
// conversation that arrives is missing from ours.

// viewOf reads the model view as it would be handed over: without scaffolding,
// reasoning and marks.
func viewOf(t *testing.T, a agent.Agent, home, path string) []*canon.Message {
	t.Helper()
	s, err := a.Open(t.Context(), path, agent.OpenOptions{Home: agent.IsolatedHome(home)})
	if err != nil {
		t.Fatal(err)
	}
	var msgs []*canon.Message
	for m, err := range s.Messages(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		var kept []canon.Block
		for _, b := range m.Blocks {
			t, text := b.(*canon.TextBlock)
			switch {
			case b.Meta().Tag != "", b.Kind() == canon.KindReasoning, b.Kind() == canon.KindCompaction:
			case text && m.Kind == canon.Injected && t.Text.HasPrefix("Content of the file "):
				// The client words a mentioned file as calls of its Read tool.
			default:
				kept = append(kept, b)
			}
		}
		m.Blocks = kept
		msgs = append(msgs, m)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return msgs
}

// conversation keeps the calls, results and answers of what was sent: what no
// client adds by itself.
func conversation(msgs []*canon.Message) []*canon.Message {
	var out []*canon.Message
	for _, m := range msgs {
		var kept []canon.Block
		for _, b := range m.Blocks {
			switch b.Kind() {
			case canon.KindToolCall, canon.KindToolResult:
				kept = append(kept, b)
			case canon.KindText:
				if m.Role == canon.Assistant {
					kept = append(kept, b)
				}
			case canon.KindImage, canon.KindDocument, canon.KindReasoning, canon.KindCompaction, canon.KindOpaque:
			}
		}
		out = append(out, &canon.Message{Role: m.Role, Blocks: kept})
	}
	return out
}

func TestModelViewIsWhatClaudeSends(t *testing.T) {
	for name, spec := range map[string]rig.ClaudeSpec{
		"tools": rig.ClaudeTools(), "images": rig.ClaudeImages(), "subagent": rig.ClaudeSubagent(), "compaction": rig.ClaudeCompacted(),
		"branches": rig.ClaudeBranched(), "fork": rig.ClaudeForked(), "everything": rig.ClaudeEverything(),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, s := madeByClaude(t, spec)
			view := viewOf(t, claude.New(), s.Home, s.Path)
			_, sent := resumeClaude(t, s.Home, s.Work, s.ID, "go on", rig.Turn{Text: "x"})
			contains(t, pieces(sent), pieces(view))
			contains(t, pieces(view), pieces(conversation(sent)))
		})
	}
}

func TestModelViewIsWhatCodexSends(t *testing.T) {
	legacy := func(s rig.CodexSpec) rig.CodexSpec { s.Legacy = true; return s }
	for name, spec := range map[string]rig.CodexSpec{
		"tools": rig.CodexTools(), "images": rig.CodexImages(), "scripts": rig.CodexScripts(), "compaction": rig.CodexCompacted(),
		"reverted": rig.CodexReverted(), "fork": rig.CodexForked(), "legacy tools": legacy(rig.CodexTools()),
		"legacy fork": legacy(rig.CodexForked()), "legacy compaction": legacy(rig.CodexCompacted()),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, s := madeByCodex(t, spec)
			view := viewOf(t, codex.New(), s.Home, s.Path)
			_, sent := resumeCodex(t, s.Home, s.Work, s.ID, "go on", rig.Turn{Text: "x"})
			contains(t, pieces(sent), pieces(view))
			contains(t, pieces(view), pieces(conversation(sent)))
			if name != "images" && !strings.Contains(strings.Join(outline(view), "\n"), rig.TypedFirst) {
				t.Error("the first prompt is not in the view")
			}
		})
	}
}
