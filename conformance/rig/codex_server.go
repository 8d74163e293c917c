package rig

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
)

// A CodexServer is a running `codex app-server`: JSON-RPC, one message a line,
// on its standard input and output. It needs no login and no network, and asks
// the scripted model when a turn is started.
type CodexServer struct {
	proc  *Process
	stdin *os.File
	done  chan struct{} // closed when nothing more will arrive

	mu      sync.Mutex
	nextID  int
	answers map[int]chan rpcMessage
	notes   []rpcMessage
	arrived chan struct{} // closed and replaced when a notification arrives
}

type rpcMessage struct {
	ID     *int            `json:"id,omitempty"`
	Method string          `json:"method,omitempty"`
	Params json.RawMessage `json:"params,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  *rpcError       `json:"error,omitempty"`
}

type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e *rpcError) Error() string { return fmt.Sprintf("%s (%d)", e.Message, e.Code) }

// Ask starts an app-server, asks it one question and ends it. The answer is
// decoded into result, unless that is nil.
func (c Codex) Ask(ctx context.Context, method string, params, result any) error {
	s, err := c.Server(ctx)
	if err != nil {
		return err
	}
	err = s.Call(ctx, method, params, result)
	_, endErr := s.Close()
	return errors.Join(err, endErr)
}

// Server starts an app-server in the box and greets it. The caller closes it.
func (c Codex) Server(ctx context.Context) (*CodexServer, error) {
	stdin, stdinEnd, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer stdin.Close()
	out, outEnd := io.Pipe()
	s := &CodexServer{
		stdin: stdinEnd, done: make(chan struct{}),
		answers: map[int]chan rpcMessage{}, arrived: make(chan struct{}),
	}
	s.proc, err = c.start(ctx, Command{Stdin: stdin, Stdout: outEnd}, []string{"app-server"})
	if err != nil {
		return nil, errors.Join(err, stdinEnd.Close(), outEnd.Close())
	}
	go s.read(out)
	context.AfterFunc(s.proc.ctx, func() { _ = outEnd.Close() })
	greeting := Args{"clientInfo": Args{"name": "rig", "title": "rig", "version": "0"}}
	if err := s.Call(ctx, "initialize", greeting, nil); err != nil {
		_, endErr := s.Close()
		return nil, errors.Join(err, endErr)
	}
	return s, s.send(rpcMessage{Method: "initialized"})
}

// Call asks the server and decodes the answer into result, unless that is nil.
func (s *CodexServer) Call(ctx context.Context, method string, params, result any) error {
	raw, err := json.Marshal(params)
	if err != nil {
		return err
	}
	answer := make(chan rpcMessage, 1)
	s.mu.Lock()
	s.nextID++
	id := s.nextID
	s.answers[id] = answer
	s.mu.Unlock()
	if err := s.send(rpcMessage{ID: &id, Method: method, Params: raw}); err != nil {
		return fmt.Errorf("call %s: %w", method, err)
	}
	select {
	case m := <-answer:
		if m.Error != nil {
			return fmt.Errorf("call %s: %w", method, m.Error)
		}
		if result == nil {
			return nil
		}
		return json.Unmarshal(m.Result, result)
	case <-s.done:
		return fmt.Errorf("call %s: the server has ended: %s", method, s.proc.stderr.String())
	case <-ctx.Done():
		return fmt.Errorf("call %s: %w", method, ctx.Err())
	}
}

// Await returns the parameters of the next notification of that method which
// was not yet returned.
func (s *CodexServer) Await(ctx context.Context, method string) (json.RawMessage, error) {
	for {
		s.mu.Lock()
		for i, m := range s.notes {
			if m.Method == method {
				s.notes = append(s.notes[:i], s.notes[i+1:]...)
				s.mu.Unlock()
				return m.Params, nil
			}
		}
		arrived := s.arrived
		s.mu.Unlock()
		select {
		case <-arrived:
		case <-s.done:
			return nil, fmt.Errorf("await %s: the server has ended: %s", method, s.proc.stderr.String())
		case <-ctx.Done():
			return nil, fmt.Errorf("await %s: %w", method, ctx.Err())
		}
	}
}

// Close ends the server's input, so that it ends by itself, and returns what
// the run left.
func (s *CodexServer) Close() (Result, error) {
	_ = s.stdin.Close()
	res, err := s.proc.Wait()
	<-s.done
	return res, err
}

func (s *CodexServer) send(m rpcMessage) error {
	line, err := json.Marshal(m)
	if err != nil {
		return err
	}
	_, err = s.stdin.Write(append(line, '\n'))
	return err
}

func (s *CodexServer) read(out io.Reader) {
	defer close(s.done)
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var m rpcMessage
		if json.Unmarshal(line, &m) != nil {
			continue // the client may print other lines
		}
		s.dispatch(m)
	}
}

func (s *CodexServer) dispatch(m rpcMessage) {
	if m.ID != nil && m.Method != "" {
		// The server asks for an approval; a rig has nobody to give it.
		refusal := rpcMessage{ID: m.ID, Error: &rpcError{Code: -32601, Message: "not supported"}}
		_ = s.send(refusal)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if m.ID != nil {
		if answer := s.answers[*m.ID]; answer != nil {
			answer <- m
			delete(s.answers, *m.ID)
		}
		return
	}
	s.notes = append(s.notes, m)
	close(s.arrived)
	s.arrived = make(chan struct{})
}
