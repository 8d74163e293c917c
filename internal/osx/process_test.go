package osx_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/crosswalk-agents/crosswalk/internal/osx"
)

func TestProcessAliveFollowsAProcessToItsEnd(t *testing.T) {
	if !osx.ProcessAlive(os.Getpid()) {
		t.Error("this process is not alive")
	}
	holder := startHolder(t, filepath.Join(t.TempDir(), "lock"))
	if !osx.ProcessAlive(holder.Process.Pid) {
		t.Error("a running child is not alive")
	}
	if err := holder.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = holder.Wait()
	if osx.ProcessAlive(holder.Process.Pid) {
		t.Error("an ended child is alive")
	}
}

func TestEndedProcessNotYetCollectedIsNotAlive(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells a zombie; runs there")
	}
	cmd := exec.CommandContext(t.Context(), "true")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Wait() }()
	for deadline := time.Now().Add(10 * time.Second); osx.ProcessAlive(cmd.Process.Pid); {
		if time.Now().After(deadline) {
			t.Fatal("a zombie counts as alive")
		}
		time.Sleep(time.Millisecond)
	}
}

func TestNoProcessHasAnIDBelowOne(t *testing.T) {
	// For kill(2) these name groups of processes that do exist.
	for _, pid := range []int{0, -1, -os.Getpid()} {
		if osx.ProcessAlive(pid) {
			t.Errorf("process %d is alive", pid)
		}
	}
}
