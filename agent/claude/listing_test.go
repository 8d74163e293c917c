package claude_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/agent/claude"
)

// home is a config directory that tests fill.
type home struct {
	t   *testing.T
	dir string
	n   int
}

func newHome(t *testing.T) *home { return &home{t: t, dir: t.TempDir()} }

func (h *home) home() agent.Home {
	return agent.Home{Dir: "/nowhere", Getenv: func(name string) string {
		if name == "CLAUDE_CONFIG_DIR" {
			return h.dir
		}
		return ""
	}}
}

// add puts a session of cwd into the folder that the client would choose, and
// returns its id.
func (h *home) add(cwd, data string) string {
	h.t.Helper()
	h.n++
	id := fmt.Sprintf("3461a501-2395-4ab5-a984-%012d", h.n)
	path := filepath.Join(h.dir, "projects", claude.ProjectDirName(cwd), id+".jsonl")
	must(h.t, os.MkdirAll(filepath.Dir(path), 0o755))
	must(h.t, os.WriteFile(path, []byte(strings.ReplaceAll(data, `"cwd":"/w"`, `"cwd":"`+cwd+`"`)), 0o600))
	when := time.Now().Add(time.Duration(h.n-1000) * time.Minute)
	must(h.t, os.Chtimes(path, when, when))
	return id
}

// ids lists the sessions that are not hidden.
func (h *home) ids(q agent.Query) (ids []string) {
	h.t.Helper()
	for e, err := range claude.New().Sessions(h.t.Context(), h.home(), q) {
		must(h.t, err)
		if e.Hidden == "" {
			ids = append(ids, e.ID)
		}
	}
	slices.Sort(ids)
	return ids
}

// A file whose beginning says nothing is read on, but not once nobody waits.
func TestCancelledListingReadsNoFileToItsEnd(t *testing.T) {
	h := newHome(t)
	long := `{"type":"file-history-snapshot","messageId":"m","snapshot":{"x":"` + strings.Repeat("x", 5<<20) + `"}}` + "\n"
	h.add("/w", long+user("u1", "", "go")+strings.Repeat(`{"type":"mode","mode":"y"}`+"\n", 5000))
	if got := h.ids(agent.Query{}); len(got) != 1 {
		t.Fatalf("listed %q", got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	q := agent.Query{Known: func(string, int64, time.Time) (agent.Entry, bool) {
		cancel()
		return agent.Entry{}, false
	}}
	for e, err := range claude.New().Sessions(ctx, h.home(), q) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("listed %+v, %v", e, err)
		}
	}
}

func TestReportsOnListing(t *testing.T) {
	talk := user("u1", "", "go") + answer("a1", "u1", "ok")
	for report, test := range map[string]func(t *testing.T, h *home){
		// A session is found by its id in every project, and says where it worked.
		"anthropics/claude-code#14252": func(t *testing.T, h *home) {
			h.add("/other", talk)
			id := h.add("/renamed", talk)
			for e, err := range claude.New().Sessions(t.Context(), h.home(), agent.Query{ID: id}) {
				must(t, err)
				if e.ID != id || e.Dir != "/renamed" {
					t.Errorf("found %+v", e)
				}
			}
			if got := h.ids(agent.Query{ID: id}); !slices.Equal(got, []string{id}) {
				t.Errorf("found %q", got)
			}
		},
		// Directories that share a folder are told apart by what the files record.
		"anthropics/claude-code#40946": func(t *testing.T, h *home) { apart(t, h, talk, "/w/äö", "/w/üß") },
		"anthropics/claude-code#52513": func(t *testing.T, h *home) { apart(t, h, talk, "/w/项目", "/w/проект"[:7]) },
		"anthropics/claude-code#70076": func(t *testing.T, h *home) {
			apart(t, h, talk, "/w/a_b", "/w/a-b", "/w/a.b", "/w/a b")
			apart(t, newHome(t), talk, `C:\\a_b`, `C:\\a-b`)
		},
		// No index is asked: the files are what there is.
		"anthropics/claude-code#42681": func(t *testing.T, h *home) {
			id := h.add("/w", talk)
			must(t, os.WriteFile(filepath.Join(h.dir, "projects", "-w", "sessions-index.json"), []byte(`{"version":1,"entries":[]}`), 0o600))
			if got := h.ids(agent.Query{}); !slices.Equal(got, []string{id}) {
				t.Errorf("listed %q", got)
			}
		},
		"anthropics/claude-code#12114": func(t *testing.T, h *home) {
			id := h.add("/w", talk)
			must(t, os.WriteFile(filepath.Join(h.dir, "history.jsonl"), nil, 0o600))
			must(t, os.Mkdir(filepath.Join(h.dir, "projects", "-empty"), 0o755))
			if got := h.ids(agent.Query{Dir: "/w"}); !slices.Equal(got, []string{id}) {
				t.Errorf("listed %q", got)
			}
		},
		// A chain of files that each hold the one before is one session.
		"anthropics/claude-code#4926": func(t *testing.T, h *home) {
			h.add("/w", talk)
			h.add("/w", talk+user("u2", "a1", "more")+answer("a2", "u2", "ok"))
			last := h.add("/w", talk+user("u2", "a1", "more")+answer("a2", "u2", "ok")+user("u3", "a2", "end"))
			if got := h.ids(agent.Query{}); !slices.Equal(got, []string{last}) {
				t.Errorf("listed %q, want %q alone", got, last)
			}
			branch := h.add("/w", talk+user("v2", "a1", "another way"))
			if got := h.ids(agent.Query{}); !slices.Equal(got, []string{last, branch}) {
				t.Errorf("listed %q, want two that went different ways", got)
			}
		},
	} {
		t.Run(report, func(t *testing.T) { test(t, newHome(t)) })
	}
}

// apart wants each directory to list its own session only.
func apart(t *testing.T, h *home, talk string, dirs ...string) {
	t.Helper()
	folder := claude.ProjectDirName(strings.ReplaceAll(dirs[0], `\\`, `\`))
	for _, dir := range dirs {
		id := h.add(dir, talk)
		real := strings.ReplaceAll(dir, `\\`, `\`)
		if claude.ProjectDirName(real) != folder {
			t.Fatalf("%q has a folder of its own", dir)
		}
		if got := h.ids(agent.Query{Dir: real}); !slices.Equal(got, []string{id}) {
			t.Errorf("%q lists %q, want %q", dir, got, id)
		}
	}
	if got := h.ids(agent.Query{}); len(got) != len(dirs) {
		t.Errorf("all: %q", got)
	}
}

// Two forks that hold each other's beginning, and nothing of each other's end,
// are both there; so are more copies than are compared.
func TestManyCopiesAreAllListed(t *testing.T) {
	h := newHome(t)
	for i := range 40 {
		h.add("/w", user("u1", "", "go")+answer(fmt.Sprintf("a%d", i), "u1", "ok"))
	}
	if got := h.ids(agent.Query{}); len(got) != 40 {
		t.Errorf("%d listed", len(got))
	}
}

func TestUnreadableProjectIsAnErrorBesideTheOthers(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("runs where a folder can be closed: not as root")
	}
	h := newHome(t)
	id := h.add("/w", user("u1", "", "go"))
	h.add("/closed", user("u1", "", "go"))
	must(t, os.Chmod(filepath.Join(h.dir, "projects", "-closed"), 0))
	t.Cleanup(func() { _ = os.Chmod(filepath.Join(h.dir, "projects", "-closed"), 0o755) })
	var errs, found int
	for e, err := range claude.New().Sessions(t.Context(), h.home(), agent.Query{}) {
		if err != nil {
			errs++
		} else if e.ID == id {
			found++
		}
	}
	if errs != 1 || found != 1 {
		t.Errorf("%d errors and %d sessions", errs, found)
	}
}

// A file system makes a large file of nothing.
func TestListingReadsALimitedPartOfAFile(t *testing.T) {
	h := newHome(t)
	id := h.add("/w", "")
	if err := os.Truncate(filepath.Join(h.dir, "projects", claude.ProjectDirName("/w"), id+".jsonl"), 1<<40); err != nil {
		t.Skip("no sparse files here:", err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	n := 0
	for e, err := range claude.New().Sessions(t.Context(), h.home(), agent.Query{}) {
		if n++; err != nil || e.Hidden != agent.HiddenEmpty {
			t.Errorf("%+v, %v", e, err)
		}
	}
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; n != 1 || used > 64<<20 {
		t.Errorf("%d entries, %d bytes allocated", n, used)
	}
}
