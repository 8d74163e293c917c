package canonical_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/agent/canonical"
	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/fixture"
)

// Every session of the corpus goes through the canonical form unchanged.
func TestCorpus(t *testing.T) {
	for name, a := range agents(t) {
		for _, f := range fixture.Corpus(t, name) {
			t.Run(name+"/"+f.Label, func(t *testing.T) {
				path := f.Unpack(t, t.TempDir())
				for _, view := range []agent.View{agent.ModelView, agent.FullView} {
					sameMessages(t, a, path, view)
				}
				for _, dst := range agents(t) {
					if err := sameTarget(t, a, path, dst, agent.ModelView); err != nil {
						t.Logf("not convertible at all: %v", err)
					}
				}
			})
		}
	}
}

// sameMessages compares the session's messages with those of its canonical
// form.
func sameMessages(t *testing.T, a agent.Agent, path string, view agent.View) {
	t.Helper()
	s, err := a.Open(t.Context(), path, agent.OpenOptions{View: view})
	if errors.Is(err, agent.ErrForeign) || errors.Is(err, agent.ErrNoConversation) {
		t.Skip("only for a session that holds a conversation: ", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	again, err := canonical.New().Open(t.Context(), canonicalFile(t, a, path, agent.OpenOptions{View: view}), agent.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	opts := cmp.Options{cmp.Comparer(canon.Text.Equal), cmp.Comparer(func(a, b canon.Raw) bool { return bytes.Equal(a, b) })}
	if !cmp.Equal(every(t, s), every(t, again), opts) {
		t.Errorf("%s view: messages differ behind the canonical form", view)
	}
	if err := errors.Join(s.Close(), again.Close()); err != nil {
		t.Error(err)
	}
}

func every(t *testing.T, s agent.Session) []*canon.Message {
	t.Helper()
	var msgs []*canon.Message
	for m, err := range s.Messages(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		msgs = append(msgs, m)
	}
	return msgs
}
