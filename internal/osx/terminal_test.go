package osx_test

import (
	"context"
	"errors"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/crosswalk-agents/crosswalk/internal/osx"
)

func TestWaitReadableEndsWithWhatComesFirst(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there it returns at once; runs on Unix")
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := osx.WaitReadable(ctx, r); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("nothing to read: %v", err)
	}
	if _, err := w.WriteString("x"); err != nil {
		t.Fatal(err)
	}
	if err := osx.WaitReadable(t.Context(), r); err != nil {
		t.Errorf("a byte to read: %v", err)
	}
	if _, err := r.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := osx.WaitReadable(t.Context(), r); err != nil {
		t.Errorf("at the end: %v", err)
	}
}
