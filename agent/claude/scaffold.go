package claude

import (
	"strings"

	"github.com/crosswalk-agents/crosswalk/canon"
)

// syntheticModel is the model name of answers that the client itself wrote.
const syntheticModel = "<synthetic>"

// scaffoldTags begin texts that the client puts in by itself (Claude Code
// 1.0.17 to 2.1.332).
var scaffoldTags = [...]string{
	"command-name", "command-message", "local-command-stdout", "local-command-stderr", "local-command-caveat",
	"system-reminder", "task-notification", "bash-input", "bash-stdout", "bash-stderr",
	"ide_selection", "ide_opened_file", "user-prompt-submit-hook", "session-start-hook",
}

// scaffoldTag returns the tag of a scaffolding text, or "".
func scaffoldTag(t canon.Text) string {
	head := strings.TrimLeft(t.Head(64), " \t\r\n")
	if !strings.HasPrefix(head, "<") {
		return ""
	}
	for _, tag := range scaffoldTags {
		if rest, ok := strings.CutPrefix(head[1:], tag); ok && (rest == "" || rest[0] == '>' || rest[0] == ' ') {
			return tag
		}
	}
	return ""
}

// bookkeepingTypes are the records that carry no conversation.
var bookkeepingTypes = map[string]bool{
	"summary": true, "custom-title": true, "ai-title": true, "last-prompt": true, "mode": true,
	"permission-mode": true, "queue-operation": true, "file-history-snapshot": true, "file-history-delta": true,
	"pr-link": true, "bridge-session": true, "atis-latch": true, "tag": true, "agent-name": true,
	"worktree-state": true, "content-replacement": true, "api-request": true, "api-request-shape": true,
	"api-request-blob": true, "tools-used": true, "cost-state": true, "system": true, "progress": true,
	linkType: true,
}
