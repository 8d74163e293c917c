//go:build unix

package jsonl_test

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/crosswalk-agents/crosswalk/internal/jsonl"
)

// Opening a named pipe that nobody writes to would wait for ever.
func TestANamedPipeIsRefusedAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe.jsonl")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, f := range map[string]func() error{
		"Open": func() error { _, err := jsonl.Open(t.Context(), path, jsonl.Limits{}); return err },
		"Peek": func() error { _, err := new(jsonl.Peeker).Peek(path, 10, 10); return err },
	} {
		t.Run(name, func(t *testing.T) {
			done := make(chan error, 1)
			go func() { done <- f() }()
			select {
			case err := <-done:
				if !errors.Is(err, jsonl.ErrNotRegular) {
					t.Errorf("error %v", err)
				}
			case <-time.After(10 * time.Second):
				t.Fatal("it waits")
			}
		})
	}
}
