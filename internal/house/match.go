package house

import "strings"

// match reports whether path fits pattern and which element {id} stood for.
func match(pattern, path string) (id string, ok bool) {
	want, have := strings.Split(pattern, "/"), strings.Split(path, "/")
	for i, w := range want {
		if w == "**" {
			return id, true
		}
		if i == len(have) {
			return "", false
		}
		switch w {
		case "*":
		case "{id}":
			id = have[i]
		case have[i]:
		default:
			return "", false
		}
	}
	return id, len(want) == len(have)
}

// place is a row together with the {id} under which a package fell into it.
type place struct {
	*Row
	id string
}

// find gives the first row that matches path, or a place without a row.
func find(rows []Row, path string) place {
	for i := range rows {
		for _, p := range rows[i].Packages {
			if id, ok := match(p, path); ok {
				return place{&rows[i], id}
			}
		}
	}
	return place{}
}

// fits reports whether path is named by one of patterns, in which {id} stands for id.
func fits(rows []Row, patterns []string, id, path string) bool {
	for _, p := range patterns {
		if p == "leaves" {
			if to := find(rows, path); to.Row != nil && to.Floor == Leaf && !to.Reserved {
				return true
			}
			continue
		}
		if id != "" {
			p = strings.ReplaceAll(p, "{id}", id)
		}
		if _, ok := match(p, path); ok {
			return true
		}
	}
	return false
}

// under reports whether an import path is one of prefixes or lies below one.
func under(prefixes []string, path string) bool {
	for _, p := range prefixes {
		if path == p || strings.HasPrefix(path, p+"/") {
			return true
		}
	}
	return false
}

// standard reports whether an import path names the standard library: its first element has no dot.
func standard(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".")
}
