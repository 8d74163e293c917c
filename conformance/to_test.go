//go:build conformance

package conformance_test

import (
	"testing"

	"github.com/crosswalk-agents/crosswalk/conformance/rig"
)

func TestClaudeSessionsResumeInCodex(t *testing.T) {
	for name, spec := range map[string]rig.ClaudeSpec{
		"text": rig.ClaudeText(), "tools": rig.ClaudeTools(), "images": rig.ClaudeImages(),
		"subagent": rig.ClaudeSubagent(), "compaction": rig.ClaudeCompacted(), "branches": rig.ClaudeBranched(),
		"fork": rig.ClaudeForked(), "killed": rig.ClaudeKilled(), "everything": rig.ClaudeEverything(),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, s := madeByClaude(t, spec)
			before := rig.TakeSnapshot
			original, err := before(s.Home + "/.claude/projects")
			if err != nil {
				t.Fatal(err)
			}
			h := p.must("to", "codex", s.ID)
			want := pieces(fileCodex(t, h.Target.Path))
			_, sent := resumeCodex(t, s.Home, s.Work, h.Target.ID, "go on", rig.Turn{Text: "going on"})
			contains(t, pieces(sent), want)
			after, err := before(s.Home + "/.claude/projects")
			if err != nil {
				t.Fatal(err)
			}
			if d := original.Changes(after); len(d) > 0 {
				t.Errorf("the original changed: %v", d)
			}
		})
	}
}

func TestCodexSessionsResumeInClaude(t *testing.T) {
	legacy := func(s rig.CodexSpec) rig.CodexSpec { s.Legacy = true; return s }
	for name, spec := range map[string]rig.CodexSpec{
		"text": rig.CodexText(), "tools": rig.CodexTools(), "images": rig.CodexImages(), "scripts": rig.CodexScripts(),
		"killed": rig.CodexKilled(), "compaction": rig.CodexCompacted(), "reverted": rig.CodexReverted(),
		"fork": rig.CodexForked(), "archive": rig.CodexArchived(),
		"legacy tools": legacy(rig.CodexTools()), "legacy scripts": legacy(rig.CodexScripts()), "legacy killed": legacy(rig.CodexKilled()),
		"legacy fork": legacy(rig.CodexForked()), "legacy compaction": legacy(rig.CodexCompacted()),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, s := madeByCodex(t, spec)
			original, err := rig.TakeSnapshot(s.Home + "/.codex/sessions")
			if err != nil {
				t.Fatal(err)
			}
			h := p.must("to", "claude", s.ID)
			want := pieces(fileClaude(t, h.Target.Path))
			_, sent := resumeClaude(t, s.Home, s.Work, h.Target.ID, "go on", rig.Turn{Text: "going on"})
			contains(t, pieces(sent), want)
			after, err := rig.TakeSnapshot(s.Home + "/.codex/sessions")
			if err != nil {
				t.Fatal(err)
			}
			if d := original.Changes(after); len(d) > 0 {
				t.Errorf("the original changed: %v", d)
			}
		})
	}
}
