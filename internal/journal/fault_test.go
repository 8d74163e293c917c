package journal_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/crosswalk-agents/crosswalk/internal/osx"
)

func lock(t *testing.T, f *os.File) {
	t.Helper()
	must(t, osx.TryLockFile(f))
}

// TestWriteCutShortLeavesNothing runs this test once more in a shell that
// limits the size of files: the system then writes a part of the line.
func TestWriteCutShortLeavesNothing(t *testing.T) {
	const childEnv = "CROSSWALK_TEST_LIMITED"
	if os.Getenv(childEnv) == "" {
		shell, err := exec.LookPath("sh")
		if err != nil {
			t.Skipf("runs where there is a shell: %v", err)
		}
		cmd := exec.CommandContext(t.Context(), shell, "-c", `ulimit -f 128 && exec "$0" "$@"`,
			os.Args[0], "-test.run=^"+t.Name()+"$")
		cmd.Env = append(os.Environ(), childEnv+"=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	j := damagedJournal(t, recordLine("1"))
	err := j.Append(t.Context(), "turn", turn{N: 2, Text: strings.Repeat("x", 200_000)})
	if !osx.IsTooLarge(err) {
		t.Fatalf("Append = %v, want the file size limit", err)
	}
	if data, err := os.ReadFile(filepath.Join(j.Dir(), damagedDay)); err != nil || string(data) != recordLine("1") {
		t.Errorf("the segment has %d bytes, %v", len(data), err)
	}
	appendTurns(t, j, 2, 2)
	if got, damage := collect(t, j.Records(t.Context())); !slices.Equal(got, upTo(2)) || damage != nil {
		t.Errorf("read %v, %v", got, damage)
	}
}
