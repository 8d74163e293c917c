package osx

import (
	"os/exec"
	"syscall"
)

// OwnGroup makes cmd start in a process group of its own.
func OwnGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// KillGroup ends a command that was started with [OwnGroup]. What it started
// itself goes on: Windows has no group to end.
func KillGroup(cmd *exec.Cmd) {
	// A process that is gone already is as wanted.
	_ = cmd.Process.Kill()
}
