package rig

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// A CodexSpec describes a session that Codex is to write.
type CodexSpec struct {
	// Home and Work are fresh folders.
	Home, Work string
	// Files are put into Work first, by slash-separated name.
	Files map[string][]byte
	// Steps are run in order, each as a client of its own that resumes the
	// session.
	Steps []CodexStep
	// Model is [CodexDirect] when it is empty.
	Model string
	Env   []string
	// Legacy lets the client write the older dialect, without ordinals.
	Legacy bool
}

// A CodexStep is one run of the client.
type CodexStep struct {
	// Do is what happens; the zero value is a typed turn.
	Do CodexAction
	// Prompt is what the user types, in a turn and in a fork.
	Prompt string
	// Images are typed with the prompt (PNG).
	Images [][]byte
	// Script are the answers of the model.
	Script []Turn
	// Turns is how many turns a revert takes back.
	Turns int
	// KillAfter kills the client while it waits for the answer to that request,
	// counted from 1.
	KillAfter int
}

// A CodexAction is a thing to do with a session.
type CodexAction int

// What a [CodexStep] can do.
const (
	// CodexTurn is a typed turn (codex exec).
	CodexTurn CodexAction = iota
	// CodexCompact compacts; the script's first text is the summary.
	CodexCompact
	// CodexRevert takes the last turns back. Codex 0.171.0 then goes on in a
	// second file of the same thread.
	CodexRevert
	// CodexFork makes a new thread with the prompt as its first own turn; later
	// steps go on there.
	CodexFork
	// CodexArchive moves the session's files to archived_sessions.
	CodexArchive
)

// MakeCodexSession lets the real client write a session. See [CodexText] and
// its neighbours for ready specs.
func (b *Bench) MakeCodexSession(ctx context.Context, spec CodexSpec) (Session, error) {
	s := Session{Home: spec.Home, Work: spec.Work}
	if err := writeFiles(spec.Work, spec.Files); err != nil {
		return s, err
	}
	if spec.Legacy {
		if err := s.beginLegacy(); err != nil {
			return s, err
		}
	}
	for i, step := range spec.Steps {
		c := b.Codex(spec.Home, spec.Work, step.Script...)
		c.Model, c.Env, c.Seed = spec.Model, spec.Env, seedOf(i)
		res, err := c.sessionStep(ctx, step, &s)
		s.Results = append(s.Results, res)
		if err != nil {
			return s, fmt.Errorf("make codex session, step %d: %w", i+1, err)
		}
	}
	files, err := CodexFiles(s.Home, s.ID)
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("make codex session: no file of thread %s", s.ID)
	}
	if err != nil {
		return s, err
	}
	s.Path = files[len(files)-1]
	return s, nil
}

// beginLegacy writes the first line of a rollout without a history mode. Codex
// 0.171.0 begins every thread of its own in the paginated dialect, but goes on
// with such a file in the legacy one.
func (s *Session) beginLegacy() error {
	s.ID = newUUID()
	now := time.Now()
	dir := filepath.Join(s.Home, ".codex", "sessions", now.Format("2006"), now.Format("01"), now.Format("02"))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	stamp := now.UTC().Format("2006-01-02T15:04:05.000Z")
	line, err := json.Marshal(Args{"timestamp": stamp, "type": "session_meta", "payload": Args{
		"id": s.ID, "timestamp": stamp, "cwd": s.Work, "originator": "codex_exec", "cli_version": "0.171.0", "source": "exec",
	}})
	if err != nil {
		return err
	}
	name := "rollout-" + now.Format("2006-01-02T15-04-05") + "-" + s.ID + ".jsonl"
	return os.WriteFile(filepath.Join(dir, name), append(line, '\n'), 0o600)
}

func (c Codex) sessionStep(ctx context.Context, step CodexStep, s *Session) (Result, error) {
	switch step.Do {
	case CodexTurn, CodexFork:
		return c.promptStep(ctx, step, s)
	case CodexCompact:
		return c.compactStep(ctx, s.ID)
	case CodexRevert:
		return c.revertStep(ctx, s.ID, step.Turns)
	case CodexArchive:
		p, err := c.Start(ctx, "archive", s.ID)
		if err != nil {
			return Result{}, err
		}
		return finish(ctx, p, 0)
	}
	return Result{}, fmt.Errorf("unknown action %d", step.Do)
}

// promptStep runs a turn in a new, a resumed or a forked thread and learns the
// thread's id.
func (c Codex) promptStep(ctx context.Context, step CodexStep, s *Session) (Result, error) {
	args := CodexExec()
	switch {
	case step.Do == CodexFork:
		args = append(args, "fork")
	case s.ID != "":
		args = append(args, "resume")
	}
	for i, data := range step.Images {
		name := filepath.Join(c.Work, "typed-"+strconv.Itoa(i+1)+".png")
		if err := os.WriteFile(name, data, 0o644); err != nil {
			return Result{}, err
		}
		args = append(args, "--image", name)
	}
	args = append(args, "--") // --image takes all words that follow
	if s.ID != "" {
		args = append(args, s.ID)
	}
	p, err := c.Start(ctx, append(args, step.Prompt)...)
	if err != nil {
		return Result{}, err
	}
	res, err := finish(ctx, p, step.KillAfter)
	if id := startedThread(res.Stdout); id != "" {
		s.ID = id
	} else if err == nil {
		err = fmt.Errorf("no thread was started: %s%s", res.Stdout, res.Stderr)
	}
	return res, err
}

func startedThread(stdout string) string {
	for line := range strings.Lines(stdout) {
		var e struct {
			Type     string
			ThreadID string `json:"thread_id"`
		}
		if json.Unmarshal([]byte(line), &e) == nil && e.Type == "thread.started" {
			return e.ThreadID
		}
	}
	return ""
}

func (c Codex) compactStep(ctx context.Context, id string) (Result, error) {
	c.AllRequests = true // the request for a summary has no tools (0.171.0)
	return c.withThread(ctx, id, func(s *CodexServer) error {
		if err := s.Call(ctx, "thread/compact/start", Args{"threadId": id}, nil); err != nil {
			return err
		}
		_, err := s.Await(ctx, "turn/completed")
		return err
	})
}

func (c Codex) revertStep(ctx context.Context, id string, turns int) (Result, error) {
	return c.withThread(ctx, id, func(s *CodexServer) error {
		var list struct{ Data []struct{ ID string } } // newest first
		if err := s.Call(ctx, "thread/turns/list", Args{"threadId": id}, &list); err != nil {
			return err
		}
		if turns < 1 || turns > len(list.Data) {
			return fmt.Errorf("cannot revert %d of %d turns", turns, len(list.Data))
		}
		return s.Call(ctx, "thread/revert", Args{"threadId": id, "beforeTurnId": list.Data[turns-1].ID}, nil)
	})
}

// withThread opens a thread in an app-server.
func (c Codex) withThread(ctx context.Context, id string, do func(*CodexServer) error) (Result, error) {
	s, err := c.Server(ctx)
	if err != nil {
		return Result{}, err
	}
	err = s.Call(ctx, "thread/resume", Args{"threadId": id, "excludeTurns": true}, nil)
	if err == nil {
		err = do(s)
	}
	res, endErr := s.Close()
	return res, errors.Join(err, endErr)
}
