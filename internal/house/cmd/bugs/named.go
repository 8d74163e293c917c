package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// named is all that tests say, in normal form, one piece after another.
type named struct{ text strings.Builder }

func (n *named) add(s string) {
	n.text.WriteString(" -")
	n.text.WriteString(normal(s))
	n.text.WriteString("-")
}

// any reports whether one of keys is named as a whole.
func (n *named) any(keys []string) bool {
	for _, k := range keys {
		if k != "" && strings.Contains(n.text.String(), "-"+k+"-") {
			return true
		}
	}
	return false
}

// maxText is the size in bytes up to which a text file under testdata is read.
const maxText = 1 << 20

// readTests collects the strings of test files, and names and texts of their data, below root.
func readTests(root string) (*named, error) {
	n := &named{}
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules") {
				return filepath.SkipDir
			}
			return nil
		}
		if strings.HasSuffix(name, "_test.go") {
			return n.addStrings(name)
		}
		if strings.Contains(filepath.ToSlash(name), "/testdata/") {
			return n.addData(name, d)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read tests: %w", err)
	}
	return n, nil
}

func (n *named) addStrings(name string) error {
	file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	ast.Inspect(file, func(node ast.Node) bool {
		if lit, ok := node.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if s, err := strconv.Unquote(lit.Value); err == nil {
				n.add(s)
			}
		}
		return true
	})
	return nil
}

func (n *named) addData(name string, d fs.DirEntry) error {
	n.add(strings.TrimSuffix(d.Name(), filepath.Ext(name)))
	info, err := d.Info()
	if err != nil {
		return err
	}
	switch filepath.Ext(name) {
	case ".txtar", ".txt":
		if info.Size() > maxText {
			return nil
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		n.add(string(data))
	}
	return nil
}
