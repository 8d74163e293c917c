package handoff_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/agent/all"
	"github.com/crosswalk-agents/crosswalk/handoff"
	"github.com/crosswalk-agents/crosswalk/internal/fixture"
)

// Every session of the corpus goes to the other agent and back: what was only
// opened is known as such, what was added comes back once, with the journal or
// without.
func TestLoopsOfTheCorpus(t *testing.T) {
	for from, to := range map[string]string{"claude": "codex", "codex": "claude"} {
		for _, f := range fixture.Corpus(t, from) {
			t.Run(from+"/"+f.Label, func(t *testing.T) {
				t.Parallel()
				home := t.TempDir()
				folder := map[string]string{"claude": ".claude/projects/-x", "codex": ".codex/sessions/2026/11/30"}[from]
				path := f.Unpack(t, filepath.Join(home, filepath.FromSlash(folder)))
				loopOf(t, &loop{d: &handoff.Desk{
					Agents: all.Agents(), State: filepath.Join(home, "state"),
					Home: agent.Home{Dir: home, Getenv: func(string) string { return "" }},
				}, source: path, from: from, to: to})
			})
		}
	}
}

type loop struct {
	d        *handoff.Desk
	source   string
	from, to string
}

func loopOf(t *testing.T, l *loop) {
	e, err := l.d.Resolve(t.Context(), handoff.Wanted{Name: l.source, All: true})
	if err != nil {
		t.Skip("only for a file that holds a session: ", err)
	}
	first, err := l.d.To(t.Context(), &e.Entry, l.to, handoff.Options{Now: noon}, false)
	if err != nil {
		t.Skip("only for a session that can be handed over: ", err)
	}
	target := first.Target.Path
	notes(t, l.to, target, l.source)
	if e, err = l.d.Resolve(t.Context(), handoff.Wanted{Name: l.source, All: true}); err != nil {
		t.Fatal(err)
	}
	if again, err := l.d.To(t.Context(), &e.Entry, l.to, handoff.Options{Now: noon}, false); err != nil || !again.Again {
		t.Errorf("the same hand-over of a source that was opened: %v", err)
	}
	if _, err := l.pull(t, target); !errors.Is(err, handoff.ErrNothingNew) {
		t.Errorf("pull from a target that was opened: %v", err)
	}
	if _, err := l.d.Undo(t.Context(), first.Handoff, "", true); err != nil {
		t.Errorf("undo of a target that was opened: %v", err)
	}
	says(t, l.to, target)
	if _, err := l.d.Undo(t.Context(), first.Handoff, "", true); !errors.Is(err, handoff.ErrRefused) {
		t.Errorf("undo of a target that was continued: %v", err)
	}
	res, err := l.pull(t, target)
	if errors.Is(err, agent.ErrNotResumed) {
		return
	}
	if err != nil || res.Turns != 1 || res.MovedOn || res.OtherBranch {
		t.Fatalf("pull: %+v, %v", res, err)
	}
	if _, err := l.pull(t, target); !errors.Is(err, handoff.ErrNothingNew) {
		t.Errorf("a second pull: %v", err)
	}
	notes(t, l.from, res.Target.Path)
	if _, err := l.d.Undo(t.Context(), res.Handoff, "", false); err != nil {
		t.Errorf("undo of a copy that was opened: %v", err)
	}
	if err := os.RemoveAll(l.d.State); err != nil {
		t.Fatal(err)
	}
	res, err = l.pull(t, target)
	var lost *handoff.LostBaseError
	if errors.As(err, &lost) {
		return // its file is not called as a session is
	}
	if err != nil || res.Turns != 1 {
		t.Errorf("pull without the journal: %+v, %v", res, err)
	}
}

func (l *loop) pull(t *testing.T, path string) (*handoff.Result, error) {
	t.Helper()
	e, err := l.d.Resolve(t.Context(), handoff.Wanted{Name: path, All: true})
	if err != nil {
		t.Fatal(err)
	}
	return l.d.Pull(t.Context(), &e.Entry, handoff.PullOptions{Options: handoff.Options{Now: noon.Add(time.Hour)}})
}

func appendTo(t *testing.T, path string, lines ...string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.WriteString(strings.Join(lines, "\n") + "\n")
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
}

// notes adds what clients note when somebody opens a session.
func notes(t *testing.T, agentID string, paths ...string) {
	t.Helper()
	for _, path := range paths {
		if agentID == "codex" || strings.Contains(path, "rollout-") {
			appendTo(t, path, `{"timestamp":"2026-11-30T12:30:00.000Z","type":"event_msg","payload":{"type":"thread_settings_applied"}}`)
		} else {
			appendTo(t, path, `{"type":"mode","mode":"normal","sessionId":"x"}`)
		}
	}
}

// says adds a turn.
func says(t *testing.T, agentID, path string) {
	t.Helper()
	if agentID == "codex" {
		appendTo(t, path, codexTurn("Review it.", "Good.")...)
		return
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	leaf := ""
	for line := range strings.Lines(string(text)) {
		var rec struct{ LeafUUID string }
		if err := json.Unmarshal([]byte(line), &rec); err == nil && rec.LeafUUID != "" {
			leaf = rec.LeafUUID
		}
	}
	record := func(id, parent, role, text string) string {
		return fmt.Sprintf(`{"parentUuid":%q,"isSidechain":false,"type":%q,"message":{"role":%q,"content":[{"type":"text","text":%q}]},"uuid":%q,"timestamp":"2026-11-30T13:00:00.000Z"}`,
			parent, role, role, text, id)
	}
	appendTo(t, path, record("said-1", leaf, "user", "Review it."), record("said-2", "said-1", "assistant", "Good."))
}
