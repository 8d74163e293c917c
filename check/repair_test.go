package check

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// repaired runs Repair on a seed and returns its report and the copy's path.
func repaired(t *testing.T, s seed) (*RepairReport, string) {
	t.Helper()
	name := claudeName
	if strings.Contains(s.rule, "codex") {
		name = codexName1
	}
	out := filepath.Join(t.TempDir(), name)
	r, err := Repair(context.Background(), s.path, out, s.options)
	if err != nil {
		t.Fatal(err)
	}
	return r, out
}

func TestARepairedDefectPassesTheCheck(t *testing.T) {
	for _, rule := range Rules() {
		if rule.Repair == "" {
			continue
		}
		t.Run(rule.ID, func(t *testing.T) {
			s := plant(t, rule.ID)
			original, err := os.ReadFile(s.path)
			if err != nil {
				t.Fatal(err)
			}
			r, out := repaired(t, s)
			after, err := Check(context.Background(), out, s.options)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range after.Findings {
				if f.Severity != Info && f.Rule == rule.ID || f.Severity == Error {
					t.Errorf("line %d: %s: %s", f.Line, f.Rule, f.Message)
				}
				t.Logf("left: line %d: %s: %s", f.Line, f.Rule, f.Message)
			}
			told := false
			for _, c := range r.Changes {
				told = told || c.Rule == rule.ID
			}
			if !told && rule.ID != "claude-compressed" {
				t.Errorf("no change tells of it: %+v", r.Changes)
			}
			if now, err := os.ReadFile(s.path); err != nil || !bytes.Equal(now, original) {
				t.Errorf("the original was changed: %v", err)
			}
			if t.Failed() {
				data, _ := os.ReadFile(out)
				t.Logf("%.3000s", data)
			}
		})
	}
}
