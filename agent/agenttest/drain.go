package agenttest

import (
	"testing"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/canon"
)

// Drain demands what holds for a session that was opened, whatever its file is:
// it is read to the end without an error, each message has a block, and it can be
// closed.
func Drain(t *testing.T, s agent.Session, r *canon.Report) {
	t.Helper()
	_ = s.Thread()
	for m, err := range canon.Heal(s.Messages(t.Context()), s.Calls(), r) {
		if err != nil {
			t.Fatalf("a file that was opened cannot be read: %v", err)
		}
		if len(m.Blocks) == 0 {
			t.Fatalf("%s: a message without blocks", m.Where())
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}
