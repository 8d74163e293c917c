package faults

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// What a child process of the tests is to run.
const (
	childEnv = "CROSSWALK_TEST_CHILD"
)

// needsMounts says where tests run that mount a file system.
const needsMounts = "runs as root, or where user namespaces are allowed; here: "

// withMounts tells whether this process may mount file systems that nobody else
// sees. If not, it runs the current test alone in one that may and takes over
// its result.
func withMounts(t *testing.T) bool {
	t.Helper()
	if os.Getenv(childEnv) == t.Name() {
		return true
	}
	exe, err := os.Executable()
	must(t, err)
	parts := strings.Split(t.Name(), "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	cmd := exec.CommandContext(t.Context(), exe, "-test.v", "-test.run="+strings.Join(parts, "/"))
	cmd.Env = append(os.Environ(), childEnv+"="+t.Name(), "GORACE=atexit_sleep_ms=0")
	cmd.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS}
	if os.Geteuid() != 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{
			Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
			UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Geteuid(), Size: 1}},
			GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getegid(), Size: 1}},
		}
	}
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		t.Fatalf("the child process failed: %v\n%s", err, out)
	case err != nil:
		t.Skipf("%s%v", needsMounts, err)
	case strings.Contains(string(out), "--- SKIP"):
		t.Skipf("%sthe child process skipped:\n%s", needsMounts, out)
	case !strings.Contains(string(out), "--- PASS: "+t.Name()):
		t.Fatalf("the child process ran nothing:\n%s", out)
	}
	return false
}

// disk is a small file system of its own.
type disk struct {
	t   *testing.T
	dir string
}

// mount puts a file system of that size at dir, where there is nothing yet.
func mount(t *testing.T, dir, size string) *disk {
	t.Helper()
	must(t, os.MkdirAll(dir, 0o755))
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size="+size+",mode=755"); err != nil {
		t.Skipf("mount a tmpfs: %v", err)
	}
	t.Cleanup(func() { must(t, unix.Unmount(dir, unix.MNT_DETACH)) })
	return &disk{t: t, dir: dir}
}

// fill takes all space but for some bytes.
func (d *disk) fill(but int64) {
	d.t.Helper()
	f, err := os.Create(filepath.Join(d.dir, "ballast"))
	must(d.t, err)
	buf := make([]byte, 1<<12)
	for size := int64(0); ; size += int64(len(buf)) {
		if _, err = f.Write(buf); err != nil {
			must(d.t, f.Truncate(max(0, size-but)))
			break
		}
	}
	must(d.t, f.Close())
}

// free gives the space back.
func (d *disk) free() { must(d.t, os.Remove(filepath.Join(d.dir, "ballast"))) }

// A full disk, wherever it is, is said with the file and what to do. Nothing is
// left of what was begun, and the same command works once there is room.
func TestFullDisk(t *testing.T) {
	const room = 16 << 10
	for name, c := range map[string]struct {
		// place is what lies on the small disk.
		place func(m *machine) string
		// room is how many bytes are left on it.
		room int64
		// ready commands come before the disk is full.
		ready [][]string
		args  []string
		// names is what the message has to name.
		names string
	}{
		"target, Codex":            {place: codexHome, args: []string{"to", "codex", claudeID, "--now", today}, names: `"/.*/\.codex/sessions/2026/12/01/rollout-.*\.jsonl"`},
		"target, Codex, room":      {place: codexHome, room: room, args: []string{"to", "codex", claudeID, "--now", today}, names: `"/.*/\.codex/sessions/2026/12/01/rollout-.*\.jsonl"`},
		"target, Claude Code":      {place: claudeHome, room: room, args: []string{"to", "claude", codexID}, names: `"/.*/\.claude/projects/.*\.jsonl"`},
		"copy in Claude Code":      {place: claudeHome, room: room, ready: [][]string{{"to", "codex", claudeID, "--id", newID, "--now", today}, {"grow"}}, args: []string{"pull", newID}, names: `/\.claude/projects/`},
		"side in Claude Code":      {place: claudeHome, room: 200 << 10, ready: [][]string{{"to", "codex", claudeID, "--id", newID, "--now", today}, {"grow"}}, args: []string{"pull", newID}, names: `/\.claude/projects/`},
		"copy in Codex":            {place: codexHome, room: room, ready: [][]string{{"to", "claude", codexID, "--id", newID, "--now", today}, {"grow"}}, args: []string{"pull", newID, "--now", today}, names: `"/.*/\.codex/sessions/2026/12/01/rollout-.*\.jsonl"`},
		"state":                    {place: stateDir, args: []string{"to", "codex", claudeID}, names: `/state/`},
		"state, some room":         {place: stateDir, room: 4 << 10, args: []string{"to", "codex", claudeID}, names: `/state/`},
		"state, more room":         {place: stateDir, room: room, args: []string{"to", "codex", claudeID}, names: `/state/`},
		"state, much room":         {place: stateDir, room: 6 * room, args: []string{"to", "codex", claudeID}, names: `/state/`},
		"state, again":             {place: stateDir, ready: [][]string{{"to", "codex", claudeID}}, args: []string{"to", "codex", claudeID, "--again"}, names: `/state/`},
		"state, pull":              {place: stateDir, ready: [][]string{{"to", "codex", claudeID, "--id", newID, "--now", today}, {"grow"}}, args: []string{"pull", newID}, names: `/state/`},
		"converted":                {place: projectDir, room: room, args: []string{"convert", "$source", "--to", "codex", "-o", "small/out.jsonl"}, names: `"/.*/small/out\.jsonl"`},
		"converted, of its name":   {place: projectDir, room: room, args: []string{"convert", "$rollout", "--to", "claude", "-o", "small/sub/out.jsonl"}, names: `"/.*/small/sub/out\.jsonl"`},
		"repaired":                 {place: projectDir, room: room, args: []string{"check", "$source", "--repair", "small/out.jsonl"}, names: `"/.*/small/out\.jsonl"`},
		"page":                     {place: projectDir, room: room, args: []string{"show", claudeID, "--html", "small/out.html"}, names: `"/.*/small/out\.html"`},
		"temporary files, repair":  {place: tempDir, room: room, args: []string{"check", "$source", "--repair", "out.jsonl"}, names: `/tmp/.*TMPDIR`},
		"temporary files, packed":  {place: tempDir, room: room, args: []string{"check", "$packed"}, names: `/tmp/.*TMPDIR`},
		"temporary files, dry run": {place: tempDir, room: room, args: []string{"to", "codex", claudeID, "--dry-run"}, names: `/tmp/.*TMPDIR`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if !withMounts(t) {
				return
			}
			m := newMachine(t)
			d := mount(t, c.place(m), "2m")
			args := m.installLarge(c.args)
			m.make(c.ready)
			before, remembered := m.snapshot(m.home), m.remembered()
			d.fill(c.room)
			full := m.snapshot(m.home)
			m.refuses(1, []string{`(?s)crosswalk: .*` + c.names, "no space left on device", "free some space"}, args...)
			m.wroteNothing(full)
			d.free()
			if n := m.remembered(); n != remembered {
				t.Errorf("%d hand-overs are remembered, want %d", n, remembered)
			}
			m.wroteNothing(before)
			m.run(0, args...)
		})
	}
}

// A machine without any session gets a sample, which needs room, too.
func TestFullDiskForTheSample(t *testing.T) {
	for name, room := range map[string]int64{"no room": 0, "some room": 6 << 10} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if !withMounts(t) {
				return
			}
			m := newMachine(t)
			before := m.snapshot(m.home)
			d := mount(t, m.tmp, "1m")
			d.fill(room)
			m.refuses(1, []string{`/tmp/crosswalk-sample-`, "no space left on device", "free some space", "TMPDIR"}, "to", "codex")
			m.wroteNothing(before)
			d.free()
			m.run(0, "to", "codex")
		})
	}
}

// A file system that is mounted read-only is said to be.
func TestReadOnlyFileSystem(t *testing.T) {
	for name, c := range map[string]struct {
		place func(m *machine) string
		args  []string
	}{
		"target":    {codexHome, []string{"to", "codex", claudeID, "--now", today}},
		"state":     {stateDir, []string{"to", "codex", claudeID}},
		"converted": {projectDir, []string{"convert", "$source", "--to", "codex", "-o", "small/out.jsonl"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if !withMounts(t) {
				return
			}
			m := newMachine(t)
			place := c.place(m)
			mount(t, place, "2m")
			args := m.installLarge(c.args)
			before := m.snapshot(m.home)
			must(t, unix.Mount("", place, "", unix.MS_REMOUNT|unix.MS_RDONLY, ""))
			m.refuses(1, []string{regexp.QuoteMeta(place), "mounted read-only"}, args...)
			m.wroteNothing(before)
			must(t, unix.Mount("", place, "", unix.MS_REMOUNT, ""))
			m.run(0, args...)
		})
	}
}
