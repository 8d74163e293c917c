//go:build unix

package cli

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/crosswalk-agents/crosswalk/conformance/rig"
)

// The pages whose blocks of kind "console" are what the program prints. Comments
// between the blocks say what happens meanwhile:
//
//	<!-- session NAME AGE [DIR] -->    a session is there
//	<!-- grow PATTERN | PROMPT | ANSWER -->    it is continued in its client
//	<!-- now TIME -->                  time has gone on
//	<!-- types TEXT -->                what is typed into the next block
//	<!-- machine -->                   from here on it is another machine
var pages = [...]string{"README.md", "docs/handoff.md", "docs/sessions.md", "docs/losses.md", "docs/safety.md"}

// docRoot is the module's root seen from this package.
const docRoot = "../.."

func TestDocsShowWhatTheProgramPrints(t *testing.T) {
	for _, page := range pages {
		t.Run(strings.ReplaceAll(page, "/", "_"), func(t *testing.T) {
			t.Parallel()
			name := filepath.Join(docRoot, page)
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			d := &document{t: t}
			d.machine()
			got := d.run(string(text))
			if *update && got != string(text) {
				if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(text), got); diff != "" {
				t.Errorf("%s is stale: run make regen (-page +program):\n%s", page, diff)
			}
		})
	}
}

// document is a page that is being run.
type document struct {
	t *testing.T
	*world
	dir   string
	typed string
	ids   map[string]string // of what was written, by what the page calls them
}

// machine makes a world in which Ada works on a greeter.
func (d *document) machine() {
	d.t.Helper()
	random := make([]byte, 4)
	_, _ = rand.Read(random) // never fails
	tmp, err := filepath.EvalSymlinks(os.TempDir())
	if err != nil {
		d.t.Fatal(err)
	}
	// The name's length is always the same, as the output depends on it.
	d.dir = filepath.Join(tmp, "crosswalk-docs-"+hex.EncodeToString(random))
	if d.world, err = newWorld(d.dir); err != nil {
		d.t.Fatal(err)
	}
	d.home = filepath.Join(d.dir, "ada")
	d.project = filepath.Join(d.home, "greeter")
	d.ids = make(map[string]string)
	if err := os.MkdirAll(d.project, 0o700); err != nil {
		d.t.Fatal(err)
	}
	dir := d.dir
	d.t.Cleanup(func() { _ = os.RemoveAll(dir) })
}

// run returns the page with the output of its blocks renewed.
func (d *document) run(text string) string {
	var out strings.Builder
	block := false
	for line := range strings.Lines(text) {
		trimmed := strings.TrimSpace(line)
		switch {
		case block && trimmed == "```":
			block = false
		case block:
			command, ok := strings.CutPrefix(line, "$ ")
			if !ok {
				continue // old output
			}
			out.WriteString(line)
			out.WriteString(d.output(strings.TrimSpace(command)))
			continue
		case trimmed == "```console":
			block = true
		case strings.HasPrefix(trimmed, "<!-- ") && strings.HasSuffix(trimmed, " -->"):
			d.direct(strings.Trim(trimmed, "<!->"))
		}
		out.WriteString(line)
	}
	return out.String()
}

// direct does what a comment says.
func (d *document) direct(comment string) {
	d.t.Helper()
	words := strings.Fields(comment)
	rest := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(comment), words[0]))
	var err error
	switch words[0] {
	case "session":
		dir := d.project
		if len(words) > 3 {
			dir = filepath.Join(d.home, words[3])
			err = os.MkdirAll(dir, 0o700)
		}
		age, aerr := time.ParseDuration(words[2])
		if err == nil {
			err = aerr
		}
		if err == nil {
			_, _, err = d.install(words[1], age, dir)
		}
	case "grow":
		parts := strings.Split(rest, " | ")
		var found []string
		found, err = filepath.Glob(filepath.Join(d.home, parts[0]))
		if err == nil && (len(found) != 1 || len(parts) != 3) {
			err = fmt.Errorf("%d files, %d parts", len(found), len(parts))
		}
		if err == nil {
			err = errors.Join(grow(found[0], parts[1], parts[2]), os.Chtimes(found[0], d.now, d.now))
		}
	case "now":
		d.now, err = time.Parse(time.RFC3339, rest)
	case "types":
		d.typed = rest
	case "machine":
		d.machine()
	}
	if err != nil {
		d.t.Fatalf("%s: %v", comment, err)
	}
}

// output runs a command line in a terminal, as Ada would.
func (d *document) output(command string) string {
	d.t.Helper()
	command = strings.Replace(command, "go run ./cmd/crosswalk", "crosswalk", 1)
	for real, shown := range d.ids {
		command = strings.ReplaceAll(command, shown, real)
	}
	cmd := exec.CommandContext(d.t.Context(), "bash", "--norc", "-c", command)
	cmd.Dir, cmd.Env = d.project, append(d.env(), "NO_COLOR=1", "PAGER=cat")
	term, err := rig.Tty(d.t.Context(), 100, 30, cmd)
	if err != nil {
		d.t.Fatal(err)
	}
	if d.typed != "" {
		if err := term.WaitFor(`\?$`, soon); err != nil {
			d.t.Error(err)
		}
		if err := term.Type(d.typed + "\r"); err != nil {
			d.t.Error(err)
		}
		d.typed = ""
	}
	res, err := term.Wait()
	if err != nil {
		d.t.Error(err)
	}
	return d.shown(strings.ReplaceAll(res.Stdout, "\r\n", "\n"))
}

// shown gives ids, folders and versions that differ from run to run the names
// that the page has for them.
func (d *document) shown(text string) string {
	text = neutral(text, d.dir, "/home")
	text = regexp.MustCompile(`"size":\d+`).ReplaceAllString(text, `"size":2834`) // by the name's length
	text = regexp.MustCompile(`"bytes":\d+`).ReplaceAllString(text, `"bytes":8412`)
	text = regexp.MustCompile(`/home/tmp/crosswalk-sample-\d+`).ReplaceAllString(text, "/tmp/crosswalk-sample-1")
	return regexp.MustCompile(`([0-9a-f]{8}-[0-9a-f]{4})-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}`).ReplaceAllStringFunc(text, func(id string) string {
		if strings.HasPrefix(id, "019a0de") { // one that was there
			return id
		}
		if _, ok := d.ids[id]; !ok {
			d.ids[id] = fmt.Sprintf("%s-7000-8000-%012d", id[:13], len(d.ids)+1)
		}
		return d.ids[id]
	})
}
