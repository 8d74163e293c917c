package handoff

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
)

// sharesRules reports whether the target reads the project's instructions in dir
// from the files that the source read them from, as far as the files tell: they
// are called the same, are links to one another, or the target's names the
// source's with @. What the source read from folders above counts, too.
func sharesRules(dir string, source, target []string) bool {
	if slices.ContainsFunc(source, func(name string) bool { return slices.Contains(target, name) }) {
		return true
	}
	if !isLocal(dir) {
		return false
	}
	found := false
	for {
		for _, name := range source {
			if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
				continue
			}
			if !slices.ContainsFunc(target, func(t string) bool { return stands(dir, name, t) }) {
				return false
			}
			found = true
		}
		up := filepath.Dir(dir)
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil || up == dir {
			return found
		}
		dir = up
	}
}

// stands reports whether to read the file target is to read the file source.
func stands(dir, source, target string) bool {
	a, err := os.Stat(filepath.Join(dir, source))
	if err != nil {
		return false
	}
	b, err := os.Stat(filepath.Join(dir, target))
	if err != nil || !b.Mode().IsRegular() {
		return false
	}
	return os.SameFile(a, b) || imports(dir, target, source)
}

// maxRules is how much of a file of instructions is looked through.
const maxRules = 256 << 10

// imports reports whether the file names another one of its folder with @, as
// Claude Code 2.1.332 takes it.
func imports(dir, file, other string) bool {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return false
	}
	defer func() { _ = root.Close() }()
	f, err := root.Open(file)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	text, err := io.ReadAll(io.LimitReader(f, maxRules))
	if err != nil {
		return false
	}
	for word := range bytes.FieldsSeq(text) {
		if string(word) == "@"+other || string(word) == "@./"+other {
			return true
		}
	}
	return false
}
