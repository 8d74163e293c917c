package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
)

// record is the file of the fewest cases of each package.
type record struct {
	min map[string][2]int // without corpus, with corpus; -1 not recorded
}

const recordHead = `# The fewest test cases of each package that "make test" accepts.
# Raised by "make regen", lowered or removed only by hand.
# package                          without corpus   with corpus
`

func readRecord(name string) (*record, error) {
	rec := &record{min: map[string][2]int{}}
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return rec, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read case numbers: %w", err)
	}
	line := 0
	for l := range strings.Lines(string(data)) {
		line++
		f := strings.Fields(l)
		if len(f) == 0 || f[0][0] == '#' {
			continue
		}
		if len(f) != 3 {
			return nil, fmt.Errorf("read case numbers: %s:%d: %q is not a package and two numbers", name, line, strings.TrimSpace(l))
		}
		var n [2]int
		for i := range n {
			if n[i], err = number(f[i+1]); err != nil {
				return nil, fmt.Errorf("read case numbers: %s:%d: %w", name, line, err)
			}
		}
		rec.min[f[0]] = n
	}
	return rec, nil
}

// number reads a column; "-" is one that was never recorded.
func number(s string) (int, error) {
	if s == "-" {
		return -1, nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%q is neither a number nor -", s)
	}
	return n, nil
}

func column(corpus bool) int {
	if corpus {
		return 1
	}
	return 0
}

// fewest gives the number that holds for a package. Where a run with the corpus was never recorded,
// the number without it holds.
func (rec *record) fewest(name string, corpus bool) (int, bool) {
	n, ok := rec.min[name]
	if !ok {
		return 0, false
	}
	if corpus {
		return max(n[0], n[1]), true
	}
	return n[0], n[0] >= 0
}

// check lists the packages with fewer cases than recorded, or with cases and no record.
func (rec *record) check(res *results, opts options) []string {
	var short []string
	for name := range rec.min {
		fewest, ok := rec.fewest(name, opts.corpus)
		if !ok {
			continue
		}
		s, ran := res.suites[name]
		switch {
		case !ran && opts.partial:
		case !ran:
			short = append(short, fmt.Sprintf("%s did not run; %d are recorded", name, fewest))
		case s.count().passed < fewest:
			short = append(short, fmt.Sprintf("%s passed %d; %d are recorded", name, s.count().passed, fewest))
		}
	}
	for name, s := range res.suites {
		if _, ok := rec.fewest(name, opts.corpus); !ok && len(s.tests) > 0 && !opts.partial && !opts.update {
			short = append(short, fmt.Sprintf("%s has no number in %s: run make regen", name, opts.cases))
		}
	}
	slices.Sort(short)
	return short
}

// raise lifts the numbers to what passed and writes the file.
func (rec *record) raise(res *results, opts options) error {
	for name, s := range res.suites {
		if len(s.tests) == 0 {
			continue
		}
		n, ok := rec.min[name]
		if !ok {
			n = [2]int{-1, -1}
		}
		col := column(opts.corpus)
		n[col] = max(n[col], s.count().passed)
		rec.min[name] = n
	}
	var b strings.Builder
	b.WriteString(recordHead)
	for _, name := range slices.Sorted(maps.Keys(rec.min)) {
		fmt.Fprintf(&b, "%-34s %14s %13s\n", name, show(rec.min[name][0]), show(rec.min[name][1]))
	}
	if err := os.WriteFile(opts.cases, []byte(b.String()), 0o644); err != nil {
		return fmt.Errorf("write case numbers: %w", err)
	}
	return nil
}

func show(n int) string {
	if n < 0 {
		return "-"
	}
	return strconv.Itoa(n)
}
