package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestMain lets the test binary be the program: see TestEndsOnSIGTERM.
func TestMain(m *testing.M) {
	if os.Getenv("SCRIPTED_UPSTREAM_MAIN") == "1" {
		main()
		return
	}
	os.Exit(m.Run())
}

func scriptFile(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "turns.json")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestExitCodes(t *testing.T) {
	good := scriptFile(t, `[]`)
	bad := scriptFile(t, `[{"txet":"a"}]`)
	tests := []struct {
		name   string
		args   []string
		code   int
		stderr string
	}{
		{"help", []string{"--help"}, 0, "-script file"},
		{"no script", nil, 2, "want --script FILE"},
		{"unknown flag", []string{"--x"}, 2, "not defined: -x"},
		{"extra argument", []string{"--script", good, "x"}, 2, "no other arguments"},
		{"bad script", []string{"--script", bad}, 1, `turn 0: unknown field "txet"`},
		{"absent script", []string{"--script", good + "x"}, 1, "read script"},
		{"open address", []string{"--script", good, "--listen", "0.0.0.0:0"}, 1, "not a loopback address"},
		{"bad seed", []string{"--script", good, "--seed", "a b"}, 1, `use seed "a b"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			code := run(t.Context(), tt.args, &stdout, &stderr)
			if code != tt.code || !strings.Contains(stderr.String(), tt.stderr) || stdout.Len() > 0 {
				t.Errorf("code %d, stdout %q, stderr %q", code, &stdout, &stderr)
			}
		})
	}
}

func TestEndsOnSIGTERM(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no SIGTERM")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	record := t.TempDir()
	cmd := exec.CommandContext(ctx, self, "--script", scriptFile(t, `[{"text":"in $WORK"}]`), "--record", record, "--work", "/w", "--all-requests", "--seed", "s")
	cmd.Env = append(os.Environ(), "SCRIPTED_UPSTREAM_MAIN=1")
	cmd.Stderr = os.Stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	addr, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+strings.TrimSpace(addr)+"/v1/messages", strings.NewReader(`{}`))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if err != nil || !strings.Contains(string(body), `"in /w"`) || !strings.Contains(string(body), `"msg_s_t0_1"`) {
		t.Errorf("%v, %s", err, body)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("exit: %v", err)
	}
	if _, err := os.Stat(filepath.Join(record, "001-POST-v1_messages.json")); err != nil {
		t.Error(err)
	}
}
