//go:build linux

package osx

import (
	"bytes"
	"os"
	"strconv"
)

// ended tells whether the process is a zombie. proc(5): the state is the
// field after the command, which is in parentheses and may contain some.
func ended(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return false
	}
	_, rest, found := bytes.Cut(stat[max(0, bytes.LastIndexByte(stat, ')')):], []byte(") "))
	return found && len(rest) > 0 && (rest[0] == 'Z' || rest[0] == 'X')
}
