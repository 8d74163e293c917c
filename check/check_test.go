package check

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestEachDefectIsFoundByItsRuleAlone(t *testing.T) {
	for _, rule := range Rules() {
		t.Run(rule.ID, func(t *testing.T) {
			s := plant(t, rule.ID)
			r, err := Check(context.Background(), s.path, s.options)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]string{rule.ID}, rulesOf(r)); diff != "" {
				t.Errorf("rules found (-want +got):\n%s", diff)
				for _, f := range r.Findings {
					t.Logf("line %d: %s: %s", f.Line, f.Rule, f.Message)
				}
			}
			if r.Agent != rule.Agent {
				t.Errorf("agent %q", r.Agent)
			}
			want := VerdictResumes
			switch rule.Effect {
			case Refused, VendorRefuses:
				want = VerdictRefused
			case HistoryLost:
				want = VerdictLosesHistory
			case PartLost, Unlisted, Harmless:
			}
			if got := r.Resumes(); got != want {
				t.Errorf("verdict %q, want %q", got, want)
			}
		})
	}
}

func TestEveryFileOfTestdataBelongsToARule(t *testing.T) {
	rules := newCatalog()
	files, err := filepath.Glob("testdata/*.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		name := strings.TrimSuffix(filepath.Base(f), ".jsonl")
		if rules[name] == nil && !strings.HasPrefix(name, "clean-") {
			t.Errorf("%s: no rule of that name", f)
		}
	}
}

func TestCleanFilesHaveNoFinding(t *testing.T) {
	files, err := filepath.Glob("testdata/clean-*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		name := strings.TrimSuffix(filepath.Base(f), ".jsonl")
		t.Run(name, func(t *testing.T) {
			s := plant(t, name)
			r, err := Check(context.Background(), s.path, s.options)
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Findings) > 0 {
				t.Errorf("findings: %+v", r.Findings)
			}
			if r.Resumes() != VerdictResumes || r.Reachable.Ratio() != 1 || r.Reachable.All == 0 {
				t.Errorf("verdict %q, reachable %+v", r.Resumes(), r.Reachable)
			}
		})
	}
}

func TestRulesAreWellFormed(t *testing.T) {
	id := regexp.MustCompile(`^(claude|codex)(-[a-z0-9]+)+$`)
	seen := make(map[string]bool)
	for _, r := range Rules() {
		if !id.MatchString(r.ID) || !strings.HasPrefix(r.ID, r.Agent+"-") {
			t.Errorf("%q of %q: the id is not kebab-case with its agent's prefix", r.ID, r.Agent)
		}
		if seen[r.ID] {
			t.Errorf("%s: listed twice", r.ID)
		}
		seen[r.ID] = true
		if r.Summary == "" || r.Remedy == "" || r.Evidence == "" {
			t.Errorf("%s: summary, remedy or evidence is missing", r.ID)
		}
		lost := r.Effect == Refused || r.Effect == VendorRefuses || r.Effect == HistoryLost
		if lost != (r.Severity == Error) {
			t.Errorf("%s: severity %s does not go with effect %s", r.ID, r.Severity, r.Effect)
		}
		if _, err := os.Stat(filepath.Join("testdata", r.ID+".jsonl")); err != nil {
			t.Errorf("%s: no file in testdata: %v", r.ID, err)
		}
	}
}
