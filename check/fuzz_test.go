package check

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/crosswalk-agents/crosswalk/internal/jsonl"
)

// seeds adds the files of testdata that belong to one agent.
func seeds(f *testing.F, agent string) {
	for _, pattern := range []string{agent + "-*.jsonl", "clean-" + agent + "*.jsonl"} {
		files, err := filepath.Glob(filepath.Join("testdata", pattern))
		if err != nil || len(files) == 0 {
			f.Fatal(files, err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			if len(data) < 20000 {
				f.Add(data)
			}
		}
	}
}

// problems examines and repairs any bytes, and says what is not as it should be:
// a repair leaves no error that a rule says it repairs, loses nothing, and
// reaches as much as before.
func problems(agent, name string, data []byte) (found []string) {
	ctx := context.Background()
	o := Options{Agent: agent}
	f := jsonl.FromBytes(name, data)
	before, err := checkFile(ctx, f, name, &o)
	if err != nil {
		return []string{err.Error()}
	}
	r := newRepairer(f, name, name, o)
	defer func() {
		if err := r.close(); err != nil {
			found = append(found, err.Error())
		}
	}()
	if err := errors.Join(r.sow(), r.rounds(ctx)); err != nil {
		return []string{err.Error()}
	}
	left, err := r.examine(ctx, r.cur.File)
	if err != nil {
		return []string{err.Error()}
	}
	repairable := true
	for _, x := range left {
		if r.rules[x.Rule].Repair != "" {
			found = append(found, fmt.Sprintf("left: line %d: %s: %s", x.Line, x.Rule, x.Message))
		}
		repairable = false
	}
	if err := r.prove(ctx, r.cur.File); err != nil {
		found = append(found, err.Error())
	}
	if after := r.report.After; repairable && agent == agentClaude && after.Reachable.Chain+r.report.Removed < before.Reachable.Chain {
		found = append(found, fmt.Sprintf("reached before %+v, after %+v", before.Reachable, after.Reachable))
	}
	return found
}

func fuzz(t *testing.T, agent, name string, data []byte) {
	for _, problem := range problems(agent, name, data) {
		t.Error(problem)
	}
}

func FuzzClaude(f *testing.F) {
	seeds(f, agentClaude)
	f.Fuzz(func(t *testing.T, data []byte) { fuzz(t, agentClaude, claudeName, data) })
}

func FuzzCodex(f *testing.F) {
	seeds(f, agentCodex)
	f.Fuzz(func(t *testing.T, data []byte) { fuzz(t, agentCodex, codexName1, data) })
}
