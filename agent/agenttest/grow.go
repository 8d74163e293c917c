package agenttest

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/canon"
)

// testGrowth reads a session while its client writes: an open session stays
// what it was, and a record that is not complete yet waits.
func testGrowth(t *testing.T, a agent.Agent, fx *Fixtures) {
	f := fx.Sessions[0]
	if fx.Line == nil {
		t.Skip("the format does not grow line by line")
	}
	f.Data = strings.TrimSuffix(f.Data, "\n") + "\n"
	path := f.put(t)
	home := surroundings(t)
	s := open(t, a, path, agent.OpenOptions{Home: home})
	defer closeSession(t, s)
	before := drain(t, s)

	whole, torn := fx.Line(0, "grown first"), fx.Line(1, "grown second")
	add(t, path, whole+"\n")
	add(t, path, torn[:len(torn)/2])
	if diff := cmp.Diff(before, drain(t, s)); diff != "" {
		t.Errorf("the open session changed:\n%s", diff)
	}
	var r canon.Report
	if got := read(t, a, path, &r, home); !holds(got, "grown first") || holds(got, "grown second") || len(got) <= len(before) {
		t.Errorf("with a torn last line it reads:\n%s", strings.Join(got, "\n"))
	}
	if r.Notes["damage-torn"] != 1 {
		t.Errorf("notes %v do not tell of the torn line", r.Notes)
	}

	// It waits for its other half, at whatever byte it is torn.
	for i := len(torn) / 2; i < len(torn); i++ {
		add(t, path, torn[i:i+1])
		if i%7 != 0 && i != len(torn)-1 {
			continue
		}
		if got := read(t, a, path, nil, home); holds(got, "grown second") != (i == len(torn)-1) {
			t.Fatalf("with %d of %d bytes of the last line it reads:\n%s", i+1, len(torn), strings.Join(got, "\n"))
		}
	}
	add(t, path, "\n")
	if got := read(t, a, path, nil, home); !holds(got, "grown first") || !holds(got, "grown second") {
		t.Errorf("at the end it reads:\n%s", strings.Join(got, "\n"))
	}
}

func add(t *testing.T, path, data string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	must(t, err)
	_, err = f.WriteString(data)
	must(t, err)
	must(t, f.Close())
}

// read opens path, reads it to the end and closes it.
func read(t *testing.T, a agent.Agent, path string, r *canon.Report, home agent.Home) []string {
	t.Helper()
	s := open(t, a, path, agent.OpenOptions{Report: r, Home: home})
	defer closeSession(t, s)
	return drain(t, s)
}

func holds(lines []string, text string) bool {
	return slices.ContainsFunc(lines, func(l string) bool { return strings.Contains(l, text) })
}
