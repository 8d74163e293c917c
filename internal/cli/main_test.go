package cli

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"crosswalk": func() { os.Exit(runProgram()) }})
}

// The program under test takes nowEnv for the present, and shows progress at once
// with patienceEnv.
const (
	nowEnv      = "CROSSWALK_TEST_NOW"
	patienceEnv = "CROSSWALK_TEST_IMPATIENT"
)

// runProgram is the program with a clock that stands still, if there is one in
// the environment: what it writes is as old as that clock says.
func runProgram() int {
	now, err := time.Parse(time.RFC3339, os.Getenv(nowEnv))
	if err != nil {
		return Main()
	}
	before := agentFiles()
	code := main(func(a *app) {
		a.clock = func() time.Time { return now }
		if os.Getenv(patienceEnv) != "" {
			a.patience = 0
		}
	})
	if err := settle(before, now); err != nil {
		fmt.Fprintln(os.Stderr, "test:", err)
		return 99
	}
	return code
}

// settle gives what was written the time now. Whatever the command was, the
// session files that were there before have to be as they were; undo may remove
// one.
func settle(before map[string]agentFile, now time.Time) error {
	after := agentFiles()
	for path, f := range before {
		switch got, ok := after[path]; {
		case ok && got.sum != f.sum:
			return fmt.Errorf("%q was changed by %q", path, os.Args)
		case !ok && !slices.Contains(os.Args, "undo"):
			return fmt.Errorf("%q was removed by %q", path, os.Args)
		}
	}
	for path, f := range after {
		if _, ok := before[path]; !ok && !f.modified.Equal(now) {
			if err := os.Chtimes(path, now, now); err != nil {
				return err
			}
		}
	}
	return nil
}

type agentFile struct {
	modified time.Time
	sum      [sha256.Size]byte
}

// agentFiles returns all files in the agents' homes.
func agentFiles() map[string]agentFile {
	files := make(map[string]agentFile)
	home := os.Getenv("HOME")
	for _, dir := range []string{filepath.Join(home, ".claude"), filepath.Join(home, ".codex"), os.Getenv("CLAUDE_CONFIG_DIR"), os.Getenv("CODEX_HOME")} {
		if !filepath.IsAbs(dir) {
			continue
		}
		_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return nil // a folder that is not there, or not to be read
			}
			info, err := d.Info()
			text, rerr := os.ReadFile(path)
			if err == nil && rerr == nil {
				files[path] = agentFile{modified: info.ModTime(), sum: sha256.Sum256(text)}
			}
			return nil
		})
	}
	return files
}
