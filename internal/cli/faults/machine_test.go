//go:build unix

package faults

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/crosswalk-agents/crosswalk/agent/claude"
	"github.com/crosswalk-agents/crosswalk/conformance/rig"
)

// patience is how long a command may take before it counts as hanging.
const patience = 30 * time.Second

// machine is a person's machine: a home with sessions of both agents, a
// project, Crosswalk's state and a folder for temporary files.
type machine struct {
	t                         *testing.T
	dir                       string
	home, project, state, tmp string
	// uid is the user that runs the program; 0 is the one who runs the tests.
	uid int
	// env is more environment.
	env []string
}

func newMachine(t *testing.T) *machine {
	t.Helper()
	// What is built and not imported is read, so that go test knows that the result
	// depends on it.
	for _, source := range []string{"../../../cmd/crosswalk/main.go", "../../fault/on.go"} {
		_, err := os.ReadFile(source)
		must(t, err)
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	m := &machine{
		t: t, dir: dir, home: filepath.Join(dir, "home"), project: filepath.Join(dir, "project"),
		state: filepath.Join(dir, "state"), tmp: filepath.Join(dir, "tmp"),
	}
	for _, d := range []string{m.home, m.project, m.state, m.tmp, m.claudeDir()} {
		must(t, os.MkdirAll(d, 0o755))
	}
	return m
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// claudeDir is the project's folder in the home of Claude Code, codexDir that of
// the day in the home of Codex.
func (m *machine) claudeDir() string {
	return filepath.Join(m.home, ".claude", "projects", claude.ProjectDirName(m.project))
}

func (m *machine) codexDir() string {
	return filepath.Join(m.home, ".codex", "sessions", "2026", "12", "01")
}

// today is the time of every hand-over that has to be the same each time.
const today = "2026-12-01T10:00:00Z"

// command prepares a command line of the program.
func (m *machine) command(program string, args ...string) *exec.Cmd {
	ctx, cancel := context.WithTimeout(m.t.Context(), patience)
	m.t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, filepath.Join(os.Getenv(programsEnv), program), args...)
	cmd.Dir = m.project
	cmd.Env = append([]string{
		"HOME=" + m.home, "XDG_STATE_HOME=" + m.state, "TMPDIR=" + m.tmp, "PATH=" + filepath.Join(m.dir, "bin"), "TZ=UTC", "LANG=C.UTF-8",
	}, m.env...)
	if m.uid != 0 {
		id := uint32(m.uid)
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: id, Gid: id}}
	}
	return cmd
}

// result is how a command ended.
type result struct {
	code     int
	signal   syscall.Signal
	out, err string
}

// finish runs the command to its end and wants no panic.
func (m *machine) finish(cmd *exec.Cmd) result {
	m.t.Helper()
	return m.finishAfter(cmd, func(<-chan struct{}) {})
}

// finishAfter does something while the command runs.
func (m *machine) finishAfter(cmd *exec.Cmd, meanwhile func(ended <-chan struct{})) result {
	m.t.Helper()
	var out, stderr bytes.Buffer
	if cmd.Stdout == nil {
		cmd.Stdout = &out
	}
	cmd.Stderr = &stderr
	must(m.t, cmd.Start())
	var err error
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		err = cmd.Wait()
	}()
	meanwhile(ended)
	<-ended
	res := result{out: out.String(), err: stderr.String()}
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		status := exit.Sys().(syscall.WaitStatus)
		res.code, res.signal = exit.ExitCode(), status.Signal()
		if !status.Signaled() {
			res.signal = 0
		}
	} else if err != nil {
		m.t.Fatalf("%q: %v", cmd.Args, err)
	}
	if strings.Contains(res.err, "panic:") || strings.Contains(res.err, "goroutine ") {
		m.t.Fatalf("%q panics:\n%s", cmd.Args, res.err)
	}
	return res
}

// run runs the program, which must end with the code.
func (m *machine) run(code int, args ...string) result {
	m.t.Helper()
	res := m.finish(m.command("crosswalk", args...))
	if res.code != code || res.signal != 0 {
		m.t.Fatalf("crosswalk %q: exit code %d, signal %d, want code %d\n%s%s", args, res.code, res.signal, code, res.out, res.err)
	}
	return res
}

// limited runs the program with a limit on the size of the files it writes.
func (m *machine) limited(limit int, args ...string) result {
	m.t.Helper()
	exe, err := os.Executable()
	must(m.t, err)
	cmd := m.command("crosswalk", args...)
	cmd.Args = append([]string{exe, cmd.Path}, args...)
	cmd.Path = exe
	cmd.Env = append(cmd.Env, limitEnv+"="+strconv.Itoa(limit))
	return m.finish(cmd)
}

// refuses runs the program, which must fail with the code, say nothing on
// standard output, and on standard error what the patterns say.
func (m *machine) refuses(code int, patterns []string, args ...string) {
	m.t.Helper()
	m.complains(m.run(code, args...), patterns...)
}

// complains checks what a failed command said.
func (m *machine) complains(res result, patterns ...string) {
	m.t.Helper()
	if res.out != "" {
		m.t.Errorf("it failed and prints a result: %q", res.out)
	}
	if strings.Contains(res.err, ".crosswalk-") {
		m.t.Errorf("it names a temporary file, which means nothing to a person:\n%s", res.err)
	}
	for _, p := range patterns {
		if ok, err := regexp.MatchString(p, res.err); err != nil || !ok {
			m.t.Errorf("it does not say %q:\n%s", p, res.err)
		}
	}
}

// snapshot returns what the folder holds.
func (m *machine) snapshot(dir string) rig.Snapshot {
	m.t.Helper()
	snap, err := rig.TakeSnapshot(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		m.t.Fatal(err)
	}
	return snap
}

// unchanged wants the folder to hold what it held.
func (m *machine) unchanged(dir string, before rig.Snapshot) {
	m.t.Helper()
	if diff := before.Changes(m.snapshot(dir)); len(diff) > 0 {
		m.t.Errorf("%s changed: %q", dir, diff)
	}
}

// leftovers lists the temporary files and marks of Crosswalk below dir.
func (m *machine) leftovers(dirs ...string) (found []string) {
	m.t.Helper()
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
			if name := filepath.Base(path); strings.HasPrefix(name, ".crosswalk-") || strings.HasPrefix(name, "crosswalk-") {
				found = append(found, path)
			}
			return err
		})
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			m.t.Fatal(err)
		}
	}
	return found
}

// wroteNothing wants the agents' homes to be as they were, and no temporary
// file anywhere.
func (m *machine) wroteNothing(before rig.Snapshot) {
	m.t.Helper()
	m.unchanged(m.home, before)
	if left := m.leftovers(m.home, m.state, m.tmp, m.project); len(left) > 0 {
		m.t.Errorf("left over: %q", left)
	}
}

// put writes a file and the folders above it.
func (m *machine) put(path, text string) {
	m.t.Helper()
	must(m.t, os.MkdirAll(filepath.Dir(path), 0o755))
	must(m.t, os.WriteFile(path, []byte(text), 0o600))
}

func (m *machine) read(path string) string {
	m.t.Helper()
	text, err := os.ReadFile(path)
	must(m.t, err)
	return string(text)
}

// sessionFiles lists the files below the agents' homes that a client takes for
// sessions.
func (m *machine) sessionFiles() []string {
	m.t.Helper()
	ofClaude, err := rig.ClaudeFiles(m.home)
	must(m.t, err)
	ofCodex, err := rig.CodexFiles(m.home, "")
	must(m.t, err)
	return slices.Concat(ofClaude, ofCodex)
}

// remembered returns how many hand-overs the journal tells of.
func (m *machine) remembered() int {
	m.t.Helper()
	res := m.run(0, "lineage", "--json")
	return strings.Count(res.out, "\n")
}
