//go:build unix

package osx

import (
	"os/exec"
	"syscall"
)

// OwnGroup makes cmd start in a process group of its own.
func OwnGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

// KillGroup ends the process group of a command that was started with
// [OwnGroup].
func KillGroup(cmd *exec.Cmd) {
	// A group that is gone already is as wanted.
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
}
