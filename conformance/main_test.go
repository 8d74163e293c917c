//go:build conformance

package conformance_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/crosswalk-agents/crosswalk/conformance/rig"
)

// bench is opened once; it is what all tests share. program is the product,
// built for them.
var (
	bench   *rig.Bench
	program string
)

func TestMain(m *testing.M) {
	code, err := testMain(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "conformance:", err)
		os.Exit(1)
	}
	os.Exit(code)
}

func testMain(m *testing.M) (code int, err error) {
	dir, err := os.MkdirTemp("", "crosswalk-conformance-")
	if err != nil {
		return 1, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	program = filepath.Join(dir, "crosswalk")
	build := exec.CommandContext(context.Background(), "go", "build", "-o", program, "github.com/crosswalk-agents/crosswalk/cmd/crosswalk")
	if text, err := build.CombinedOutput(); err != nil {
		return 1, fmt.Errorf("build crosswalk: %w\n%s", err, text)
	}
	if bench, err = rig.Open(context.Background(), rig.Options{}); err != nil {
		return 1, err
	}
	defer func() { err = errors.Join(err, bench.Close()) }()
	return m.Run(), nil
}

// soon is how long a client may take to show something on a busy machine.
const soon = 30 * time.Second

// folders returns a fresh home and work folder. The work folder holds a.txt.
func folders(t *testing.T) (home, work string) {
	t.Helper()
	dir := t.TempDir()
	home, work = filepath.Join(dir, "home"), filepath.Join(dir, "work")
	for _, d := range []string{home, work} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(work, "a.txt"), []byte("alpha\nbeta\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return home, work
}

func read(t *testing.T, path ...string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// succeeded fails the test unless a run ended well.
func succeeded(t *testing.T, res rig.Result, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if res.ExitCode != 0 {
		t.Fatalf("exit code %d\n%s\n%s", res.ExitCode, res.Stdout, res.Stderr)
	}
}
