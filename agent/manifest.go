package agent

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"

	"github.com/goccy/go-yaml"
)

// Manifest is what is only data about an agent. It is read from the
// manifest.yaml beside each adapter; an unknown key is an error.
type Manifest struct {
	// ID is the adapter's folder name; the canonical form's is crosswalk.
	ID string `yaml:"id"`
	// Name is the agent's own name for itself.
	Name string `yaml:"name"`
	// Program is the command that starts it; empty for a form that no program
	// resumes.
	Program string `yaml:"program"`
	// Verified is the client version that the facts here were seen with.
	Verified string `yaml:"verified"`
	// Home is the folder that holds its sessions; empty if none does.
	Home Place `yaml:"home"`
	// SessionEnv lists environment variables that name the session a shell
	// runs in, most specific first.
	SessionEnv []string `yaml:"session_env"`
	// SessionID is the grammar of its session ids, a regular expression.
	SessionID string `yaml:"session_id"`
	// Resume is the command line that continues a session; {id} stands for it.
	Resume []string `yaml:"resume"`
	// Rules is the file name of the project instructions it reads.
	Rules []string `yaml:"rules"`
	// NamesModel says that its sessions name the model of each answer, so that
	// one can be chosen for a session that is handed over.
	NamesModel bool `yaml:"names_model"`
	// Install says how a person gets the program.
	Install string `yaml:"install"`
}

// Place is a folder: the value of an environment variable, or a default.
type Place struct {
	Env     string `yaml:"env"`
	Default string `yaml:"default"`
}

// ParseManifest reads a manifest strictly. id is the adapter's.
func ParseManifest(id string, text []byte) (*Manifest, error) {
	m := new(Manifest)
	if err := yaml.NewDecoder(bytes.NewReader(text), yaml.Strict()).Decode(m); err != nil {
		return nil, fmt.Errorf("read manifest of %q: %w", id, err)
	}
	switch {
	case m.ID != id:
		return nil, fmt.Errorf("read manifest of %q: its id is %q", id, m.ID)
	case m.Name == "" || m.Verified == "":
		return nil, fmt.Errorf("read manifest of %q: name and verified must be set", id)
	case m.Home.Default != "" && !strings.HasPrefix(m.Home.Default, "~/"):
		return nil, fmt.Errorf("read manifest of %q: home.default must begin with ~/", id)
	}
	if _, err := regexp.Compile(m.SessionID); err != nil {
		return nil, fmt.Errorf("read manifest of %q: session_id: %w", id, err)
	}
	return m, nil
}

// ResumeArgv returns the command line that continues session id. An id that
// does not match the agent's grammar is refused: it could be read as a flag or
// a path.
func (m *Manifest) ResumeArgv(id string) ([]string, error) {
	if err := m.CheckID(id); err != nil {
		return nil, err
	}
	argv := make([]string, len(m.Resume))
	for i, a := range m.Resume {
		argv[i] = strings.ReplaceAll(a, "{id}", id)
	}
	return argv, nil
}

// CheckID returns an error if id does not match the agent's grammar.
func (m *Manifest) CheckID(id string) error {
	ok, err := regexp.MatchString(`^(?:`+m.SessionID+`)$`, id)
	if err != nil {
		return err
	}
	if !ok {
		return fmt.Errorf("%q is not a session id of %s", id, m.Name)
	}
	return nil
}
