package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// event is one line of go test -json (go doc test2json).
type event struct {
	Action  string
	Package string
	Test    string
	Elapsed float64
	Output  string
}

// suite is what is known of one package.
type suite struct {
	name    string
	action  string            // how the package ended: pass, fail, skip; "" while it runs
	tests   map[string]string // test → pass, fail, skip; "" while it runs
	output  map[string][]string
	elapsed float64
}

// tally counts cases.
type tally struct{ passed, failed, skipped int }

// results holds the suites by name.
type results struct {
	suites map[string]*suite
	module string
}

// read takes in the whole stream and prints failures as they are complete.
func read(in io.Reader, out io.Writer, module string) (*results, error) {
	res := &results{suites: map[string]*suite{}, module: module}
	r := bufio.NewReader(in)
	for {
		line, err := r.ReadBytes('\n')
		if len(line) > 0 {
			var e event
			if bytes.HasPrefix(line, []byte("{")) && json.Unmarshal(line, &e) == nil {
				res.take(e, out)
			} else {
				out.Write(line) // the go command's own words
			}
		}
		if err == io.EOF {
			return res, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read test output: %w", err)
		}
	}
}

func (res *results) take(e event, out io.Writer) {
	if e.Package == "" {
		if e.Action == "build-output" {
			io.WriteString(out, e.Output)
		}
		return
	}
	name := strings.TrimPrefix(e.Package, res.module+"/")
	s := res.suites[name]
	if s == nil {
		s = &suite{name: name, tests: map[string]string{}, output: map[string][]string{}}
		res.suites[name] = s
	}
	switch e.Action {
	case "run":
		s.tests[e.Test] = ""
	case "output":
		s.output[e.Test] = append(s.output[e.Test], e.Output)
	case "pass", "fail", "skip":
		s.end(e, out)
	}
}

// end closes a test, or the package when the event names none.
func (s *suite) end(e event, out io.Writer) {
	switch {
	case e.Test != "":
		s.tests[e.Test] = e.Action
		if e.Action == "fail" {
			fmt.Fprintf(out, "FAIL %s %s\n%s", s.name, e.Test, text(s.output[e.Test]))
		}
		delete(s.output, e.Test)
	default:
		s.action, s.elapsed = e.Action, e.Elapsed
		if e.Action == "fail" {
			fmt.Fprintf(out, "FAIL %s\n%s", s.name, s.unfinished())
		}
		s.output = nil
	}
}

// unfinished is the output of a failed package and of its tests that never ended, as after a panic.
func (s *suite) unfinished() string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(s.output)) {
		b.WriteString(text(s.output[name]))
	}
	return b.String()
}

// text joins output without the lines that only say that a test began or went on.
func text(lines []string) string {
	var b strings.Builder
	for _, l := range lines {
		trimmed := strings.TrimLeft(l, " ")
		if strings.HasPrefix(trimmed, "=== ") {
			continue
		}
		b.WriteString("    ")
		b.WriteString(strings.TrimSuffix(l, "\n"))
		b.WriteByte('\n')
	}
	return b.String()
}

// count tallies the cases: tests that are no other test's parent. A package that failed without a
// failing case, or never ended, counts as one failure.
func (s *suite) count() tally {
	parent := map[string]bool{}
	for name := range s.tests {
		for i, c := range name {
			if c == '/' {
				parent[name[:i]] = true
			}
		}
	}
	var n tally
	for name, action := range s.tests {
		switch {
		case parent[name]:
		case action == "pass":
			n.passed++
		case action == "skip":
			n.skipped++
		default:
			n.failed++
		}
	}
	if n.failed == 0 && (s.action == "fail" || s.action == "") {
		n.failed = 1
	}
	return n
}

// summary prints a line per package with tests and gives the sum; ran is false when there was none.
func (res *results) summary(out io.Writer, rec *record, opts options) (sum tally, ran bool) {
	for _, name := range slices.Sorted(maps.Keys(res.suites)) {
		s := res.suites[name]
		n := s.count()
		sum.passed += n.passed
		sum.failed += n.failed
		sum.skipped += n.skipped
		if len(s.tests) == 0 && n.failed == 0 {
			continue // no test files
		}
		ran = true
		mark := "ok  "
		if n.failed > 0 {
			mark = "FAIL"
		}
		line := fmt.Sprintf("%s %-34s %5d cases", mark, name, n.passed)
		if fewest, ok := rec.fewest(name, opts.corpus); ok {
			line += fmt.Sprintf(", recorded %d", fewest)
		} else {
			line += ", not recorded"
		}
		if n.failed > 0 {
			line += fmt.Sprintf(", %d failed", n.failed)
		}
		if n.skipped > 0 {
			line += fmt.Sprintf(", %d skipped", n.skipped)
		}
		fmt.Fprintf(out, "%s  (%.1fs)\n", line, s.elapsed)
	}
	return sum, ran
}
