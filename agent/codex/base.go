package codex

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/canon"
)

// maxBases is how many files a thread may go on from, one after the other.
const maxBases = 64

// bases reads the files that the thread goes on from. A paginated thread that
// was reverted or forked has its earlier part in another file; it names that by
// the id in which the file's name ends, and the ordinal at which to stop.
// (Codex 0.171.0.)
func (s *session) bases(ctx context.Context) error {
	seen := map[string]bool{s.files[0].file.Path(): true}
	for s.files[0].facts.meta.base.thread != "" {
		base := s.files[0].facts.meta.base
		path := s.findBase(ctx, base.thread)
		if path == "" || seen[path] || len(seen) > maxBases {
			if r := s.opts.Report; r != nil {
				r.Lose(canon.Loss{
					What: "history", Action: canon.Dropped,
					Why: fmt.Sprintf("the thread goes on from rollout %q, whose file is not here", base.thread),
				})
			}
			return nil
		}
		seen[path] = true
		if r := s.opts.Report; r != nil {
			r.Note(agent.NoteBeside+filepath.Base(path), 1)
		}
		if err := s.load(ctx, path, base.endOrdinal); err != nil {
			return err
		}
	}
	return nil
}

// findBase returns the file whose name ends in the id of a rollout: beside the
// file that goes on from it, or in the same home. It is not looked for in the
// person's own home if the file is from elsewhere: whoever made the file could
// put any thread of theirs into what is handed over.
func (s *session) findBase(ctx context.Context, rollout string) string {
	own := s.files[0].file.Path()
	best := ""
	consider := func(path string) {
		if path != own && fileRollout(path) == rollout && (best == "" || older(path, best)) {
			best = path
		}
	}
	dir := filepath.Dir(own)
	entries, err := os.ReadDir(dir)
	if err == nil {
		for _, e := range entries {
			if e.Type().IsRegular() && isRollout(e.Name()) {
				consider(filepath.Join(dir, e.Name()))
			}
		}
	}
	if home := homeOf(own); best == "" && home != "" {
		for path := range rolloutFiles(ctx, homeAt(home)) {
			consider(path)
		}
	}
	return best
}

// older reports whether a rollout file's name is that of an older one; of a
// plain and a compressed file of one name the plain one comes first, as for the
// client.
func older(a, b string) bool {
	na, nb := filepath.Base(a), filepath.Base(b)
	sa, sb := strings.TrimSuffix(na, ".zst"), strings.TrimSuffix(nb, ".zst")
	if sa != sb {
		return sa < sb
	}
	return len(na) < len(nb)
}

// GoOnFrom implements [agent.Continuer]: the rollouts whose history_base names the
// one at path.
func (*Agent) GoOnFrom(ctx context.Context, home agent.Home, path string) (found []string, err error) {
	rollout, p := fileRollout(path), newPeeker()
	for file := range rolloutFiles(ctx, home) {
		if rollout != "" && file != path && p.peek(ctx, file) == nil && p.h.facts.meta.base.thread == rollout {
			found = append(found, file)
		}
	}
	return found, ctx.Err()
}

// fileRollout returns the id in which the name of a rollout file ends: the
// thread's, or in a file in which a thread goes on its own.
func fileRollout(path string) string {
	name := rolloutName(path)
	if _, id, ok := strings.Cut(name, "_"); ok {
		return id
	}
	return fileThread(path)
}

// homeOf returns the home of Codex that a rollout file lies in, or "".
func homeOf(path string) string {
	abs, err := filepath.Abs(path)
	if err != nil {
		return ""
	}
	const depth = 5 // sessions/<yyyy>/<mm>/<dd>/<file>
	dir := abs
	for range depth {
		dir = filepath.Dir(dir)
		if name := filepath.Base(dir); name == liveFolder || name == archiveFolder {
			return filepath.Dir(dir)
		}
	}
	return ""
}

// homeAt returns surroundings in which Codex's home is dir; none if it is empty.
func homeAt(dir string) agent.Home {
	return agent.Home{Dir: dir, Getenv: func(name string) string {
		if name == homeEnv {
			return dir
		}
		return ""
	}}
}
