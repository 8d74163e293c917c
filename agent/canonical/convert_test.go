package canonical_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/agent/all"
	"github.com/crosswalk-agents/crosswalk/agent/canonical"
	"github.com/crosswalk-agents/crosswalk/handoff"
)

// These tests know the agents through agent/all alone: an agent never imports
// another.

// agents returns the agents that can be written, by id.
func agents(t *testing.T) map[string]agent.Writer {
	t.Helper()
	out := make(map[string]agent.Writer)
	for _, a := range all.Agents() {
		m, err := a.Manifest()
		if err != nil {
			t.Fatal(err)
		}
		if w, ok := a.(agent.Writer); ok && (m.ID == "claude" || m.ID == "codex") {
			out[m.ID] = w
		}
	}
	if len(out) != 2 {
		t.Fatalf("found %v", out)
	}
	return out
}

// sessions are the files of testdata/sessions: one of each agent, and one with
// line breaks and white space around the inputs of calls.
func sessions(t *testing.T) map[string]agent.Agent {
	t.Helper()
	a := agents(t)
	return map[string]agent.Agent{"claude": a["claude"], "codex": a["codex"], "codex-lines": a["codex"]}
}

func sessionFile(name string) string { return filepath.Join("testdata", "sessions", name+".jsonl") }

// canonicalFile writes the session at path in the canonical form.
func canonicalFile(t *testing.T, a agent.Agent, path string, o agent.OpenOptions) string {
	t.Helper()
	s, err := a.Open(t.Context(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	e := canonical.NewEncoder(&b, s.Thread())
	for m, err := range s.Messages(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if err := e.Message(m); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "canonical.jsonl")
	if err := os.WriteFile(out, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return out
}

// convert returns the target's file.
func convert(t *testing.T, src agent.Agent, path string, dst agent.Writer, view agent.View) ([]byte, *handoff.Result, error) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "target.jsonl")
	res, err := handoff.Convert(t.Context(), src, path, dst, out, handoff.Options{
		View: view, ID: "11111111-2222-7333-8444-555555555555", Now: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC),
		Home: agent.IsolatedHome(t.TempDir()),
	})
	if err != nil {
		return nil, nil, err
	}
	b, err := os.ReadFile(out)
	return b, res, err
}

func TestCanonicalFormConvertsLikeTheSessionItself(t *testing.T) {
	for name, src := range sessions(t) {
		for to, dst := range agents(t) {
			for _, view := range []agent.View{agent.ModelView, agent.FullView} {
				t.Run(strings.Join([]string{name, to, string(view)}, " "), func(t *testing.T) {
					if err := sameTarget(t, src, sessionFile(name), dst, view); err != nil {
						t.Errorf("the target cannot hold the session: %v", err)
					}
				})
			}
		}
	}
}

// sameTarget converts a session itself and by way of its canonical form, and
// compares the targets to the byte. It returns the error if both fail for the
// same reason.
func sameTarget(t *testing.T, src agent.Agent, path string, dst agent.Writer, view agent.View) error {
	t.Helper()
	want, direct, err := convert(t, src, path, dst, view)
	file := canonicalFile(t, src, path, agent.OpenOptions{View: view})
	got, res, gotErr := convert(t, canonical.New(), file, dst, view)
	for _, reason := range []error{agent.ErrReread, agent.ErrNoConversation} {
		if errors.Is(err, reason) && errors.Is(gotErr, reason) {
			return err
		}
	}
	if err := errors.Join(err, gotErr); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(string(got), "\n")); d != "" {
		t.Errorf("target (-of the session +of its canonical form):\n%s", d)
	}
	// In the model view the session itself also counts what it leaves unread.
	if d := cmp.Diff(direct.Report.Losses, res.Report.Losses); d != "" && view == agent.FullView {
		t.Errorf("losses (-of the session +of its canonical form):\n%s", d)
	}
	if direct.Source.ID != res.Source.ID || direct.Source.Agent != res.Source.Agent {
		t.Errorf("source %v, want %v", res.Source, direct.Source)
	}
	return nil
}

func TestCanonicalFormOfItselfIsItself(t *testing.T) {
	for from, src := range sessions(t) {
		t.Run(from, func(t *testing.T) {
			once := canonicalFile(t, src, sessionFile(from), agent.OpenOptions{})
			twice := canonicalFile(t, canonical.New(), once, agent.OpenOptions{})
			a, errA := os.ReadFile(once)
			b, errB := os.ReadFile(twice)
			if err := errors.Join(errA, errB); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(a, b) {
				t.Errorf("(-first +second):\n%s", cmp.Diff(strings.Split(string(a), "\n"), strings.Split(string(b), "\n")))
			}
		})
	}
}

// A file whose agent is not named is recognised by trying: no other agent may
// take ours for its own.
func TestOtherAgentsRefuseTheCanonicalForm(t *testing.T) {
	for from, src := range sessions(t) {
		file := canonicalFile(t, src, sessionFile(from), agent.OpenOptions{})
		for by, other := range agents(t) {
			t.Run(from+" by "+by, func(t *testing.T) {
				_, err := other.Open(t.Context(), file, agent.OpenOptions{})
				var foreign *agent.ForeignError
				if !errors.As(err, &foreign) || foreign.Got != canonical.ID {
					t.Errorf("error: %v", err)
				}
			})
		}
		if _, err := canonical.New().Open(t.Context(), sessionFile(from), agent.OpenOptions{}); !errors.Is(err, agent.ErrForeign) || !strings.Contains(err.Error(), "session file of C") {
			t.Errorf("%s: %v", from, err)
		}
	}
}
