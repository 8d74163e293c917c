package all

import (
	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/agent/claude"
	"github.com/crosswalk-agents/crosswalk/agent/codex"
)

// Agents returns the adapters, in the order in which they are shown.
func Agents() []agent.Agent {
	return []agent.Agent{claude.New(), codex.New()}
}
