package handoff_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/agent/claude"
	"github.com/crosswalk-agents/crosswalk/agent/codex"
	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/handoff"
	"github.com/crosswalk-agents/crosswalk/internal/jsonl"
)

// restless is an agent with a file that changes while it is read, so often.
type restless struct {
	agent.Agent
	times int
}

type restlessSession struct {
	agent.Session
	a *restless
}

func (a *restless) Open(ctx context.Context, path string, o agent.OpenOptions) (agent.Session, error) {
	s, err := a.Agent.Open(ctx, path, o)
	return &restlessSession{s, a}, err
}

func (s *restlessSession) Messages(ctx context.Context) canon.Messages {
	return func(yield func(*canon.Message, error) bool) {
		n := 0
		for m, err := range s.Session.Messages(ctx) {
			if n++; n == 3 && s.a.times > 0 {
				s.a.times--
				yield(nil, fmt.Errorf("read line 3: %w", jsonl.ErrChanged))
				return
			}
			if !yield(m, err) {
				return
			}
		}
	}
}

// A session that is written anew while it is read is read once more.
func TestASessionThatChangesIsReadOnceMore(t *testing.T) {
	convert := func(times int) (*handoff.Result, error) {
		out := filepath.Join(t.TempDir(), "out.jsonl")
		return handoff.Convert(t.Context(), &restless{claude.New(), times}, "testdata/claude.jsonl", codex.New(), out, handoff.Options{})
	}
	calm, err := convert(0)
	if err != nil {
		t.Fatal(err)
	}
	once, err := convert(1)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := fmt.Sprint(calm.Report.Ingested, calm.Report.Emitted), fmt.Sprint(once.Report.Ingested, once.Report.Emitted); a != b {
		t.Errorf("read twice, it counts %s; read once, %s", b, a)
	}
	if _, err := convert(2); !errors.Is(err, jsonl.ErrChanged) || !strings.Contains(err.Error(), "line 3") {
		t.Errorf("changing on and on: %v", err)
	}
}

// So are both sessions of a pull.
func TestAPullThatMeetsAChangeReadsOnceMore(t *testing.T) {
	pull := func(times int) (*handoff.Result, error) {
		d, e := newDesk(t, nil)
		to, err := d.To(t.Context(), &e, "codex", handoff.Options{Now: noon}, false)
		if err != nil {
			t.Fatal(err)
		}
		addTurn(t, to.Target.Path, "Review it.", "Good.")
		d.Agents = []agent.Agent{claude.New(), &restless{codex.New(), times}}
		target := agent.Entry{Agent: "codex", ID: to.Target.ID, Path: to.Target.Path}
		return d.Pull(t.Context(), &target, handoff.PullOptions{Options: handoff.Options{Now: noon}})
	}
	calm, err := pull(0)
	if err != nil {
		t.Fatal(err)
	}
	once, err := pull(1)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := fmt.Sprint(calm.Report.Ingested, calm.Report.Emitted, calm.Turns), fmt.Sprint(once.Report.Ingested, once.Report.Emitted, once.Turns); a != b {
		t.Errorf("read twice, it counts %s; read once, %s", b, a)
	}
	if _, err := pull(2); !errors.Is(err, jsonl.ErrChanged) {
		t.Errorf("changing on and on: %v", err)
	}
}
