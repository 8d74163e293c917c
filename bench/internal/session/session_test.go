package session_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/agent/claude"
	"github.com/crosswalk-agents/crosswalk/agent/codex"
	"github.com/crosswalk-agents/crosswalk/bench/internal/session"
	"github.com/crosswalk-agents/crosswalk/handoff"
)

// form is one of the two kinds of file, and where it is converted to.
type form struct {
	name  string
	write session.Func
	agent agent.Writer
	other agent.Writer
}

func forms() []form {
	return []form{
		{"claude", session.WriteClaude, claude.New(), codex.New()},
		{"codex", session.WriteCodex, codex.New(), claude.New()},
	}
}

const size = 3 << 20

func each(t *testing.T, f func(t *testing.T, form form, shape session.Shape)) {
	for _, form := range forms() {
		for name, shape := range map[string]session.Shape{"active": session.Active, "sparse": session.Sparse} {
			t.Run(form.name+" "+name, func(t *testing.T) { f(t, form, shape) })
		}
	}
}

func TestSameOptionsGiveSameBytes(t *testing.T) {
	each(t, func(t *testing.T, form form, shape session.Shape) {
		var files [3]bytes.Buffer
		for i, seed := range [...]uint64{7, 7, 8} {
			if _, err := form.write(&files[i], session.Options{Seed: seed, Size: 1 << 20, Shape: shape}); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(files[0].Bytes(), files[1].Bytes()) {
			t.Error("the same options gave two files")
		}
		if bytes.Equal(files[0].Bytes(), files[2].Bytes()) {
			t.Error("two seeds gave the same file")
		}
	})
}

// The share of the active branch is what the measures depend on, so it is the
// product's own reader that says which records are on it.
func TestShareOfTheActiveBranch(t *testing.T) {
	each(t, func(t *testing.T, form form, shape session.Shape) {
		path, st := write(t, form, session.Options{Seed: 1, Size: 8 * size, Shape: shape, Long: 200_000})
		if got := activeBytes(t, form.agent, path); got != st.Active {
			t.Errorf("the agent reads %d bytes of records, not %d", got, st.Active)
		}
		switch share := st.Share(); shape {
		case session.Active:
			if share < 0.7 {
				t.Errorf("%.3f of the bytes are active, less than 0.7", share)
			}
			if st.Longest < 198_000 || st.Longest > 202_000 {
				t.Errorf("the longest record has %d bytes, not about 200000", st.Longest)
			}
		case session.Sparse:
			if share < 0.008 || share > 0.016 {
				t.Errorf("%.4f of the bytes are active, not about 0.01", share)
			}
		}
	})
}

func activeBytes(t *testing.T, a agent.Agent, path string) (n int64) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(text, []byte("\n"))
	s, err := a.Open(context.Background(), path, agent.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	seen := make(map[int]bool)
	for m, err := range s.Messages(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		if !seen[m.Line] {
			seen[m.Line] = true
			n += int64(len(lines[m.Line-1]))
		}
	}
	return n
}

func TestFilesConvertBothWays(t *testing.T) {
	each(t, func(t *testing.T, form form, shape session.Shape) {
		path, _ := write(t, form, session.Options{Seed: 3, Size: 2 * size, Shape: shape})
		out := filepath.Join(t.TempDir(), "out.jsonl")
		res, err := handoff.Convert(context.Background(), form.agent, path, form.other, out, handoff.Options{})
		if err != nil {
			t.Fatal(err)
		}
		r := &res.Report
		if err := r.Balance(); err != nil {
			t.Error(err)
		}
		if len(r.Secrets) > 0 {
			t.Errorf("made-up text looks like secrets: %v", r.Secrets[0])
		}
		for _, kind := range []string{"message", "text", "tool_call", "tool_result", "reasoning"} {
			if count(r.Ingested, kind) == 0 {
				t.Errorf("the session holds no %s", kind)
			}
		}
		if d := cmp.Diff(count(r.Ingested, "tool_call"), count(r.Emitted, "tool_result")); d != "" {
			t.Errorf("calls that came, results that went: %s", d)
		}
		if count(r.Synthesized, "tool_result") > 0 {
			t.Error("a call has no result")
		}
	})
}

func count[K ~string](counts map[K]int, kind string) int { return counts[K(kind)] }

// The measured texts have as many escapes and foreign characters as real ones:
// 2.7 % backslashes and 2.4 to 2.8 % bytes beyond ASCII in public files.
func TestTextsAreLikeRealOnes(t *testing.T) {
	for _, form := range forms() {
		t.Run(form.name, func(t *testing.T) {
			var b bytes.Buffer
			st, err := form.write(&b, session.Options{Seed: 5, Size: size})
			if err != nil {
				t.Fatal(err)
			}
			foreign := 0
			for _, c := range b.Bytes() {
				if c >= 0x80 {
					foreign++
				}
			}
			percent := func(n int) float64 { return 100 * float64(n) / float64(b.Len()) }
			if got := percent(bytes.Count(b.Bytes(), []byte(`\`))); got < 2 || got > 4 {
				t.Errorf("%.2f %% backslashes", got)
			}
			if got := percent(foreign); got < 1.8 || got > 3.2 {
				t.Errorf("%.2f %% bytes beyond ASCII", got)
			}
			if mean := st.Bytes / int64(st.Records); mean < 1200 || mean > 5000 {
				t.Errorf("records of %d bytes on average", mean)
			}
		})
	}
}

func TestHomeIsListed(t *testing.T) {
	dir := t.TempDir()
	if err := session.WriteHome(dir, 40, 1); err != nil {
		t.Fatal(err)
	}
	home := agent.IsolatedHome(dir)
	for _, form := range forms() {
		n := 0
		for e, err := range form.agent.Sessions(context.Background(), home, agent.Query{}) {
			if err != nil {
				t.Fatal(err)
			}
			n++
			if e.Title == "" || e.Dir == "" || e.Hidden != "" {
				t.Errorf("session with title %q, directory %q, hidden %q", e.Title, e.Dir, e.Hidden)
			}
			if e.Size < 8<<10 || e.Size > 100<<10 {
				t.Errorf("session of %d bytes", e.Size)
			}
			if e.Modified.After(time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)) {
				t.Errorf("session of %v", e.Modified)
			}
		}
		if n != 20 {
			t.Errorf("%s: %d sessions, not 20", form.name, n)
		}
	}
}

func write(t *testing.T, form form, o session.Options) (string, session.Stats) {
	t.Helper()
	path := filepath.Join(t.TempDir(), o.ID+"session.jsonl")
	st, err := session.WriteFile(path, form.write, o)
	if err != nil {
		t.Fatal(err)
	}
	return path, st
}
