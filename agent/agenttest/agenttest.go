package agenttest

import (
	"crypto/sha256"
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"github.com/crosswalk-agents/crosswalk/agent"
)

// Fixtures are what an adapter brings to the suite.
type Fixtures struct {
	// Sessions hold conversations. Lines can be added to the first, by Line.
	Sessions []File
	// Silent are files of the agent in which nobody says anything.
	Silent []File
	// Foreign are files of other programs.
	Foreign []Foreign
	// Line returns a whole record, without newline, that adds a message with
	// this text to the end of the first session; n counts from 0.
	Line func(n int, text string) string
	// Home writes sessions and other things below dir and returns the
	// surroundings in which they are found, and what a listing of them is.
	Home func(t *testing.T, dir string) (agent.Home, []agent.Entry)
}

// File is a session file under the name that the agent would give it.
type File struct {
	// Name may have folders, with slashes.
	Name string
	Data string
	// Beside are further files, by their name.
	Beside map[string]string
}

// Foreign is a file of another program.
type Foreign struct {
	File
	// Got is what the refusal has to call the other program; "" if it cannot.
	Got string
}

// Run tests a.
func Run(t *testing.T, a agent.Agent, fx Fixtures) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	t.Run("manifest", func(t *testing.T) { testManifest(t, a) })
	t.Run("refuses", func(t *testing.T) { testRefusals(t, a, &fx) })
	t.Run("reads", func(t *testing.T) { testReading(t, a, &fx) })
	t.Run("grows", func(t *testing.T) { testGrowth(t, a, &fx) })
	t.Run("lists", func(t *testing.T) { testListing(t, a, &fx) })
	if w, ok := a.(agent.Writer); ok {
		t.Run("writes", func(t *testing.T) { testWriting(t, w, &fx) })
		t.Run("faults", func(t *testing.T) { testFaults(t, w) })
	}
}

// surroundings returns a home that holds nothing.
func surroundings(t *testing.T) agent.Home {
	t.Helper()
	return agent.IsolatedHome(t.TempDir())
}

// put writes f into a fresh folder and returns its path.
func (f *File) put(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, filepath.FromSlash(f.Name))
	write(t, path, f.Data)
	for name, data := range f.Beside {
		write(t, filepath.Join(dir, filepath.FromSlash(name)), data)
	}
	return path
}

func write(t *testing.T, path, data string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must(t, os.WriteFile(path, []byte(data), 0o644))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// tree returns the digest of every file below dir, and the folders.
func tree(t *testing.T, dir string) map[string][32]byte {
	t.Helper()
	files := make(map[string][32]byte)
	must(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil || d.IsDir() {
			files[rel] = [32]byte{}
			return err
		}
		b, err := os.ReadFile(path)
		files[rel] = sha256.Sum256(b)
		return err
	}))
	return files
}
