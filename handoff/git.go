package handoff

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/crosswalk-agents/crosswalk/canon"
)

// gitTime bounds what a look at the repository may take.
const gitTime = 5 * time.Second

// GitState returns the state of the repository that dir is in: branch, commit,
// and a digest of the uncommitted changes. It is zero where there is none, or
// no git.
func GitState(ctx context.Context, dir string) canon.Git {
	info, err := os.Stat(dir)
	if err != nil || !info.IsDir() {
		return canon.Git{}
	}
	ctx, cancel := context.WithTimeout(ctx, gitTime)
	defer cancel()
	git := func(args ...string) (string, bool) {
		cmd := exec.CommandContext(ctx, "git", append([]string{"-C", dir, "--no-optional-locks"}, args...)...)
		var out bytes.Buffer
		cmd.Stdout = &out
		if cmd.Run() != nil {
			return "", false
		}
		return strings.TrimSpace(out.String()), true
	}
	commit, ok := git("rev-parse", "HEAD")
	if !ok {
		return canon.Git{}
	}
	g := canon.Git{Commit: commit}
	g.Branch, _ = git("rev-parse", "--abbrev-ref", "HEAD")
	status, _ := git("status", "--porcelain=v1")
	if status == "" {
		return g
	}
	diff, _ := git("diff", "HEAD")
	sum := sha256.Sum256([]byte(status + "\x00" + diff))
	g.Dirty = hex.EncodeToString(sum[:8])
	return g
}
