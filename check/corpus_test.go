package check

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// corpusFiles unpacks the real sessions of $CROSSWALK_CORPUS under their native
// names and calls f for each.
func corpusFiles(t *testing.T, f func(t *testing.T, agent, path string)) {
	root := os.Getenv("CROSSWALK_CORPUS")
	if root == "" {
		t.Skip("needs CROSSWALK_CORPUS, a corpus of session files; CI has it")
	}
	for _, agent := range []string{agentClaude, agentCodex} {
		files, err := filepath.Glob(filepath.Join(root, agent, "*.gz"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no %s files in the corpus: %v", agent, err)
		}
		for _, file := range files {
			_, native, _ := strings.Cut(strings.TrimSuffix(filepath.Base(file), ".gz"), "__")
			t.Run(agent+"/"+native, func(t *testing.T) {
				f(t, agent, unpack(t, file, native))
			})
		}
	}
}

func unpack(t *testing.T, file, native string) string {
	t.Helper()
	in, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	z, err := gzip.NewReader(in)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), native)
	write(t, path, data)
	return path
}

// corpusTime bounds the check of one file; the largest has 4 MB.
const corpusTime = 10 * time.Second

func TestCorpusIsChecked(t *testing.T) {
	corpusFiles(t, func(t *testing.T, agent, path string) {
		ctx, cancel := context.WithTimeout(context.Background(), corpusTime)
		defer cancel()
		r, err := Check(ctx, path, Options{Agent: agent})
		if err != nil {
			t.Fatal(err)
		}
		if r.Records == 0 {
			t.Error("no record read")
		}
		for _, f := range r.Findings {
			if f.Severity != Info {
				t.Logf("line %d: %s: %s", f.Line, f.Rule, f.Message)
			}
		}
	})
}

func TestCorpusIsRepaired(t *testing.T) {
	corpusFiles(t, func(t *testing.T, agent, path string) {
		ctx, cancel := context.WithTimeout(context.Background(), corpusTime)
		defer cancel()
		out := filepath.Join(t.TempDir(), filepath.Base(path))
		r, err := Repair(ctx, path, out, Options{Agent: agent})
		var left *RemainingError
		switch {
		case errors.As(err, &left):
			for _, f := range left.Findings {
				if newCatalog()[f.Rule].Repair != "" {
					t.Errorf("line %d: %s is left", f.Line, f.Rule)
				}
			}
		case err != nil:
			t.Fatal(err)
		case r.After.Reachable.Chain < r.Before.Reachable.Chain-r.Removed:
			t.Errorf("reachable before %+v, after %+v", r.Before.Reachable, r.After.Reachable)
		}
	})
}
