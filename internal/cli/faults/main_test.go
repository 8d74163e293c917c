//go:build unix

package faults

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	// Go test must not take an old result for one of this program, see newMachine.
	_ "github.com/crosswalk-agents/crosswalk/internal/cli"
)

// The environment of the tests: where the programs are, and with limitEnv that
// this process is to become the program under a limit on the size of files.
const (
	programsEnv = "CROSSWALK_TEST_PROGRAMS"
	limitEnv    = "CROSSWALK_TEST_LIMIT"
)

func TestMain(m *testing.M) {
	if limit := os.Getenv(limitEnv); limit != "" {
		fmt.Fprintln(os.Stderr, "test:", becomeLimited(limit))
		os.Exit(99)
	}
	if os.Getenv(programsEnv) != "" { // another process of the tests has built them
		os.Exit(m.Run())
	}
	code, err := buildAndRun(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "test:", err)
		code = 1
	}
	os.Exit(code)
}

// becomeLimited puts the program that the arguments name in the place of this
// process; no file that it writes may grow past the limit.
func becomeLimited(limit string) error {
	n, err := strconv.ParseUint(limit, 10, 64)
	if err != nil {
		return err
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: n, Max: n}); err != nil {
		return err
	}
	return syscall.Exec(os.Args[1], os.Args[1:], os.Environ())
}

// buildAndRun builds the program twice, as it is shipped and with its points of
// fault, in a folder that every user can look into.
func buildAndRun(m *testing.M) (int, error) {
	dir, err := os.MkdirTemp("", "crosswalk-faults-")
	if err != nil {
		return 1, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := os.Chmod(dir, 0o755); err != nil {
		return 1, err
	}
	for _, build := range [][]string{{"-o", filepath.Join(dir, "crosswalk")}, {"-o", filepath.Join(dir, "crosswalk-faults"), "-tags", "crosswalk_faults"}} {
		args := append([]string{"build", "-buildvcs=false"}, build...)
		cmd := exec.CommandContext(context.Background(), "go", append(args, "github.com/crosswalk-agents/crosswalk/cmd/crosswalk")...)
		if out, err := cmd.CombinedOutput(); err != nil {
			return 1, fmt.Errorf("build the program: %w\n%s", err, out)
		}
	}
	if err := os.Setenv(programsEnv, dir); err != nil {
		return 1, err
	}
	return m.Run(), nil
}
