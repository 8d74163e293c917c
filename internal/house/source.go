package house

import (
	"fmt"
	"go/ast"
	"go/token"
	"path"
	"regexp"
	"strconv"
	"strings"
)

// MaxLines is the length at which a file has to be split.
const MaxLines = 600

// Sources checks what holds in every package, whatever its floor.
func Sources(t *Tree, rows []Row) []Violation {
	var out []Violation
	for _, p := range t.Packages {
		out = append(out, docFile(t, p)...)
		types, row := declaredTypes(p), find(rows, p.Path)
		for _, f := range p.Files {
			if f.Lines > MaxLines && !f.Generated {
				out = append(out, Violation{f.Name, fmt.Sprintf("%d lines, more than %d: split it", f.Lines, MaxLines)})
			}
			if f.Test {
				continue
			}
			out = append(out, startWork(t, f, types)...)
			if row.Row != nil && row.Floor != Wiring && !row.Kit {
				out = append(out, anyMaps(t, f)...)
			}
			if row.Row != nil && (row.Floor == Adapter || row.Floor == Service) && !row.Kit {
				out = append(out, opens(t, f)...)
			}
		}
	}
	return out
}

// docFile demands doc.go with a package comment that says what the package may import. What it names
// of the packages below internal/ is imported.
func docFile(t *Tree, p *Package) (out []Violation) {
	importWord := regexp.MustCompile(`(?i)\bimport(s|ed|able)?\b`)
	leafName := regexp.MustCompile(`(?:^|[^/\w])(internal/\w+)`)
	for _, f := range p.Files {
		if path.Base(f.Name) != "doc.go" {
			continue
		}
		if f.Syntax.Doc == nil {
			return []Violation{{f.Name, "no package comment"}}
		}
		text := f.Syntax.Doc.Text()
		if !importWord.MatchString(text) {
			return []Violation{{f.Name, "the package comment does not name what the package may import"}}
		}
		for sentence := range strings.SplitSeq(strings.ReplaceAll(text, "\n", " "), ". ") {
			if !importWord.MatchString(sentence) {
				continue
			}
			for _, m := range leafName.FindAllStringSubmatch(sentence, -1) {
				if !p.imports(t.Module + "/" + m[1]) {
					out = append(out, Violation{f.Name, "the package comment names " + m[1] + ", which is not imported"})
				}
			}
		}
		return out
	}
	for _, f := range p.Files {
		if !f.Test {
			return []Violation{{p.Path, "no doc.go"}}
		}
	}
	return nil
}

// imports reports whether the package, its tests aside, imports the package at path.
func (p *Package) imports(path string) bool {
	for _, f := range p.Files {
		for _, s := range f.Syntax.Imports {
			if !f.Test && s.Path.Value == strconv.Quote(path) {
				return true
			}
		}
	}
	return false
}

// startWork finds what would run before main: init functions and package variables initialised by
// a call. A sentinel made by errors.New is the one call allowed.
func startWork(t *Tree, f *File, types map[string]bool) []Violation {
	var out []Violation
	for _, d := range f.Syntax.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil && d.Name.Name == "init" {
				out = append(out, Violation{t.at(d), "init function: give the work to a constructor"})
			}
		case *ast.GenDecl:
			if d.Tok != token.VAR {
				continue
			}
			for _, s := range d.Specs {
				if s, ok := s.(*ast.ValueSpec); ok {
					out = append(out, varWork(t, s, types)...)
				}
			}
		}
	}
	return out
}

func varWork(t *Tree, s *ast.ValueSpec, types map[string]bool) []Violation {
	var out []Violation
	for i, v := range s.Values {
		name := s.Names[min(i, len(s.Names)-1)].Name
		ast.Inspect(v, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncLit:
				return false // runs only when called, and a call of it is found as one
			case *ast.CallExpr:
				if conversion(n, types) || sentinel(name, n) {
					return true
				}
				out = append(out, Violation{t.at(n), fmt.Sprintf("variable %s is initialised by a call before main", name)})
				return false
			}
			return true
		})
	}
	return out
}

// sentinel reports whether a call makes a sentinel error: errors.New in a variable named err….
func sentinel(name string, call *ast.CallExpr) bool {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || !strings.HasPrefix(strings.ToLower(name), "err") {
		return false
	}
	pkg, ok := sel.X.(*ast.Ident)
	return ok && pkg.Name == "errors" && sel.Sel.Name == "New"
}

// conversion reports whether a call converts to a type written here or declared in the package.
func conversion(call *ast.CallExpr, types map[string]bool) bool {
	switch fun := ast.Unparen(call.Fun).(type) {
	case *ast.ArrayType, *ast.MapType, *ast.InterfaceType, *ast.StarExpr, *ast.FuncType:
		return true
	case *ast.Ident:
		return types[fun.Name]
	}
	return false
}

func declaredTypes(p *Package) map[string]bool {
	types := map[string]bool{}
	for _, basic := range []string{
		"string", "bool", "byte", "rune", "int", "int8", "int16", "int32", "int64",
		"uint", "uint8", "uint16", "uint32", "uint64", "float32", "float64", "error", "any",
	} {
		types[basic] = true
	}
	for _, f := range p.Files {
		for _, d := range f.Syntax.Decls {
			d, ok := d.(*ast.GenDecl)
			if !ok || d.Tok != token.TYPE {
				continue
			}
			for _, s := range d.Specs {
				if s, ok := s.(*ast.TypeSpec); ok {
					types[s.Name.Name] = true
				}
			}
		}
	}
	return types
}

// anyMaps finds map[string]any: JSON stays raw, so that key order and digits survive. Only what the
// command line prints and what tests read may be loose.
func anyMaps(t *Tree, f *File) []Violation {
	var out []Violation
	ast.Inspect(f.Syntax, func(n ast.Node) bool {
		m, ok := n.(*ast.MapType)
		if !ok {
			return true
		}
		key, ok := m.Key.(*ast.Ident)
		if ok && key.Name == "string" && isAny(m.Value) {
			out = append(out, Violation{t.at(m), "map[string]any: keep JSON raw"})
		}
		return true
	})
	return out
}

// opens finds files that are opened whatever they are: a pipe of that name would
// be waited for, and a device has no end.
func opens(t *Tree, f *File) []Violation {
	var out []Violation
	ast.Inspect(f.Syntax, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if pkg, ok := sel.X.(*ast.Ident); ok && pkg.Name == "os" && (sel.Sel.Name == "Open" || sel.Sel.Name == "ReadFile") {
			out = append(out, Violation{t.at(n), "os." + sel.Sel.Name + ": a file that others may have made is opened by internal/osx or internal/jsonl"})
		}
		return true
	})
	return out
}

func isAny(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name == "any"
	case *ast.InterfaceType:
		return len(e.Methods.List) == 0
	}
	return false
}
