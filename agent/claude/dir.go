package claude

import (
	"errors"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/crosswalk-agents/crosswalk/agent"
)

// maxDirUnits is the length, in UTF-16 units, past which a folder name is cut
// and given a hash (Claude Code 2.1.332).
const maxDirUnits = 200

// ProjectDirName returns the name of the folder below projects/ that holds the
// sessions of the physical working directory cwd: every UTF-16 unit that is no
// ASCII letter or digit becomes a dash, and a name of more than 200 units is
// cut there and followed by a dash and the base-36 absolute value of the
// 32-bit hash of the whole. Many directories can share a name; only the cwd
// inside a file says whose it is. (Claude Code 2.1.332, source and runs.)
func ProjectDirName(cwd string) string {
	units := utf16.Encode([]rune(cwd))
	name := make([]byte, len(units))
	for i, u := range units {
		name[i] = '-'
		if u >= 'a' && u <= 'z' || u >= 'A' && u <= 'Z' || u >= '0' && u <= '9' {
			name[i] = byte(u)
		}
	}
	if len(name) <= maxDirUnits {
		return string(name)
	}
	var h int32
	for _, u := range units {
		h = h*31 + int32(u)
	}
	abs := int64(h)
	if abs < 0 {
		abs = -abs
	}
	return string(name[:maxDirUnits]) + "-" + strconv.FormatInt(abs, 36)
}

// projectsDir returns the folder that holds one folder per project.
func projectsDir(home agent.Home) (string, error) {
	m, err := New().Manifest()
	if err != nil {
		return "", err
	}
	config, err := home.Path(m.Home)
	if err != nil {
		return "", err
	}
	return filepath.Join(config, "projects"), nil
}

// errNoDir is the error for a session that no project's folder can hold.
var errNoDir = errors.New("the session does not say in which directory it worked, so there is no project to write it to: name the directory or the file")

// projectDirEnv replaces the folder name where the client accepts it.
const projectDirEnv = "CLAUDE_CODE_PROJECT_DIR_NAME"

// projectDir returns the folder that the sessions of cwd belong in.
func projectDir(home agent.Home, cwd string) (string, error) {
	projects, err := projectsDir(home)
	if err != nil {
		return "", err
	}
	if cwd == "" {
		return "", errNoDir
	}
	name := ProjectDirName(cwd)
	if v := home.Env(projectDirEnv); usableDirName(v) && home.Env("CLAUDE_CONFIG_DIR") != "" {
		name = v
	}
	return filepath.Join(projects, name), nil
}

// usableDirName reports whether the client accepts v as an override: 1 to 64
// letters, digits, _ and -, and not the name of a Windows device.
func usableDirName(v string) bool {
	if v == "" || len(v) > 64 {
		return false
	}
	for i := range len(v) {
		c := v[i]
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-') {
			return false
		}
	}
	return !isDeviceName(v)
}

func isDeviceName(v string) bool {
	switch s := strings.ToLower(v); {
	case s == "con" || s == "prn" || s == "aux" || s == "nul":
		return true
	case len(s) == 4 && (s[:3] == "com" || s[:3] == "lpt"):
		return s[3] >= '0' && s[3] <= '9'
	}
	return false
}

// Place implements [agent.Placer].
func (*Agent) Place(home agent.Home, dir, id string, _ time.Time) (string, error) {
	folder, err := projectDir(home, dir)
	if err != nil {
		return "", err
	}
	return filepath.Join(folder, id+".jsonl"), nil
}
