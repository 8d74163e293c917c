package handoff

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// quarantine looks at the changes of a repository through a git directory of our
// own, which has the repository's index and objects but not its configuration:
// a filter or driver that an attribute names is defined nowhere.
type quarantine struct {
	top, index, objects, exclude, commit string
}

// sharedIndex begins the name of the file in which an index goes on.
const sharedIndex = "sharedindex."

// changes returns a digest of the uncommitted changes; empty if there are none,
// or if they cannot be told.
func (q *quarantine) changes(repo gitCommand) string {
	dir, err := os.MkdirTemp("", "crosswalk-git-")
	if err != nil {
		return ""
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if q.prepare(dir) != nil {
		return ""
	}
	g := gitCommand{ctx: repo.ctx, args: append(dataSettings(repo), "-C", q.top), env: []string{
		"GIT_DIR=" + dir, "GIT_WORK_TREE=" + q.top, "GIT_INDEX_FILE=" + q.index, "GIT_OBJECT_DIRECTORY=" + q.objects,
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_SYSTEM=" + os.DevNull, "GIT_CONFIG_GLOBAL=" + filepath.Join(dir, "none"), "GIT_ATTR_NOSYSTEM=1",
	}}
	status, ok := g.run("status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=all", "--ignore-submodules=all")
	if !ok || len(status) == 0 {
		return ""
	}
	return q.digest(repo, status)
}

// prepare makes dir a git directory.
func (q *quarantine) prepare(dir string) error {
	config := "[core]\n\trepositoryformatversion = 0\n"
	if len(q.commit) == hex.EncodedLen(sha256.Size) {
		config = "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tobjectformat = sha256\n"
	}
	for _, sub := range []string{"refs", "objects", "info"} {
		if err := os.Mkdir(filepath.Join(dir, sub), 0o700); err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "config"), []byte(config), 0o600); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "HEAD"), []byte(q.commit+"\n"), 0o600); err != nil {
		return err
	}
	// Both are data; without them the repository only looks more changed.
	_ = os.Symlink(q.exclude, filepath.Join(dir, "info", "exclude"))
	folder := filepath.Dir(q.index)
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), sharedIndex) && e.Type().IsRegular() {
			_ = os.Symlink(filepath.Join(folder, e.Name()), filepath.Join(dir, e.Name()))
		}
	}
	return nil
}

// dataSettings are the settings of the repository and the person that say how
// files are compared. None of them names a program.
func dataSettings(repo gitCommand) []string {
	out, _ := repo.run("config", "--null", "--get-regexp",
		`^core\.(filemode|ignorecase|symlinks|precomposeunicode|trustctime|checkstat|autocrlf|eol|excludesfile)$`)
	var args []string
	for setting := range strings.SplitSeq(string(out), "\x00") {
		if name, value, ok := strings.Cut(setting, "\n"); ok {
			args = append(args, "-c", name+"="+value)
		}
	}
	return args
}

// digestBytes is how much of the changed files is read; of those beyond it size
// and time count.
const digestBytes = 16 << 20

// digest returns a digest of what changed and of what is there now.
func (q *quarantine) digest(repo gitCommand, status []byte) string {
	sum := sha256.New()
	_, _ = sum.Write(status) // never fails
	root, err := os.OpenRoot(q.top)
	if err != nil {
		return hex.EncodeToString(sum.Sum(nil)[:8])
	}
	defer func() { _ = root.Close() }()
	budget := int64(digestBytes)
	for entry := range bytes.SplitSeq(status, []byte{0}) {
		const code = 3 // two letters and a space
		if len(entry) > code && repo.ctx.Err() == nil {
			budget -= addFile(sum, root, string(entry[code:]), budget)
		}
	}
	return hex.EncodeToString(sum.Sum(nil)[:8])
}

// addFile adds the state of a file to sum and returns how much of it was read.
func addFile(sum hash.Hash, root *os.Root, name string, budget int64) int64 {
	info, err := root.Lstat(name)
	if err != nil {
		fmt.Fprint(sum, "\x00none")
		return 0
	}
	fmt.Fprintf(sum, "\x00%v %d ", info.Mode(), info.Size())
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		to, _ := root.Readlink(name)
		fmt.Fprint(sum, to)
		return 0
	case info.Mode().IsRegular() && info.Size() <= budget:
		if f, err := root.Open(name); err == nil {
			n, _ := io.Copy(sum, io.LimitReader(f, info.Size()))
			_ = f.Close()
			return n
		}
	}
	fmt.Fprint(sum, info.ModTime().UnixNano())
	return 0
}
