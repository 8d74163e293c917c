//go:build unix

package faults

import (
	"os"
	"testing"
)

// A limit on the size of files, which anybody may set, is met like a full disk.
func TestFileSizeLimit(t *testing.T) {
	const most = 32 << 10
	grown := [][]string{{"to", "codex", claudeID, "--id", newID, "--now", today}, {"grow"}}
	for name, c := range map[string]struct {
		ready [][]string
		args  []string
		names string
	}{
		"to Codex":         {args: []string{"to", "codex", claudeID, "--now", today}, names: `"/.*/\.codex/sessions/2026/12/01/rollout-.*\.jsonl"`},
		"to Claude Code":   {args: []string{"to", "claude", codexID}, names: `"/.*/\.claude/projects/.*\.jsonl"`},
		"pull":             {ready: grown, args: []string{"pull", newID}, names: `"/.*/\.claude/projects/.*\.jsonl"`},
		"convert":          {args: []string{"convert", "$source", "--to", "codex", "-o", "out.jsonl"}, names: `"/.*/out\.jsonl"`},
		"repair":           {args: []string{"check", "$source", "--repair", "out.jsonl"}, names: `/tmp/crosswalk-.*TMPDIR`},
		"page":             {args: []string{"show", claudeID, "--html", "out.html"}, names: `"/.*/out\.html"`},
		"dry run":          {args: []string{"to", "codex", claudeID, "--dry-run"}, names: `/tmp/crosswalk-.*TMPDIR`},
		"a packed session": {args: []string{"show", "$packed", "--no-pager"}, names: `/tmp/crosswalk-.*TMPDIR`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t)
			args := m.installLarge(c.args)
			m.make(c.ready)
			before := m.snapshot(m.home)
			res := m.limited(most, args...)
			if res.code != 1 {
				t.Errorf("exit code %d, signal %v", res.code, res.signal)
			}
			m.complains(res, `(?s)crosswalk: .*`+c.names, "file too large", "ulimit -f")
			m.wroteNothing(before)
			if n := m.remembered(); n != len(c.ready)/2 {
				t.Errorf("%d hand-overs are remembered", n)
			}
			m.run(0, args...)
		})
	}
}

// A journal at the limit takes no more: the hand-over is not made, and is once
// there is room.
func TestJournalAtTheFileSizeLimit(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.claudeSession(1, 0)
	const most = 4 << 10
	before := m.snapshot(m.home)
	for n := 0; ; n++ {
		res := m.limited(most, "to", "codex", claudeID, "--again", "--id", newID)
		if res.code == 0 {
			m.run(0, "undo", "-y")
			m.unchanged(m.home, before)
			continue
		}
		m.complains(res, `/state/crosswalk/journal/.*file too large`, "ulimit -f")
		m.wroteNothing(before)
		if got := m.remembered(); got != n || n == 0 {
			t.Errorf("%d hand-overs are remembered, want %d", got, n)
		}
		break
	}
	m.run(0, "to", "codex", claudeID)

	// Nor is one undone that could not be written down as undone.
	before = m.snapshot(m.home)
	res := m.limited(most, "undo", "-y")
	m.complains(res, `/state/crosswalk/journal/.*file too large`, "ulimit -f")
	m.wroteNothing(before)
	m.run(0, "undo", "-y")
}

// A result that cannot be printed is a failure.
func TestResultThatCannotBePrinted(t *testing.T) {
	for name, args := range map[string][]string{
		"to": {"to", "codex", claudeID}, "to, JSON": {"to", "codex", claudeID, "--json"}, "convert": {"convert", "$source", "--to", "codex"},
		"show": {"show", claudeID}, "show, JSON": {"show", claudeID, "--json"}, "show, page": {"show", claudeID, "--html", "-"},
		"sessions": {"sessions"}, "sessions, JSON": {"sessions", "--json"}, "check": {"check", claudeID}, "check, JSON": {"check", claudeID, "--json"},
		"rules": {"check", "--rules"}, "repair": {"check", claudeID, "--repair", "out.jsonl"}, "lineage": {"lineage"}, "undo": {"undo", "-y"},
		"pull": {"pull", newID}, "overview": {}, "help": {"--help"}, "version": {"--version"}, "completion": {"completion", "bash"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t)
			source := m.claudeSession(2, 10)
			m.codexSession(2, 10)
			m.make([][]string{{"to", "claude", codexID, "--id", newID, "--now", today}, {"grow"}})
			if name == "undo" {
				m.make([][]string{{"to", "codex", claudeID}})
			}
			cmd := m.command("crosswalk", fill(args, map[string]string{"$source": source})...)
			full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
			if err != nil {
				t.Skipf("runs where there is a device that is always full; here: %v", err)
			}
			defer func() { must(t, full.Close()) }()
			cmd.Stdout = full
			res := m.finish(cmd)
			if res.code != 1 {
				t.Errorf("exit code %d", res.code)
			}
			m.complains(res, "standard output.*no space left on device", "free some space")
		})
	}
}
