package measure

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
)

// Replace returns page with the part between the markers called name replaced
// by text:
//
//	<!-- begin NAME -->
//	<!-- end NAME -->
func Replace(page []byte, name, text string) ([]byte, error) {
	begin, end := []byte("<!-- begin "+name+" -->\n"), []byte("<!-- end "+name+" -->")
	from := bytes.Index(page, begin)
	if from < 0 {
		return nil, fmt.Errorf("find %q: not in the page", begin)
	}
	from += len(begin)
	to := bytes.Index(page[from:], end)
	if to < 0 {
		return nil, fmt.Errorf("find %q: not in the page", end)
	}
	out := append([]byte(nil), page[:from]...)
	out = append(out, text...)
	return append(out, page[from+to:]...), nil
}

// Machine describes what the figures were taken on, and with which versions of
// the programs given: each answers --version.
func Machine(ctx context.Context, programs ...string) string {
	parts := []string{
		fmt.Sprintf("%s/%s, %d cores", runtime.GOOS, runtime.GOARCH, runtime.NumCPU()),
		processor(), strings.Replace(runtime.Version(), "go", "Go ", 1),
	}
	for _, p := range programs {
		out, err := exec.CommandContext(ctx, p, "--version").Output()
		first, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
		if err != nil || first == "" {
			first = p + " is not here"
		}
		parts = append(parts, first)
	}
	return strings.Join(parts, "; ")
}

// processor names the processor.
func processor() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return "unknown processor"
	}
	for line := range strings.Lines(string(text)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.Join(strings.Fields(value), " ")
		}
	}
	return "unknown processor"
}

// Load tells how busy the machine is, where the system says so.
func Load() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	first, _, _ := strings.Cut(string(text), " ")
	return first
}
