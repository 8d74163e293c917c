package canonical_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/agent/canonical"
	"github.com/crosswalk-agents/crosswalk/canon"
)

// Every session of the corpus goes through the canonical form unchanged.
func TestCorpus(t *testing.T) {
	corpus := os.Getenv("CROSSWALK_CORPUS")
	if corpus == "" {
		t.Skip("needs CROSSWALK_CORPUS, a corpus of session files; CI has it")
	}
	for name, a := range agents(t) {
		files, err := filepath.Glob(filepath.Join(corpus, name, "*.gz"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no files of %s: %v", name, err)
		}
		for _, file := range files {
			t.Run(name+"/"+filepath.Base(file), func(t *testing.T) {
				path := unpack(t, file)
				for _, view := range []agent.View{agent.ModelView, agent.FullView} {
					sameMessages(t, a, path, view)
				}
				for _, dst := range agents(t) {
					if err := sameTarget(t, a, path, dst, agent.ModelView); err != nil {
						t.Logf("not convertible at all: %v", err)
					}
				}
			})
		}
	}
}

// unpack unpacks a file of the corpus under its native name.
func unpack(t *testing.T, file string) string {
	t.Helper()
	packed, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	name := strings.TrimSuffix(filepath.Base(file), ".gz")
	if _, native, ok := strings.Cut(name, "__"); ok {
		name = native
	}
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// sameMessages compares the session's messages with those of its canonical
// form.
func sameMessages(t *testing.T, a agent.Agent, path string, view agent.View) {
	t.Helper()
	s, err := a.Open(t.Context(), path, agent.OpenOptions{View: view})
	if errors.Is(err, agent.ErrForeign) || errors.Is(err, agent.ErrNoConversation) {
		t.Skip("only for a session that holds a conversation: ", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	again, err := canonical.New().Open(t.Context(), canonicalFile(t, a, path, agent.OpenOptions{View: view}), agent.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	opts := cmp.Options{cmp.Comparer(canon.Text.Equal), cmp.Comparer(func(a, b canon.Raw) bool { return bytes.Equal(a, b) })}
	if !cmp.Equal(every(t, s), every(t, again), opts) {
		t.Errorf("%s view: messages differ behind the canonical form", view)
	}
	if err := errors.Join(s.Close(), again.Close()); err != nil {
		t.Error(err)
	}
}

func every(t *testing.T, s agent.Session) []*canon.Message {
	t.Helper()
	var msgs []*canon.Message
	for m, err := range s.Messages(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		msgs = append(msgs, m)
	}
	return msgs
}
