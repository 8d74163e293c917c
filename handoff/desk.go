package handoff

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/internal/atomicfile"
	"github.com/crosswalk-agents/crosswalk/internal/journal"
	"github.com/crosswalk-agents/crosswalk/internal/osx"
	"github.com/crosswalk-agents/crosswalk/internal/secret"
)

// Desk hands sessions over on one person's machine: it finds them, remembers
// every hand-over in a journal, and undoes one.
type Desk struct {
	// Agents are the adapters, in the order in which they are shown.
	Agents []agent.Agent
	// Readers read files that are named, and list no sessions.
	Readers []agent.Agent
	// Home is where the agents keep their files.
	Home agent.Home
	// State is the folder of Crosswalk's own state.
	State string
	// Clock is the time of what the journal records; [time.Now] by default.
	Clock func() time.Time

	once   sync.Once
	finder *secret.Finder // of conceal
}

// presentable returns e as it may be shown and kept: without an id that could name
// nothing, and with the likely secrets in its title masked, which may be the
// first words that somebody typed.
func (d *Desk) presentable(e *agent.Entry) agent.Entry {
	shown := *e
	shown.ID, shown.Title = name(e.ID), d.conceal(e.Title)
	return shown
}

// conceal returns text with its likely secrets masked.
func (d *Desk) conceal(text string) string {
	d.once.Do(func() { d.finder = secret.New(secret.Options{Deep: true}) })
	return d.finder.Conceal(text)
}

// UnknownAgentError says that no adapter has the id.
type UnknownAgentError struct{ ID string }

func (e *UnknownAgentError) Error() string { return fmt.Sprintf("no agent is called %q", e.ID) }

// Agent returns the adapter with the given id. The error for an id that none
// has is an [*UnknownAgentError].
func (d *Desk) Agent(id string) (agent.Agent, *agent.Manifest, error) {
	for _, a := range slices.Concat(d.Agents, d.Readers) {
		m, err := a.Manifest()
		if err != nil {
			return nil, nil, err
		}
		if m.ID == id {
			return a, m, nil
		}
	}
	return nil, nil, &UnknownAgentError{ID: id}
}

func (d *Desk) ledger() (*journal.Journal, error) {
	opts := []journal.Option{journal.Stream("handoff")}
	if d.Clock != nil {
		opts = append(opts, journal.Clock(d.Clock))
	}
	return journal.New(filepath.Join(d.State, "journal"), opts...)
}

// cacheFile holds what earlier listings learned.
func (d *Desk) cacheFile() string { return filepath.Join(d.State, "cache", "sessions.json") }

// List returns the sessions that q asks for, newest first, and what could not
// be listed. If only is not empty, it is the id of the one agent to ask.
func (d *Desk) List(ctx context.Context, q agent.Query, only string) ([]agent.Entry, []error) {
	cache := d.loadCache()
	q.Known = func(path string, size int64, modified time.Time) (agent.Entry, bool) {
		e, ok := cache[path]
		return e, ok && e.Size == size && e.Modified.Equal(modified)
	}
	dir := q.Dir
	q.Dir = "" // the cache is filled with all that is read
	var entries []agent.Entry
	var errs []error
	fresh := make(map[string]agent.Entry, len(cache))
	changed := false
	real := make(realDirs)
	for _, l := range d.listings(ctx, q, only) {
		for _, e := range l.entries {
			c, ok := cache[e.Path]
			changed = changed || !ok || c.Size != e.Size || !c.Modified.Equal(e.Modified) || c.Title != e.Title
			fresh[e.Path] = e
			e.Dir = real.of(e.Dir)
			if dir == "" || e.Dir == dir {
				entries = append(entries, e)
			}
		}
		errs = append(errs, l.errs...)
	}
	if changed && ctx.Err() == nil {
		for path, c := range cache {
			if _, ok := fresh[path]; !ok && (only != "" || q.ID != "") {
				fresh[path] = c
			}
		}
		d.saveCache(fresh)
	}
	slices.SortStableFunc(entries, func(a, b agent.Entry) int { return b.Modified.Compare(a.Modified) })
	return entries, errs
}

// realDirs remembers the real paths of directories.
type realDirs map[string]string

func (r realDirs) of(dir string) string {
	real, ok := r[dir]
	if !ok {
		real = realDir(dir)
		r[dir] = real
	}
	return real
}

// realDir returns a directory that a session names by its real path: links are
// resolved, if it is on this machine.
func realDir(dir string) string {
	if isLocal(dir) {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			return real
		}
	}
	return dir
}

// isLocal reports whether a directory that a session names can be looked at. To
// look at one of another machine would be to log in there.
func isLocal(dir string) bool { return filepath.IsAbs(dir) && !strings.HasPrefix(dir, `\\`) }

// listing is what one agent lists.
type listing struct {
	entries []agent.Entry
	errs    []error
}

// listings returns what each agent lists, which are asked at the same time, or
// the one called only.
func (d *Desk) listings(ctx context.Context, q agent.Query, only string) []listing {
	all := make([]listing, len(d.Agents))
	var wg sync.WaitGroup
	for i, a := range d.Agents {
		l := &all[i]
		m, err := a.Manifest()
		if err != nil {
			l.errs = append(l.errs, err)
			continue
		}
		if only != "" && only != m.ID {
			continue
		}
		wg.Go(func() {
			for e, err := range a.Sessions(ctx, d.Home, q) {
				if err != nil {
					l.errs = append(l.errs, err)
					continue
				}
				l.entries = append(l.entries, d.presentable(&e))
			}
		})
	}
	wg.Wait()
	return all
}

// name returns id if it can name a session, or "": it comes from a file, and
// goes to command lines.
func name(id string) string {
	if !agent.IsName(id) {
		return ""
	}
	return id
}

// maxCache bounds what is read of the cache, in bytes.
const maxCache = 256 << 20

// loadCache returns an empty cache when there is none that can be read: it is
// only a help.
func (d *Desk) loadCache() map[string]agent.Entry {
	var entries []agent.Entry
	text, err := osx.ReadFile(d.cacheFile(), maxCache)
	if err != nil || json.Unmarshal(text, &entries) != nil {
		return nil
	}
	cache := make(map[string]agent.Entry, len(entries))
	for _, e := range entries {
		cache[e.Path] = e
	}
	return cache
}

func (d *Desk) saveCache(cache map[string]agent.Entry) {
	text, err := json.Marshal(slices.Collect(maps.Values(cache)))
	if err != nil {
		return
	}
	// A cache that cannot be written costs time and nothing else.
	_ = atomicfile.ReplaceFile(d.cacheFile(), text, 0o600, atomicfile.Sync(false))
}

// NotFoundError says that no session was found, and where one is.
type NotFoundError struct {
	// Wanted is what was asked for; empty means the newest of the directory.
	Wanted string
	Dir    string
	// Searched are the folders that were looked through.
	Searched []string
	// Nearest is a session elsewhere that may be meant.
	Nearest *agent.Entry
	// Short says that an id begins with what was asked for, which is shorter than
	// [MinPrefix].
	Short bool
	// Empty says that no agent has any session on this machine.
	Empty bool
	// Pull says that a session to bring back from was looked for.
	Pull bool
	// Skipped counts sessions that were passed over, by reason.
	Skipped map[string]int
}

func (e *NotFoundError) Error() string {
	if e.Wanted != "" {
		return fmt.Sprintf("no session is called %q", e.Wanted)
	}
	if e.Pull && e.Dir == "" {
		return "no session was handed over and continued"
	}
	if e.Pull {
		return fmt.Sprintf("no session of %s was handed over and continued", e.Dir)
	}
	if e.Dir == "" {
		return "no session"
	}
	return fmt.Sprintf("no session of %s", e.Dir)
}

// AmbiguousError says that several sessions fit.
type AmbiguousError struct {
	Wanted  string
	Matches []agent.Entry
}

func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("%d sessions fit %q", len(e.Matches), e.Wanted)
}

// searched lists the folders that hold the agents' sessions.
func (d *Desk) searched() []string {
	var dirs []string
	for _, a := range d.Agents {
		if m, err := a.Manifest(); err == nil && m.Home.Default != "" {
			if dir, err := d.Home.Path(m.Home); err == nil {
				dirs = append(dirs, dir)
			}
		}
	}
	return dirs
}

// isPath reports whether arg is written like the path of a file. A title may be,
// too.
func isPath(arg string) bool {
	if filepath.IsAbs(arg) || strings.HasPrefix(arg, ".") {
		return true
	}
	switch filepath.Ext(arg) {
	case ".jsonl", ".json", ".zst":
		return true
	}
	return false
}

// IsFile reports whether arg names an existing file, and so no title or id.
func IsFile(arg string) bool {
	info, err := os.Stat(arg)
	return err == nil && !info.IsDir() || err != nil && !errors.Is(err, fs.ErrNotExist) && filepath.IsAbs(arg)
}
