package handoff_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/crosswalk-agents/crosswalk/handoff"
)

// repository is a git repository in which programs leave a mark when they run.
type repository struct {
	t         *testing.T
	dir, mark string
}

func newRepository(t *testing.T) *repository {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil || runtime.GOOS == "windows" {
		t.Skip("needs git and a shell")
	}
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(home, "config"))
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	r := &repository{t: t, dir: filepath.Join(home, "repo"), mark: filepath.Join(home, "ran")}
	r.write("../program", "#!/bin/sh\necho \"$0 $*\" >>"+r.mark+"\ncat\n")
	if err := os.Chmod(filepath.Join(home, "program"), 0o700); err != nil {
		t.Fatal(err)
	}
	r.write("a.txt", "one\n")
	r.git("init", "-q", "-b", "main")
	r.commit()
	return r
}

func (r *repository) write(name, text string) {
	r.t.Helper()
	path := filepath.Join(r.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		r.t.Fatal(err)
	}
}

func (r *repository) commit() {
	r.t.Helper()
	r.git("add", "-A")
	r.git("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "commit", "-q", "-m", "state")
}

func (r *repository) git(args ...string) string {
	r.t.Helper()
	cmd := exec.CommandContext(r.t.Context(), "git", args...)
	cmd.Dir = r.dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (r *repository) program() string { return filepath.Join(filepath.Dir(r.dir), "program") }

func (r *repository) ran() string {
	text, err := os.ReadFile(r.mark)
	if err != nil {
		return ""
	}
	return string(text)
}

// Programs that a repository's configuration names do not run, whatever names
// them.
func TestLookingAtARepositoryRunsNoProgramOfIt(t *testing.T) {
	tests := map[string]struct {
		prepare func(r *repository)
		// plain says that `git status` and `git diff` do run the program.
		plain bool
	}{
		"file system monitor": {plain: true, prepare: func(r *repository) {
			r.git("config", "core.fsmonitor", r.program())
		}},
		"external diff": {plain: true, prepare: func(r *repository) {
			r.git("config", "diff.external", r.program())
		}},
		"diff driver": {plain: true, prepare: func(r *repository) {
			r.git("config", "diff.own.command", r.program())
			r.write(".gitattributes", "* diff=own\n")
		}},
		"text conversion": {plain: true, prepare: func(r *repository) {
			r.git("config", "diff.own.textconv", r.program())
			r.write(".git/info/attributes", "* diff=own\n")
		}},
		"clean filter": {plain: true, prepare: func(r *repository) {
			r.git("config", "filter.own.clean", r.program())
			r.write(".gitattributes", "* filter=own\n")
		}},
		"filter process": {plain: true, prepare: func(r *repository) {
			r.git("config", "filter.own.process", r.program())
			r.write(".git/info/attributes", "* filter=own\n")
		}},
		"included configuration": {plain: true, prepare: func(r *repository) {
			r.write("own.config", "[core]\n\tfsmonitor = "+r.program()+"\n")
			r.git("config", "include.path", "../own.config")
		}},
		"configuration of the work tree": {plain: true, prepare: func(r *repository) {
			r.git("config", "extensions.worktreeConfig", "true")
			r.git("config", "--worktree", "core.fsmonitor", r.program())
		}},
		"hook": {prepare: func(r *repository) {
			r.git("config", "core.hooksPath", filepath.Dir(r.program()))
			if err := os.Rename(r.program(), filepath.Join(filepath.Dir(r.program()), "post-index-change")); err != nil {
				r.t.Fatal(err)
			}
		}},
		"submodule": {plain: true, prepare: func(r *repository) {
			r.write("../part/b.txt", "b\n")
			part := &repository{t: r.t, dir: filepath.Join(filepath.Dir(r.dir), "part"), mark: r.mark}
			part.git("init", "-q", "-b", "main")
			part.commit()
			r.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", part.dir, "part")
			r.commit()
			r.git("-C", "part", "config", "core.fsmonitor", r.program())
			r.write("part/b.txt", "changed\n")
		}},
		"remote of a partial clone": {prepare: func(r *repository) {
			r.git("config", "extensions.partialClone", "origin")
			r.git("config", "core.repositoryFormatVersion", "1")
			r.git("config", "remote.origin.promisor", "true")
			r.git("config", "remote.origin.url", "ext::"+r.program())
			r.git("config", "protocol.ext.allow", "always")
			tree := r.git("rev-parse", "HEAD^{tree}")
			if err := os.Remove(filepath.Join(r.dir, ".git", "objects", tree[:2], tree[2:])); err != nil {
				r.t.Fatal(err)
			}
		}},
		"pager": {prepare: func(r *repository) {
			r.git("config", "core.pager", r.program())
			r.git("config", "pager.status", r.program())
		}},
		"alias": {prepare: func(r *repository) {
			r.git("config", "alias.status", "!"+r.program())
		}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			r := newRepository(t)
			tt.prepare(r)
			_ = os.Remove(r.mark)
			r.write("a.txt", "two\n")
			got := handoff.GitState(t.Context(), r.dir)
			if ran := r.ran(); ran != "" {
				t.Errorf("it ran: %s", ran)
			}
			if got.Commit == "" || got.Branch != "main" {
				t.Errorf("got %+v", got)
			}
			if !tt.plain {
				return
			}
			for _, args := range [][]string{{"status"}, {"diff", "HEAD"}} {
				cmd := exec.CommandContext(t.Context(), "git", args...)
				cmd.Dir = r.dir
				_ = cmd.Run() // fails where the program is no good
			}
			if r.ran() == "" {
				t.Error("git itself does not run the program: the case shows nothing")
			}
		})
	}
}

// The digest tells every change of what is there, and nothing else.
func TestDigestOfUncommittedChanges(t *testing.T) {
	r := newRepository(t)
	r.write(".gitignore", "ignored\n")
	r.commit()
	state := func() string {
		t.Helper()
		got := handoff.GitState(t.Context(), r.dir)
		if got.Commit != r.git("rev-parse", "HEAD") || got.Branch != "main" {
			t.Fatalf("got %+v", got)
		}
		return got.Dirty
	}
	seen := map[string]string{"": "clean"}
	if d := state(); d != "" {
		t.Fatalf("clean, and the digest is %q", d)
	}
	steps := []struct {
		name string
		do   func()
	}{
		{"a tracked file", func() { r.write("a.txt", "two\n") }},
		{"a tracked file of equal size", func() { r.write("a.txt", "owt\n") }},
		{"a new file", func() { r.write("new/b.txt", "one\n") }},
		{"a new file of equal size", func() { r.write("new/b.txt", "two\n") }},
		{"a staged file", func() { r.git("add", "new/b.txt") }},
		{"a deleted file", func() { _ = os.Remove(filepath.Join(r.dir, "a.txt")) }},
		{"a link", func() { _ = os.Symlink("x", filepath.Join(r.dir, "link")) }},
		{"a link elsewhere", func() {
			_ = os.Remove(filepath.Join(r.dir, "link"))
			_ = os.Symlink("y", filepath.Join(r.dir, "link"))
		}},
	}
	for _, s := range steps {
		s.do()
		d := state()
		if was, ok := seen[d]; ok {
			t.Errorf("%s: the digest is that of: %s", s.name, was)
		}
		seen[d] = s.name
		r.write("ignored", s.name)
		if again := state(); again != d {
			t.Errorf("%s: the digest is %s, then %s", s.name, d, again)
		}
	}
}

// Where the index is kept in an unusual way the changes are told all the same.
func TestChangesOfUnusualRepositories(t *testing.T) {
	tests := map[string]func(t *testing.T, r *repository) (dir string){
		"work tree of its own": func(_ *testing.T, r *repository) string {
			r.git("worktree", "add", "-q", "-b", "other", "../tree")
			return filepath.Join(filepath.Dir(r.dir), "tree")
		},
		"split index": func(_ *testing.T, r *repository) string {
			r.git("update-index", "--split-index")
			return r.dir
		},
		"longer names of objects": func(_ *testing.T, r *repository) string {
			if err := os.RemoveAll(filepath.Join(r.dir, ".git")); err != nil {
				t.Fatal(err)
			}
			r.git("init", "-q", "-b", "main", "--object-format=sha256")
			r.commit()
			return r.dir
		},
		"folder inside": func(_ *testing.T, r *repository) string {
			r.write("sub/c.txt", "c\n")
			r.commit()
			return filepath.Join(r.dir, "sub")
		},
		"modes that do not count": func(t *testing.T, r *repository) string {
			r.git("config", "core.fileMode", "false")
			if err := os.Chmod(filepath.Join(r.dir, "a.txt"), 0o700); err != nil {
				t.Fatal(err)
			}
			return r.dir
		},
		"own list of what is ignored": func(_ *testing.T, r *repository) string {
			r.write(".git/info/exclude", "scratch\n")
			r.write("scratch", "x")
			return r.dir
		},
		"the person's list of what is ignored": func(_ *testing.T, r *repository) string {
			r.write("../ignore", "scratch\n")
			r.git("config", "--global", "core.excludesFile", "~/ignore")
			r.write("scratch", "x")
			return r.dir
		},
	}
	for name, prepare := range tests {
		t.Run(name, func(t *testing.T) {
			r := newRepository(t)
			dir := prepare(t, r)
			if got := handoff.GitState(t.Context(), dir); got.Commit == "" || got.Dirty != "" {
				t.Errorf("unchanged: got %+v", got)
			}
			if err := os.WriteFile(filepath.Join(dir, "new"), []byte("x"), 0o600); err != nil {
				t.Fatal(err)
			}
			if got := handoff.GitState(t.Context(), dir); got.Dirty == "" {
				t.Error("changed: no digest")
			}
		})
	}
	t.Run("variables of a hook", func(t *testing.T) {
		r := newRepository(t)
		t.Setenv("GIT_DIR", t.TempDir())
		t.Setenv("GIT_INDEX_FILE", "/none")
		if got := handoff.GitState(t.Context(), r.dir); got.Commit == "" || got.Dirty != "" {
			t.Errorf("got %+v", got)
		}
	})
	t.Run("no repository", func(t *testing.T) {
		if got := handoff.GitState(t.Context(), t.TempDir()); got.Commit != "" {
			t.Errorf("got %+v", got)
		}
	})
}
