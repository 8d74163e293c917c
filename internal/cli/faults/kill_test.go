//go:build unix

package faults

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/crosswalk-agents/crosswalk/internal/fault"
)

// The environment that the program with points of fault obeys, see
// internal/fault.
const (
	faultLogEnv  = "CROSSWALK_FAULT_LOG"
	faultKillEnv = "CROSSWALK_FAULT_KILL"
	faultWaitEnv = "CROSSWALK_FAULT_WAIT"
	faultPipeEnv = "CROSSWALK_FAULT_PIPE"
)

// write is a command that writes.
type write struct {
	// install puts the sessions in place; ready commands come before.
	install func(m *machine)
	ready   [][]string
	args    []string
	// passes are points that the command passes, among others.
	passes []string
	// skip are labels of files that another command of the table covers.
	skip []string
	// twice is what the command says when it is run again after it succeeded;
	// empty if it succeeds again. idle says that it succeeds all the same, with
	// nothing to do.
	twice string
	idle  bool
}

// file are the points of a file that comes to be.
func file(label string) (points []string) {
	for _, p := range []string{"after-temp-create", "after-first-write", "before-fsync", "after-fsync", "before-rename", "after-rename", "before-dirsync"} {
		points = append(points, p+" "+label)
	}
	return points
}

// writes are all commands that write, each in every way.
func writes() map[string]write {
	small := func(m *machine) { m.claudeSession(2, 100); m.codexSession(2, 100) }
	large := func(m *machine) { m.claudeSession(3, 50<<10); m.codexSession(3, 50<<10); m.side(1 << 10) }
	journal := []string{"before-append journal", "after-append journal"}
	remembered := slices.Concat(file("links"), file("kept"), journal, file("session"))
	known := []string{"key", "cache"} // that are there, or as with the first command of the table
	state := append(known, "links", "kept")
	toCodex := []string{"to", "codex", claudeID, "--id", newID, "--now", today}
	toClaude := []string{"to", "claude", codexID, "--id", newID, "--now", today}
	return map[string]write{
		"to codex": {
			install: small, args: toCodex, passes: slices.Concat(file("cache"), file("key"), remembered),
		},
		"to claude, large": {
			install: large, ready: [][]string{{"sessions"}, {"to", "codex", claudeID}, {"undo", "-y"}}, args: toClaude, passes: remembered, skip: state,
		},
		"pull into claude": {
			install: large, ready: [][]string{toCodex, {"grow"}}, args: []string{"pull", newID, "--id", pulledID, "--now", today},
			passes: slices.Concat(remembered, []string{"folder-made side", "folder-marked side", "folder-named side", "side-copied side", "folder-finishing side"}), skip: known, twice: "everything was pulled", idle: true,
		},
		"pull into codex": {
			install: small, ready: [][]string{toClaude, {"grow"}}, args: []string{"pull", newID, "--id", pulledID, "--now", today}, passes: remembered, skip: state, twice: "everything was pulled", idle: true,
		},
		"convert": {
			install: large, args: []string{"convert", "$source", "--to", "codex", "-o", "made/out.jsonl", "--id", newID, "--now", today}, passes: append(file("made"), "folder-made made"), twice: "choose another name",
		},
		"repair": {
			install: large, args: []string{"check", "$rollout", "--repair", "rollout-2026-12-01T08-00-00-" + codexID + ".jsonl"}, passes: file("made"), twice: "choose another name",
		},
		"page": {
			install: small, ready: [][]string{{"sessions"}}, args: []string{"show", claudeID, "--html", "out.html"}, passes: file("page"), twice: "choose another name",
		},
		"undo": {
			install: large, ready: [][]string{toCodex}, args: []string{"undo", "-y"},
			passes: slices.Concat([]string{"undo-begun kept", "target-removed session", "folders-removed session"}, journal), twice: "there is no hand-over of",
		},
		"undo of what was pulled": {
			install: large, ready: [][]string{toCodex, {"grow"}, {"pull", newID, "--id", pulledID, "--now", today}}, args: []string{"undo", newID, "-y"},
			passes: slices.Concat([]string{"undo-begun kept", "target-removed session", "folders-removed session"}, journal), twice: "was undone before",
		},
		"undo of a pull": {
			install: large, ready: [][]string{toCodex, {"grow"}, {"pull", newID, "--id", pulledID, "--now", today}}, args: []string{"undo", pulledID, "-y"},
			passes: slices.Concat([]string{"undo-begun kept", "target-removed session", "side-removed side", "folders-removed session"}, journal), twice: "was undone before",
		},
	}
}

// label names a file of a machine by what it is for.
func (m *machine) label(path string) string {
	base := filepath.Base(path)
	rel := func(dir string) bool { return strings.HasPrefix(path, dir+string(filepath.Separator)) }
	switch {
	case base == "sessions.json":
		return "cache"
	case base == "lineage.key":
		return "key"
	case base == "links":
		return "links"
	case rel(filepath.Join(m.state, "crosswalk", "handoff")):
		return "kept"
	case rel(filepath.Join(m.state, "crosswalk", "journal")):
		return "journal"
	case strings.HasSuffix(base, ".html"):
		return "page"
	case rel(m.project):
		return "made"
	case rel(m.state):
		return "state"
	case strings.HasSuffix(base, ".jsonl"):
		return "session"
	}
	return "side"
}

// kept is all that a machine holds, to be put back.
type kept map[string]keptFile

type keptFile struct {
	mode     fs.FileMode
	modified time.Time
	text     string
}

// keep takes everything in the person's folders into memory.
func (m *machine) keep() kept {
	m.t.Helper()
	k := make(kept)
	for _, root := range []string{m.home, m.state, m.project, m.tmp} {
		must(m.t, filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := e.Info()
			if err != nil {
				return err
			}
			f := keptFile{mode: info.Mode(), modified: info.ModTime()}
			if info.Mode().IsRegular() {
				f.text = m.read(path)
			}
			k[path] = f
			return nil
		}))
	}
	return k
}

// restore puts everything back.
func (m *machine) restore(k kept) {
	m.t.Helper()
	for _, root := range []string{m.home, m.state, m.project, m.tmp} {
		must(m.t, os.RemoveAll(root))
	}
	paths := slices.Sorted(func(yield func(string) bool) {
		for path := range k {
			if !yield(path) {
				return
			}
		}
	})
	for _, path := range paths {
		f := k[path]
		if f.mode.IsDir() {
			must(m.t, os.Mkdir(path, f.mode.Perm()))
			continue
		}
		must(m.t, os.WriteFile(path, []byte(f.text), f.mode.Perm()))
		must(m.t, os.Chtimes(path, f.modified, f.modified))
	}
}

// visible are the files of k that a person or a client takes for something:
// those in the agents' homes and in the project that are not temporary.
func (m *machine) visible(k kept) map[string]string {
	out := make(map[string]string)
	for path, f := range k {
		hidden := strings.HasPrefix(filepath.Base(path), ".crosswalk-")
		if f.mode.IsRegular() && !hidden && !strings.HasPrefix(path, m.state) && !strings.HasPrefix(path, m.tmp) && m.label(path) != "side" {
			out[path] = f.text
		}
	}
	return out
}

// points returns the points that a command passes, by name and label.
func points(t *testing.T, m *machine, log string) (points []string) {
	t.Helper()
	for line := range strings.Lines(m.read(log)) {
		name, path, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		points = append(points, name+" "+m.label(path))
	}
	return points
}

func TestKillAtEveryPointOfAWrite(t *testing.T) {
	for name, w := range writes() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t)
			w.install(m)
			source, rollout := filepath.Join(m.claudeDir(), claudeID+".jsonl"), filepath.Join(m.codexDir(), "rollout-2026-12-01T08-00-00-"+codexID+".jsonl")
			with := map[string]string{"$source": source, "$rollout": rollout}
			for i, r := range w.ready {
				w.ready[i] = fill(r, with)
			}
			m.make(w.ready)
			killed := &killing{machine: m, write: w, args: fill(w.args, with), before: m.keep()}
			killed.all(t)
		})
	}
}

// killing is one command that is killed again and again.
type killing struct {
	*machine
	write
	args []string
	// before and after are what there is before and after the command.
	before, after kept
}

func (k *killing) all(t *testing.T) {
	log := filepath.Join(k.dir, "log")
	cmd := k.command("crosswalk-faults", k.args...)
	cmd.Env = append(cmd.Env, faultLogEnv+"="+log)
	if res := k.finish(cmd); res.code != 0 {
		t.Fatalf("exit code %d\n%s", res.code, res.err)
	}
	k.after = k.keep()
	passed := points(t, k.machine, log)
	for _, want := range k.passes {
		if !slices.Contains(passed, want) {
			t.Errorf("%q is not passed: %q", want, passed)
		}
	}
	if res := k.finish(k.command("crosswalk", k.args...)); (res.code != 0) != (k.twice != "" && !k.idle) || !strings.Contains(res.err, k.twice) {
		t.Errorf("done again it ends with %d and says %q, not %q", res.code, res.err, k.twice)
	}
	for i, point := range passed {
		_, label, _ := strings.Cut(point, " ")
		if slices.Contains(k.skip, label) || strings.HasPrefix(point, "source-") {
			continue
		}
		t.Run(point, func(t *testing.T) {
			k.machine.t = t
			k.restore(k.before)
			k.kill(i + 1)
			k.judge(label)
		})
	}
}

// kill runs the command up to a point.
func (k *killing) kill(point int) {
	k.t.Helper()
	cmd := k.command("crosswalk-faults", k.args...)
	cmd.Env = append(cmd.Env, faultLogEnv+"="+filepath.Join(k.dir, fmt.Sprint("log-", point)), faultKillEnv+"="+strconv.Itoa(point))
	if res := k.finish(cmd); res.signal != syscall.SIGKILL {
		k.t.Fatalf("it ended with code %d, signal %v; want it killed\n%s", res.code, res.signal, res.err)
	}
}

// judge looks at what a command left that was killed at a file of that label.
func (k *killing) judge(label string) {
	k.t.Helper()
	left := k.keep()
	k.wholeOrNothing(left)
	remembers := slices.Contains(k.passes, "after-append journal")
	if remembers && label == "journal" {
		k.run(0, "lineage")
	}
	if remembers && !slices.Contains([]string{"cache", "key", "links"}, label) { // nothing is there yet
		k.undoable(left)
	}

	k.restore(left)
	k.age()
	res := k.finish(k.command("crosswalk", k.args...))
	if res.code != 0 && (k.twice == "" || !strings.Contains(res.err, k.twice) || !k.done(left)) {
		k.t.Errorf("run again it ends with code %d:\n%s", res.code, res.err)
	}
	again := k.keep()
	if !k.done(again) {
		k.t.Errorf("run again it leaves %q, want %q", names(k.visible(again)), names(k.visible(k.after)))
	}
	wrote := res.code == 0 && !(k.idle && strings.Contains(res.err, k.twice))
	if litter := k.litter(again); len(litter) > 0 && wrote {
		k.t.Errorf("run again it leaves behind: %q", litter)
	}
}

// done reports whether what there is is what the command makes.
func (k *killing) done(now kept) bool {
	want, got := k.visible(k.after), k.visible(now)
	if len(want) != len(got) {
		return false
	}
	for path, text := range want {
		if got[path] != text {
			return false
		}
	}
	return true
}

// wholeOrNothing wants each file to be what it was, or what the command makes of
// it.
func (k *killing) wholeOrNothing(left kept) {
	k.t.Helper()
	before, after, now := k.visible(k.before), k.visible(k.after), k.visible(left)
	for path, text := range now {
		was, old := before[path]
		will, ours := after[path]
		if (!old || was != text) && (!ours || will != text) {
			k.t.Errorf("%q is neither as before nor as the command makes it", path)
		}
	}
	for path := range before {
		if _, there := now[path]; !there {
			if _, stays := after[path]; stays {
				k.t.Errorf("%q is gone", path)
			}
		}
	}
}

// undoable wants undo to take back what was done, or to say that there is
// nothing.
func (k *killing) undoable(left kept) {
	k.t.Helper()
	id := newID
	if k.args[0] == "pull" || slices.Contains(k.args, pulledID) {
		id = pulledID
	}
	res := k.finish(k.command("crosswalk", "undo", id, "-y"))
	now := k.keep()
	for path := range k.visible(now) {
		if strings.Contains(filepath.Base(path), id) {
			k.t.Errorf("undo ends with code %d and leaves %q:\n%s", res.code, path, res.err)
		}
	}
	if res.code != 0 && !strings.Contains(res.err, id) {
		k.t.Errorf("undo does not explain:\n%s", res.err)
	}
	for path, text := range k.visible(k.before) {
		if k.visible(now)[path] != text && !strings.Contains(path, id) {
			k.t.Errorf("undo changed %q", path)
		}
	}
}

// age makes what was left two hours older.
func (k *killing) age() {
	k.t.Helper()
	ago := time.Now().Add(-2 * time.Hour)
	for path := range k.keep() {
		if _, old := k.before[path]; !old {
			must(k.t, os.Chtimes(path, ago, ago))
		}
	}
}

// litter lists what is there and would not be without the kill.
func (k *killing) litter(now kept) (litter []string) {
	for path := range now {
		_, before := k.before[path]
		if _, after := k.after[path]; !before && !after {
			litter = append(litter, path)
		}
	}
	slices.Sort(litter)
	return litter
}

func names(files map[string]string) (names []string) {
	for path := range files {
		names = append(names, path)
	}
	slices.Sort(names)
	return names
}

// The program that is shipped has no points of fault.
func TestShippedProgramHasNoPointsOfFault(t *testing.T) {
	for program, want := range map[string]bool{"crosswalk": false, "crosswalk-faults": true} {
		text, err := os.ReadFile(filepath.Join(os.Getenv(programsEnv), program))
		must(t, err)
		if has := strings.Contains(string(text), "CROSSWALK_FAULT"); has != want {
			t.Errorf("%s has points of fault: %v", program, has)
		}
	}
	log := filepath.Join(t.TempDir(), "log")
	t.Setenv(faultLogEnv, log)
	fault.Point("name", "path")
	if _, err := os.Stat(log); err == nil {
		t.Error("a point writes a log")
	}
}
