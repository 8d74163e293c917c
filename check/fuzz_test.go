package check

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
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
// a repair leaves no error that a rule says it repairs, and loses nothing.
func problems(agent, name string, data []byte) (found []string) {
	ctx := context.Background()
	o := Options{Agent: agent}
	f := jsonl.FromBytes(name, data)
	before, err := checkFile(ctx, f, name, &o)
	if err != nil {
		return []string{err.Error()}
	}
	r := newRepairer(f, name, name, o)
	r.report.Before = before
	defer func() {
		if err := r.close(); err != nil {
			found = append(found, err.Error())
		}
	}()
	if err := errors.Join(r.seedIDs(), r.rounds(ctx)); err != nil {
		return []string{err.Error()}
	}
	var lost *LostError
	if err := r.prove(ctx, r.cur.File); errors.As(err, &lost) && lost.Unreached {
		r.follow = true
		if err := errors.Join(r.restart(), r.rounds(ctx)); err != nil {
			return []string{err.Error()}
		}
	}
	left, err := r.examine(ctx, r.cur.File)
	if err != nil {
		return []string{err.Error()}
	}
	for _, x := range left {
		if r.rules[x.Rule].Repair != "" {
			found = append(found, fmt.Sprintf("left: line %d: %s: %s", x.Line, x.Rule, x.Message))
		}
	}
	// Where uuids collide there is more than one way to understand a file; a
	// repair that would reach less than before is refused.
	if err := r.prove(ctx, r.cur.File); err != nil && !(errors.As(err, &lost) && lost.Unreached && collides(f)) {
		found = append(found, err.Error())
	}
	return found
}

// collides reports whether two records of a session have one uuid, or the client
// puts together the records of an API message from several branches.
func collides(f *jsonl.File) bool {
	c := newClaudeFile(newCollector(0), f, "")
	if _, err := c.scan(context.Background()); err != nil {
		return false
	}
	for k := 1; k < len(c.x.byUUID); k++ {
		if c.x.at(c.x.byUUID[k-1]).uuid == c.x.at(c.x.byUUID[k]).uuid {
			return true
		}
	}
	w := c.walk()
	if w.leaf < 0 {
		return false
	}
	for _, i := range w.sequence() {
		if c.x.typ(i) == ccAssistant && !slices.Contains(w.chain, i) {
			return true
		}
	}
	return false
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
