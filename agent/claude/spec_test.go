package claude_test

import (
	"flag"
	"testing"

	"github.com/crosswalk-agents/crosswalk/agent/agenttest"
	"github.com/crosswalk-agents/crosswalk/agent/claude"
)

var update = flag.Bool("update", false, "rewrite what testdata/spec expects")

func TestSpec(t *testing.T) { agenttest.Spec(t, claude.New(), "testdata/spec", *update) }
