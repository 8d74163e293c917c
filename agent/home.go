package agent

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Home is the surroundings in which an agent looks for its files: a person's
// environment and home directory.
type Home struct {
	// Getenv is os.Getenv by default.
	Getenv func(string) string
	// Dir is the person's home directory; empty asks the system.
	Dir string
}

// IsolatedHome is dir without any environment variable.
func IsolatedHome(dir string) Home {
	return Home{Dir: dir, Getenv: func(string) string { return "" }}
}

// Env returns the environment variable name.
func (h Home) Env(name string) string {
	if name == "" {
		return ""
	}
	if h.Getenv != nil {
		return h.Getenv(name)
	}
	return os.Getenv(name)
}

// Path resolves the manifest's place p: the value of p.Env if it is set, else
// p.Default below the home directory.
func (h Home) Path(p Place) (string, error) {
	if v := h.Env(p.Env); v != "" {
		return v, nil
	}
	dir := h.Dir
	if dir == "" {
		d, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("find the home directory: %w", err)
		}
		dir = d
	}
	rest, ok := strings.CutPrefix(p.Default, "~/")
	if !ok {
		return "", fmt.Errorf("place %q does not begin with ~/", p.Default)
	}
	return filepath.Join(dir, filepath.FromSlash(rest)), nil
}
