package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// stream is the output of go test -json in brief: ACTION PACKAGE [TEST] a line, package names without
// the module.
func stream(lines ...string) string {
	var b strings.Builder
	for _, l := range lines {
		f := strings.Fields(l)
		b.WriteString(`{"Action":"` + f[0] + `","Package":"example.org/m/` + f[1] + `"`)
		if len(f) > 2 {
			b.WriteString(`,"Test":"` + f[2] + `"`)
		}
		if f[0] == "output" {
			b.WriteString(`,"Output":"` + strings.Join(f[3:], " ") + `\n"`)
		}
		b.WriteString("}\n")
	}
	return b.String()
}

var clean = []string{
	"run canon TestA", "pass canon TestA",
	"run canon TestB", "run canon TestB/one", "run canon TestB/two", "pass canon TestB/one", "pass canon TestB/two", "pass canon TestB",
	"run canon TestC", "skip canon TestC", "pass canon",
	"run agent TestD", "pass agent TestD", "pass agent",
	"skip cmd",
}

func TestRun(t *testing.T) {
	const head = "# comment\n\n"
	for name, c := range map[string]struct {
		record string
		opts   options
		in     string
		ok     bool
		out    []string // all must be there, the last at the end
	}{
		"leaves are counted, parents are not": {
			head + "agent 1 -\ncanon 3 -\n",
			options{},
			stream(clean...), true,
			[]string{"ok   canon ", "3 cases, recorded 3, 1 skipped", "4 passed, 0 failed, 1 skipped\n"},
		},
		"a case that runs elsewhere counts": {
			"canon 3 -\n",
			options{},
			stream("run canon TestA", "pass canon TestA", "run canon TestB", "run canon TestB/one", "run canon TestB/two",
				"output canon TestB/one b_test.go:7: runs as root; here: no", "skip canon TestB/one",
				"output canon TestB/two c_test.go:8: runs where there is a shell", "skip canon TestB/two", "pass canon TestB", "pass canon"),
			true,
			[]string{"1 cases, recorded 3, 2 skipped, 2 of them run elsewhere", "1 passed, 0 failed, 2 skipped\n"},
		},
		"a case that is skipped for another reason does not": {
			"canon 2 -\n",
			options{},
			stream("run canon TestA", "pass canon TestA", "run canon TestB", "output canon TestB b_test.go:7: it never runs as root", "skip canon TestB", "pass canon"),
			false,
			[]string{"too few cases: canon passed 1; 2 are recorded", "1 passed, 0 failed, 1 skipped\n"},
		},
		"more than recorded is fine": {
			"agent 1 -\ncanon 1 -\n",
			options{},
			stream(clean...), true,
			[]string{"3 cases, recorded 1", "4 passed, 0 failed, 1 skipped\n"},
		},
		"fewer than recorded fail": {
			"agent 1 -\ncanon 4 -\n",
			options{},
			stream(clean...), false,
			[]string{"too few cases: canon passed 3; 4 are recorded", "4 passed, 0 failed, 1 skipped\n"},
		},
		"a recorded package that did not run fails": {
			"agent 1 -\ncanon 3 -\nvocab 2 -\n",
			options{},
			stream(clean...), false,
			[]string{"too few cases: vocab did not run; 2 are recorded", "4 passed, 0 failed, 1 skipped\n"},
		},
		"unless the run is partial": {
			"canon 3 -\nvocab 2 -\n",
			options{partial: true},
			stream(clean...), true,
			[]string{"4 passed, 0 failed, 1 skipped\n"},
		},
		"a partial run does not excuse what ran": {
			"canon 4 -\n",
			options{partial: true},
			stream(clean...), false,
			[]string{"too few cases: canon passed 3; 4 are recorded", "skipped\n"},
		},
		"a package without a number fails": {
			"canon 3 -\n",
			options{},
			stream(clean...), false,
			[]string{"too few cases: agent has no number in", "4 passed, 0 failed, 1 skipped\n"},
		},
		"the corpus has its own column": {
			"agent 1 1\ncanon 3 5\n",
			options{corpus: true},
			stream(clean...), false,
			[]string{"too few cases: canon passed 3; 5 are recorded", "skipped\n"},
		},
		"which does not bind a run without it": {
			"agent 1 1\ncanon 3 5\n",
			options{},
			stream(clean...), true,
			[]string{"4 passed, 0 failed, 1 skipped\n"},
		},
		"a corpus that was never recorded leaves the other number": {
			"agent 1 -\ncanon 4 -\n",
			options{corpus: true},
			stream(clean...), false,
			[]string{"too few cases: canon passed 3; 4 are recorded", "skipped\n"},
		},
		"a number for the corpus alone is none without it": {
			"agent 1 -\ncanon - 3\n",
			options{},
			stream(clean...), false,
			[]string{"too few cases: canon has no number", "skipped\n"},
		},
		"a failure shows its output": {
			"canon 1 -\n",
			options{},
			stream("run canon TestA", "output canon TestA === RUN TestA", "output canon TestA a_test.go:7: wrong", "fail canon TestA",
				"run canon TestB", "output canon TestB quiet", "pass canon TestB", "fail canon"),
			false,
			[]string{"FAIL canon TestA\n    a_test.go:7: wrong\nFAIL canon\n", "FAIL canon ", "1 passed, 1 failed, 0 skipped\n"},
		},
		"a panic shows the test that never ended": {
			"canon 1 -\n",
			options{},
			stream("run canon TestA", "output canon TestA panic: boom", "fail canon"), false,
			[]string{"panic: boom", "0 passed, 1 failed, 0 skipped\n"},
		},
		"a failure outside the cases counts as one": {
			"canon 1 -\n",
			options{},
			stream("run canon TestA", "pass canon TestA", "fail canon"), false,
			[]string{"1 passed, 1 failed, 0 skipped\n"},
		},
		"a build failure is shown": {
			"canon 1 -\n",
			options{},
			`{"ImportPath":"example.org/m/canon","Action":"build-output","Output":"x.go:1: undefined: y\n"}` + "\n" + stream("fail canon"), false,
			[]string{"x.go:1: undefined: y\n", "0 passed, 1 failed, 0 skipped\n"},
		},
		"output that breaks off fails": {
			"canon 1 -\n",
			options{},
			stream("run canon TestA", "pass canon TestA"), false,
			[]string{"1 passed, 1 failed, 0 skipped\n"},
		},
		"no tests at all fail": {
			"",
			options{},
			"go: no such package\n", false,
			[]string{"go: no such package\n", "0 passed, 0 failed, 0 skipped\n"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			c.opts.module = "example.org/m"
			c.opts.cases = filepath.Join(t.TempDir(), "cases.txt")
			if err := os.WriteFile(c.opts.cases, []byte(c.record), 0o600); err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			ok, err := run(c.opts, strings.NewReader(c.in), &out)
			if err != nil {
				t.Fatal(err)
			}
			if ok != c.ok {
				t.Errorf("run = %v, want %v", ok, c.ok)
			}
			for _, want := range c.out {
				if !strings.Contains(out.String(), want) {
					t.Errorf("output lacks %q", want)
				}
			}
			if !strings.HasSuffix(out.String(), c.out[len(c.out)-1]) || strings.Contains(out.String(), "quiet") {
				t.Errorf("output is\n%s", &out)
			}
		})
	}
}

func TestUpdateOnlyRaises(t *testing.T) {
	name := filepath.Join(t.TempDir(), "cases.txt")
	rows := func() []string {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for l := range strings.Lines(string(data)) {
			if !strings.HasPrefix(l, "#") {
				out = append(out, strings.Join(strings.Fields(l), " "))
			}
		}
		return out
	}
	for _, step := range []struct {
		what   string
		corpus bool
		in     []string
		ok     bool
		want   []string
	}{
		{"a first run records", false, clean, true, []string{"agent 1 -", "canon 3 -"}},
		{"a run with the corpus fills its column", true, append([]string{"run canon TestE", "pass canon TestE"}, clean...), true, []string{"agent 1 1", "canon 3 4"}},
		{"a failed run changes nothing", false, append([]string{"run canon TestE", "pass canon TestE", "run canon TestF", "fail canon TestF"}, clean...), false, []string{"agent 1 1", "canon 3 4"}},
		{"fewer cases lower nothing", false, clean[2:], false, []string{"agent 1 1", "canon 3 4"}},
		{"more cases raise", false, append([]string{"run canon TestE", "pass canon TestE"}, clean...), true, []string{"agent 1 1", "canon 4 4"}},
	} {
		opts := options{module: "example.org/m", cases: name, update: true, corpus: step.corpus}
		ok, err := run(opts, strings.NewReader(stream(step.in...)), &bytes.Buffer{})
		if err != nil || ok != step.ok {
			t.Fatalf("%s: run = %v, %v", step.what, ok, err)
		}
		if diff := cmp.Diff(step.want, rows()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", step.what, diff)
		}
	}
}

func TestRecordErrorsNameTheLine(t *testing.T) {
	for text, want := range map[string]string{
		"canon 1\n":              `cases.txt:1: "canon 1" is not a package and two numbers`,
		"# x\ncanon 1 many\n":    `cases.txt:2: "many" is neither a number nor -`,
		"agent 1 1\ncanon -3 1n": `cases.txt:2: "-3" is neither a number nor -`,
	} {
		name := filepath.Join(t.TempDir(), "cases.txt")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := readRecord(name); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("readRecord(%q) = %v, want …%s", text, err, want)
		}
	}
}
