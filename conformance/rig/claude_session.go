package rig

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// A ClaudeSpec describes a session that Claude Code is to write.
type ClaudeSpec struct {
	// Home and Work are fresh folders.
	Home, Work string
	// Files are put into Work first, by slash-separated name.
	Files map[string][]byte
	// Steps are run in order, each as a client of its own that resumes the
	// session.
	Steps []ClaudeStep
	// Model is passed as --model when it is set. Env adds NAME=VALUE words.
	Model string
	Env   []string
}

// A ClaudeStep is one headless run of the client.
type ClaudeStep struct {
	// Prompt is what the user types; "/compact" compacts.
	Prompt string
	// Images are typed with the prompt (PNG).
	Images [][]byte
	// Script are the answers of the model, to subagents too.
	Script []Turn
	// BranchAt, when set, is an answer of the model after which the turn is
	// put in, instead of at the end: the session then has two branches.
	BranchAt string
	// Fork leaves the session as it is and goes on in a copy (--fork-session).
	Fork bool
	// Args are more arguments for the client.
	Args []string
	// KillAfter kills the client while it waits for the answer to that request,
	// counted from 1.
	KillAfter int
}

// MakeClaudeSession lets the real client write a session. See [ClaudeText] and
// its neighbours for ready specs.
func (b *Bench) MakeClaudeSession(ctx context.Context, spec ClaudeSpec) (Session, error) {
	s := Session{Home: spec.Home, Work: spec.Work, ID: newUUID()}
	if err := writeFiles(spec.Work, spec.Files); err != nil {
		return s, err
	}
	for i, step := range spec.Steps {
		session := []string{"--session-id", s.ID}
		if i > 0 {
			session = []string{"--resume", s.ID}
		}
		c := b.Claude(spec.Home, spec.Work, step.Script...)
		c.Model, c.Env, c.Seed = spec.Model, spec.Env, seedOf(i)
		res, err := c.sessionStep(ctx, step, session, s.Path)
		s.Results = append(s.Results, res)
		if err == nil {
			err = s.follow(res)
		}
		if err != nil {
			return s, fmt.Errorf("make claude session, step %d: %w", i+1, err)
		}
	}
	return s, nil
}

// follow learns from a run which session it wrote, and where.
func (s *Session) follow(res Result) error {
	for line := range strings.Lines(res.Stdout) {
		var r struct {
			SessionID string `json:"session_id"`
		}
		if json.Unmarshal([]byte(line), &r) == nil && r.SessionID != "" {
			s.ID = r.SessionID
			break
		}
	}
	files, err := filepath.Glob(filepath.Join(s.Home, ".claude", "projects", "*", s.ID+".jsonl"))
	if err != nil {
		return err
	}
	if len(files) != 1 {
		return fmt.Errorf("%d files are called %s.jsonl", len(files), s.ID)
	}
	s.Path = files[0]
	return nil
}

func (c Claude) sessionStep(ctx context.Context, step ClaudeStep, session []string, path string) (Result, error) {
	if step.Fork {
		session = append(session, "--fork-session")
	}
	if step.BranchAt != "" {
		uuid, err := answerRecord(path, step.BranchAt)
		if err != nil {
			return Result{}, err
		}
		session = append(session, "--resume-session-at", uuid)
	}
	args := []string{"-p", "--dangerously-skip-permissions", "--output-format", "stream-json", "--verbose"}
	args = append(append(args, session...), step.Args...)
	var stdin io.Reader
	if len(step.Images) == 0 {
		args = append(args, step.Prompt)
	} else {
		message, err := typedImages(step.Prompt, step.Images)
		if err != nil {
			return Result{}, err
		}
		stdin = bytes.NewReader(message)
		args = append(args, "--input-format", "stream-json")
	}
	p, err := c.start(ctx, Command{Stdin: stdin}, args)
	if err != nil {
		return Result{}, err
	}
	res, err := finish(ctx, p, step.KillAfter)
	if err == nil && step.KillAfter == 0 {
		err = claudeFailure(res)
	}
	return res, err
}

// answerRecord finds the first record of a session that holds that answer.
func answerRecord(path, text string) (uuid string, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	for line := range bytes.Lines(data) {
		var r struct {
			Type, UUID string
			Message    struct {
				Content []struct{ Text string }
			}
		}
		if json.Unmarshal(line, &r) != nil || r.Type != "assistant" {
			continue
		}
		for _, b := range r.Message.Content {
			if b.Text == text {
				return r.UUID, nil
			}
		}
	}
	return "", fmt.Errorf("no answer %q in %q", text, path)
}

// typedImages is a user message for --input-format stream-json (2.1.332).
func typedImages(prompt string, images [][]byte) ([]byte, error) {
	content := []Args{{"type": "text", "text": prompt}}
	for _, data := range images {
		content = append(content, Args{"type": "image", "source": Args{
			"type": "base64", "media_type": "image/png", "data": base64.StdEncoding.EncodeToString(data),
		}})
	}
	line, err := json.Marshal(Args{"type": "user", "message": Args{"role": "user", "content": content}})
	return append(line, '\n'), err
}

// claudeFailure finds the error that a run with exit code zero reports in its
// result line.
func claudeFailure(res Result) error {
	for line := range bytes.Lines([]byte(res.Stdout)) {
		var r struct {
			Type    string
			IsError bool `json:"is_error"`
			Result  string
		}
		if json.Unmarshal(line, &r) == nil && r.Type == "result" && r.IsError {
			return errors.New(r.Result)
		}
	}
	return nil
}
