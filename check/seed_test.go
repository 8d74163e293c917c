package check

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// Names that the clients find.
const (
	claudeID   = "11111111-2222-4333-8444-555555555555"
	codexID    = "019e9999-1111-7222-8333-444444444444"
	claudeName = claudeID + ".jsonl"
	codexName1 = "rollout-2026-11-30T10-00-00-" + codexID + ".jsonl"
)

// A seed is a file of testdata, which holds one defect, put where it belongs.
type seed struct {
	rule    string
	path    string
	options Options
}

// place says how the file of a rule about places is to lie.
var place = map[string]func(t *testing.T, dir string, s *seed, data []byte) []byte{
	"claude-file-name": func(_ *testing.T, dir string, s *seed, data []byte) []byte {
		s.path = filepath.Join(dir, "my-session.jsonl")
		return data
	},
	"claude-compressed": func(t *testing.T, _ string, _ *seed, data []byte) []byte { return pack(t, data) },
	"codex-file-name": func(_ *testing.T, dir string, s *seed, data []byte) []byte {
		s.path = filepath.Join(dir, codexID+".jsonl")
		return data
	},
	"codex-compressed": func(t *testing.T, _ string, s *seed, data []byte) []byte {
		s.path += ".zst"
		return pack(t, data)
	},
	"codex-compressed-name": func(_ *testing.T, _ string, s *seed, data []byte) []byte {
		s.path += ".zst"
		return data
	},
	"codex-archived": func(_ *testing.T, dir string, s *seed, data []byte) []byte {
		s.path = filepath.Join(dir, "archived_sessions", codexName1)
		return data
	},
	"codex-live-lock": func(t *testing.T, dir string, s *seed, data []byte) []byte {
		s.path = filepath.Join(dir, "sessions", "2026", "11", "30", codexName1)
		write(t, filepath.Join(dir, "thread-writer-locks", codexID+".lock"), nil)
		return data
	},
	"codex-no-provider": func(_ *testing.T, _ string, s *seed, data []byte) []byte {
		s.options.Fill = "azure"
		return data
	},
	"codex-provider-mismatch": func(_ *testing.T, _ string, s *seed, data []byte) []byte {
		s.options.Provider = "openai"
		return data
	},
}

// plant puts the file testdata/<name>.jsonl into a fresh folder under a name
// that its client would find. «c*N» in it stands for N times c.
func plant(t *testing.T, name string) seed {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	s := seed{rule: name, path: filepath.Join(dir, claudeName)}
	if strings.Contains(name, "codex") {
		s.path = filepath.Join(dir, codexName1)
	}
	data = expand(data)
	if f := place[name]; f != nil {
		data = f(t, dir, &s, data)
	}
	write(t, s.path, data)
	return s
}

func expand(data []byte) []byte {
	return regexp.MustCompile(`«(.)\*(\d+)»`).ReplaceAllFunc(data, func(m []byte) []byte {
		c, n, _ := strings.Cut(strings.Trim(string(m), "«»"), "*")
		count, _ := strconv.Atoi(n)
		return bytes.Repeat([]byte(c), count)
	})
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func pack(t *testing.T, data []byte) []byte {
	t.Helper()
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	return z.EncodeAll(data, nil)
}

// rulesOf returns the ids of the rules that were found, each once.
func rulesOf(r *Report) []string {
	var ids []string
	seen := make(map[string]bool)
	for _, f := range r.Findings {
		if !seen[f.Rule] {
			seen[f.Rule] = true
			ids = append(ids, f.Rule)
		}
	}
	return ids
}
