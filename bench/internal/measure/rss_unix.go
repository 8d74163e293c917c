//go:build linux || darwin

package measure

import (
	"os"
	"runtime"
	"syscall"
)

// maxRSS returns the peak memory of a program that has ended.
func maxRSS(s *os.ProcessState) int64 {
	u, ok := s.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return int64(u.Maxrss)
	}
	return int64(u.Maxrss) << 10
}
