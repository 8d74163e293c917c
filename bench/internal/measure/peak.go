package measure

import (
	"os"
	"runtime/debug"
	"strconv"
	"strings"
)

// Linux counts for a program that is started at least what its parent had at
// its peak, since between fork and exec they are one memory. So a parent has to
// be small, and to have forgotten that it was not.

// ForgetPeak gives back what memory can be given back and resets the peak of
// this program, on Linux; elsewhere peaks are not passed on.
func ForgetPeak() {
	debug.FreeOSMemory()
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // then Peak tells
}

// Peak returns the most memory in bytes that this program has had since
// ForgetPeak, 0 where the system does not tell.
func Peak() int64 {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		rest, ok := strings.CutPrefix(line, "VmHWM:")
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 10, 64)
		if err != nil {
			return 0
		}
		return n << 10
	}
	return 0
}
