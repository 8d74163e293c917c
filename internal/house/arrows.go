package house

import (
	"fmt"
	"slices"
	"strconv"
)

// Arrows compares every import of every file with the table.
func Arrows(t *Tree, rows []Row) []Violation {
	var out []Violation
	for _, p := range t.Packages {
		from := find(rows, p.Path)
		if from.Row == nil {
			out = append(out, Violation{p.Path, "package has no row in the house: add it to internal/house/layers.go"})
			continue
		}
		for _, f := range p.Files {
			for _, spec := range f.Syntax.Imports {
				imp, err := strconv.Unquote(spec.Path.Value)
				if err != nil {
					continue // the parser has accepted only well-formed literals
				}
				if why := refused(t, rows, from, f.Test, p.Path, imp); why != "" {
					out = append(out, Violation{t.at(spec), fmt.Sprintf("%s may not import %q: %s", p.Path, imp, why)})
				}
			}
		}
	}
	return out
}

// refused says why a package at a place may not import imp; "" when it may.
func refused(t *Tree, rows []Row, from place, test bool, path, imp string) string {
	if own, ok := t.own(imp); ok {
		return refusedOwn(rows, from, test, path, own)
	}
	if standard(imp) {
		if !test && slices.Contains(from.NoStd, imp) {
			return "its row refuses that part of the standard library"
		}
		return ""
	}
	if under(from.Modules, imp) || (test || from.Kit) && under(TestModules, imp) {
		return ""
	}
	return "its row does not name that module"
}

func refusedOwn(rows []Row, from place, test bool, path, own string) string {
	to := find(rows, own)
	if to.Row == nil {
		return "it has no row in the house"
	}
	if from.Spoke != "" && from.Spoke == to.Spoke && spokeID(path) != spokeID(own) {
		return "a spoke never imports another spoke"
	}
	if to.Kit && !test && !from.Kit {
		return "test support is for tests"
	}
	if test && !to.Reserved {
		return ""
	}
	if own == path || fits(rows, from.Imports, from.id, own) {
		return ""
	}
	if to.Reserved {
		return "it is reserved for the rows that name it"
	}
	return "its row does not name that package"
}

// spokeID is the element that tells spokes of one family apart: claude in agent/claude/hookcodec.
func spokeID(path string) string {
	id, _ := match("*/{id}/**", path)
	return id
}
