package all_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/agent/all"
	"github.com/crosswalk-agents/crosswalk/agent/claude"
	"github.com/crosswalk-agents/crosswalk/agent/codex"
	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/handoff"
	"github.com/crosswalk-agents/crosswalk/internal/atomicfile"
	"github.com/crosswalk-agents/crosswalk/internal/fixture"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func home(t *testing.T) agent.Home {
	t.Helper()
	return agent.IsolatedHome(t.TempDir())
}

// drain opens path and reads it to the end.
func drain(ctx context.Context, a agent.Agent, path string, o agent.OpenOptions) (n int, err error) {
	s, err := a.Open(ctx, path, o)
	if err != nil {
		return 0, err
	}
	for _, err := range s.Messages(ctx) {
		if err != nil {
			return n, errors.Join(err, s.Close())
		}
		n++
	}
	return n, s.Close()
}

// Every file opens or is refused in words, by every agent and in both views.
func TestCorpusIsReadOrRefused(t *testing.T) {
	for _, f := range fixture.Corpus(t) {
		t.Run(f.Agent+" "+f.Label, func(t *testing.T) {
			path := f.Unpack(t, t.TempDir())
			for _, a := range all.Agents() {
				m, err := a.Manifest()
				must(t, err)
				for _, view := range []agent.View{agent.ModelView, agent.FullView} {
					_, err := drain(t.Context(), a, path, agent.OpenOptions{View: view, Report: new(canon.Report), Home: home(t)})
					switch {
					case err == nil || errors.Is(err, agent.ErrForeign) || errors.Is(err, agent.ErrNoConversation):
					default:
						t.Errorf("%s: %v", m.ID, err)
					}
					if err != nil && !strings.Contains(err.Error(), filepath.Base(path)) {
						t.Errorf("%s: error %q does not name the file", m.ID, err)
					}
				}
			}
		})
	}
}

// Files of other agents are recognised, and refused by their agent's name.
func TestCorpusOfOthersIsRefusedByName(t *testing.T) {
	names := map[string]string{
		"claude": "claude", "codex": "codex", "copilot": "GitHub Copilot CLI", "gemini": "Gemini CLI", "opencode": "OpenCode", "pi": "pi", "qwen": "Qwen Code",
	}
	// A file of the folder that another agent wrote.
	really := map[string]string{"claude c026": "Qwen Code"}
	for _, f := range fixture.Corpus(t) {
		want := names[f.Agent]
		if other, ok := really[f.Agent+" "+f.Label]; ok {
			want = other
		}
		t.Run(f.Agent+" "+f.Label, func(t *testing.T) {
			path := f.Unpack(t, t.TempDir())
			for _, a := range []agent.Agent{claude.New(), codex.New()} {
				m, err := a.Manifest()
				must(t, err)
				if m.ID == want {
					continue
				}
				_, err = drain(t.Context(), a, path, agent.OpenOptions{Home: home(t)})
				var foreign *agent.ForeignError
				if !errors.As(err, &foreign) || foreign.Got != want {
					t.Errorf("%s says %v, want a refusal that names %s", m.ID, err, want)
				}
			}
		})
	}
}

// mostRefused is the share of files with a conversation that may be refused, in
// percent.
const mostRefused = 3

// Sessions go to the other agent and back, with reports that balance.
func TestCorpusGoesToTheOtherAgentAndBack(t *testing.T) {
	for _, pair := range []struct{ from, to agent.Writer }{{claude.New(), codex.New()}, {codex.New(), claude.New()}} {
		m, err := pair.from.Manifest()
		must(t, err)
		files := fixture.Corpus(t, m.ID)
		refused, silent := 0, 0
		for _, f := range files {
			t.Run(m.ID+" "+f.Label, func(t *testing.T) {
				switch err := toAndFro(t, pair.from, pair.to, f.Unpack(t, t.TempDir())); {
				case err == nil:
				case errors.Is(err, agent.ErrNoConversation):
					silent++
					t.Skipf("only for a session that holds a conversation: %v", err)
				default:
					refused++
					t.Logf("refused: %v", err)
				}
			})
		}
		talking := len(files) - silent
		t.Logf("%s: %d files, %d without a conversation; of %d others %d refused (%.1f %%)", m.ID, len(files), silent, talking, refused, 100*float64(refused)/float64(talking))
		if refused*100 > talking*mostRefused {
			t.Errorf("more than %d %% of %s are refused", mostRefused, m.ID)
		}
	}
}

// toAndFro hands the session at path to the other agent and back. An error is a
// refusal of the first hand-over; what goes wrong after it fails the test.
func toAndFro(t *testing.T, from, to agent.Writer, path string) error {
	t.Helper()
	before, err := os.ReadFile(path)
	must(t, err)
	o := handoff.Options{
		Home: home(t), Now: time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC),
		File: []atomicfile.Option{atomicfile.Sync(false)},
	}
	var foreign *agent.ForeignError
	there := filepath.Join(t.TempDir(), "there.jsonl")
	res, err := handoff.Convert(t.Context(), from, path, to, there, o)
	if errors.As(err, &foreign) {
		t.Skipf("only for a session of this agent: %v", err)
	}
	if err != nil {
		return err
	}
	back := filepath.Join(t.TempDir(), "back.jsonl")
	returned, err := handoff.Convert(t.Context(), to, there, from, back, o)
	if err != nil {
		t.Fatalf("on the way back: %v", err)
	}
	for name, r := range map[string]*canon.Report{"there": &res.Report, "back": &returned.Report} {
		if err := r.Balance(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	again := filepath.Join(t.TempDir(), "again.jsonl")
	if _, err := handoff.Convert(t.Context(), from, back, to, again, o); err != nil {
		t.Errorf("there again: %v", err)
	}
	if now, err := os.ReadFile(path); err != nil || string(now) != string(before) {
		t.Errorf("the original changed, %v", err)
	}
	return nil
}

// What comes back says what went there: nothing is lost on a second way.
func TestCorpusIsStableAfterTheFirstHandover(t *testing.T) {
	for _, pair := range []struct{ from, to agent.Writer }{{claude.New(), codex.New()}, {codex.New(), claude.New()}} {
		m, err := pair.from.Manifest()
		must(t, err)
		for _, f := range fixture.Corpus(t, m.ID) {
			t.Run(m.ID+" "+f.Label, func(t *testing.T) {
				o := handoff.Options{Home: home(t), Now: time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC), File: []atomicfile.Option{atomicfile.Sync(false)}}
				path := f.Unpack(t, t.TempDir())
				var chains []string
				for i, way := range []struct{ from, to agent.Writer }{{pair.from, pair.to}, {pair.to, pair.from}, {pair.from, pair.to}} {
					out := filepath.Join(t.TempDir(), fmt.Sprint(i, ".jsonl"))
					res, err := handoff.Convert(t.Context(), way.from, path, way.to, out, o)
					if err != nil {
						if i > 0 {
							t.Fatal(err)
						}
						t.Skipf("only for a session that can be handed over: %v", err)
					}
					for _, l := range res.Report.Losses {
						if i == 1 && l.Where != "" && l.Why != "an earlier hand-over put it in" && l.Action != canon.Moved && l.Action != canon.Synthesized && l.What != string(canon.KindToolResult) && l.What != "model" && l.What != "usage" {
							t.Skipf("only where the way back changes nothing that the way there did not: %+v", l)
						}
					}
					chains = append(chains, fmt.Sprint(len(res.Written.Links), res.Written.Links[len(res.Written.Links)-1]))
					path = out
				}
				if chains[0] != chains[2] {
					t.Errorf("first %s, after a way to and fro %s", chains[0], chains[2])
				}
			})
		}
	}
}
