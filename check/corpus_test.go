package check

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/crosswalk-agents/crosswalk/internal/fixture"
)

// corpusFiles calls f for each session of the corpus.
func corpusFiles(t *testing.T, f func(t *testing.T, agent, path string)) {
	for _, s := range fixture.Corpus(t, agentClaude, agentCodex) {
		t.Run(s.Agent+"/"+s.Label, func(t *testing.T) { f(t, s.Agent, s.Unpack(t, t.TempDir())) })
	}
}

func TestCorpusIsChecked(t *testing.T) {
	corpusFiles(t, func(t *testing.T, agent, path string) {
		r, err := Check(t.Context(), path, Options{Agent: agent})
		if err != nil {
			t.Fatal(err)
		}
		if r.Records == 0 {
			t.Error("no record read")
		}
		for _, f := range r.Findings {
			if f.Severity != Info {
				t.Logf("line %d: %s: %s", f.Line, f.Rule, f.Message)
			}
		}
	})
}

func TestCorpusIsRepaired(t *testing.T) {
	corpusFiles(t, func(t *testing.T, agent, path string) {
		out := filepath.Join(t.TempDir(), filepath.Base(path))
		r, err := Repair(t.Context(), path, out, Options{Agent: agent})
		var left *RemainingError
		switch {
		case errors.As(err, &left):
			for _, f := range left.Findings {
				if newCatalog()[f.Rule].Repair != "" {
					t.Errorf("line %d: %s is left", f.Line, f.Rule)
				}
			}
		case err != nil:
			t.Fatal(err)
		case r.After.Reachable.Chain < r.Before.Reachable.Chain-r.Removed:
			t.Errorf("reachable before %+v, after %+v", r.Before.Reachable, r.After.Reachable)
		}
	})
}
