package house

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Tree is the module's own source, parsed; build constraints are ignored, so files for every system
// are in it.
type Tree struct {
	Module   string // module path
	Packages []*Package
	fset     *token.FileSet
}

// Package is one folder with Go files.
type Package struct {
	Path  string // below the module root, with slashes
	Files []*File
}

// File is one Go file.
type File struct {
	Name      string // below the module root, with slashes
	Lines     int
	Test      bool
	Generated bool
	Syntax    *ast.File
}

// Violation is one thing that is not as the house demands.
type Violation struct {
	Where string // file:line, file or package
	What  string
}

func (v Violation) String() string { return v.Where + ": " + v.What }

// Read parses every Go file below root that belongs to the module there.
func Read(root string) (*Tree, error) {
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return nil, fmt.Errorf("read module: %w", err)
	}
	t := &Tree{Module: modulePath(mod), fset: token.NewFileSet()}
	if t.Module == "" {
		return nil, fmt.Errorf("read module: no module line in %q", filepath.Join(root, "go.mod"))
	}
	byPath := map[string]*Package{}
	err = filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name != root && outside(name, d.Name()) {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(d.Name(), ".go") {
			return nil
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		return t.add(byPath, name, filepath.ToSlash(rel))
	})
	if err != nil {
		return nil, fmt.Errorf("read module: %w", err)
	}
	slices.SortFunc(t.Packages, func(a, b *Package) int { return strings.Compare(a.Path, b.Path) })
	return t, nil
}

// outside reports whether the go command leaves a folder out of ./... too.
func outside(name, base string) bool {
	if base == "testdata" || base == "vendor" || strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") {
		return true
	}
	_, err := os.Stat(filepath.Join(name, "go.mod"))
	return err == nil
}

func (t *Tree) add(byPath map[string]*Package, name, rel string) error {
	src, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	syntax, err := parser.ParseFile(t.fset, rel, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	dir := path.Dir(rel)
	if byPath[dir] == nil {
		byPath[dir] = &Package{Path: dir}
		t.Packages = append(t.Packages, byPath[dir])
	}
	byPath[dir].Files = append(byPath[dir].Files, &File{
		Name: rel, Lines: bytes.Count(src, []byte("\n")), Syntax: syntax,
		Test: strings.HasSuffix(rel, "_test.go"), Generated: ast.IsGenerated(syntax),
	})
	return nil
}

// at names the place of a node as file:line.
func (t *Tree) at(n ast.Node) string {
	p := t.fset.Position(n.Pos())
	return fmt.Sprintf("%s:%d", p.Filename, p.Line)
}

// own cuts the module path off an import path; ok is false for another module's package.
func (t *Tree) own(imp string) (string, bool) {
	if imp == t.Module {
		return ".", true
	}
	return strings.CutPrefix(imp, t.Module+"/")
}

func modulePath(mod []byte) string {
	for line := range strings.Lines(string(mod)) {
		if p, ok := strings.CutPrefix(line, "module "); ok {
			return strings.Trim(strings.TrimSpace(p), `"`)
		}
	}
	return ""
}
