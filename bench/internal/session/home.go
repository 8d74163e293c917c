package session

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// WriteHome fills the home directory dir with n sessions, most of 10 to 60 KB,
// half of each agent, in the folders where the agents keep them.
func WriteHome(dir string, n int, seed uint64) error {
	s := newSource(seed)
	for i := range n {
		o := Options{
			Seed: seed + uint64(i) + 1, Size: int64(s.between(8<<10, 40<<10)), ID: s.uuid(),
			Dir:   fmt.Sprintf("/proj/%s-%d", words[i/2%40], i/2%40),
			Start: time.Date(2026, 5, 1, 6, 0, 0, 0, time.UTC).Add(time.Duration(i) * 37 * time.Minute),
		}
		if err := writeOne(dir, i%2 == 0, o); err != nil {
			return err
		}
	}
	return nil
}

// writeOne writes one session of Claude Code or of Codex.
func writeOne(home string, claude bool, o Options) (err error) {
	write := WriteCodex
	folder := filepath.Join(home, ".codex", "sessions", o.Start.Format("2006/01/02"))
	name := "rollout-" + o.Start.Format("2006-01-02T15-04-05") + "-" + o.ID + ".jsonl"
	if claude {
		write = WriteClaude
		folder = filepath.Join(home, ".claude", "projects", "-proj-"+filepath.Base(o.Dir))
		name = o.ID + ".jsonl"
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	path := filepath.Join(folder, name)
	if _, err := WriteFile(path, write, o); err != nil {
		return err
	}
	return os.Chtimes(path, o.Start, o.Start)
}

// WriteFile writes a session with write, which is [WriteClaude] or [WriteCodex],
// to the new file path.
func WriteFile(path string, write Func, o Options) (_ Stats, err error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return Stats{}, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return write(f, o)
}
