package house

import (
	"go/ast"
	"strings"
)

// FuzzTarget is one fuzz function of the module.
type FuzzTarget struct {
	Package string // below the module root
	Name    string
}

// FuzzTargets lists the fuzz functions in the module's test files.
func FuzzTargets(t *Tree) []FuzzTarget {
	var out []FuzzTarget
	for _, p := range t.Packages {
		for _, f := range p.Files {
			if !f.Test {
				continue
			}
			for _, d := range f.Syntax.Decls {
				if d, ok := d.(*ast.FuncDecl); ok && d.Recv == nil && strings.HasPrefix(d.Name.Name, "Fuzz") {
					out = append(out, FuzzTarget{p.Path, d.Name.Name})
				}
			}
		}
	}
	return out
}
