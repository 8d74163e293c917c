package agenttest

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/canon"
)

func testRefusals(t *testing.T, a agent.Agent, fx *Fixtures) {
	for _, f := range fx.Foreign {
		t.Run("foreign "+f.Name, func(t *testing.T) {
			path := f.put(t)
			err := refused(t, a, path, agent.ErrForeign)
			var foreign *agent.ForeignError
			if f.Got == "" {
				return
			}
			if !errors.As(err, &foreign) || foreign.Got != f.Got {
				t.Errorf("error %q does not say that the file is of %q", err, f.Got)
			}
		})
	}
	for _, f := range append([]File{{Name: "empty.jsonl"}, {Name: "blank.jsonl", Data: "\n \n\r\n"}}, fx.Silent...) {
		t.Run("silent "+f.Name, func(t *testing.T) {
			refused(t, a, f.put(t), agent.ErrNoConversation)
		})
	}
	for name, data := range map[string]string{"prose": "Dear diary,\nnothing today.\n", "binary": "\x7fELF\x02\x01\x00\xff\xfe", "number": "42\n", "list": "[1,2]\n"} {
		t.Run("no session "+name, func(t *testing.T) {
			f := File{Name: name + ".jsonl", Data: data}
			refused(t, a, f.put(t), agent.ErrForeign)
		})
	}
	t.Run("missing file", func(t *testing.T) {
		refused(t, a, filepath.Join(t.TempDir(), "gone.jsonl"), fs.ErrNotExist)
	})
	t.Run("folder", func(t *testing.T) {
		if _, err := a.Open(t.Context(), t.TempDir(), agent.OpenOptions{Home: surroundings(t)}); err == nil {
			t.Error("a folder was opened")
		}
	})
}

// refused returns the error of opening path, which has to match target and to
// name the file.
func refused(t *testing.T, a agent.Agent, path string, target error) error {
	t.Helper()
	s, err := a.Open(t.Context(), path, agent.OpenOptions{Home: surroundings(t)})
	if err == nil {
		_ = s.Close()
		t.Fatalf("%q was opened", path)
	}
	if !errors.Is(err, target) {
		t.Errorf("error %q does not match %q", err, target)
	}
	if !strings.Contains(err.Error(), filepath.Base(path)) {
		t.Errorf("error %q does not name the file", err)
	}
	return err
}

func testReading(t *testing.T, a agent.Agent, fx *Fixtures) {
	for _, f := range fx.Sessions {
		t.Run(f.Name, func(t *testing.T) {
			path := f.put(t)
			before := tree(t, filepath.Dir(path))
			stat, err := os.Stat(path)
			must(t, err)
			for _, view := range []agent.View{"", agent.ModelView, agent.FullView} {
				testView(t, a, path, view)
			}
			testCancel(t, a, path)
			if diff := cmp.Diff(before, tree(t, filepath.Dir(path))); diff != "" {
				t.Errorf("reading changed the files (-before +after):\n%s", diff)
			}
			now, err := os.Stat(path)
			must(t, err)
			if !now.ModTime().Equal(stat.ModTime()) || now.Mode() != stat.Mode() {
				t.Error("reading changed the file's time or mode")
			}
		})
	}
}

// testView reads path over and over: within a session, in a new one, and
// through the stages of a hand-over.
func testView(t *testing.T, a agent.Agent, path string, view agent.View) {
	t.Helper()
	var r canon.Report
	s := open(t, a, path, agent.OpenOptions{View: view, Report: &r, Home: surroundings(t)})
	defer closeSession(t, s)
	first := drain(t, s)
	if len(first) == 0 {
		t.Fatalf("view %q: no message", view)
	}
	notes := len(r.Notes)
	losses := len(r.Losses)
	if diff := cmp.Diff(first, drain(t, s)); diff != "" {
		t.Errorf("view %q: a second reading differs:\n%s", view, diff)
	}
	if len(r.Notes) != notes || len(r.Losses) != losses {
		t.Errorf("view %q: the second reading was counted too: %v, %v", view, r.Notes, r.Losses)
	}
	other := open(t, a, path, agent.OpenOptions{View: view, Home: surroundings(t)})
	defer closeSession(t, other)
	if diff := cmp.Diff(first, drain(t, other)); diff != "" {
		t.Errorf("view %q: another session on the file differs:\n%s", view, diff)
	}
	if diff := cmp.Diff(s.Thread(), other.Thread()); diff != "" {
		t.Errorf("view %q: the header differs:\n%s", view, diff)
	}
	m, err := a.Manifest()
	must(t, err)
	if th := s.Thread(); th.Agent != m.ID || th.ID == "" {
		t.Errorf("view %q: thread %+v has no id or is of another agent", view, th)
	}
	checkPlaces(t, s)
	for m, err := range stages(s.Messages(t.Context()), s.Calls(), &r) {
		must(t, err)
		r.Emit(m)
	}
	must(t, r.Balance())
}

// checkPlaces wants of every message what the stages rely on.
func checkPlaces(t *testing.T, s agent.Session) {
	t.Helper()
	for m, err := range s.Messages(t.Context()) {
		must(t, err)
		switch {
		case len(m.Blocks) == 0:
			t.Errorf("%s: a message without blocks", m.Where())
		case m.Role != canon.User && m.Role != canon.Assistant && m.Role != canon.System:
			t.Errorf("%s: role %q", m.Where(), m.Role)
		case (m.Authority != "") != (m.Role == canon.System):
			t.Errorf("%s: role %q with authority %q", m.Where(), m.Role, m.Authority)
		}
	}
}

// testCancel ends the context before, and in the middle of, a reading.
func testCancel(t *testing.T, a agent.Agent, path string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if s, err := a.Open(ctx, path, agent.OpenOptions{Home: surroundings(t)}); err == nil {
		_ = s.Close()
		t.Error("a cancelled context opened the session")
	} else if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	s := open(t, a, path, agent.OpenOptions{Home: surroundings(t)})
	defer closeSession(t, s)
	ctx, cancel = context.WithCancel(t.Context())
	defer cancel()
	var last error
	n := 0
	for _, err := range s.Messages(ctx) {
		n++
		last = err
		cancel()
	}
	if total := len(drain(t, s)); n < total && !errors.Is(last, context.Canceled) {
		t.Errorf("cancelled after one of %d messages: %d came, and the error is %v", total, n, last)
	}
	for range s.Messages(t.Context()) {
		break // leaving early is no error
	}
}

func open(t *testing.T, a agent.Agent, path string, o agent.OpenOptions) agent.Session {
	t.Helper()
	s, err := a.Open(t.Context(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func closeSession(t *testing.T, s agent.Session) {
	t.Helper()
	must(t, s.Close())
}

// drain reads all messages of s and returns their lines as in [Lines].
func drain(t *testing.T, s agent.Session) []string {
	t.Helper()
	lines, err := Lines(s.Messages(t.Context()))
	must(t, err)
	return lines
}
