package codex

import (
	"strings"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/canon"
)

// userScaffolds begin texts of the user role that the client puts in by itself
// (rollouts of 2025-05 to 0.171.0), with the tag each is counted under.
var userScaffolds = [...]struct{ prefix, tag string }{
	{"<environment_context>", "environment_context"},
	{"# AGENTS.md instructions", agent.TagProjectInstructions},
	{"<user_instructions>", agent.TagProjectInstructions},
	{"<turn_aborted>", "turn_aborted"},
	{"<skill>", "skill"},
	{"<skill ", "skill"},
	{"<recommended_plugins>", "recommended_plugins"},
	{"<ide_context>", "ide_context"},
	{"<hook_prompt", "hook_prompt"},
	{"<subagent_notification", "subagent_notification"},
	{"<EXTERNAL SESSION IMPORTED>", "external_session_imported"},
	{"<user_shell_command>", "user_shell_command"},
}

// requestHeading ends the context that an editor puts before what was typed.
const requestHeading = "## My request for Codex:"

// contextHeadings begin a text that runs to requestHeading.
var contextHeadings = [...]string{"# Context from my IDE setup", "# Files mentioned by the user"}

// developerScaffolds begin texts of the developer role that the client puts in
// by itself.
var developerScaffolds = [...]string{
	"permissions instructions", "collaboration_mode", "skills_instructions", "apps_instructions",
	"plugins_instructions", "multi_agent_mode", "model_switch", "personality_spec",
	"environments_instructions", "turn_aborted",
}

// userTag returns the tag of a scaffolding text of the user role, or "".
func userTag(t canon.Text) string {
	head := strings.TrimLeft(t.Head(80), " \t\r\n")
	for _, s := range userScaffolds {
		if strings.HasPrefix(head, s.prefix) {
			return s.tag
		}
	}
	return ""
}

// developerTag returns the tag of a scaffolding text of the developer role.
func developerTag(t, base canon.Text) string {
	head := strings.TrimLeft(t.Head(80), " \t\r\n")
	if rest, ok := strings.CutPrefix(head, "<"); ok {
		for _, tag := range developerScaffolds {
			if after, ok := strings.CutPrefix(rest, tag); ok && strings.HasPrefix(after, ">") {
				return strings.ReplaceAll(tag, " ", "_")
			}
		}
	}
	if !base.IsEmpty() && t.Equal(base) {
		return "base_instructions"
	}
	return ""
}

// splitRequest splits what an editor's integration put before a request from
// the request.
func splitRequest(t canon.Text) (context, request canon.Text, ok bool) {
	head := strings.TrimLeft(t.Head(80), " \t\r\n")
	for _, h := range contextHeadings {
		if !strings.HasPrefix(head, h) {
			continue
		}
		s := t.String()
		i := strings.Index(s, requestHeading)
		if i < 0 {
			return t, canon.Text{}, true
		}
		i += len(requestHeading)
		return canon.NewText(s[:i]), canon.NewText(strings.TrimLeft(s[i:], "\r\n ")), true
	}
	return canon.Text{}, t, false
}

// classify says of each text of a message whether it is scaffolding, and
// whether the message was typed. typed is what the rollout's events say; known
// is false in a rollout without events.
func classify(m *canon.Message, typed, known bool, base canon.Text) {
	if m.Role == canon.Assistant {
		for _, b := range m.Blocks {
			if t, ok := b.(*canon.TextBlock); ok && t.Text.HasPrefix("<EXTERNAL SESSION IMPORTED>") {
				t.Tag = "external_session_imported"
			}
		}
		return
	}
	if m.Role == canon.System {
		m.Kind = canon.Injected
		for _, b := range m.Blocks {
			if t, ok := b.(*canon.TextBlock); ok {
				t.Tag = developerTag(t.Text, base)
			}
		}
		return
	}
	var blocks []canon.Block
	for _, b := range m.Blocks {
		t, ok := b.(*canon.TextBlock)
		if !ok {
			blocks = append(blocks, b)
			continue
		}
		if t.Tag = userTag(t.Text); t.Tag != "" {
			blocks = append(blocks, t)
			continue
		}
		context, request, split := splitRequest(t.Text)
		if split {
			blocks = append(blocks, &canon.TextBlock{BlockMeta: canon.BlockMeta{Tag: "ide_context"}, Text: context})
		}
		if !split || !request.IsEmpty() {
			t.Text = request
			blocks = append(blocks, t)
		}
	}
	m.Blocks = blocks
	if m.Kind == canon.Typed && (m.IsScaffolding() || known && !typed) {
		m.Kind = canon.Injected
	}
}
