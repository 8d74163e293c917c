package main

import (
	"regexp"
	"slices"
	"strings"
)

// row is one line of an acceptance list.
type row struct {
	line    int
	label   string // the cell with the reports, as written
	symptom string
	keys    []string // normal forms, any of which covers the row
}

// readRows reads the tables of a list called name that have a column of reports.
func readRows(name, text string) []row {
	var rows []row
	reports, symptoms, ids := -1, -1, -1
	line := 0
	for l := range strings.Lines(text) {
		line++
		cells, ok := split(l)
		if !ok {
			reports = -1
			continue
		}
		if at := slices.IndexFunc(cells, func(c string) bool { return c == "report" || c == "reported in" }); at >= 0 {
			reports, symptoms, ids = at, slices.Index(cells, "symptom"), at-1
			continue
		}
		if reports < 0 || reports >= len(cells) || strings.Trim(strings.Join(cells, ""), "-: ") == "" {
			continue
		}
		r := row{line: line, label: cells[reports], keys: keys(cells[reports])}
		if symptoms >= 0 && symptoms < len(cells) {
			r.symptom = cells[symptoms]
		}
		if ids >= 0 {
			r.keys = append(r.keys, normal(name+"/"+cells[ids]))
			r.label = cells[ids] + " " + r.label
		}
		rows = append(rows, r)
	}
	return rows
}

// split cuts a table line into its cells; ok is false for any other line.
func split(line string) (cells []string, ok bool) {
	line, ok = strings.CutPrefix(strings.TrimSpace(line), "|")
	if !ok {
		return nil, false
	}
	for c := range strings.SplitSeq(strings.TrimSuffix(line, "|"), "|") {
		cells = append(cells, strings.TrimSpace(c))
	}
	return cells, true
}

// keys finds the reports of a cell in both normal forms, with owner and without. A bare "#12" is of
// the repository named before it.
func keys(cell string) []string {
	var out []string
	repo := ""
	report := regexp.MustCompile(`([\w.-]+(?:/[\w.-]+)?)?\s*(#|\bPR\s*)(\d+)`)
	for _, m := range report.FindAllStringSubmatch(cell, -1) {
		if m[1] != "" {
			repo = m[1]
		}
		kind := ""
		if m[2] != "#" {
			kind = "pr-"
		}
		out = append(out, normal(repo+"-"+kind+m[3]))
		if _, short, ok := strings.Cut(repo, "/"); ok {
			out = append(out, normal(short+"-"+kind+m[3]))
		}
	}
	return out
}

// normal lowers letters and makes each run of other signs one dash, so that a report, a test's name
// and a file's name of it are equal. "PR12" and "PR 12" are one.
func normal(s string) string {
	s = regexp.MustCompile(`(?i)\bpr(\d)`).ReplaceAllString(s, "pr-$1")
	s = regexp.MustCompile(`[^a-z0-9]+`).ReplaceAllString(strings.ToLower(s), "-")
	return strings.Trim(s, "-")
}
