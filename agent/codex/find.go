package codex

import (
	"context"
	"io/fs"
	"iter"
	"path/filepath"
	"strings"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/internal/uuid"
)

// uuidLen is the length of a thread id.
const uuidLen = 36

// fileThread returns the thread id in the name of a rollout file, or "". After
// a paginated revert the name is rollout-<time>-<thread>_<rollout id>.
func fileThread(path string) string {
	name, _, _ := strings.Cut(rolloutName(path), "_")
	if len(name) < uuidLen {
		return ""
	}
	id := name[len(name)-uuidLen:]
	if !uuid.Valid(id) {
		return ""
	}
	return id
}

// rolloutName returns what stands between rollout- and the extension in the
// name of a rollout file, or "".
func rolloutName(path string) string {
	name := strings.TrimSuffix(filepath.Base(path), ".zst")
	name = strings.TrimSuffix(strings.TrimSuffix(name, ".jsonl"), ".json")
	name, ok := strings.CutPrefix(name, "rollout-")
	if !ok {
		return ""
	}
	return name
}

// The folders of a home that hold rollouts.
const (
	liveFolder    = "sessions"
	archiveFolder = "archived_sessions"
)

// homeEnv is the variable that names Codex's home.
const homeEnv = "CODEX_HOME"

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
	return filepath.Join(dir, liveFolder), filepath.Join(dir, archiveFolder), nil
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
