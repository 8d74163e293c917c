package agenttest

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/crosswalk-agents/crosswalk/agent"
)

func testListing(t *testing.T, a agent.Agent, fx *Fixtures) {
	if fx.Home == nil {
		t.Skip("the agent has no home")
	}
	dir := t.TempDir()
	home, want := fx.Home(t, dir)
	before := tree(t, dir)
	same := func(name string, want []agent.Entry, q agent.Query) {
		t.Helper()
		ignored := []string{"Modified", "Size", "First", "Last"}
		if q.ID != "" {
			ignored = append(ignored, "Hidden") // it can depend on other sessions
		}
		if diff := cmp.Diff(want, list(t, a, home, q), cmpopts.SortSlices(byPath), cmpopts.EquateEmpty(),
			cmpopts.IgnoreFields(agent.Entry{}, ignored...)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	same("the home holds", want, agent.Query{})
	same("again", want, agent.Query{})
	dirs, ids := make(map[string]bool), make(map[string]bool)
	for _, e := range want {
		dirs[e.Dir], ids[e.ID] = true, true
	}
	of := func(keep func(agent.Entry) bool) []agent.Entry {
		return slices.DeleteFunc(slices.Clone(want), func(e agent.Entry) bool { return !keep(e) })
	}
	for d := range dirs {
		if d != "" {
			same("directory "+d, of(func(e agent.Entry) bool { return e.Dir == d }), agent.Query{Dir: d})
		}
	}
	for id := range ids {
		same("id "+id, of(func(e agent.Entry) bool { return e.ID == id }), agent.Query{ID: id})
	}
	same("a directory without sessions", nil, agent.Query{Dir: "/nowhere"})
	same("an unknown id", nil, agent.Query{ID: "nobody"})
	testKnown(t, a, home, want)
	testListingEnds(t, a, home, len(want))
	if diff := cmp.Diff(before, tree(t, dir)); diff != "" {
		t.Errorf("listing changed the home (-before +after):\n%s", diff)
	}
	for e, err := range a.Sessions(t.Context(), surroundings(t), agent.Query{}) {
		t.Errorf("an empty home holds %+v, %v", e, err)
	}
}

func byPath(a, b agent.Entry) bool { return a.Path < b.Path }

func list(t *testing.T, a agent.Agent, home agent.Home, q agent.Query) []agent.Entry {
	t.Helper()
	var out []agent.Entry
	for e, err := range a.Sessions(t.Context(), home, q) {
		must(t, err)
		if e.Modified.IsZero() || e.Size == 0 {
			t.Errorf("%q: modified %v, %d bytes", e.Path, e.Modified, e.Size)
		}
		out = append(out, e)
	}
	return out
}

// testKnown lists again with what the first listing found: files that have not
// changed are not read.
func testKnown(t *testing.T, a agent.Agent, home agent.Home, want []agent.Entry) {
	t.Helper()
	known := make(map[string]agent.Entry)
	for _, e := range list(t, a, home, agent.Query{}) {
		known[e.Path] = e
	}
	asked := 0
	got := list(t, a, home, agent.Query{Known: func(path string, size int64, modified time.Time) (agent.Entry, bool) {
		asked++
		e, ok := known[path]
		return e, ok && e.Modified.Equal(modified) && e.Size == size
	}})
	if asked != len(want) || len(got) != len(want) {
		t.Errorf("%d files were asked for and %d listed, want %d", asked, len(got), len(want))
	}
	for _, e := range got {
		if diff := cmp.Diff(known[e.Path], e); diff != "" {
			t.Errorf("a known entry changed:\n%s", diff)
		}
	}
}

// testListingEnds leaves a listing early, and cancels one.
func testListingEnds(t *testing.T, a agent.Agent, home agent.Home, total int) {
	t.Helper()
	for range a.Sessions(t.Context(), home, agent.Query{}) {
		break
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	n, cancelled := 0, total == 0
	for _, err := range a.Sessions(ctx, home, agent.Query{}) {
		n++
		cancelled = cancelled || errors.Is(err, context.Canceled)
	}
	if !cancelled || n > 1 {
		t.Errorf("a cancelled listing gave %d entries and does not say so", n)
	}
}
