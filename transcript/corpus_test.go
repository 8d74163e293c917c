package transcript

import (
	"bytes"
	"errors"
	"testing"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/fixture"
)

// Every session of the corpus can be shown.
func TestCorpus(t *testing.T) {
	for name, a := range agents() {
		for _, f := range fixture.Corpus(t, name) {
			t.Run(name+"/"+f.Label, func(t *testing.T) { showAll(t, a, f.Unpack(t, t.TempDir())) })
		}
	}
}

func showAll(t *testing.T, a agent.Agent, path string) {
	t.Helper()
	s, err := a.Open(t.Context(), path, agent.OpenOptions{View: agent.FullView})
	if errors.Is(err, agent.ErrForeign) || errors.Is(err, agent.ErrNoConversation) {
		t.Skip("only for a session that holds a conversation: ", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	var msgs []*canon.Message
	for m, err := range s.Messages(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		msgs = append(msgs, m)
	}
	checkText(t, s.Thread(), msgs)
	var b bytes.Buffer
	if err := HTML(&b, s.Thread(), stream(msgs)); err != nil {
		t.Fatal(err)
	}
	checkPage(t, b.String())
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
