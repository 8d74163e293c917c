package house

import (
	"fmt"
	"slices"
	"strings"
)

// Depguard writes the table as the rules of the depguard linter, indented as they stand in
// .golangci.yml. Where depguard is coarser than the table (it knows prefixes, not patterns) the
// rule is the looser one; the tests of this package hold the exact arrow.
func Depguard(t *Tree, rows []Row) string {
	g := &guard{tree: t, rows: rows}
	for i := range rows {
		for _, id := range g.ids(i) {
			g.rule(i, id)
		}
	}
	g.spokes()
	g.reserved()
	g.kits()
	return g.out.String()
}

type guard struct {
	tree *Tree
	rows []Row
	out  strings.Builder
}

// ids lists what {id} of a row stands for in the tree; a row without {id} has one, empty.
func (g *guard) ids(row int) []string {
	if !strings.Contains(g.rows[row].Packages[0], "{id}") {
		return []string{""}
	}
	var ids []string
	for _, p := range g.tree.Packages {
		if at := find(g.rows, p.Path); at.Row == &g.rows[row] && !slices.Contains(ids, at.id) {
			ids = append(ids, at.id)
		}
	}
	slices.Sort(ids)
	return ids
}

// rule writes what the files of one row, tests excluded, may import.
func (g *guard) rule(row int, id string) {
	r := g.rows[row]
	name := ruleName(bind(r.Packages[0], id))
	files := []string{}
	for _, p := range r.Packages {
		files = append(files, fileGlob(bind(p, id)))
	}
	files = append(files, "!$test")
	for _, earlier := range g.rows[:row] {
		for _, p := range earlier.Packages {
			if p = bind(p, id); slices.ContainsFunc(r.Packages, func(q string) bool { return below(bind(q, id), p) }) {
				files = append(files, "!"+fileGlob(p))
			}
		}
	}
	allow := []string{"$gostd"}
	deny := []string{}
	for _, p := range r.Imports {
		if p == "leaves" { // what is no leaf there, reserved takes out again
			p = "internal/**"
		}
		allow = append(allow, g.prefixes(bind(p, id))...)
	}
	allow = append(allow, r.Modules...)
	if r.Kit {
		allow = append(allow, TestModules...)
	}
	for _, s := range r.NoStd {
		deny = append(deny, s+"$")
	}
	g.write(name, "strict", files, allow, deny, "not for "+name+", see internal/house/layers.go")
}

// spokes writes one rule for the tests of each spoke; for the other files rule has said it.
func (g *guard) spokes() {
	var families []string
	for _, r := range g.rows {
		if r.Spoke != "" && !slices.Contains(families, r.Spoke) {
			families = append(families, r.Spoke)
		}
	}
	for _, family := range families {
		var free []string // the lists and kits beside the spokes
		for _, r := range g.rows {
			if _, ok := match(family+"/*", r.Packages[0]); ok && r.Spoke == "" {
				free = append(free, g.prefixes(r.Packages[0])...)
			}
		}
		for _, id := range g.spokeIDs(family) {
			allow := append(g.prefixes(family+"/"+id+"/**"), free...)
			g.write(family+"-"+id+"-tests", "lax", []string{"${base-path}/" + family + "/" + id + "/**_test.go"},
				allow, []string{g.tree.Module + "/" + family + "/"}, "a spoke never imports another spoke")
		}
	}
}

// spokeIDs lists the spokes of a family in the tree.
func (g *guard) spokeIDs(family string) []string {
	var ids []string
	for _, p := range g.tree.Packages {
		if at := find(g.rows, p.Path); at.Row != nil && at.Spoke == family {
			ids = append(ids, spokeID(p.Path))
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// reserved writes, for all files, who may import a reserved row and the module behind a leaf.
func (g *guard) reserved() {
	for _, r := range g.rows {
		p := r.Packages[0]
		if !r.Reserved {
			continue
		}
		files := []string{"$all", "!" + fileGlob(p)}
		for i, from := range g.rows {
			if names(from, p) {
				files = append(files, g.excluded(i)...)
			}
		}
		g.write(ruleName(p)+"-importers", "lax", files, nil, g.prefixes(p), "only for the rows that name it")
	}
	for _, r := range g.rows {
		if r.Floor != Leaf || len(r.Modules) == 0 || slices.Contains(TestModules, r.Modules[0]) {
			continue
		}
		name, files := ruleName(r.Packages[0]), []string{"$test"}
		for i, from := range g.rows {
			if len(from.Modules) > 0 && slices.Contains(from.Modules, r.Modules[0]) {
				files = append(files, g.excluded(i)...)
			}
		}
		g.write(name+"-module", "lax", files, nil, r.Modules, "only for "+name)
	}
}

// kits keeps test support out of all other files than tests.
func (g *guard) kits() {
	files, deny := []string{"$all", "!$test"}, []string{}
	for i, r := range g.rows {
		if !r.Kit {
			continue
		}
		files = append(files, g.excluded(i)...)
		for _, p := range r.Packages {
			deny = append(deny, g.prefixes(p)...)
		}
	}
	g.write("test-support", "lax", files, nil, deny, "test support is for tests")
}

// names reports whether a row's imports name a package, or a tree that it heads.
func names(r Row, pattern string) bool {
	return slices.ContainsFunc(r.Imports, func(p string) bool {
		return strings.TrimSuffix(p, "/**") == strings.TrimSuffix(pattern, "/**")
	})
}

// excluded takes the files of a row out of a rule.
func (g *guard) excluded(row int) []string {
	var files []string
	for _, id := range g.ids(row) {
		for _, p := range g.rows[row].Packages {
			files = append(files, "!"+fileGlob(bind(p, id)))
		}
	}
	return files
}

// prefixes turns a pattern of packages into prefixes of import paths as depguard reads them: "$" at
// the end means that path alone.
func (g *guard) prefixes(pattern string) []string {
	path := g.tree.Module + "/" + pattern
	if p, ok := strings.CutSuffix(path, "/**"); ok {
		return []string{p}
	}
	head, tail, ok := strings.Cut(path, "*")
	if !ok {
		return []string{path + "$"}
	}
	if tail == "" {
		return []string{head}
	}
	var out []string
	for _, p := range g.tree.Packages {
		if _, ok := match(pattern, p.Path); ok {
			out = append(out, g.tree.Module+"/"+p.Path+"$")
		}
	}
	return out
}

func (g *guard) write(name, mode string, files, allow, deny []string, why string) {
	const pad = "        "
	fmt.Fprintf(&g.out, "%s%s:\n%s  list-mode: %s\n", pad, name, pad, mode)
	for i, f := range files {
		files[i] = `"` + f + `"`
	}
	g.list("files", files)
	if allow = distinct(allow); len(allow) > 0 {
		g.list("allow", allow)
	}
	if deny = distinct(deny); len(deny) > 0 {
		fmt.Fprintf(&g.out, "%s  deny:\n", pad)
		for _, d := range deny {
			fmt.Fprintf(&g.out, "%s    - { pkg: %s, desc: %q }\n", pad, d, why)
		}
	}
}

// list writes a list in as few lines as stay readable.
func (g *guard) list(key string, items []string) {
	const width = 140
	line := "          " + key + ": ["
	for i, item := range items {
		if i > 0 {
			line += ","
		}
		if len(line)+len(item) > width {
			g.out.WriteString(line + "\n")
			line = strings.Repeat(" ", 16)
		} else if i > 0 {
			line += " "
		}
		line += item
	}
	g.out.WriteString(line + "]\n")
}

// distinct drops a prefix that a shorter one covers: depguard looks at the nearest alone.
func distinct(list []string) []string {
	var out []string
	for _, s := range list {
		covered := slices.ContainsFunc(list, func(o string) bool {
			return o != s && !strings.HasSuffix(o, "$") && strings.HasPrefix(strings.TrimSuffix(s, "$"), o)
		})
		if !covered && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

func bind(pattern, id string) string {
	if id == "" {
		return pattern
	}
	return strings.ReplaceAll(pattern, "{id}", id)
}

func ruleName(pattern string) string {
	return strings.ReplaceAll(strings.TrimSuffix(pattern, "/**"), "/", "-")
}

// fileGlob turns a pattern of packages into depguard's glob of absolute file names.
func fileGlob(pattern string) string {
	if p, ok := strings.CutSuffix(pattern, "/**"); ok {
		return "${base-path}/" + p + "/**"
	}
	return "${base-path}/" + strings.ReplaceAll(pattern, "{id}", "*") + "/*.go"
}

// below reports whether the packages of pattern inner may lie among those of outer.
func below(outer, inner string) bool {
	_, ok := match(outer, strings.TrimSuffix(inner, "/**"))
	return ok
}
