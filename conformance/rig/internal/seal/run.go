//go:build unix

package seal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// readyTimeout bounds how long a service may take until it listens.
const readyTimeout = 10 * time.Second

// Run does what spec says and returns the exit code for the box process. The
// outcome is also written to [ReportFD], where a failure of the box cannot be
// mistaken for a failure of the command.
func Run(spec Spec) int {
	syscall.CloseOnExec(LifelineFD)
	syscall.CloseOnExec(ReportFD)
	dying := make(chan struct{})
	go watchLifeline(dying, spec.Sealed)

	code, err := run(spec)
	select {
	case <-dying:
		select {} // what ended was ended by us; watchLifeline ends the box
	default:
	}
	report := Report{Ended: err == nil, ExitCode: code}
	if err != nil {
		report.Err, code = err.Error(), 125
	}
	pipe := os.NewFile(ReportFD, "report")
	if err := json.NewEncoder(pipe).Encode(report); err != nil {
		fmt.Fprintf(os.Stderr, "box: write report: %v\n", err)
	}
	endStrays(spec.Sealed)
	return code
}

// watchLifeline ends the box when the parent has gone. In a sealed box that
// ends everything else too, because this is the first process of its namespace.
func watchLifeline(dying chan<- struct{}, sealed bool) {
	_, _ = io.Copy(io.Discard, os.NewFile(LifelineFD, "lifeline"))
	close(dying)
	endStrays(sealed)
	os.Exit(125)
}

func run(spec Spec) (int, error) {
	if spec.Sealed {
		if err := enter(spec); err != nil {
			return 0, err
		}
	} else if err := adoptOrphans(); err != nil {
		return 0, err
	}
	services := map[int]string{}
	for _, s := range spec.Services {
		pid, err := startService(s)
		if err != nil {
			return 0, fmt.Errorf("start %s: %w", s.Name, err)
		}
		services[pid] = s.Name
		if err := awaitService(s, pid); err != nil {
			return 0, fmt.Errorf("wait for %s: %w", s.Name, err)
		}
	}
	pid, err := startCommand(spec)
	if err != nil {
		return 0, fmt.Errorf("start %q: %w", spec.Argv[0], err)
	}
	stop := forwardSignals(pid)
	defer stop()
	return waitFor(pid, services)
}

func startCommand(spec Spec) (int, error) {
	attr := &syscall.SysProcAttr{Setsid: true, Setctty: spec.TTY}
	if u := spec.User; u != nil {
		attr.Credential = &syscall.Credential{Uid: uint32(u.UID), Gid: uint32(u.GID)}
	}
	return start(spec.Argv, spec.Dir, spec.Env, []uintptr{0, 1, 2}, attr)
}

func startService(s Service) (int, error) {
	log, err := os.OpenFile(s.Log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return 0, err
	}
	defer log.Close()
	null, err := os.Open(os.DevNull)
	if err != nil {
		return 0, err
	}
	defer null.Close()
	files := []uintptr{null.Fd(), log.Fd(), log.Fd()}
	return start(s.Argv, s.Dir, s.Env, files, &syscall.SysProcAttr{Setsid: true})
}

// start begins a process without an [os.Process]: the box reaps every child in
// one place, so nothing else may wait for one.
func start(argv []string, dir string, env []string, files []uintptr, attr *syscall.SysProcAttr) (int, error) {
	if env == nil {
		env = []string{}
	}
	return syscall.ForkExec(argv[0], argv, &syscall.ProcAttr{Dir: dir, Env: env, Files: files, Sys: attr})
}

func awaitService(s Service, pid int) error {
	if s.Addr == "" {
		return nil
	}
	deadline := time.Now().Add(readyTimeout)
	dialer := net.Dialer{Timeout: time.Second}
	for {
		conn, err := dialer.DialContext(context.Background(), "tcp", s.Addr)
		if err == nil {
			return conn.Close()
		}
		var status syscall.WaitStatus
		if got, _ := syscall.Wait4(pid, &status, syscall.WNOHANG, nil); got == pid {
			return fmt.Errorf("ended with %d before it listened on %s: %s", exitCode(status), s.Addr, tail(s.Log))
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("nothing listens on %s after %v: %s", s.Addr, readyTimeout, tail(s.Log))
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// waitFor reaps every child until pid has ended. A service that ends earlier is
// a failure: the command would only see refused connections.
func waitFor(pid int, services map[int]string) (int, error) {
	for {
		var status syscall.WaitStatus
		got, err := syscall.Wait4(-1, &status, 0, nil)
		switch {
		case errors.Is(err, syscall.EINTR):
		case err != nil:
			return 0, fmt.Errorf("wait: %w", err)
		case got == pid:
			return exitCode(status), nil
		case services[got] != "":
			return 0, fmt.Errorf("%s ended with %d while the command ran", services[got], exitCode(status))
		}
	}
}

func exitCode(status syscall.WaitStatus) int {
	if status.Signaled() {
		return 128 + int(status.Signal())
	}
	return status.ExitStatus()
}

// forwardSignals passes the signals that ask a program to stop on to pid.
func forwardSignals(pid int) (stop func()) {
	signals := make(chan os.Signal, 4)
	done := make(chan struct{})
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		defer close(done)
		for s := range signals {
			_ = syscall.Kill(pid, s.(syscall.Signal))
		}
	}()
	return func() {
		signal.Stop(signals)
		close(signals)
		<-done
	}
}

// tail returns the end of a log for an error message.
func tail(name string) string {
	data, err := os.ReadFile(name)
	if err != nil {
		return err.Error()
	}
	return string(data[max(0, len(data)-2000):])
}
