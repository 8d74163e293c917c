//go:build crosswalk_faults && unix

package fault

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"syscall"
)

// The environment of a program that is to meet a fault. LogEnv names a file to
// which each point that is passed is added, a line each; without it nothing
// happens. At the line whose number is in KillEnv the process is killed. At that
// in WaitEnv it waits until somebody opens the named pipe in PipeEnv for writing
// and closes it again.
const (
	LogEnv  = "CROSSWALK_FAULT_LOG"
	KillEnv = "CROSSWALK_FAULT_KILL"
	WaitEnv = "CROSSWALK_FAULT_WAIT"
	PipeEnv = "CROSSWALK_FAULT_PIPE"
)

// Point marks a moment: its name, and the file or folder that it concerns.
func Point(name, path string) {
	if os.Getenv(LogEnv) == "" {
		return
	}
	n, err := pass(os.Getenv(LogEnv), name+" "+path)
	switch {
	case err != nil:
	case os.Getenv(KillEnv) == n:
		err = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	case os.Getenv(WaitEnv) == n:
		err = wait(os.Getenv(PipeEnv))
	}
	if err != nil {
		panic(err)
	}
}

// pass adds a line to the log and returns its number.
func pass(log, line string) (string, error) {
	f, err := os.OpenFile(log, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return "", err
	}
	if _, err := f.WriteString(line + "\n"); err != nil {
		return "", err
	}
	if err := f.Close(); err != nil {
		return "", err
	}
	text, err := os.ReadFile(log)
	return fmt.Sprint(bytes.Count(text, []byte("\n"))), err
}

func wait(pipe string) error {
	f, err := os.Open(pipe)
	if err != nil {
		return err
	}
	if _, err := io.ReadAll(f); err != nil {
		return err
	}
	return f.Close()
}
