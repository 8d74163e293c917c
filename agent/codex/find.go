package codex

import (
	"context"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"

	"github.com/crosswalk-agents/crosswalk/agent"
)

// uuidLen is the length of a thread id.
const uuidLen = 36

// fileThread returns the thread id in the name of a rollout file, or "". After
// a paginated revert the name is rollout-<time>-<thread>_<rollout id>.
func fileThread(path string) string {
	name := strings.TrimSuffix(filepath.Base(path), ".zst")
	name = strings.TrimSuffix(strings.TrimSuffix(name, ".jsonl"), ".json")
	name, ok := strings.CutPrefix(name, "rollout-")
	if !ok {
		return ""
	}
	name, _, _ = strings.Cut(name, "_")
	if len(name) < uuidLen {
		return ""
	}
	id := name[len(name)-uuidLen:]
	for i := range len(id) {
		c := id[i]
		dash := i == 8 || i == 13 || i == 18 || i == 23
		if dash != (c == '-') || !dash && !isHex(c) {
			return ""
		}
	}
	return id
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

// roots returns the folders that hold rollouts: live and archived.
func roots(home agent.Home) (live, archived string, err error) {
	m, err := New().Manifest()
	if err != nil {
		return "", "", err
	}
	dir, err := home.Path(m.Home)
	if err != nil {
		return "", "", err
	}
	return filepath.Join(dir, "sessions"), filepath.Join(dir, "archived_sessions"), nil
}

// rolloutFiles yields every rollout file in home, with its entry in the folder.
func rolloutFiles(ctx context.Context, home agent.Home) iter.Seq2[string, fs.DirEntry] {
	return func(yield func(string, fs.DirEntry) bool) {
		live, archived, err := roots(home)
		if err != nil {
			return
		}
		for _, root := range []string{live, archived} {
			stop := false
			// A folder that cannot be read hides its files and no others.
			_ = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
				switch {
				case ctx.Err() != nil:
					return fs.SkipAll
				case err != nil:
					if e != nil && e.IsDir() {
						return fs.SkipDir
					}
					return nil
				case e.Type().IsRegular() && isRollout(e.Name()):
					if !yield(path, e) {
						stop = true
						return fs.SkipAll
					}
				}
				return nil
			})
			if stop {
				return
			}
		}
	}
}

func isRollout(name string) bool {
	if !strings.HasPrefix(name, "rollout-") {
		return false
	}
	for _, ext := range [...]string{".jsonl", ".jsonl.zst", ".json"} {
		if strings.HasSuffix(name, ext) {
			return true
		}
	}
	return false
}

// exists reports whether path is there, links not followed.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
