package codex_test

import (
	"flag"
	"testing"

	"github.com/crosswalk-agents/crosswalk/agent/agenttest"
	"github.com/crosswalk-agents/crosswalk/agent/codex"
)

var update = flag.Bool("update", false, "rewrite what testdata/spec expects")

func TestSpec(t *testing.T) { agenttest.Spec(t, codex.New(), "testdata/spec", *update) }
