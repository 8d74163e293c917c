package agent_test

import (
	"strings"
	"testing"

	"github.com/crosswalk-agents/crosswalk/agent"
)

func TestIsNameTakesWordsOfAShellOnly(t *testing.T) {
	for id, want := range map[string]bool{
		"019b0000-0000-7000-8000-000000000001": true, "agent-a1b2": true, "a.b_c": true,
		"": false, "-f": false, "--allow-secrets": false, ".": false, "..": false, "../x": false, "a/b": false, `a\b`: false, "~a": false,
		"$(id)": false, "a b": false, "a\nb": false, "a\tb": false, "a'b": false, "ä": false, "a\x1bb": false, "a;b": false, "a*": false, "a\x00": false,
		strings.Repeat("a", 129): false,
	} {
		if got := agent.IsName(id); got != want {
			t.Errorf("%q: %v", id, got)
		}
	}
}
