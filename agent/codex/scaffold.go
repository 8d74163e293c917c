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
	"environments_instructions", "turn_aborted", "tools",
}

// isScaffold reports whether a text of the user role begins like what the
// client puts in by itself.
func isScaffold(text []byte) bool {
	return scaffoldOf(string(text[:min(len(text), headBytes)])) != ""
}

// isImageLabel reports whether a text is one of the two that the client puts
// around an image: <image name=[Image #1] path="…"> and </image>. (Codex 0.171.0.)
func isImageLabel[T []byte | string](text T) bool {
	const most = 4096 // a path's length
	n := len(text)
	if n > most || n < len("<image>") || text[0] != '<' || text[n-1] != '>' {
		return false
	}
	s := string(text)
	return s == "</image>" || s == "<image>" || strings.HasPrefix(s, "<image ") && !strings.ContainsAny(s, "\r\n")
}

// headBytes is how much of a text is looked at.
const headBytes = 80

// userTag returns the tag of a scaffolding text of the user role, or "".
func userTag(t canon.Text) string {
	return scaffoldOf(t.Head(headBytes))
}

func scaffoldOf(head string) string {
	head = strings.TrimLeft(head, " \t\r\n")
	for _, s := range userScaffolds {
		if strings.HasPrefix(head, s.prefix) {
			return s.tag
		}
	}
	return ""
}

// developerTag returns the tag of a scaffolding text of the developer role.
func developerTag(t, base canon.Text) string {
	head := strings.TrimLeft(t.Head(headBytes), " \t\r\n")
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
	head := strings.TrimLeft(t.Head(headBytes), " \t\r\n")
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

// tag says of each text of a message whether it is scaffolding.
func tag(m *canon.Message, base canon.Text) {
	switch m.Role {
	case canon.Assistant:
		for _, b := range m.Blocks {
			if t, ok := b.(*canon.TextBlock); ok && t.Text.HasPrefix("<EXTERNAL SESSION IMPORTED>") {
				t.Tag = "external_session_imported"
			}
		}
	case canon.System:
		for _, b := range m.Blocks {
			if t, ok := b.(*canon.TextBlock); ok {
				t.Tag = developerTag(t.Text, base)
			}
		}
	case canon.User:
		tagUser(m)
	}
}

func tagUser(m *canon.Message) {
	images := false
	for _, b := range m.Blocks {
		images = images || b.Kind() == canon.KindImage
	}
	var blocks []canon.Block
	for _, b := range m.Blocks {
		t, ok := b.(*canon.TextBlock)
		if !ok {
			blocks = append(blocks, b)
			continue
		}
		if t.Tag = userTag(t.Text); t.Tag == "" && images && t.Text.HasPrefix("<") && isImageLabel(t.Text.String()) {
			t.Tag = "image_label"
		}
		if t.Tag != "" {
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
}

// setKind says whether a message was typed. typed is what the rollout's events
// say; known is false in a rollout without events.
func setKind(m *canon.Message, typed, known bool) {
	if m.Role == canon.System {
		m.Kind = canon.Injected
	}
	if m.Role == canon.User && m.Kind == canon.Typed && (m.IsScaffolding() || known && !typed) {
		m.Kind = canon.Injected
	}
}
