//go:build !linux

package agenttest

import (
	"testing"

	"github.com/crosswalk-agents/crosswalk/agent"
)

// testSystemFaults needs limits and users as Linux has them.
func testSystemFaults(*testing.T, agent.Writer) {}
