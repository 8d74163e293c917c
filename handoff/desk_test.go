package handoff_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/agent/all"
	"github.com/crosswalk-agents/crosswalk/agent/claude"
	"github.com/crosswalk-agents/crosswalk/handoff"
	"github.com/crosswalk-agents/crosswalk/internal/atomicfile"
)

const (
	sampleID  = "5a3f0c1e-7d2b-4c8e-9f10-2b6d8e4a1c77"
	sampleDir = "/sample/greeter"
)

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// newDesk returns a desk over a home with the sample session of Claude Code.
func newDesk(t *testing.T, env map[string]string) (*handoff.Desk, agent.Entry) {
	t.Helper()
	home := t.TempDir()
	dir := filepath.Join(home, ".claude", "projects", claude.ProjectDirName(sampleDir))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("testdata/claude.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, sampleID+".jsonl"), text, 0o600); err != nil {
		t.Fatal(err)
	}
	d := &handoff.Desk{
		Agents: all.Agents(), State: filepath.Join(home, "state"),
		Home: agent.Home{Dir: home, Getenv: func(name string) string { return env[name] }},
	}
	e, err := d.Resolve(t.Context(), handoff.Wanted{Name: sampleID, Dir: sampleDir})
	if err != nil {
		t.Fatal(err)
	}
	return d, e.Entry
}

// tree lists the files and folders below dir with their content.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	m := make(map[string]string)
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		if e.IsDir() {
			m[rel] = "(folder)"
			return nil
		}
		text, err := os.ReadFile(path)
		m[rel] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// agentFiles is tree without our own state.
func agentFiles(t *testing.T, d *handoff.Desk) map[string]string {
	t.Helper()
	m := tree(t, d.Home.Dir)
	for path := range m {
		if path == "state" || strings.HasPrefix(path, "state"+string(filepath.Separator)) {
			delete(m, path)
		}
	}
	return m
}

func TestAnotherRequestIsAnotherHandOver(t *testing.T) {
	for name, change := range map[string]func(*handoff.Options){
		"view":           func(o *handoff.Options) { o.View = agent.FullView },
		"turns":          func(o *handoff.Options) { o.Turns = 1 },
		"system text":    func(o *handoff.Options) { o.SkipSystem = true },
		"instructions":   func(o *handoff.Options) { o.KeepInstructions = true },
		"masking":        func(o *handoff.Options) { o.Redact = true },
		"mapping":        func(o *handoff.Options) { o.Map = []handoff.Mapping{{Old: "/a", New: "/b"}} },
		"model":          func(o *handoff.Options) { o.Model = "m" },
		"id":             func(o *handoff.Options) { o.ID = "0190a1b2-c3d4-7000-8000-00000000abcd" },
		"directory":      func(o *handoff.Options) { o.Dir = "/elsewhere" },
		"where we stand": func(o *handoff.Options) { o.HereDir = "/elsewhere" },
	} {
		t.Run(name, func(t *testing.T) {
			d, e := newDesk(t, nil)
			if name == "where we stand" {
				e.Dir = "" // it matters for a session that does not say where it was
			}
			o := handoff.Options{Now: noon, HereDir: sampleDir}
			if _, err := d.To(t.Context(), &e, "codex", o, false); err != nil {
				t.Fatal(err)
			}
			change(&o)
			res, err := d.To(t.Context(), &e, "codex", o, false)
			if err != nil {
				t.Fatal(err)
			}
			if res.Again {
				t.Error("the earlier hand-over was returned")
			}
		})
	}
}

func TestWhereWeStandDoesNotMatterForASessionWithADirectory(t *testing.T) {
	d, e := newDesk(t, nil)
	for i, here := range []string{"/a", "/b"} {
		res, err := d.To(t.Context(), &e, "codex", handoff.Options{Now: noon, HereDir: here}, false)
		if err != nil {
			t.Fatal(err)
		}
		if res.Again != (i > 0) {
			t.Errorf("from %s: again is %v", here, res.Again)
		}
	}
}

func TestUnknownAgentsAreNamed(t *testing.T) {
	d, e := newDesk(t, nil)
	other := e
	other.Agent = "nobody"
	_, _, errAgent := d.Agent("nobody")
	_, errFrom := d.To(t.Context(), &other, "codex", handoff.Options{Now: noon}, false)
	_, errTo := d.To(t.Context(), &e, "nobody", handoff.Options{Now: noon}, false)
	_, errPull := d.Pull(t.Context(), &other, handoff.PullOptions{Options: handoff.Options{Now: noon}})
	for name, err := range map[string]error{"agent": errAgent, "from": errFrom, "to": errTo, "pull": errPull} {
		var unknown *handoff.UnknownAgentError
		if !errors.As(err, &unknown) || unknown.ID != "nobody" {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func TestSameHandOverTwiceIsRecognised(t *testing.T) {
	d, e := newDesk(t, nil)
	first, err := d.To(t.Context(), &e, "codex", handoff.Options{Now: noon}, false)
	if err != nil {
		t.Fatal(err)
	}
	second, err := d.To(t.Context(), &e, "codex", handoff.Options{Now: noon}, false)
	if err != nil {
		t.Fatal(err)
	}
	if !second.Again || second.Target != first.Target {
		t.Errorf("the second is %+v, the first %+v", second.Target, first.Target)
	}
	third, err := d.To(t.Context(), &e, "codex", handoff.Options{Now: noon}, true)
	if err != nil {
		t.Fatal(err)
	}
	if third.Again || third.Target.ID == first.Target.ID {
		t.Error("a hand-over that was asked for again was not made")
	}
	other, err := d.To(t.Context(), &e, "codex", handoff.Options{Now: noon, Turns: 1}, false)
	if err != nil {
		t.Fatal(err)
	}
	if other.Again {
		t.Error("another choice of turns is another hand-over")
	}
}

func TestUndoRestoresTheListing(t *testing.T) {
	d, e := newDesk(t, nil)
	before := agentFiles(t, d)
	res, err := d.To(t.Context(), &e, "codex", handoff.Options{Now: noon}, false)
	if err != nil {
		t.Fatal(err)
	}
	dry, err := d.Undo(t.Context(), "", "", true)
	if err != nil {
		t.Fatal(err)
	}
	if dry.Target != res.Target {
		t.Errorf("undo would take %+v", dry.Target)
	}
	if _, err := d.Undo(t.Context(), res.Target.ID, "", false); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, agentFiles(t, d)); diff != "" {
		t.Error(diff)
	}
	if _, err := d.Undo(t.Context(), res.Target.ID, "", false); err == nil {
		t.Error("it was undone twice")
	}
}

func TestUndoRefusesWhatHasChanged(t *testing.T) {
	for name, change := range map[string]func(path string) error{
		"grown": func(path string) error {
			f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			_, err = f.WriteString(strings.Join(codexTurn("More.", "There is more."), "\n") + "\n")
			return errors.Join(err, f.Close())
		},
		"edited at the same length": func(path string) error {
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			return os.WriteFile(path, bytes.Replace(text, []byte("typo"), []byte("TYPO"), 1), 0o600)
		},
	} {
		t.Run(name, func(t *testing.T) {
			d, e := newDesk(t, nil)
			res, err := d.To(t.Context(), &e, "codex", handoff.Options{Now: noon}, false)
			if err != nil {
				t.Fatal(err)
			}
			if err := change(res.Target.Path); err != nil {
				t.Fatal(err)
			}
			if _, err := d.Undo(t.Context(), "", "", false); !errors.Is(err, handoff.ErrRefused) {
				t.Errorf("undo: %v", err)
			}
			if _, err := os.Stat(res.Target.Path); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestShellsOwnSessionComesFirst(t *testing.T) {
	d, _ := newDesk(t, map[string]string{"CLAUDE_CODE_SESSION_ID": sampleID})
	c, err := d.Choose(t.Context(), "/somewhere/else", "codex", "", false)
	if err != nil {
		t.Fatal(err)
	}
	if c.ID != sampleID || !strings.Contains(c.Why, "CLAUDE_CODE_SESSION_ID") {
		t.Errorf("chose %s: %s", c.ID, c.Why)
	}
	var nf *handoff.NotFoundError
	if _, err := d.Choose(t.Context(), "/somewhere/else", "claude", "", false); !errors.As(err, &nf) {
		t.Errorf("a session of the target was chosen: %v", err)
	}
}

func TestNothingHereNamesTheNearest(t *testing.T) {
	d, _ := newDesk(t, nil)
	_, err := d.Choose(t.Context(), "/somewhere/else", "codex", "", false)
	var nf *handoff.NotFoundError
	if !errors.As(err, &nf) {
		t.Fatal(err)
	}
	if nf.Nearest == nil || nf.Nearest.ID != sampleID || nf.Empty || len(nf.Searched) == 0 {
		t.Errorf("%+v", nf)
	}
}

func TestFailureLeavesNothing(t *testing.T) {
	boom := errors.New("boom")
	for _, at := range []atomicfile.Point{
		atomicfile.AfterTempCreate, atomicfile.AfterFirstWrite, atomicfile.BeforeFsync,
		atomicfile.AfterFsync, atomicfile.BeforeRename,
	} {
		t.Run(string(at), func(t *testing.T) {
			d, e := newDesk(t, nil)
			before := agentFiles(t, d)
			o := handoff.Options{Now: noon, File: []atomicfile.Option{atomicfile.Hook(func(p atomicfile.Point) error {
				if p == at {
					return boom
				}
				return nil
			})}}
			if _, err := d.To(t.Context(), &e, "codex", o, false); !errors.Is(err, boom) {
				t.Errorf("to: %v", err)
			}
			if diff := cmp.Diff(before, agentFiles(t, d)); diff != "" {
				t.Error(diff)
			}
			hs, err := d.Handoffs(t.Context())
			if err != nil || len(hs) > 0 {
				t.Errorf("the journal has %d hand-overs, %v", len(hs), err)
			}
		})
	}
}

func TestCancelledHandOverLeavesNothing(t *testing.T) {
	d, e := newDesk(t, nil)
	before := agentFiles(t, d)
	ctx, cancel := context.WithCancel(t.Context())
	o := handoff.Options{Now: noon, Confirm: func(*handoff.Result) error { cancel(); return ctx.Err() }}
	if _, err := d.To(ctx, &e, "codex", o, false); !errors.Is(err, context.Canceled) {
		t.Errorf("to: %v", err)
	}
	if diff := cmp.Diff(before, agentFiles(t, d)); diff != "" {
		t.Error(diff)
	}
}

// codexTurn is a turn as Codex adds it to a rollout.
func codexTurn(prompt, answer string) []string {
	return []string{
		`{"timestamp":"2026-11-30T13:00:00.000Z","type":"event_msg","payload":{"type":"user_message","message":"` + prompt + `"}}`,
		`{"timestamp":"2026-11-30T13:00:00.000Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"` + prompt + `"}]}}`,
		`{"timestamp":"2026-11-30T13:00:01.000Z","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"` + answer + `"}]}}`,
	}
}

func TestLineageOfALoop(t *testing.T) {
	d, e := newDesk(t, nil)
	to, err := d.To(t.Context(), &e, "codex", handoff.Options{Now: noon}, false)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(to.Target.Path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range codexTurn("Review it.", "Good.") {
		if _, err := f.WriteString(line + "\n"); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	p, err := d.ChoosePull(t.Context(), sampleDir, false, false)
	if err != nil {
		t.Fatal(err)
	}
	pulled, err := d.Pull(t.Context(), p, handoff.PullOptions{Options: handoff.Options{Now: noon.Add(time.Hour)}})
	if err != nil {
		t.Fatal(err)
	}
	steps, err := d.Lineage(t.Context(), sampleID)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, s := range steps {
		ids = append(ids, string(s.Handoff.Op)+" "+s.Handoff.Target.ID)
	}
	if want := []string{"to " + to.Target.ID, "pull " + pulled.Target.ID}; !slices.Equal(ids, want) {
		t.Errorf("lineage %q, want %q", ids, want)
	}
	if key1, key2 := key(t, d, sampleID), key(t, d, pulled.Target.ID); !bytes.Equal(key1, key2) {
		t.Error("the sessions of one lineage have different keys")
	}
}

func key(t *testing.T, d *handoff.Desk, id string) []byte {
	t.Helper()
	k, err := d.LineageKey(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// addTurn adds a turn to the rollout at path.
func addTurn(t *testing.T, path, prompt, answer string) {
	t.Helper()
	appendTo(t, path, codexTurn(prompt, answer)...)
}

func TestWrittenBytesAreKeptUntilTheTargetIsContinued(t *testing.T) {
	for name, c := range map[string]struct {
		change func(t *testing.T, path string)
		kept   bool
	}{
		"untouched": {func(*testing.T, string) {}, true},
		"continued": {func(t *testing.T, path string) { addTurn(t, path, "Review it.", "Good.") }, false},
		"cut by its client": {func(t *testing.T, path string) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			lines := strings.SplitAfter(string(text), "\n")
			if err := os.WriteFile(path, []byte(strings.Join(lines[:len(lines)/2], "")), 0o600); err != nil {
				t.Fatal(err)
			}
			addTurn(t, path, "What was that?", "I do not know.")
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			d, e := newDesk(t, nil)
			res, err := d.To(t.Context(), &e, "codex", handoff.Options{Now: noon}, false)
			if err != nil {
				t.Fatal(err)
			}
			written, err := os.ReadFile(res.Target.Path)
			if err != nil {
				t.Fatal(err)
			}
			c.change(t, res.Target.Path)
			target, err := d.Resolve(t.Context(), handoff.Wanted{Name: res.Target.ID, Dir: sampleDir})
			if err != nil {
				t.Fatal(err)
			}
			_, pulled := d.Pull(t.Context(), &target.Entry, handoff.PullOptions{Options: handoff.Options{Now: noon.Add(time.Hour)}})
			if _, err := d.Standings(t.Context(), []agent.Entry{target.Entry}); err != nil {
				t.Fatal(err)
			}
			kept, err := os.ReadFile(filepath.Join(d.State, "handoff", res.Handoff, "target.jsonl"))
			if (err == nil) != c.kept || c.kept && !bytes.Equal(kept, written) {
				t.Errorf("kept %d of %d bytes, %v; pull: %v", len(kept), len(written), err, pulled)
			}
		})
	}
}

func TestHandOverOfAnUnreadableTargetIsNotTakenBack(t *testing.T) {
	d, e := newDesk(t, nil)
	res, err := d.To(t.Context(), &e, "codex", handoff.Options{Now: noon}, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(res.Target.Path, []byte("{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Undo(t.Context(), "", "", false); err == nil {
		t.Error("a file that holds something else was removed")
	}
	if _, err := os.Stat(res.Target.Path); err != nil {
		t.Error(err)
	}
}

func TestLaterHandOverDoesNotAnswerForAnEarlierOne(t *testing.T) {
	d, e := newDesk(t, nil)
	short, err := d.To(t.Context(), &e, "codex", handoff.Options{Now: noon, Turns: 1}, false)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.To(t.Context(), &e, "codex", handoff.Options{Now: noon}, false); err != nil {
		t.Fatal(err)
	}
	addTurn(t, short.Target.Path, "Review it.", "Good.")
	target, err := d.Resolve(t.Context(), handoff.Wanted{Name: short.Target.ID, Dir: sampleDir})
	if err != nil {
		t.Fatal(err)
	}
	res, err := d.Pull(t.Context(), &target.Entry, handoff.PullOptions{Options: handoff.Options{Now: noon.Add(time.Hour)}})
	if err != nil {
		t.Fatal(err)
	}
	if res.Turns != 1 {
		t.Errorf("%d turns came back", res.Turns)
	}
}
