package rig

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// ClaudeFiles returns the session files in a home of Claude Code, sorted by
// path. Files of subagents are not among them.
func ClaudeFiles(home string) ([]string, error) {
	return filepath.Glob(filepath.Join(home, ".claude", "projects", "*", "*.jsonl"))
}

// ClaudeSubagentFiles returns the session files of a session's subagents.
func ClaudeSubagentFiles(session string) ([]string, error) {
	return filepath.Glob(filepath.Join(strings.TrimSuffix(session, ".jsonl"), "subagents", "*.jsonl"))
}

// CodexFiles returns the rollout files in a home of Codex, oldest first by file
// name, archived ones last; with an id, those of that thread alone.
func CodexFiles(home, id string) ([]string, error) {
	var files []string
	for _, dir := range []string{"sessions", "archived_sessions"} {
		root := filepath.Join(home, ".codex", dir)
		if _, err := os.Stat(root); err != nil {
			continue
		}
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			name := filepath.Base(path)
			if err == nil && !d.IsDir() && strings.HasPrefix(name, "rollout-") && strings.Contains(name, id) {
				files = append(files, path)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return files, nil
}

// A Snapshot is the content of a folder: a digest by relative path.
type Snapshot map[string]string

// TakeSnapshot digests every file below dir: mode, size and bytes; of links,
// their target. A file that is missing when it is read counts as absent.
func TakeSnapshot(dir string) (Snapshot, error) {
	snap := Snapshot{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		fi, err := d.Info()
		if err != nil {
			return err
		}
		switch {
		case fi.Mode().IsRegular():
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			sum := sha256.Sum256(data)
			snap[rel] = fmt.Sprintf("%v %d %s", fi.Mode(), fi.Size(), hex.EncodeToString(sum[:]))
		case fi.Mode()&fs.ModeSymlink != 0:
			target, err := os.Readlink(path)
			if err != nil {
				return err
			}
			snap[rel] = "-> " + target
		default:
			snap[rel] = fi.Mode().String()
		}
		return nil
	})
	return snap, err
}

// Changes lists what differs in a later snapshot, sorted: "+path" was added,
// "-path" removed, "~path" changed.
func (s Snapshot) Changes(later Snapshot) []string {
	var list []string
	for _, path := range slices.Sorted(maps.Keys(s)) {
		switch now, ok := later[path]; {
		case !ok:
			list = append(list, "-"+path)
		case now != s[path]:
			list = append(list, "~"+path)
		}
	}
	for _, path := range slices.Sorted(maps.Keys(later)) {
		if _, ok := s[path]; !ok {
			list = append(list, "+"+path)
		}
	}
	return list
}
