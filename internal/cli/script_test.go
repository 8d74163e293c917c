package cli

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/crosswalk-agents/crosswalk/agent/claude"
	"github.com/crosswalk-agents/crosswalk/conformance/rig"
)

var update = flag.Bool("update", false, "rewrite the golden files and the output in docs/")

// The scripts are the specification of the command line. Beside testscript's own
// commands they have those of scriptCommands.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		Setup: func(e *testscript.Env) error {
			dir, err := filepath.EvalSymlinks(e.WorkDir)
			if err != nil {
				return err
			}
			w, err := newWorld(dir)
			if err != nil {
				return err
			}
			e.Values[worldKey{}] = w
			e.Cd = w.project
			e.Vars = append(e.Vars, w.env(filepath.Join(dir, "bin"))...)
			e.Vars = append(e.Vars, "WORK="+dir, "PROJECT="+w.project,
				"BIN="+strings.Split(os.Getenv("PATH"), string(os.PathListSeparator))[0])
			return nil
		},
		Cmds: scriptCommands(),
	})
}

type worldKey struct{}

// neutral replaces the folder that only this run has by a name, also where it is
// part of the name that Claude Code gives a folder.
func neutral(text, dir, name string) string {
	text = strings.ReplaceAll(text, dir, name)
	return strings.ReplaceAll(text, claude.ProjectDirName(dir), claude.ProjectDirName(name))
}

func scriptCommands() map[string]func(*testscript.TestScript, bool, []string) {
	snapshots := "snapshot "
	return map[string]func(*testscript.TestScript, bool, []string){
		// exits CODE PROGRAM ARGS... runs a program that has to end with this code.
		"exits": func(ts *testscript.TestScript, _ bool, args []string) {
			want, err := strconv.Atoi(args[0])
			ts.Check(err)
			err = ts.Exec(args[1], args[2:]...)
			got := 0
			if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
				got = exit.ExitCode()
			} else if err != nil {
				ts.Fatalf("%v", err)
			}
			if got != want {
				ts.Fatalf("exit code %d, want %d", got, want)
			}
		},
		// session NAME AGE [DIR] installs a session; $NAME is its id and $NAME_file its
		// file.
		"session": func(ts *testscript.TestScript, _ bool, args []string) {
			w := ts.Value(worldKey{}).(*world)
			age, err := time.ParseDuration(args[1])
			ts.Check(err)
			dir := w.project
			if len(args) > 2 {
				if dir = ts.MkAbs(args[2]); !strings.HasPrefix(dir, "/nowhere/") {
					ts.Check(os.MkdirAll(dir, 0o700))
				}
			}
			id, path, err := w.install(args[0], age, dir)
			ts.Check(err)
			ts.Setenv(args[0], id)
			ts.Setenv(args[0]+"_file", path)
		},
		// grow FILE PROMPT ANSWER adds a turn to a session.
		"grow": func(ts *testscript.TestScript, _ bool, args []string) {
			ts.Check(grow(ts.MkAbs(args[0]), args[1], args[2]))
		},
		// branch FILE UUID PROMPT ANSWER adds a turn after the record UUID of a session of
		// Claude Code.
		"branch": func(ts *testscript.TestScript, _ bool, args []string) {
			ts.Check(growAfter(ts.MkAbs(args[0]), args[1], args[2], args[3]))
		},
		// fork FILE ID makes a fork of a session, as its client does.
		"fork": func(ts *testscript.TestScript, _ bool, args []string) {
			ts.Check(fork(ts.MkAbs(args[0]), args[1]))
		},
		// revert FILE N makes Codex go on from the first N records of a paginated rollout in a
		// file of its own, $reverted.
		"revert": func(ts *testscript.TestScript, _ bool, args []string) {
			n, err := strconv.Atoi(args[1])
			ts.Check(err)
			path, err := revert(ts.MkAbs(args[0]), n)
			ts.Check(err)
			ts.Setenv("reverted", path)
		},
		// opened FILE adds what a client notes when a session is only opened.
		"opened": func(ts *testscript.TestScript, _ bool, args []string) {
			ts.Check(opened(ts.MkAbs(args[0])))
		},
		// pack FILE compresses a rollout as Codex does after some days; unpack FILE undoes
		// it.
		"pack":   func(ts *testscript.TestScript, _ bool, args []string) { ts.Check(pack(ts.MkAbs(args[0]))) },
		"unpack": func(ts *testscript.TestScript, _ bool, args []string) { ts.Check(unpack(ts.MkAbs(args[0]))) },
		// rollback FILE N takes back the last N turns of a rollout.
		"rollback": func(ts *testscript.TestScript, _ bool, args []string) {
			f, err := os.OpenFile(ts.MkAbs(args[0]), os.O_APPEND|os.O_WRONLY, 0)
			ts.Check(err)
			_, err = f.WriteString(`{"timestamp":"2026-12-01T10:25:00.000Z","type":"event_msg","payload":{"type":"thread_rolled_back","num_turns":` + args[1] + "}}\n")
			ts.Check(errors.Join(err, f.Close()))
		},
		// side FILE NAME TEXT writes a file into the folder beside a session of Claude Code.
		"side": func(ts *testscript.TestScript, _ bool, args []string) {
			path := filepath.Join(strings.TrimSuffix(ts.MkAbs(args[0]), ".jsonl"), filepath.FromSlash(args[1]))
			ts.Check(os.MkdirAll(filepath.Dir(path), 0o700))
			ts.Check(os.WriteFile(path, []byte(args[2]), 0o600))
		},
		// growsecret FILE adds a turn that holds a secret.
		"growsecret": func(ts *testscript.TestScript, _ bool, args []string) {
			plain, _ := planted()
			ts.Check(grow(ts.MkAbs(args[0]), "What is the key?", "It is "+plain+"."))
		},
		// edit FILE OLD NEW replaces text in a file.
		"edit": func(ts *testscript.TestScript, _ bool, args []string) {
			text := ts.ReadFile(args[0])
			if !strings.Contains(text, args[1]) {
				ts.Fatalf("%s does not hold %q", args[0], args[1])
			}
			ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.ReplaceAll(text, args[1], args[2])), 0o600))
		},
		// long FILE WORD N makes a tool result of N lines of one that is only WORD.
		// many FILE N makes a session of N answers, each with reasoning.
		"many": func(ts *testscript.TestScript, _ bool, args []string) {
			n, err := strconv.Atoi(args[1])
			ts.Check(err)
			text := `{"type":"user","uuid":"u","parentUuid":null,"cwd":"/w","message":{"role":"user","content":"Think."}}` + "\n"
			parent := "u"
			for i := range n {
				for _, block := range []string{`{"type":"thinking","thinking":"so","signature":"s"}`, `{"type":"text","text":"It is so."}`} {
					id := fmt.Sprint(block[9:11], i)
					text += `{"type":"assistant","uuid":"` + id + `","parentUuid":"` + parent + `","message":{"id":"m` + fmt.Sprint(i) +
						`","model":"claude-opus-5-5","role":"assistant","content":[` + block + "]}}\n"
					parent = id
				}
			}
			ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o600))
		},
		"long": func(ts *testscript.TestScript, _ bool, args []string) {
			n, err := strconv.Atoi(args[2])
			ts.Check(err)
			var lines []string
			for i := range n {
				lines = append(lines, fmt.Sprintf("%s %d", args[1], i))
			}
			text := strings.ReplaceAll(ts.ReadFile(args[0]), `"content":"`+args[1]+`"`, `"content":"`+strings.Join(lines, `\n`)+`"`)
			ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o600))
		},
		// hostiledir VAR makes a directory with a name that would drive a terminal.
		"hostiledir": func(ts *testscript.TestScript, _ bool, args []string) {
			dir := ts.MkAbs("../work\x1b]0;owned\x07 \u202e's")
			ts.Check(os.MkdirAll(dir, 0o700))
			ts.Setenv(args[0], dir)
		},
		// pasted DIR gives the last output's command to bash, up to the client's own,
		// which must lead to DIR.
		"pasted": func(ts *testscript.TestScript, _ bool, args []string) {
			cd, _, _ := strings.Cut(ts.ReadFile("stdout"), " && ")
			ts.Check(ts.Exec("bash", "-c", cd+" && pwd -P"))
			if got := strings.TrimSuffix(ts.ReadFile("stdout"), "\n"); got != args[0] {
				ts.Fatalf("%q leads to %q, want %q", cd, got, args[0])
			}
		},
		// nextstep gives the command that the last output's standard error ends in to bash.
		"nextstep": func(ts *testscript.TestScript, _ bool, _ []string) {
			said := strings.Split(strings.TrimSpace(ts.ReadFile("stderr")), "\n")
			ts.Check(ts.Exec("bash", "-c", said[len(said)-1]))
		},
		// holds COPY FILE says that a copy of a rollout holds all its items.
		"holds": func(ts *testscript.TestScript, _ bool, args []string) {
			copied := ts.ReadFile(args[0])
			for line := range strings.Lines(ts.ReadFile(args[1])) {
				if strings.Contains(line, `"response_item"`) && !strings.Contains(copied, line) {
					ts.Fatalf("%s lacks %s", args[0], line)
				}
			}
		},
		// waitfor FILE waits until the file is there.
		"waitfor": func(ts *testscript.TestScript, _ bool, args []string) {
			for end := time.Now().Add(soon); ; time.Sleep(10 * time.Millisecond) {
				if _, err := os.Stat(ts.MkAbs(args[0])); err == nil {
					return
				}
				if time.Now().After(end) {
					ts.Fatalf("%s does not come", args[0])
				}
			}
		},
		// written VAR PATTERN sets VAR to the one file that fits the pattern.
		"written": func(ts *testscript.TestScript, _ bool, args []string) {
			found, err := filepath.Glob(ts.MkAbs(args[1]))
			ts.Check(err)
			if len(found) != 1 {
				ts.Fatalf("%d files fit %q: %q", len(found), args[1], found)
			}
			ts.Setenv(args[0], found[0])
		},
		// snapshot NAME DIR remembers a folder; unchanged NAME compares it.
		"snapshot": func(ts *testscript.TestScript, _ bool, args []string) {
			snap, err := rig.TakeSnapshot(ts.MkAbs(args[1]))
			ts.Check(err)
			ts.Setenv(snapshots+args[0], ts.MkAbs(args[1]))
			ts.Value(worldKey{}).(*world).taken[args[0]] = snap
		},
		"unchanged": func(ts *testscript.TestScript, neg bool, args []string) {
			now, err := rig.TakeSnapshot(ts.Getenv(snapshots + args[0]))
			ts.Check(err)
			diff := ts.Value(worldKey{}).(*world).taken[args[0]].Changes(now)
			if neg != (len(diff) > 0) {
				ts.Fatalf("changes: %q", diff)
			}
		},
		// golden stdout|stderr FILE compares output with testdata/golden/FILE.
		"golden": func(ts *testscript.TestScript, _ bool, args []string) {
			got := neutral(ts.ReadFile(args[0]), ts.Getenv("WORK"), "$WORK")
			// What depends on how long the folder's name is.
			got = regexp.MustCompile(`"(tokens|bytes|size|ends|said|sha256|chain|request|asked)":("[^"]*"|[0-9]+)`).ReplaceAllString(got, `"$1":0`)
			golden := filepath.Join("testdata", "golden", args[1])
			if *update {
				ts.Check(os.WriteFile(golden, []byte(got), 0o600))
			}
			want, err := os.ReadFile(golden)
			ts.Check(err)
			if diff := cmp.Diff(string(want), got); diff != "" {
				ts.Fatalf("%s (-want +got):\n%s", golden, diff)
			}
		},
		// clean stdout|stderr says that output holds no character that drives a terminal.
		"clean": func(ts *testscript.TestScript, _ bool, args []string) {
			for _, name := range args {
				if text := ts.ReadFile(name); strings.IndexFunc(text, func(r rune) bool { return r != '\n' && r != '\t' && unseen(r) }) >= 0 {
					ts.Fatalf("%s: %q", name, text)
				}
			}
		},
		// nosecret FILE... says that no planted secret is in the files, in no form.
		"nosecret": func(ts *testscript.TestScript, neg bool, args []string) {
			for _, name := range args {
				if found := leaked(ts.ReadFile(name)); neg != (found != "") {
					ts.Fatalf("%s: %s", name, found)
				}
			}
		},
	}
}
