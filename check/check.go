package check

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/internal/jsonl"
	"github.com/crosswalk-agents/crosswalk/internal/osx"
	"github.com/crosswalk-agents/crosswalk/internal/uuid"
)

// Options are the choices of [Check] and [Repair]. The zero value is ready to
// use.
type Options struct {
	// Agent is the id of the agent whose file it is, "claude" or "codex"; empty
	// finds out.
	Agent string
	// Provider is the model provider that Codex would use now; empty if that is
	// not known.
	Provider string
	// Fill is the model provider that a thread of Codex has to name in the home
	// that it is for; empty if it need not name one, or that is not known.
	Fill string
	// MaxPerRule is how many findings of one rule a report lists, 20 by default.
	MaxPerRule int
	// Limits bound what a compressed file may unpack to.
	Limits jsonl.Limits
	// Progress is told how many bytes of the file have been read; may be nil.
	Progress func(done, size int64)
}

const defaultMaxPerRule = 20

// ErrUnsupported is matched by the error for a file that is no session of an
// agent whose files are checked.
var ErrUnsupported = errors.New("no session file that can be checked")

// UnsupportedError says whose file it is.
type UnsupportedError struct {
	Path string
	// Got names the program that writes such files; empty if unknown.
	Got string
}

func (e *UnsupportedError) Error() string {
	if e.Got == "" {
		return fmt.Sprintf("check %q: neither a Claude Code session nor a Codex rollout", e.Path)
	}
	return fmt.Sprintf("check %q: a session file of %s; only those of Claude Code and Codex can be checked", e.Path, e.Got)
}

// Is implements the match with [ErrUnsupported].
func (e *UnsupportedError) Is(target error) bool { return target == ErrUnsupported }

// Check examines the session file at path. The report says what is wrong with
// it; an error means that it could not be examined.
func Check(ctx context.Context, path string, o Options) (*Report, error) {
	f, err := jsonl.Open(ctx, path, o.Limits)
	if err != nil {
		return nil, err
	}
	r, err := checkFile(ctx, f, path, &o)
	return r, errors.Join(err, f.Close())
}

// checkFile examines f, which lies at path.
func checkFile(ctx context.Context, f *jsonl.File, path string, o *Options) (*Report, error) {
	id := o.Agent
	if id == "" {
		var err error
		if id, err = identify(ctx, f, path); err != nil {
			return nil, err
		}
	}
	if o.Progress != nil {
		f.OnProgress(o.Progress)
	}
	most := o.MaxPerRule
	if most <= 0 {
		most = defaultMaxPerRule
	}
	found := newCollector(most)
	r := &Report{Agent: id, Path: path}
	var l *lines
	var err error
	switch id {
	case agentClaude:
		stem := strings.TrimSuffix(filepath.Base(path), ".jsonl")
		c := newClaudeFile(found, f, stem)
		claudePlace(found, path, stem)
		if l, err = c.scan(ctx); err == nil {
			r.Reachable = c.judge()
		}
	case agentCodex:
		named, _ := codexName(path)
		c := newCodexFile(found, f, named)
		codexPlace(found, path)
		if l, err = c.scan(ctx); err == nil {
			r.Reachable = c.judge(o)
		}
	default:
		return nil, &UnsupportedError{Path: path, Got: id}
	}
	if err == nil {
		err = f.Unchanged()
	}
	if err != nil {
		return nil, err
	}
	r.Records, r.Read = l.count, l.extent
	found.report(r)
	return r, nil
}

// claudePlace says what the client makes of the file's place.
func claudePlace(found *collector, path, stem string) {
	if !uuid.Valid(stem) || !strings.HasSuffix(path, ".jsonl") {
		found.add("claude-file-name", 0, "%q", filepath.Base(path))
	}
	if compressed(path) {
		found.add("claude-compressed", 0, "")
	}
}

// codexPlace says what the client makes of the file's place.
func codexPlace(found *collector, path string) {
	thread, named := codexName(path)
	if !named {
		found.add("codex-file-name", 0, "%q", filepath.Base(path))
	}
	switch packed, says := compressed(path), strings.HasSuffix(path, ".zst"); {
	case packed && says:
		found.add("codex-compressed", 0, "")
	case packed != says:
		found.add("codex-compressed-name", 0, "")
	}
	home, archived := codexHome(path)
	if archived {
		found.add("codex-archived", 0, "")
	}
	if home == "" || thread == "" {
		return
	}
	// A lock is looked at by its name only: it is never opened.
	if _, err := os.Lstat(filepath.Join(home, "thread-writer-locks", strings.ToLower(thread)+".lock")); err == nil {
		found.add("codex-live-lock", 0, "")
	}
}

// codexHome returns the home in whose sessions or archived_sessions folder path
// lies, or "".
func codexHome(path string) (home string, archived bool) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", false
	}
	for dir, up := filepath.Dir(abs), 0; up < 5; dir, up = filepath.Dir(dir), up+1 {
		switch filepath.Base(dir) {
		case "sessions":
			return filepath.Dir(dir), false
		case "archived_sessions":
			return filepath.Dir(dir), true
		}
	}
	return "", false
}

// compressed reports whether the file at path begins as zstd does.
func compressed(path string) bool {
	f, err := osx.OpenLinked(path)
	if err != nil {
		return false
	}
	defer f.Close()
	var magic [4]byte
	n, _ := f.Read(magic[:])
	return n == 4 && magic == [4]byte{0x28, 0xB5, 0x2F, 0xFD}
}

// identifyRecords is how many records of a damaged beginning are shown to
// agent.Identify.
const identifyRecords = 64

// identify finds out whose file it is: by its records, even if the file begins
// with damage, else by its name.
func identify(ctx context.Context, f *jsonl.File, path string) (string, error) {
	if f.Size() > 0 {
		if id, err := agent.Identify(f); err != nil || id != "" {
			return id, err
		}
	}
	head, err := readable(ctx, f)
	if err != nil {
		return "", err
	}
	if len(head) > 0 {
		if id, err := agent.Identify(jsonl.FromBytes(path, head)); err != nil || id != "" {
			return id, err
		}
	}
	base := filepath.Base(path)
	switch {
	case strings.HasPrefix(base, "rollout-"):
		return agentCodex, nil
	case uuid.Valid(strings.TrimSuffix(base, ".jsonl")):
		return agentClaude, nil
	}
	return "", nil
}

// readable returns the first records of f that can be read, a line each.
func readable(ctx context.Context, f *jsonl.File) ([]byte, error) {
	var head []byte
	count := 0
	enough, cancel := context.WithCancel(ctx)
	defer cancel()
	err := f.Each(enough, func(rec jsonl.Record) (int, error) {
		if count == identifyRecords {
			cancel()
			return len(rec.Data), nil
		}
		value, err := valueOf(rec)
		if err != nil {
			return 0, err
		}
		count++
		head = append(append(head, value...), '\n')
		return len(value), nil
	}, func(jsonl.Damage) {})
	if count == identifyRecords {
		err = ctx.Err() // it was stopped here, unless the caller stopped it
	}
	return head, err
}
