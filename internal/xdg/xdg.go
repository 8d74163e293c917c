package xdg

import (
	"errors"
	"os"
	"path/filepath"
)

// errHome says that there is no place to derive the folder from.
var errHome = errors.New("find Crosswalk's folder: neither HOME nor CROSSWALK_HOME is set")

// State returns the folder for journals and what can be made again, which need
// not exist, for the environment that getenv reads; nil is os.Getenv. Relative
// values are ignored, as the specification demands.
func State(getenv func(string) string) (string, error) {
	if getenv == nil {
		getenv = os.Getenv
	}
	if dir := getenv("CROSSWALK_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "state"), nil
	}
	if dir := getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "crosswalk"), nil
	}
	for _, name := range [...]string{"HOME", "USERPROFILE"} {
		if home := getenv(name); home != "" {
			return filepath.Join(home, ".local", "state", "crosswalk"), nil
		}
	}
	return "", errHome
}
