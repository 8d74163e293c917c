package xdg

import (
	"errors"
	"os"
	"path/filepath"
)

// Dirs are Crosswalk's folders. They need not exist.
type Dirs struct {
	// Config holds what the person writes.
	Config string
	// State holds journals and what can be made again.
	State string
}

// errHome says that there is no place to derive the folders from.
var errHome = errors.New("find Crosswalk's folders: neither HOME nor CROSSWALK_HOME is set")

// Find returns the folders for the environment that getenv reads; nil is
// os.Getenv. Relative values are ignored, as the specification demands.
func Find(getenv func(string) string) (Dirs, error) {
	if getenv == nil {
		getenv = os.Getenv
	}
	if dir := getenv("CROSSWALK_HOME"); filepath.IsAbs(dir) {
		return Dirs{Config: filepath.Join(dir, "config"), State: filepath.Join(dir, "state")}, nil
	}
	config, state := getenv("XDG_CONFIG_HOME"), getenv("XDG_STATE_HOME")
	home := getenv("HOME")
	if home == "" {
		home = getenv("USERPROFILE")
	}
	if home == "" && (!filepath.IsAbs(config) || !filepath.IsAbs(state)) {
		return Dirs{}, errHome
	}
	if !filepath.IsAbs(config) {
		config = filepath.Join(home, ".config")
	}
	if !filepath.IsAbs(state) {
		state = filepath.Join(home, ".local", "state")
	}
	return Dirs{Config: filepath.Join(config, "crosswalk"), State: filepath.Join(state, "crosswalk")}, nil
}
