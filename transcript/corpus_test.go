package transcript

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/canon"
)

// Every session of the corpus can be shown.
func TestCorpus(t *testing.T) {
	corpus := os.Getenv("CROSSWALK_CORPUS")
	if corpus == "" {
		t.Skip("needs CROSSWALK_CORPUS, a corpus of session files; CI has it")
	}
	for name, a := range agents() {
		files, err := filepath.Glob(filepath.Join(corpus, name, "*.gz"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no files of %s: %v", name, err)
		}
		for _, file := range files {
			t.Run(name+"/"+filepath.Base(file), func(t *testing.T) { showAll(t, a, unpack(t, file)) })
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

func showAll(t *testing.T, a agent.Agent, path string) {
	t.Helper()
	s, err := a.Open(t.Context(), path, agent.OpenOptions{View: agent.FullView})
	if errors.Is(err, agent.ErrForeign) || errors.Is(err, agent.ErrNoConversation) {
		t.Skip("only for a session that holds a conversation: ", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	var msgs []*canon.Message
	for m, err := range s.Messages(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		msgs = append(msgs, m)
	}
	checkText(t, s.Thread(), msgs)
	var b bytes.Buffer
	if err := HTML(&b, s.Thread(), stream(msgs)); err != nil {
		t.Fatal(err)
	}
	checkPage(t, b.String())
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
