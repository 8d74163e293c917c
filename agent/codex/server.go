package codex

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/internal/osx"
)

// indexTime bounds the conversation with the app-server.
const indexTime = 5 * time.Second

// maxAnswer bounds a line of the answer in bytes: it lists 50 threads.
const maxAnswer = 16 << 20

// Index implements [agent.Indexer]: a thread/list of the client's own
// app-server scans the disk and takes in rollouts that were added. It asks no
// model. (Codex 0.171.0.)
func (a *Agent) Index(ctx context.Context, home agent.Home) (err error) {
	m, err := a.Manifest()
	if err != nil {
		return err
	}
	path, err := exec.LookPath(m.Program)
	if err != nil {
		return fmt.Errorf("index: %w", err)
	}
	if path, err = filepath.Abs(path); err != nil {
		return fmt.Errorf("index: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, indexTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "app-server")
	osx.OwnGroup(cmd) // nothing it starts outlives the question
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("index: %w", err)
	}
	// What has left the group may still hold the other end.
	closed := context.AfterFunc(ctx, func() { _, _ = in.Close(), out.Close() })
	err = ask(in, out)
	closed()
	osx.KillGroup(cmd)
	// It ends because it is told to.
	_ = cmd.Wait()
	if ctx.Err() != nil {
		err = fmt.Errorf("no answer within %v", indexTime)
	}
	if err != nil {
		return fmt.Errorf("index: ask %q app-server: %w", path, err)
	}
	return nil
}

// ask introduces itself and asks for the threads.
func ask(in io.Writer, out io.Reader) error {
	send := func(line string) error {
		_, err := io.WriteString(in, line+"\n")
		return err
	}
	if err := send(`{"id":1,"method":"initialize","params":{"clientInfo":{"name":"crosswalk","title":"Crosswalk","version":"0"}}}`); err != nil {
		return err
	}
	r := bufio.NewScanner(out)
	r.Buffer(nil, maxAnswer)
	for r.Scan() {
		var err error
		var answer struct {
			ID    int
			Error *struct{ Message string }
		}
		if json.Unmarshal(bytes.TrimSpace(r.Bytes()), &answer) != nil {
			continue
		}
		switch {
		case answer.Error != nil:
			return errors.New(answer.Error.Message)
		case answer.ID == 1:
			err = errors.Join(send(`{"method":"initialized"}`), send(`{"id":2,"method":"thread/list","params":{"limit":50}}`))
		case answer.ID == 2:
			return nil
		}
		if err != nil {
			return err
		}
	}
	if err := r.Err(); err != nil {
		return fmt.Errorf("read its answer: %w", err)
	}
	return errors.New("it ended without an answer")
}
