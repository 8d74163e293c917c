package check

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// seeds adds the files of testdata that belong to one agent.
func seeds(f *testing.F, agent string) {
	for _, pattern := range []string{agent + "-*.jsonl", "clean-" + agent + "*.jsonl"} {
		files, err := filepath.Glob(filepath.Join("testdata", pattern))
		if err != nil || len(files) == 0 {
			f.Fatal(files, err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			if len(data) < 20000 {
				f.Add(data)
			}
		}
	}
}

// fuzz checks that any bytes are examined without panic, and that a repair
// either says what it cannot repair or gives a file that passes.
func fuzz(t *testing.T, agent, name string, data []byte) {
	path := filepath.Join(t.TempDir(), name)
	write(t, path, data)
	o := Options{Agent: agent}
	if _, err := Check(context.Background(), path, o); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), name)
	_, err := Repair(context.Background(), path, out, o)
	var left *RemainingError
	if errors.As(err, &left) {
		if _, err := os.Lstat(out); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("a copy was left: %v", err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	r, err := Check(context.Background(), out, o)
	if err != nil {
		t.Fatal(err)
	}
	if n := r.Count(Error); n > 0 {
		t.Errorf("%d errors after the repair: %+v", n, r.Findings)
	}
}

func FuzzClaude(f *testing.F) {
	seeds(f, agentClaude)
	f.Fuzz(func(t *testing.T, data []byte) { fuzz(t, agentClaude, claudeName, data) })
}

func FuzzCodex(f *testing.F) {
	seeds(f, agentCodex)
	f.Fuzz(func(t *testing.T, data []byte) { fuzz(t, agentCodex, codexName1, data) })
}
