package check

import (
	"context"
	"path/filepath"
	"testing"
)

func TestACopyIsJudgedByWhatItHoldsNotByItsName(t *testing.T) {
	for rule, want := range map[string]Verdict{"codex-id-mismatch": VerdictResumes, "claude-missing-uuid": VerdictResumes} {
		s := plant(t, rule)
		r, err := Repair(context.Background(), s.path, filepath.Join(t.TempDir(), "mended.jsonl"), s.options)
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Resumes(); got != want || !r.Misnamed() {
			t.Errorf("%s: the copy %s, misnamed %v", rule, got, r.Misnamed())
		}
	}
}
