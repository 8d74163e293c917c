package atomicfile_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/crosswalk-agents/crosswalk/internal/atomicfile"
)

const leftover = ".crosswalk-0123456789abcdef.tmp"

func TestSweepRemovesOldLeftoversOnly(t *testing.T) {
	dir := t.TempDir()
	now := time.Now()
	ages := map[string]time.Duration{
		leftover:                           2 * time.Hour,
		".crosswalk-00000000000000ff.tmp":  time.Minute,      // too young
		".crosswalk-0123456789abcdeg.tmp":  10 * time.Hour,   // not our pattern
		".crosswalk-0123456789abcdef.tmp~": 10 * time.Hour,   // not our pattern
		"session.jsonl":                    1000 * time.Hour, // not a temporary file
	}
	for name, age := range ages {
		path := filepath.Join(dir, name)
		must(t, os.WriteFile(path, []byte("x"), 0o600))
		must(t, os.Chtimes(path, now, now.Add(-age)))
	}
	must(t, os.Mkdir(filepath.Join(dir, ".crosswalk-ffffffffffffffff.tmp"), 0o700))
	removed, err := atomicfile.Sweep(dir, time.Hour)
	if err != nil || !slices.Equal(removed, []string{filepath.Join(dir, leftover)}) {
		t.Errorf("Sweep = %q, %v", removed, err)
	}
	if names := listing(t, dir); len(names) != len(ages) {
		t.Errorf("left: %q", names)
	}
}

func TestSweepLeavesALiveWriterAlone(t *testing.T) {
	dir := t.TempDir()
	w, err := atomicfile.Create(filepath.Join(dir, "f"), 0o600)
	must(t, err)
	temp := filepath.Join(dir, listing(t, dir)[0])
	must(t, os.Chtimes(temp, time.Time{}, time.Now().Add(-48*time.Hour)))
	removed, err := atomicfile.Sweep(dir, time.Hour)
	if err != nil || len(removed) != 0 {
		t.Errorf("Sweep = %q, %v", removed, err)
	}
	must(t, w.Commit())
}

func TestSweepDoesNotFollowALink(t *testing.T) {
	dir := t.TempDir()
	must(t, os.Symlink(filepath.Join(dir, "victim"), filepath.Join(dir, leftover)))
	must(t, os.WriteFile(filepath.Join(dir, "victim"), nil, 0o600))
	removed, err := atomicfile.Sweep(dir, -time.Hour)
	if err != nil || len(removed) != 0 {
		t.Errorf("Sweep = %q, %v", removed, err)
	}
}

func TestSweepOfAMissingFolderFindsNothing(t *testing.T) {
	removed, err := atomicfile.Sweep(filepath.Join(t.TempDir(), "none"), 0)
	if err != nil || len(removed) != 0 {
		t.Errorf("Sweep = %q, %v", removed, err)
	}
}
