//go:build unix

package faults

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// waitAt runs a command up to a point, lets change do its work meanwhile, and
// returns how the command ended.
func (m *machine) waitAt(point int, change func(), args ...string) result {
	m.t.Helper()
	dir := m.t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	must(m.t, syscall.Mkfifo(pipe, 0o600))
	cmd := m.command("crosswalk-faults", args...)
	cmd.Env = append(cmd.Env, faultLogEnv+"="+filepath.Join(dir, "log"), faultWaitEnv+"="+strconv.Itoa(point), faultPipeEnv+"="+pipe)
	return m.finishAfter(cmd, func(ended <-chan struct{}) {
		for {
			// Without waiting, as the program may never come to read.
			f, err := os.OpenFile(pipe, os.O_WRONLY|syscall.O_NONBLOCK, 0)
			if err == nil {
				change()
				must(m.t, f.Close())
				return
			}
			select {
			case <-ended:
				m.t.Errorf("%q ended before point %d", args, point)
				return
			case <-time.After(time.Millisecond):
			}
		}
	})
}

// A change is what another process does to a session file while it is read.
type change struct {
	// text is what the file holds afterwards; ok is false if it is gone.
	text func(before string) (text string, ok bool)
	// apply makes it so.
	apply func(path, text string) error
	// part is another state that may be read: of a file that is written anew
	// while it is open no more is read than it held before.
	part func(before string) string
	// telling changes are tried with every command.
	telling bool
	// grows says that the change is harmless: no command may fail.
	grows bool
}

func rewrite(flag int) func(path, text string) error {
	return func(path, text string) error {
		f, err := os.OpenFile(path, os.O_WRONLY|flag, 0)
		if err != nil {
			return err
		}
		if _, err := f.WriteString(text); err != nil {
			return err
		}
		return f.Close()
	}
}

func replace(path, text string) error {
	if err := os.WriteFile(path+".new", []byte(text), 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// changes are all that can happen to the session at path. Another version of it
// has other texts of the same length.
func (m *machine) changes(path string) map[string]change {
	still := func(f func(string) string) func(string) (string, bool) {
		return func(before string) (string, bool) { return f(before), true }
	}
	turn := func(before string) string { return strings.Join(m.turn(path, before, 7), "\n") + "\n" }
	other := func(before string) string {
		return strings.NewReplacer("answer", "retort", "prompt", "remark").Replace(before)
	}
	lines := func(before string, n int) string {
		return strings.Join(slices.Collect(strings.Lines(before))[:n], "")
	}
	return map[string]change{
		"it grows":                   {text: still(func(b string) string { return b + turn(b) }), apply: rewrite(0), grows: true},
		"it grows by half a record":  {text: still(func(b string) string { return b + turn(b)[:70] }), apply: rewrite(0), grows: true, telling: true},
		"another is put in place":    {text: still(other), apply: replace, grows: true, telling: true},
		"it is removed":              {text: func(string) (string, bool) { return "", false }, apply: func(path, _ string) error { return os.Remove(path) }},
		"it is cut":                  {text: still(func(b string) string { return lines(b, 3) }), apply: rewrite(os.O_TRUNC)},
		"it is cut within a record":  {text: still(func(b string) string { return lines(b, 4)[:len(lines(b, 4))-30] }), apply: rewrite(os.O_TRUNC), telling: true},
		"it is emptied":              {text: still(func(string) string { return "" }), apply: rewrite(os.O_TRUNC)},
		"it is written anew":         {text: still(func(b string) string { return other(b) + turn(b) }), apply: rewrite(os.O_TRUNC), part: other},
		"it is edited where it lies": {text: still(other), apply: rewrite(0), telling: true},
	}
}

// reading is a command that reads a session which changes meanwhile.
type reading struct {
	// source is the session that changes.
	source func(m *machine) string
	ready  [][]string
	args   []string
	// same says that the command reads as another of the table does: not every
	// change is tried.
	same bool
	// result returns what the command made of it.
	result func(m *machine, res result) string
}

func readings() map[string]reading {
	ofClaude := func(m *machine) string { return filepath.Join(m.claudeDir(), claudeID+".jsonl") }
	made := func(m *machine, _ result) string { return m.read(m.written()) }
	file := func(m *machine, _ result) string {
		text := m.read(filepath.Join(m.project, "out.jsonl"))
		must(m.t, os.Remove(filepath.Join(m.project, "out.jsonl")))
		return text
	}
	printed := func(_ *machine, res result) string { return res.out }
	pulled := func(m *machine, _ result) string {
		return m.read(filepath.Join(m.claudeDir(), pulledID+".jsonl"))
	}
	grown := [][]string{{"to", "codex", claudeID, "--id", newID, "--now", today}, {"grow"}}
	pull := []string{"pull", newID, "--id", pulledID, "--now", today}
	return map[string]reading{
		"to":                 {same: true, source: ofClaude, args: []string{"to", "codex", claudeID, "--id", newID, "--now", today, "--json"}, result: made},
		"convert":            {source: ofClaude, args: []string{"convert", "$source", "--to", "codex", "--id", newID, "--now", today, "-o", "out.jsonl"}, result: file},
		"convert a rollout":  {source: (*machine).rollout, args: []string{"convert", "$rollout", "--to", "claude", "--id", newID, "--now", today, "-o", "out.jsonl"}, result: file},
		"show":               {source: ofClaude, args: []string{"show", "$source", "--json"}, result: printed},
		"check":              {source: ofClaude, args: []string{"check", "$source", "--json"}, result: printed},
		"check a rollout":    {same: true, source: (*machine).rollout, args: []string{"check", "$rollout", "--json"}, result: printed},
		"repair":             {same: true, source: ofClaude, args: []string{"check", "$source", "--repair", "out.jsonl"}, result: file},
		"pull, the addition": {same: true, source: (*machine).written, ready: grown, args: pull, result: pulled},
		"pull, the original": {same: true, source: ofClaude, ready: grown, args: pull, result: pulled},
	}
}

func (m *machine) rollout() string {
	return filepath.Join(m.codexDir(), "rollout-2026-12-01T08-00-00-"+codexID+".jsonl")
}

// The result of a command is that of the session before the change or after it,
// never of a mixture. A session that grows, or is replaced, is no reason to
// fail; another change may be one, and then nothing is written.
func TestSessionThatChangesWhileItIsRead(t *testing.T) {
	for name, r := range readings() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t)
			with := map[string]string{"$source": m.claudeSession(3, 200), "$rollout": m.codexSession(3, 200)}
			m.make(append([][]string{{"sessions"}}, r.ready...))
			c := &changing{machine: m, reading: r, args: fill(r.args, with), path: r.source(m), before: m.keep()}
			c.all(t)
		})
	}
}

// changing is one command and the session that changes under it.
type changing struct {
	*machine
	reading
	args   []string
	path   string
	before kept
}

func (c *changing) all(t *testing.T) {
	log := filepath.Join(c.dir, "log")
	cmd := c.command("crosswalk-faults", c.args...)
	cmd.Env = append(cmd.Env, faultLogEnv+"="+log)
	c.finish(cmd)
	at := c.stops(t, c.read(log))
	was, _ := c.outcome(t, c.before[c.path].text, true)
	for name, change := range c.changes(c.path) {
		if c.same && !change.telling {
			continue
		}
		t.Run(name, func(t *testing.T) {
			text, there := change.text(c.before[c.path].text)
			will, fails := c.outcome(t, text, there)
			valid := []string{was, will}
			if change.part != nil {
				part, _ := c.outcome(t, change.part(c.before[c.path].text), true)
				valid = append(valid, part)
			}
			for _, point := range at {
				c.machine.t = t
				c.restore(c.before)
				res := c.waitAt(point, func() { must(t, change.apply(c.path, text)) }, c.args...)
				c.judge(res, fmt.Sprintf("point %d of %v", point, at), valid, change.grows && !fails)
			}
		})
	}
}

// stops returns the points at which the session is changed: the first one, and
// those since it was opened for the last time.
func (c *changing) stops(t *testing.T, log string) (at []int) {
	t.Helper()
	first, n := 0, 0
	for line := range strings.Lines(log) {
		n++
		name, path, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if path != c.path || !strings.HasPrefix(name, "source-") {
			continue
		}
		if first == 0 {
			first = n
		}
		if name == "source-opened" {
			at = at[:0]
		}
		at = append(at, n)
	}
	if len(at) < 2 {
		t.Fatalf("the session is read at points %v of\n%s", at, log)
	}
	if at[0] != first {
		at = slices.Insert(at, 0, first)
	}
	return at
}

// outcome returns what the command makes of a session that does not change.
func (c *changing) outcome(t *testing.T, text string, there bool) (made string, fails bool) {
	t.Helper()
	c.machine.t = t
	c.restore(c.before)
	if there {
		must(t, os.WriteFile(c.path, []byte(text), 0o600))
	} else {
		must(t, os.Remove(c.path))
	}
	res := c.finish(c.machine.command("crosswalk", c.args...))
	if res.code != 0 && res.code != 3 {
		return "", true
	}
	return c.result(c.machine, res), false
}

func (c *changing) judge(res result, where string, valid []string, mustWork bool) {
	c.t.Helper()
	if res.code == 0 || res.code == 3 {
		if got := c.result(c.machine, res); !slices.Contains(valid, got) {
			c.t.Errorf("%s: the result is neither that before nor that after:\n%s", where, got)
		}
		return
	}
	if mustWork {
		c.t.Errorf("%s: exit code %d\n%s", where, res.code, res.err)
	}
	c.complains(res, regexp.QuoteMeta(filepath.Base(c.path))+`|`+claudeID)
	if strings.Contains(res.err, "changed while it was read") && !strings.Contains(res.err, "again") {
		c.t.Errorf("%s: it does not say what to do:\n%s", where, res.err)
	}
	for path := range c.visible(c.keep()) {
		if _, was := c.before[path]; !was {
			c.t.Errorf("%s: %q is left", where, path)
		}
	}
	if left := c.leftovers(c.home, c.state, c.tmp, c.project); len(left) > 0 {
		c.t.Errorf("%s: left over: %q", where, left)
	}
}

// While a client writes, record after record and each of them in pieces, what is
// read is the session up to some record, and the report says which.
func TestSessionThatIsWrittenAllTheWhile(t *testing.T) {
	for _, name := range []string{"claude", "codex"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t)
			path, to := m.claudeSession(3, 2000), "codex"
			if name == "codex" {
				path, to = m.codexSession(3, 2000), "claude"
			}
			m.side(100)
			m.make([][]string{{"sessions"}})
			subagent := filepath.Join(m.claudeDir(), claudeID, "subagents", "agent-a1b2c3d4.jsonl")
			for range 3 {
				var results []result
				whileWritten(m, []string{path, subagent}, func() {
					results = append(results,
						m.run(0, "convert", path, "--to", to, "--id", newID, "--now", today, "-o", "live.jsonl", "--json"),
						m.finish(m.command("crosswalk", "check", path, "--json")),
						m.run(0, "show", path, "--json"))
				})
				m.isPrefix(path, to, results[0])
				m.checked(path, results[1])
				inOrder(t, results[2].out)
				must(t, os.Remove(filepath.Join(m.project, "live.jsonl")))
			}
		})
	}
}

// whileWritten does its work while other goroutines add turns to the sessions at
// paths. They write at least one record before it begins.
func whileWritten(m *machine, paths []string, do func()) {
	m.t.Helper()
	stop, began := make(chan struct{}), make(chan struct{}, len(paths))
	done := make(chan error, len(paths))
	for _, path := range paths {
		text := m.read(path)
		go func() { done <- m.write(path, text, began, stop) }()
	}
	for range paths {
		<-began
	}
	do()
	close(stop)
	for range paths {
		must(m.t, <-done)
	}
}

// write adds turns, each record in pieces, until it is stopped between two
// records.
func (m *machine) write(path, text string, began, stop chan struct{}) (err error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	for n := turns(text) + 1; ; n++ {
		var added strings.Builder
		for i, line := range m.turn(path, text, n) {
			line += "\n"
			for _, piece := range []string{line[:(n*7+i)%len(line)], line[(n*7+i)%len(line):]} {
				if _, err := f.WriteString(piece); err != nil {
					return err
				}
			}
			added.WriteString(line)
		}
		text = added.String() // of which the next turn needs the last id
		select {
		case began <- struct{}{}:
		case <-stop:
			return nil
		default:
		}
		time.Sleep(100 * time.Microsecond) // it need not fill the disk
	}
}

// turns returns how many turns a session file has.
func turns(text string) int {
	found := regexp.MustCompile(`prompt ([0-9]+)\.`).FindAllStringSubmatch(text, -1)
	n, _ := strconv.Atoi(found[len(found)-1][1])
	return n
}

// extent is how far a report says that a file was read.
type extent struct{ Lines, Bytes, Torn int }

// isPrefix wants the result to be that of the session up to where the report
// says that it was read.
func (m *machine) isPrefix(path, to string, res result) {
	m.t.Helper()
	var report struct{ Report struct{ Read extent } }
	must(m.t, json.Unmarshal([]byte(res.out), &report))
	read := report.Report.Read
	whole := m.read(path)
	prefix := whole[:read.Bytes]
	if read.Bytes == 0 || !strings.HasSuffix(prefix, "}\n") && !strings.HasPrefix(whole[read.Bytes:], "\n") || strings.Count(strings.TrimSuffix(prefix, "\n"), "\n")+1 != read.Lines {
		m.t.Fatalf("the report says %+v, which is no whole record: …%q", read, prefix[max(0, len(prefix)-40):])
	}
	apart := filepath.Join(m.dir, "apart", filepath.Base(path))
	m.put(apart, prefix)
	m.run(0, "convert", apart, "--to", to, "--id", newID, "--now", today, "-o", "apart.jsonl")
	if got := m.read(filepath.Join(m.project, "live.jsonl")); got != m.read(filepath.Join(m.project, "apart.jsonl")) {
		m.t.Errorf("the result is not that of the first %d bytes", read.Bytes)
	}
	must(m.t, os.Remove(filepath.Join(m.project, "apart.jsonl")))
}

// checked wants the check to speak of the session up to a record; a last line
// that was on its way is the one thing that it may find.
func (m *machine) checked(path string, res result) {
	m.t.Helper()
	var report struct {
		Records  int
		Read     extent
		Findings []struct {
			Rule string
			Line int
		}
	}
	must(m.t, json.Unmarshal([]byte(res.out), &report))
	if report.Records != report.Read.Lines || strings.Count(m.read(path)[:report.Read.Bytes], "\n") > report.Read.Lines {
		m.t.Errorf("%d records, read as far as %+v", report.Records, report.Read)
	}
	for _, f := range report.Findings {
		if f.Line > 0 && f.Line < report.Read.Lines {
			m.t.Errorf("%s in line %d, read as far as %+v", f.Rule, f.Line, report.Read)
		}
	}
}

// inOrder wants the turns of a session to be there from the first one on, each
// once.
func inOrder(t *testing.T, canonical string) {
	t.Helper()
	next := 1
	for _, found := range regexp.MustCompile(`"prompt ([0-9]+)\.`).FindAllStringSubmatch(canonical, -1) {
		if n, _ := strconv.Atoi(found[1]); n != next && n != next-1 { // the first one is the title, too
			t.Fatalf("turn %d comes where turn %d belongs", n, next)
		} else if n == next {
			next++
		}
	}
	if next <= 3 {
		t.Errorf("%d turns are there", next-1)
	}
}
